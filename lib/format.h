/*
 * format: names in the format andweorc(5): record types and keys; and names of
 * environment variables by which andweorc-record passes data to the runtime.  Shared by
 * the tools and the runtime.
 *
 * SPDX-License-Identifier: 0BSD
 */
#ifndef ANDWEORC_FORMAT_H
#define ANDWEORC_FORMAT_H

#define AW_FORMAT_VERSION 1

/* record types */
#define AW_HEADER     "andweorc"
#define AW_RUN        "run"
#define AW_PROCESS    "process"
#define AW_MODULE     "module"
#define AW_REGION     "region"
#define AW_PLAN       "plan"
#define AW_EXPERIMENT "experiment"
#define AW_VISITS     "visits"
#define AW_LATENCY    "latency"
#define AW_POINT      "point"
#define AW_SAMPLE     "sample"
#define AW_CALL       "call"
#define AW_BURST      "burst"
#define AW_STACK      "stack"
#define AW_EVENTS     "events"
#define AW_PLACE      "place"
#define AW_SHARE      "share"
#define AW_WARNING    "warning"
#define AW_END        "end"
#define AW_IMPACT     "impact"
#define AW_CURVE      "curve"
#define AW_BASELINE   "baseline"
#define AW_REPLICATE  "replicate"
#define AW_REPLAY     "replay"
#define AW_WHY        "why"
#define AW_COVERAGE   "coverage"
#define AW_UNTRIED    "untried"

/* environment of the target */
#define AW_ENV_ARENA "ANDWEORC_ARENA" /* "PATH#RUN" of the shared arena; the runtime is inert without it */

/* name of the arena in the mappings of a process */
#define AW_ARENA_NAME "andweorc"

/* the runtime's file name, beside which andweorc-record looks for it */
#define AW_RUNTIME_NAME "libandweorc.so"
#define AW_STATIC_SECTION ".andweorc" /* section of a program that is linked with
#libandweorc.a */

#endif

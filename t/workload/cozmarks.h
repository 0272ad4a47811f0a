/*
 * cozmarks: a round is marked with coz.h (Debian's coz-profiler), as programs are
 * that know nothing of andweorc; where that is not installed, in its words.  To be
 * included first.  The programs run under Coz and under andweorc-record.
 */
#ifndef COZMARKS_H
#define COZMARKS_H

#if __has_include(<coz.h>)
#include <coz.h>
#else
#include "../program/cozlike.h"
#endif

#define WORKLOAD_PROGRESS() COZ_PROGRESS_NAMED("round")

#endif

/*
 * procmaps: the lines of /proc/PID/maps, each a range of addresses of a process.
 */
#ifndef ANDWEORC_TARGET_PROCMAPS_H
#define ANDWEORC_TARGET_PROCMAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct procmaps_line {
	uint64_t lo, hi;
	uint64_t offset; /* in the file, of lo */
	uint64_t inode;  /* of the file; 0: none */
	char rights[5];  /* as proc(5) has them: r-xp */
	char path[4200]; /* of the file, or a name in brackets; empty: neither */
};

/* To be closed with fclose(3).  NULL, with errno set, if there is no such process, or it may not be read. */
FILE *procmaps_open(pid_t pid);

/* Reads the next line; lines of another form are left out.  False: there is no more, or f is NULL. */
bool procmaps_next(FILE *f, struct procmaps_line *l);

#endif

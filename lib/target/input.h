/*
 * input: the standard input of the command.  All runs share it with the recorder, so that
 * the first run reads it to its end.  This lets each further run read the same.
 */
#ifndef ANDWEORC_TARGET_INPUT_H
#define ANDWEORC_TARGET_INPUT_H

#include <stdbool.h>
#include <sys/types.h>

struct input {
	off_t begin;   /* of a file: the position at which each run begins; -1: it is no file */
	bool had_more; /* of a pipe or a socket: it was not at its end before the first run */
};

/* Before the first run. */
void input_note(struct input *in);

/* Before a further run, which is to read the same.  False when it cannot, because a pipe has been read to its end. */
bool input_rewind(const struct input *in);

#endif

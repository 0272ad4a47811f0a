/*
 * offers: what could be a progress point of a command (-P '?').
 */
#ifndef ANDWEORC_RECORDER_OFFERS_H
#define ANDWEORC_RECORDER_OFFERS_H

#include <stdbool.h>

#include "runtime/arena.h"

/*
 * Prints to standard output, one a line, what -P may name in the program that the
 * command is, without running it: what is counted in any program or by its libraries
 * (:output, :mpi), probes (PROVIDER:PROBE), and functions of libraries that the
 * program and its own libraries call (LIBRARY!FUNCTION).  Libraries are those that
 * the program is linked to; the dynamic linker is asked for them.  False after a
 * message when there is no such program, or it is no ELF file.
 */
bool offers_print(const char *command);

/* Prints the points that the program has marked itself in a run that is over. */
void offers_print_marks(const struct arena *arena);

#endif

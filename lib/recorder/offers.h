/*
 * offers: what could be a progress point of a command (-P '?').
 */
#ifndef ANDWEORC_RECORDER_OFFERS_H
#define ANDWEORC_RECORDER_OFFERS_H

#include <stdbool.h>

#include "runtime/arena.h"

/*
 * Prints to standard output, one on each line, what -P may name for this command:
 *
 *     what can be counted in each program, or because of its libraries (:output, :mpi)
 *     probes (PROVIDER:PROBE)
 *     functions of libraries that the program and its own libraries call (LIBRARY!FUNCTION)
 *
 * The command is not run.  Its libraries are those that it is linked to; the dynamic linker
 * lists them.  If there is no such program, or it is no ELF file, it prints an error and
 * returns false.
 */
bool offers_print(const char *command);

/* Prints the points that the program has marked itself; its run has ended. */
void offers_print_marks(const struct arena *arena);

#endif

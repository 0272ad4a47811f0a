/* callpoint: progress points at functions of libraries. */
#ifndef ANDWEORC_RUNTIME_CALLPOINT_H
#define ANDWEORC_RUNTIME_CALLPOINT_H

#include <stdbool.h>
#include <stdint.h>

void callpoint_init(void);                                    /* init: finds out which registers must be saved */
uintptr_t callpoint_to(uint32_t call, uintptr_t function);    /* any: makes a trampoline, which counts the call (or runs the hook); 0: no room.  Not reentrant */
bool callpoint_is(uintptr_t address);                         /* any: is the address a trampoline? */
uintptr_t callpoint_function(uintptr_t address);              /* any: the function that a trampoline goes on to */
void callpoint_slow(uint32_t point);                          /* any: the rest of a visit, after it is counted */

#endif

/* rawcall: handlers that are set by an instruction of the program's. */
#ifndef ANDWEORC_RUNTIME_RAWCALL_H
#define ANDWEORC_RUNTIME_RAWCALL_H

#include <stdint.h>

void rawcall_init(void);   /* init: for the instructions that the recorder has found */
void rawcall_watch(void);  /* any: sets the breakpoints of the calling thread */
void rawcall_forget(void); /* any: removes them */
void rawcall_hit(uint32_t number, void *context); /* in the handler: a hit of the event of that number */

#endif

/*
 * block: waits that the program declares, because it waits without a call of libc: by spinning, for example
 * (ANDWEORC_PRE_BLOCK, ANDWEORC_POST_BLOCK and ANDWEORC_CATCH_UP of andweorc.h).
 */
#ifndef ANDWEORC_RUNTIME_BLOCK_H
#define ANDWEORC_RUNTIME_BLOCK_H

void block_begin(const void *site);    /* any: the thread is going to wait; calls nest */
void block_end(int woken);             /* any: the wait is over; 1: a thread of the recording has ended it, 0: the outside */
void block_catch_up(const void *site); /* any: the thread is about to let another one go on */
void block_begin_here(void);           /* any: the same, with the caller's site */
void block_catch_up_here(void);

#endif

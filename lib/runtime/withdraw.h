/* withdraw: processes in which samples would do harm. */
#ifndef ANDWEORC_RUNTIME_WITHDRAW_H
#define ANDWEORC_RUNTIME_WITHDRAW_H

#include <stdint.h>

void withdraw(uint32_t why); /* any: ends the sampling of this process; why: of enum arena_withdrawal */

/* any: the same, if the recorder or another process has asked for it. */
void withdraw_if_asked(void);

/* any: call before and after each ptrace(2) of the program, made by libc or by number. */
void withdraw_before_ptrace(long request, long pid);
void withdraw_after_ptrace(long request, long result);

#endif

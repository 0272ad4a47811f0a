#!/bin/sh
# Ways to wait and to wake: each call returns the same as without the recorder, while
# a region is being sped up; and the class of each wait is known.
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC3045 # dash and bash have it
ulimit -c 0

program sync-locks sync-futex sync-signals

# alike SAMPLER PROGRAM MODE
alike() {
	exits 0 "./$2" "$3" >want
	SYNC_MS=120 exits 0 andweorc-record -q --sampler "$1" -o log -r work -s 50 --window 1 -- "./$2" "$3" >got 2>err
	same want got
	lacks 'was not profiled|no-sample' err
	has "sampler=$1|what=perf-refused" log
}

# blocked CLASS: how many samples of the log are of threads that waited so
blocked() {
	awk -F '\t' -v class="class=$1" '
		$1 == "sample" {
			found = count = 0
			for (i = 2; i <= NF; i++) {
				if ($i == class)
					found = 1
				if (sub(/^count=/, "", $i))
					count = $i
			}
			n += found * count
		}
		END { print n + 0 }' log
}

# are_sampled CLASS...: the log has enough samples of each
are_sampled() {
	for class in "$@"; do
		test "$(blocked $class)" -ge 10 || return 1
	done
}

# is_known PROGRAM MODE CLASS...: the log has waits of these classes, and hardly any of others, but for a processor.  A
# class with less than 1 ms in all may have no sample.  The first wait at a pipe, or for a child, is taken for one for
# the outside.
is_known() {
	program=$1
	mode=$2
	shift 2
	# On a fast machine some waits are short.
	for long in 300 1000 3000; do
		SYNC_MS=$long exits 0 andweorc-record -q --attach-only -o log -r work -- "./$program" "$mode" >out
		if are_sampled "$@"; then
			break
		fi
	done
	few=$((3 + ($(blocked lock) + $(blocked sleep)) / 20))
	for class in lock sleep io; do
		n=$(blocked $class)
		case " $* " in
		*" $class "*) test "$n" -ge 10 ;;
		*) test "$n" -le $few ;;
		esac || {
			echo "$n samples of waits, class $class"
			return 1
		}
	done
}

for sampler in perf timer; do
	check "semaphores ($sampler)" alike $sampler sync-locks sem
	check "semaphores between processes ($sampler)" alike $sampler sync-locks sem-shared
	check "named semaphores ($sampler)" alike $sampler sync-locks sem-named
	check "semaphores and queues of System V ($sampler)" alike $sampler sync-locks sysv
	check "threads of C11 ($sampler)" alike $sampler sync-locks c11
	check "spin locks, once, clock forms ($sampler)" alike $sampler sync-locks locks
	check "a declared lock of one's own ($sampler)" alike $sampler sync-locks own
	check "streams that threads share ($sampler)" alike $sampler sync-locks streams
	check "futexes ($sampler)" alike $sampler sync-futex futex
	check "system calls by number ($sampler)" alike $sampler sync-futex calls
	check "signals as wake-ups ($sampler)" alike $sampler sync-signals signals
	check "sleeps ($sampler)" alike $sampler sync-signals sleeps
	check "threads that are cancelled as they wait ($sampler)" alike $sampler sync-signals cancels
	check "waits that are left by a jump ($sampler)" alike $sampler sync-signals leaps
done

check 'to wait at a semaphore is to wait for peers' is_known sync-locks sem-shared lock
check 'at a named one too' is_known sync-locks sem-named lock
check 'at a lock that is declared' is_known sync-locks own lock
check 'at a futex, or for time to pass' is_known sync-futex futex lock sleep
check 'for a signal of our own, or for time to pass' is_known sync-signals signals lock sleep
check 'calls by number are known as by name' is_known sync-futex calls lock sleep

works_after_a_leap() {
	SYNC_MS=300 exits 0 andweorc-record -q --attach-only -o log -r work -- ./sync-signals leaps >out
	exits 0 andweorc-resolve log >resolved
	awk -F '\t' '
		$1 == "sample" && /\tstate=cpu/ && /\tfunction=work_after/ {
			for (i = 2; i <= NF; i++)
				if (sub(/^count=/, "", $i))
					n += $i
		}
		END { print n + 0 }' resolved >samples
	test "$(cat samples)" -ge 20
}
check 'a thread that left a wait by a jump works like any other' works_after_a_leap

cat >own.c <<'END_OF_C'
#include <andweorc.h>

void take(int *lock);

void take(int *lock)
{
	if (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) {
		ANDWEORC_PRE_BLOCK();
		while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
			continue;
		ANDWEORC_POST_BLOCK(1);
	} else
		ANDWEORC_CATCH_UP();
}
END_OF_C
cp own.c own.cc

# compiles COMPILER STANDARD SOURCE
compiles() {
	exits 0 "$1" -std="$2" -I"$top/lib" -Wall -Wextra -Wpedantic -Wshadow -Wcast-qual -Wno-language-extension-token -Werror \
		-O2 -c -o own.o "$3" 2>err
	empty err
}
for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	check "locks that spin are declared in gnu90 ($compiler)" compiles $compiler gnu90 own.c
	check "locks that spin are declared in c17 ($compiler)" compiles $compiler c17 own.c
done
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || continue
	check "locks that spin are declared in c++11 ($compiler)" compiles $compiler c++11 own.cc
	check "locks that spin are declared in c++20 ($compiler)" compiles $compiler c++20 own.cc
done

# A runtime of an older version, whose struct ends earlier.
cat >old.c <<'END_OF_C'
#include <andweorc.h>
#include <stdio.h>

static struct andweorc_api old;

/* As an old runtime's, in the place of libc's. */
unsigned long getauxval(unsigned long type)
{
	old.size = (unsigned long)((char *)&old.pre_block - (char *)&old);
	return type == ANDWEORC_AUXV ? (unsigned long)&old : 0;
}

int main(void)
{
	ANDWEORC_PRE_BLOCK();
	ANDWEORC_POST_BLOCK(1);
	ANDWEORC_CATCH_UP();
	puts("done");
	return 0;
}
END_OF_C
gcc -O2 -g -I"$top/lib" -o old old.c || exit 1

older_runtime() {
	echo 'done' >want
	exits 0 ./old >got
	same want got
}
check 'a runtime that is older than the header is asked for nothing' older_runtime

# Code between syscall and the kernel must not touch the caller's data, since callers may pass fewer than six
# arguments.
cat >stack.c <<'END_OF_C'
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Calls syscall with `slot` where a sixth argument would be, on a page that cannot be written. */
long on_read_only_stack(long number, void *page);

#if defined(__x86_64__)
__asm__(".text\n"
	".globl on_read_only_stack\n"
	"on_read_only_stack:\n"
	"	mov	%rsp, %rax\n"
	"	mov	%rsi, %rsp\n"
	"	push	%rax\n"
	"	call	syscall@plt\n"
	"	pop	%rsp\n"
	"	ret\n");
#endif

#include <sys/mman.h>

int main(void)
{
	char *p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)p;
#if defined(__x86_64__)
	/* The saved stack pointer lies at the top of what can be written; above it, where the sixth argument is, nothing can. */
	mprotect(p + 2 * 4096, 4096, PROT_READ);
	printf("%d\n", on_read_only_stack(SYS_getpid, p + 2 * 4096) == getpid());
#else
	puts("1");
#endif
	return 0;
}
END_OF_C
gcc -O2 -g -D_GNU_SOURCE -o stack stack.c || exit 1

leaves_the_stack_alone() {
	echo 1 >want
	exits 0 ./stack >got
	same want got
	LD_PRELOAD=$O/libandweorc.so exits 0 ./stack >got
	same want got
}
check 'syscall writes nowhere in the frame of its caller' leaves_the_stack_alone

done_testing

#!/bin/sh
# andweorc(3): its examples compile as they stand, and work.  All manuals: the pages and sections that they refer to exist.
. "$(dirname "$0")/lib.sh"

manual=$top/share/man/man3/andweorc.3

# Literal blocks that begin with an #include, one file each: example1.c, example2.c, ...
sed -e 's/\\e/\\/g' -e 's/\\-/-/g' -e 's/\\&//g' "$manual" | awk '
	/^\.Bd/ { first = 1; next }
	/^\.Ed/ { inside = 0 }
	first { first = 0; if (/^#include/) { inside = 1; n++ } }
	inside { print >("example" n ".c") }'

compile() {
	gcc -std=c11 -O2 -Wall -Wextra -Werror -Wno-unused-function -I"$top/lib" "$@" -pthread
}

# Functions that the worker calls are in the reader.
worker_compiles() {
	printf '#include <stddef.h>\nstruct block;\nstruct block *take(void *);\nvoid compress(struct block *);\nvoid put_in_order(struct block *);\n' >own.h
	has 'ANDWEORC_PROGRESS' example1.c
	compile -include ./own.h -c example1.c -o worker.o
}

spin_lock_locks() {
	has 'ANDWEORC_CATCH_UP' example2.c
	cat example2.c - >lock.c <<'END'
#include <pthread.h>
#include <stdio.h>

static long count;

static void *work(void *unused)
{
	for (int i = 0; i < 100000; i++) {
		acquire();
		count++;
		release();
	}
	return unused;
}

int main(void)
{
	pthread_t other;

	pthread_create(&other, NULL, work, NULL);
	work(NULL);
	pthread_join(other, NULL);
	printf("%ld\n", count);
}
END
	compile lock.c -o lock
	exits 0 ./lock >got 2>err
	echo 200000 | same - got
}

flag_is_seen_or_given_up() {
	has 'ANDWEORC_POST_BLOCK\(seen\)' example3.c
	cat example3.c - >flag.c <<'END'
#include <errno.h>
#include <stdio.h>

int main(void)
{
	errno = 7;
	printf("%d", wait_for_it(10));
	announce();
	printf("%d%d\n", wait_for_it(10), errno);
}
END
	compile flag.c -o flag
	exits 0 ./flag >got 2>err
	echo 017 | same - got
}

queue_compiles() {
	printf '#include <stddef.h>\nstruct request;\nstruct request *take(void);\nvoid put(struct request *);\n' >own.h
	printf 'void answer(struct request *);\nvoid forget(struct request *);\n' >>own.h
	has 'ANDWEORC_BEGIN_ID' example4.c
	compile -include ./own.h -c example4.c -o queue.o
}

references_lead_somewhere() {
	cat "$top"/share/man/man*/* | sed -n 's/^\.\(It \)\{0,1\}Xr \(andweorc[a-z-]*\) \([0-9]\).*/\2.\3/p' | sort -u >referred
	has '^andweorc\.1$' referred
	while read -r page; do
		test -r "$top/share/man/man${page##*.}/$page" || { echo "no manual $page"; return 1; }
	done <referred
	for page in "$top"/share/man/man*/*; do
		test "${page##*/}" = andweorc.1 || sed -n '/^\.Sh SEE ALSO/,$p' "$page" | grep -qx '\.Xr andweorc 1\( ,\)\{0,1\}' ||
			{ echo "'$page' does not refer to andweorc(1)"; return 1; }
		# The overview names all others.
		name=${page##*/}
		test "$name" = andweorc.1 || grep -qx "\.Xr ${name%.*} ${name##*.}\( ,\)\{0,1\}" "$top/share/man/man1/andweorc.1" ||
			{ echo "andweorc(1) does not refer to $name"; return 1; }
	done
}

# Without a section, man shows the page of section 1.
overview_comes_first() {
	exits 0 env MANPATH="$top/share/man" man -w andweorc >got
	echo "$top/share/man/man1/andweorc.1" | same - got
}

manuals_are_clean() {
	mandoc -T lint -W warning "$top"/share/man/man*/* >lint
	empty lint
}

check 'andweorc(3): the worker compiles' worker_compiles
check 'andweorc(3): the spin lock locks' spin_lock_locks
check 'andweorc(3): the flag is seen, or given up' flag_is_seen_or_given_up
check 'andweorc(3): the queue compiles' queue_compiles
check 'what manuals refer to is there, and they refer to the overview' references_lead_somewhere
if MANPATH=$top/share/man man -w andweorc 2>/dev/null | grep -q '^/'; then
	check 'man andweorc: the overview' overview_comes_first
else
	skip 'man andweorc: the overview' 'no man'
fi
if command -v mandoc >/dev/null; then
	check 'mandoc finds nothing wrong in any manual' manuals_are_clean
else
	skip 'mandoc finds nothing wrong in any manual' 'no mandoc'
fi

done_testing

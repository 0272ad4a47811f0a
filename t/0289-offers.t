#!/bin/sh
# What could be a progress point of a command (-P '?').
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

cat >offering.c <<'END_OF_C'
#include <andweorc.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>
#ifdef PROBES
#include <sys/sdt.h>
#else
#define DTRACE_PROBE(provider, name)
#endif
int used(int);
int main(int argc, char **argv)
{
	for (int i = 0; i < 20; i++) {
		ANDWEORC_BEGIN("answer");
		used((int)crc32(0, NULL, 0));
		DTRACE_PROBE(offering, step);
		ANDWEORC_END("answer");
		ANDWEORC_PROGRESS("unit");
	}
	fputs("it ran\n", stderr);
	return argc > 1 ? atoi(argv[1]) : 0;
}
END_OF_C
echo '#include <zlib.h>
int used(int x); int unused(int x); int used(int x) { return x + (int)adler32(0, 0, 0); } int unused(int x) { return x; }' >lib.c
gcc -O2 -shared -fPIC -o libused.so lib.c -lz || exit 1
probes=
echo '#include <sys/sdt.h>' | gcc -E - >/dev/null 2>&1 && probes=-DPROBES
gcc -O2 -g $probes -I"$top/lib" -o offering offering.c -L. -lused -lz -Wl,-rpath,"$PWD" || exit 1

lists() {
	exits 0 andweorc-record -P '?' -- ./offering >got 2>err
	empty err
	for name in :input :output :replies :run :work 'libz!crc32' 'libused!used' 'libz!adler32'; do
		grep -qxF "$name" got || { echo "no '$name'"; cat got; return 1; }
	done
	# It exports that to nobody here; nothing of it is parallel; its marks are not known; and it has not run.
	lacks '!unused$|^:(parallel|mpi|kokkos)$|^unit$|@' got
	sort got | uniq -d >twice
	empty twice
}
check 'what is counted without a place, and functions of libraries that are called' lists

probes() {
	exits 0 andweorc-record -P '?' -- ./offering >got
	has '^offering:step$' got
}
if test -n "$probes"; then
	check 'probes' probes
else
	skip 'probes' 'no systemtap-sdt-dev'
fi

# Each of them is one.
are_taken() {
	exits 0 andweorc-record -P '?' -- ./offering >got
	grep -E '^lib(z|used)!' got >functions
	test "$(wc -l <functions)" -ge 3
	while read -r name; do
		exits 0 andweorc-record -q -o log -P "$name" -- ./offering >out 2>err
		test "$(field point "$name" visits)" -eq 20
		test "$(field point "$name" kind)" = call
	done <functions
}
check 'what is listed is taken' are_taken

marks() {
	exits 0 andweorc-record -P '?' -d 20 -- ./offering >got 2>err
	tail -n 2 got >last
	printf 'answer\nunit\n' | same - last
	has '^it ran$' err
	exits 7 andweorc-record -P '?' -d 20 -- ./offering 7 >got 2>err
	has '^unit$' got
}
check 'with -d, what it marks itself' marks

parallel() {
	for compiler in gcc clang; do
		printf '%s\n' 'int x; int main(void) {' '#pragma omp parallel' '#pragma omp atomic' 'x++; return 0; }' | $compiler -O2 -fopenmp -x c -o omp - 2>/dev/null && ./omp || continue
		exits 0 andweorc-record -P '?' -- ./omp >got
		has '^:parallel$' got
	done
}
check 'a runtime of OpenMP' parallel

refusals() {
	exits 125 andweorc-record -P '?' -- ./no-such >out 2>err
	has "cannot read './no-such': No such file" err
	echo 'echo' >script
	chmod +x script
	exits 125 andweorc-record -P '?' -- ./script >out 2>err
	has "'./script' is no program for this machine: name what it starts" err
	exits 125 andweorc-record -P '?' >out 2>err
	has 'no command' err
	test ! -e /dev/full || exits 125 andweorc-record -P '?' -- ./offering >/dev/full 2>err
}
check 'a command that is no program' refusals

done_testing

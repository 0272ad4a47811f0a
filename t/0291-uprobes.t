#!/bin/sh
# Places beyond the processor's breakpoints are watched by probes of the kernel (uprobes), for those who may.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

gcc -O2 -g -D_GNU_SOURCE -o many "$programs/manypoints.c" -pthread || exit 1

# many TIMES ARG...: all six functions are points, in a recording
many() {
	times=$1
	shift
	exits 0 timeout 60 andweorc-record -q -o log -m function "$@" -P first_of_six -P second_of_six -P third_of_six \
		-P fourth_of_six -P fifth_of_six -P sixth_of_six -- ./many "$times" >out 2>err
}

# Is there one point more than the processor has breakpoints for?  Without perf, or without permission, there is not.
(many 10) # in a process of its own: it changes how this one fails
if grep -Eq 'processor has four breakpoints|breakpoints need perf|breakpoints are refused|never hits them' err ||
	! grep -q '^point	.*name=sixth_of_six' log; then
	skip_all 'no probes here: they need root or CAP_PERFMON'
fi

# Each of the six has windows.
have_windows() {
	for name in first second third fourth fifth sixth; do
		grep -q "^visits	.*	point=${name}_of_six	" "$log" || return 1
	done
}

# Either kind counts each call of each thread, and opens windows.  Before there are many visits, a window is long (-w).
counts() {
	limit=60 recording_until have_windows log -w 0.7 -m function -r main -s 50 --window 20 -P first_of_six -P second_of_six -P third_of_six \
		-P fourth_of_six -P fifth_of_six -P sixth_of_six -- ./many 100000
	for name in first second third fourth fifth sixth; do
		test "$(field point ${name}_of_six visits)" -eq "$(cat out)"
		test "$(field point ${name}_of_six kind)" = breakpoint
		test "$(field visits ${name}_of_six count | wc -l)" -gt 0
	done
	lacks 'no progress point' err
}
check 'six points in one program' counts

# A pattern of functions is one point.
pattern() {
	exits 0 timeout 60 andweorc-record -q -o log -n 2 -m function -P '*_of_six' -- ./many 20 >out 2>err
	test "$(field point '*_of_six' visits | head -n 1)" -eq 240
}
check 'one point of six places' pattern

# What the program is afterwards: its code, and its status.
afterwards() {
	test "$(grep -c '^point	.*visits=240' log)" -eq 2
	exits 0 ./many 20 >out
	echo 40 | same - out
}
check 'each run has them anew' afterwards

too_many() {
	awk 'BEGIN {
		for (i = 0; i < 20; i++)
			printf "__attribute__((noinline, noclone)) void place%d(void);\n__attribute__((noinline, noclone)) void place%d(void) { __asm__ volatile(\"# %d\"); }\n", i, i, i
		print "int main(void) { for (volatile long i = 0; i < 100000000; i++) ;"
		for (i = 0; i < 20; i++)
			printf "place%d();\n", i
		print "return 0; }"
	}' >places.c
	gcc -O2 -g -o places places.c
	exits 0 timeout 60 andweorc-record -q -o log -P 'place*' -- ./places >out 2>err
	has "no progress point at 'place\\*': it is 20 places, and there are 8 breakpoints and probes left" err
}
check 'more places than there are probes' too_many

done_testing

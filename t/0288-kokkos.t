#!/bin/sh
# Kokkos: kernels as a progress point (-P :kokkos), and what programs mark for its tools.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

unset KOKKOS_TOOLS_LIBS KOKKOS_PROFILE_LIBRARY

# Debian's is part of Trilinos.
for flags in '-I/usr/include/trilinos -ltrilinos_kokkoscore' '-lkokkoscore' none; do
	test "$flags" != none || skip_all 'no Kokkos here (libtrilinos-kokkos-dev)'
	# shellcheck disable=SC2086 # several flags
	if g++ -std=c++17 -O2 -g -o kokkos "$programs/kokkos.cc" $flags 2>build && ./kokkos 1 1 >plain 2>>build; then
		break
	fi
done

# steps NUMBER ARG...: the program, recorded
steps() {
	n=$1
	shift
	exits 0 timeout 100 andweorc-record -q -o log -m function "$@" -r slow -s 50 --window 20 -- ./kokkos "$n" 20000 >out 2>err
}

counts() {
	# Longer, until there is time for a window.
	for n in 100 1000 5000; do
		steps $n -P :kokkos
		test "$(field point :kokkos kind)" = automatic
		test "$(field point :kokkos visits)" -eq $((3 * n))
		lacks 'no-such-point|unmarked' log
		if grep -q '^experiment' log; then
			break
		fi
	done
	# Windows are opened and closed there.
	test "$(field visits :kokkos count | wc -l)" -gt 0
}
check 'each kernel that has ended' counts

marks() {
	steps 50 -P :kokkos
	test "$(field point step kind)" = throughput
	test "$(field point step visits)" -eq 50
	for name in solve inner part; do
		test "$(field point $name kind)" = latency
		test "$(field point $name begins)" -eq 50
		test "$(field point $name measured)" -eq 50
		test "$(field point $name visits)" -eq 50
	done
}
check 'events, regions and sections' marks

# Any program of the command may be the one.
child() {
	exits 0 timeout 60 andweorc-record -q -o log -P :kokkos -- sh -c './kokkos 20 1; ./kokkos 30 1' >out 2>err
	test "$(field point :kokkos visits)" -eq 150
}
check 'programs that the command starts' child

unasked() {
	steps 50
	lacks 'name=(:kokkos|step|solve|part)(	|$)' log
	./kokkos 50 20000 >want
	same want out
}
check 'a program that was not asked for them has no tool' unasked

in_vain() {
	gcc -O2 -g -o plain "$programs/points.c" -I"$top/lib" -pthread -ldl
	exits 0 andweorc-record -q -o log -m function -P :kokkos -r work -- ./plain steady 300 >out 2>err
	has "no progress point at ':kokkos': no kernel of Kokkos has ended" err
	has '^warning	run=1	what=no-such-point	' log
}
check 'a program without Kokkos' in_vain

done_testing

#!/bin/sh
# Launchers (-l): a recorder for each rank, with a log of its own.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

program points
# A stand-in for mpirun: starts its command that many times.
cat >launch <<'END_OF_SH'
#!/bin/sh
n=$1
shift
for rank in $(seq 0 $((n - 1))); do
	PMI_RANK=$rank PMI_SIZE=$n "$@" || exit
done
END_OF_SH
chmod +x launch

each_rank() {
	exits 0 andweorc-record -q -o 'log.%r' -m function -l '^./points$' -r work --window 20 -- ./launch 2 ./points steady 100 >out 2>err
	for rank in 0 1; do
		has '^run	.*command=./points%20steady%20100	' log.$rank
		has '^warning	run=1	what=ranks-apart	' log.$rank
	done
	cat log.0 log.1 >both
	exits 0 andweorc-resolve both >resolved 2>err
}
check 'each rank has a log, and they can be joined' each_rank

# How these launchers pass arguments on: srun passes them unchanged, GNU parallel puts its own behind them, ssh makes a line of
# them, which a shell reads on the other host.
cat >srun <<'END_OF_SH'
#!/bin/sh
test "$1" = --ntasks=2 || exit 9
shift
for task in 0 1; do
	SLURM_PROCID=$task SLURM_STEP_NUM_TASKS=2 "$@" || exit
done
END_OF_SH
cat >parallel <<'END_OF_SH'
#!/bin/sh
command=
while test "$1" != :::; do
	command="$command $1"
	shift
done
shift
for arg; do
	n=$((${n:-0} + 1))
	PARALLEL_SEQ=$n sh -c "$command $arg" || exit
done
END_OF_SH
cat >ssh <<'END_OF_SH'
#!/bin/sh
test "$1" = host || exit 9
shift
exec sh -c "$*"
END_OF_SH
chmod +x srun parallel ssh
options='-q -m function -r work --window 20'
launchers() {
	rm -f log.*
	# shellcheck disable=SC2086 # several options
	exits 0 env -u PMI_RANK andweorc-record $options -o 'log.%r' -l '^./points$' -- ./srun --ntasks=2 ./points steady 100 >out 2>err
	has '^warning	run=1	what=ranks-apart	' log.1
	rm -f log.*
	# shellcheck disable=SC2086
	exits 0 andweorc-record $options -o 'log.%r' -l '^./points$' -- ./parallel ./points steady ::: 100 200 >out 2>err
	has '^run	.*command=./points%20steady%20100	' log.1
	has '^run	.*command=./points%20steady%20200	' log.2
	# shellcheck disable=SC2086
	exits 0 andweorc-record $options -o 'log.%h' -l '^./points$' -- ./ssh host ./points steady 100 >out 2>err
	has '^run	.*command=./points%20steady%20100	' log."$(hostname)"
}
check 'launchers like srun, GNU parallel and ssh' launchers

first_word() {
	exits 0 andweorc-record -q -o 'own.%p.%h.%%' -l points -r work -m function -- ./points steady 100 >out 2>err
	test "$(ls own.*."$(hostname)".%)"
	lacks ranks-apart own.*
}
check 'the first word is the program itself' first_word

wrong() {
	exits 125 andweorc-record -q -o 'x.%r' -l nothing-of-it -- ./points steady 1 >out 2>err
	has "bad -l 'nothing-of-it': no word of the command matches" err
	exits 125 andweorc-record -q -o 'x.%r' -l '(' -- ./points steady 1 >out 2>err
	has "bad -l '\\(': it is no regular expression" err
	exits 125 andweorc-record -q -o x -l points -- ./launch 1 ./points steady 1 >out 2>err
	has '-l needs -o with %r, %p or %h in the name' err
	exits 125 env -u PMI_RANK -u OMPI_COMM_WORLD_RANK -u PMIX_RANK -u SLURM_PROCID -u PARALLEL_SEQ \
		andweorc-record -q -o 'x.%r' -- ./points steady 1 >out 2>err
	has "cannot write 'x.%r': no variable of the environment tells which rank this is" err
}
check 'what cannot be' wrong

done_testing

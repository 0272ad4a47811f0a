# shellcheck shell=sh disable=SC2154,SC2034
# For t/0260-hostile.t and similar scripts: programs run bare and profiled, with experiments on.

# shellcheck disable=SC3045
ulimit -c 0
# shellcheck disable=SC3045
ulimit -S -n 1024 2>/dev/null

# build PROGRAM...: those of t/program; bound at once, for the dynamic linker needs a stack too
build() {
	for name in "$@"; do
		program "bound/$name"
	done
}

# Processor time of the profiled ones, ms; the timer sees them every 4 ms at best.
long=

# recorded SAMPLER OPTION... -- COMMAND...
recorded() {
	sampler=$1
	shift
	case $sampler in
	timer) enough=80 ;;
	*) enough=40 ;;
	esac
	LIFE_MS=${long:-$enough} run andweorc-record -q --sampler "$sampler" -o log -s 50 --window 10 "$@" >profiled 2>err
}

# alike SAMPLER PROGRAM MODE: says and ends the same, and is sampled
alike() {
	run "./$2" "$3" >bare 2>bare.err
	bare=$status
	test "$bare" -ne 98 && test "$bare" -ne 99
	recorded "$1" -r work -- "./$2" "$3"
	same bare profiled
	echo "$bare" >want
	echo "$status" >got
	same want got
	lacks '^andweorc-record: [^w]' err
	has '^sample	' log
}

# sees FUNCTION: samples of the last log are in it
sees() {
	exits 0 andweorc-resolve log >resolved 2>/dev/null
	has "^sample	.*	function=$1(	|\$)" resolved
}

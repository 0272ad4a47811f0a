#!/bin/sh
# Programs of Go that link libc: goroutines have no room for a handler on their stacks.
. "$(dirname "$0")/lib.sh"
. "$top/t/hostile.sh"

command -v go >/dev/null || skip_all 'no Go'
# Built once for all that is tried: the library of Go takes its time.
cp "$programs/cgo.go" cgo.go
GOCACHE=${XDG_CACHE_HOME:-$scratch}/go GOFLAGS=-p=1 GO111MODULE=off CGO_ENABLED=1 go build -o cgo cgo.go >build.log 2>&1 ||
	skip_all 'Go cannot build a program with cgo here'

# unharmed SAMPLER MODE: same output and status as bare
unharmed() {
	run ./cgo "$2" >bare 2>bare.err
	bare=$status
	LIFE_MS=300 run andweorc-record -q --sampler "$1" -o log -s 50 --window 10 -- ./cgo "$2" >profiled 2>err
	same bare profiled
	echo "$bare" >want
	echo "$status" >got
	same want got
	lacks '^(fatal error|runtime:|panic)' err
}

for sampler in perf timer; do
	for mode in busy signals children panics dies; do
		check "$mode ($sampler)" unharmed $sampler $mode
	done
done

# It is sampled, in Go and in C.
is_sampled() {
	LIFE_MS=1000 exits 0 andweorc-record -q -o log -s 50 --window 10 -r work_in_c -- ./cgo busy >out 2>err
	exits 0 andweorc-resolve log >resolved 2>/dev/null
	has '^sample	.*	function=work_in_c(	|$)' resolved
	has '^sample	.*	function=main\.' resolved
	# The process ends without calling libc, and has not run another program by then.
	lacks 'what=runtime-lost' log
}
check 'its goroutines are sampled' is_sampled

done_testing

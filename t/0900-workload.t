#!/bin/sh
# The programs with known answers, without a profiler: do they work as
# t/accuracy expects?  And does the profiler find their regions by name?
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

programs=
for source in "$top"/t/workload/*.c "$top"/t/workload/*.cc; do
	name=${source##*/}
	programs="$programs ${name%.c*}"
done

# Copies, so that a process that stays behind is known to be ours.
mkdir bin
find "$O/t/workload" -maxdepth 1 -type f -perm -100 -exec cp '{}' bin/ ';'

# lists NAME: its regions, each with a name, a file that is there and a line
lists() {
	exits 0 "bin/$1" --regions >regions
	test -s regions
	lacks '^$' regions
	while read -r region place; do
		test -n "$region"
		file=$(find "$top/t/workload" -name "${place%:*}")
		test -f "$file" || { echo "no source '$place'"; return 1; }
		# The name of the region stands there, or not far above.
		sed -n "$((${place##*:} - 3)),${place##*:}p" "$file" >lines
		has "${region##*::}" lines
	done <regions
}

# ends NAME [ARG...]: counts, and prints one line about that
ends() {
	name=$1
	shift
	exits 0 timeout 20 "bin/$name" "$@" >out
	has '^visits=[0-9]+	elapsed_ns=[0-9]+	period_ns=[0-9]+\.[0-9](	[a-z0-9]+_ns=[0-9]+\.[0-9])*$' out
	test "$(wc -l <out)" -eq 1
}

visits=3
if is_long; then
	visits=8
fi
works() {
	lists "$1"
	ends "$1" --visits $visits
	has '^visits=[1-9]' out
	cut -f 1 regions >names
	if is_long; then
		ends "$1" --seconds 0.05 --unit 80000 --scale 0.5
	else
		# All options and one of the regions at once.
		ends "$1" --seconds 0.02 --unit 80000 --scale 0.5 --shrink "$(head -n 1 names)=50"
		: >names
	fi
	while read -r region; do
		ends "$1" --visits 4 --shrink "$region=50"
	done <names
	exits 2 "bin/$1" --shrink no_such_region=50
	exits 2 "bin/$1" --visits x
	nothing_is_left
}

# Children end when the program does, within a second.
nothing_is_left() {
	tries=0
	while find /proc/[0-9]*/exe -maxdepth 0 -lname "$scratch/bin/*" 2>/dev/null | grep . >left; do
		tries=$((tries + 1))
		test "$tries" -le 10 || { echo "still running:"; cat left; return 1; }
		sleep 0.1
	done
}

# has_found: the log has a region, and rounds
has_found() {
	grep -q '^region	' log && grep -q '^visits	.*	point=round	.*count=[1-9]' log
}

# found NAME REGION SYMBOL: -r REGION means the function, and the rounds are counted
found() {
	endless_until has_found log -m function -r "$2" -s 0,50 --window 20 -- "bin/$1" --seconds 1000000
	has "^region	.*symbol=$3(	|\$)" log
	has '^visits	.*point=round	.*count=[1-9]' log
}

for name in $programs; do
	if test "$name" = openmp && test ! -x "bin/$name"; then
		skip "$name" 'no OpenMP'
		continue
	fi
	if test "$name" = ringio && ! bin/ringio --visits 1 >refused 2>&1; then
		skip "$name" 'io_uring is not allowed here'
		continue
	fi
	check "$name" works "$name"
done
for name in rustsync openmp-llvm; do
	if test -x "bin/$name"; then
		check "$name" works "$name"
	else
		skip "$name" 'its compiler is missing'
	fi
done

check 'a function of a plugin is found by its name' found plugin plugin_work plugin_work
check 'a function in C++ is found by its name without parameters' found cxxsync serve '_Z[A-Za-z0-9_]*serve[A-Za-z0-9_]*'
if test -x bin/rustsync; then
	check 'a function in Rust is found by its path, and its progress point counts' \
		found rustsync rustsync::serve '_[A-Za-z0-9_.$]*serve[A-Za-z0-9_.$]*'
else
	skip 'a function in Rust' 'its compiler is missing'
fi

done_testing

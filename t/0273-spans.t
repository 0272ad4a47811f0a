#!/bin/sh
# Latency points: which end belongs to which begin, how long spans are, and the
# records about them.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

gcc -O2 -g -Wall -Wextra -D_GNU_SOURCE -I"$top/lib" -o spans "$programs/spans.c" -pthread || exit 1

unminded='ended before an experiment|no sample was taken'
# record ARG...: a recording into `log`
record() {
	recording log -m function "$@"
}

# fields RECORD KEY...: the values, one record a line
fields() {
	type=$1
	shift
	awk -F'\t' -v type="$type" -v keys="$*" '
		BEGIN { n = split(keys, key, " ") }
		$1 == type {
			delete f
			for (i = 2; i <= NF; i++) {
				eq = index($i, "=")
				f[substr($i, 1, eq - 1)] = substr($i, eq + 1)
			}
			for (i = 1; i <= n; i++)
				printf "%s%s", f[key[i]], i < n ? " " : "\n"
		}' log
}

# counts MODE N: the log has the same counts as the program prints for its points
counts() {
	exits 0 ./spans "$1" "$2" >want
	record -r work --window 1 -- ./spans "$1" "$2"
	same want out
	empty err
	fields point name begins visits measured | awk '{ print $1 " begins=" $2 " visits=" $3 " measured=" $4 }' | sort >got
	sort want | same - got
	test -s got
}
check 'the end belongs to the last begin of the thread' counts careless 300
check 'spans of one thread' counts serial 50
check 'threads that come after others, in the place of these' counts threads 10
check 'a span in another' counts nested 200
check 'what a parent has begun its child cannot end' counts forks 30
check 'with a number, another thread can end it' counts numbered 300
check 'without, it is no more than a visit' counts unnumbered 300
check 'many are open at once, and numbers are of one point and process' counts overlapping 1000

too_many() {
	record -r work --window 1 -- ./spans flood 50000
	fields point begins visits >got
	echo '50000 50000' >want
	same want got
	test "$(fields point measured)" -ge 10000
	test "$(fields point measured)" -le 16384
}
check 'more numbers than there is room for' too_many

inert() {
	for mode in serial careless numbered overlapping nested flood; do
		exits 0 ./spans $mode 20 >want
		exits 0 env LD_PRELOAD="$O/libandweorc.so" ./spans $mode 20 >got
		same want got
	done
}
check 'without the recorder nothing is done' inert

# windows_of RECORD: the log has enough of them
windows_of() {
	test "$(grep -c "^$1	" log)" -ge 12
}

# A span sleeps for 2 ms; less than that it cannot take, and mostly not much more.
lengths() {
	endless_until 'windows_of latency' log -m function -r work --window 50 -s 50 -- ./spans serial 1000000
	fields latency count virtual_ns crossing buckets >got
	test "$(wc -l <got)" -ge 4
	awk '{
		n = split($4, bucket, ",")
		all = least = 0
		for (i = 1; i <= n; i++) {
			split(bucket[i], b, ":")
			if (b[1] <= before && i > 1 || b[2] < 1)
				print "no bucket: " bucket[i]
			before = b[1]
			all += b[2]
			least += b[1] * b[2]
			# A bucket is a 64th wide; the sum may have a span more or less at either end.
			if (b[1] < 1.9e6)
				short += b[2]
		}
		if (all != $1)
			print "count " $1 ", in buckets " all
		if ($3 > $1)
			print "crossing " $3 " of " $1
		spans += $1
		ns += $2
		sum += least
	}
	END {
		if (spans < 100 || short > spans / 50)
			print short " of " spans " spans are too short"
		if (ns < sum * 0.98 || ns > sum * 1.04)
			print "sum " ns ", of buckets " sum
		if (ns < 2e6 * spans * 0.98)
			print "mean " ns / spans
	}' got >bad
	empty bad
	lacks '^visits.*in_flight_ns' log
}
check 'lengths and their buckets' lengths

# Little's law: one span is open nearly all the time, and the other thread ends it.
in_flight() {
	endless_until 'windows_of visits' log -m function -r work --window 50 -s 50 -- ./spans unnumbered 100000000
	lacks '^latency' log
	fields visits count virtual_ns in_flight_ns >got
	test "$(wc -l <got)" -ge 4
	awk '$3 <= 0 || $3 > $2 * 1.001 { print; next } { open += $3; all += $2 } END { if (!(open > 0.5 * all)) print open, all }' got >bad
	empty bad
}
check 'without matched ends, how many are open at a time' in_flight

done_testing

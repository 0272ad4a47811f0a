#!/bin/sh
# Automatic progress points: bytes, answers, processor time; and the choice among them.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

gcc -O2 -g -o mover "$programs/mover.c" || exit 1
gcc -O2 -g -DMARKED -I"$top/lib" -o marked "$programs/mover.c" || exit 1

# moves KIND POINT BYTES: a point asked for with -P counts all bytes, except those from before the recorder attached
moves() {
	recording log -P "$2" -r work --window 20 -s 50 -- ./mover "$1" 500
	has "^point	.*name=$2	kind=automatic" log
	times=$(cat out)
	counted=$(field point "$2" visits)
	test "$counted" -le $((times * $3))
	test "$counted" -ge $((times * $3 * 8 / 10))
	field visits "$2" kind | sort -u >got
	echo throughput | same - got
}
check 'bytes written' moves write :output 3000
check 'bytes written by stdio, as they leave it' moves fwrite :output 3000
if is_long; then
	check 'bytes written from several places' moves writev :output 3000
	check 'bytes written to a place' moves pwrite :output 3000
	check 'bytes printed' moves fprintf :output 3000
fi
check 'bytes read' moves read :input 3000

answers() {
	# Two answers a round, since both ends are in the recording: "yes" and "." are one answer, to which the other end writes again.
	moves answer :replies 2
	# Reading and writing at places in a file is no conversation.
	recording log -P :replies -r work --window 20 -s 50 -- ./mover pwrite 200
	test "$(field point :replies visits)" -eq 0
}
check 'answers' answers

# counted POINT N: there are N windows with visits of it
counted() {
	test "$(field visits "$1" experiment | wc -l)" -ge "$2"
}

has_both() {
	counted :output 2 && counted :work 2
}

is_found_out() {
	endless_until has_both log -r work --window 20 -s 50 -- ./mover write 1000000
	field visits :output experiment >got
	test -s got
	field visits :work experiment >got
	test -s got
	field visits :input experiment >got
	empty got
	has 'what=unmarked	text=no%20progress%20point%20is%20marked:%20progress%20is%20:output,%20:work;' log
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	grep -c '^point' analysis >got
	echo 1 | same - got
	exits 0 andweorc-analyze --format andweorc -p :output resolved >analysis
	has '^point	point=:output' analysis
}
check 'what advances steadily is found out; one of several is shown' is_found_out

has_work() {
	counted :work 3
}

is_rare() {
	endless_until has_work log -r work --window 20 -s 50 -- ./mover write 1000000 3000
	field visits :output experiment >got
	empty got
	field visits :work experiment >got
	test -s got
}
check 'what moves now and then is no progress' is_rare

has_points() {
	recording log -r work --window 40 -s 50 -- ./marked write 1500
	lacks 'kind=automatic' log
	lacks 'what=unmarked' log
	# With -P, automatic points are counted beside marks.
	recording log -P :output -r work --window 40 -s 50 -- ./marked write 600
	field visits :output experiment >got
	test -s got
	field visits round experiment >got
	test -s got
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	has '^point	point=round' analysis
	lacks '^point	point=:output' analysis
}
check 'a program with points has no others, unless they are asked for' has_points

has_marks() {
	counted round 8
}

marks_late() {
	endless_until has_marks log -r work --window 40 -s 50 -- ./marked write 1000000 1 1800
	field visits :work experiment >before
	field visits round experiment >after
	test -s before
	test -s after
	# From the first mark on the mark is the only point, except in the window that was open then.
	last=$(tail -n 1 before)
	test "$(awk -v last="$last" '$1 > last + 1' after | wc -l)" -ge 5
}
check 'a mark that comes late ends the others' marks_late

becomes_short() {
	# The first run takes longer than those that follow it.
	cat >shrinks <<'END'
#!/bin/sh
if mkdir once 2>/dev/null; then exec ./mover none 600; else exec ./mover none 30; fi
END
	chmod +x shrinks
	for seconds in 2 6; do
		rm -rf once
		recording log -d $seconds -s 50 -- ./shrinks
		if grep -q '^visits	.*	kind=run' log; then
			break
		fi
	done
	values kind visits | sort -u >got
	has '^run$' got
}
check 'runs that are too short for windows are compared as a whole' becomes_short

is_refused() {
	exits 125 andweorc-record -o log -P :outputs -- ./mover write 100 2>err
	has "^andweorc-record: bad point ':outputs'" err
}
check 'a name that is none' is_refused

done_testing

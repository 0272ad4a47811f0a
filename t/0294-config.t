#!/bin/sh
# andweorc-record --config and --print-config.
. "$(dirname "$0")/lib.sh"

# in_force ARG...: the options that are in force, in `got`
in_force() {
	exits 0 andweorc-record "$@" --print-config >got 2>err
	empty err
}

defaults() {
	in_force
	same - got <<-'END'
	mode = line
	speedups = 15,30,50,75
	max-regions = 6
	period = 1000
	window = 200
	design = fixed
	END
	in_force --until 2
	has '^design = adaptive$' got
}
check '--print-config: what holds by default' defaults

cat >full <<'END'
# all of it
output = some log.aw
launcher = ^solve
 duration=1.5
wait	2
runs = 3
mode = function   # not lines
region = parse_*
region = a;b;c.c:12
only = *.c
exclude = "third party/*"
exclude vendor/*
only-function = ns::f(int)
exclude-function = {lambda()#1}
point = :work
point = visit
speedups = 0,0,10-50:20
max-regions = 4
seed = 0
sampler = timer
period = 500
window = 100
attach-only
start-paused
show-output = no
given = g=50
design = adaptive
until = 2
block = "a # b"
side = head
commit = abc
quiet = yes
END

reads_all() {
	in_force --config full
	has '^output = some log\.aw$' got
	has '^duration = 1\.5$' got
	has '^wait = 2$' got
	has '^mode = function$' got
	has '^region = a;b;c\.c:12$' got
	has '^exclude = third party/\*$' got
	has '^exclude-function = \{lambda\(\)#1\}$' got
	has '^attach-only = yes$' got
	lacks 'show-output' got
	has '^block = "a # b"$' got
	has '^start-paused = yes$' got
	test "$(wc -l <got)" -eq 30
	# A written setting is read back as the same setting.
	mv got first
	in_force --config first
	same first got
}
check '--config: each option, and what is written is read again' reads_all

# Each long option, except those that do not concern a recording.
knows_each_option() {
	andweorc-record --help | sed -n 's/^ .*[ ,]--\([a-z-]*\) .*/\1/p' | grep -vx 'help\|version\|config\|print-config\|pid' | sort -u >want
	sed -n 's/^ *\([a-z][a-z-]*\).*/\1/p' full | sort -u >got
	same want got
}
check '--config: no option is missing here' knows_each_option

command_line_wins() {
	in_force -d 9 -r other --config full -x new/ -q
	has '^duration = 9$' got
	has '^region = other$' got
	lacks 'parse|third|vendor' got
	has '^exclude = new/$' got
	has '^only = \*\.c$' got
	printf 'duration = 4\nregion = late\n' >late
	in_force --config full --config late
	has '^duration = 4$' got
	has '^region = parse_\*$' got
	has '^region = late$' got
}
check '--config: the command line wins, and then the last file' command_line_wins

takes_the_last() {
	in_force -d 3 -d 4 -x a -x b
	has '^duration = 4$' got
	lacks 'duration = 3' got
	has '^exclude = a$' got
	has '^exclude = b$' got
	exits 125 andweorc-record -d x -d 4 --print-config >out 2>err
	has "bad duration 'x'" err
}
check 'of an option that is given twice, the last one counts, and each is looked at' takes_the_last

# wrong LINE MESSAGE
wrong() {
	printf '# one\n\n%s\n' "$1" >bad
	exits 125 andweorc-record --config bad -o log -- sh -c 'echo ran >ran-wrongly' >out 2>err
	empty out
	echo "andweorc-record: bad:3: $2" | same - err
	test ! -e ran-wrongly
	test ! -e log
}

errors() {
	wrong 'duration = x' "bad duration 'x'"
	wrong 'duration' "option 'duration' requires an argument"
	wrong 'duration =' "bad duration ''"
	wrong 'durations = 3' "unknown option 'durations'"
	wrong 'dur = 3' "unknown option 'dur'"
	wrong '-d 3' "unknown option '-d'"
	wrong 'speedups = 10,x' "bad speedup 'x'"
	wrong 'quiet = maybe' "bad value 'maybe': 'quiet' is 'yes' or 'no'"
	wrong 'config = other' "unknown option 'config'"
	wrong 'print-config' "unknown option 'print-config'"
	wrong 'help' "unknown option 'help'"
	wrong '= 3' "unknown option ''"
	wrong 'region = a;;b' "bad call path of functions and lines 'a;;b'"
	exits 125 andweorc-record --config nowhere -- true >out 2>err
	echo "andweorc-record: cannot open 'nowhere': No such file or directory" | same - err
	exits 125 andweorc-record --config . -- true >out 2>err
	has "^andweorc-record: cannot read '\.'" err
}
check '--config: errors, with file and line' errors

nothing_is_read_unasked() {
	printf 'mode = function\n' >.andweorc
	printf 'mode = function\n' >andweorc.conf
	exits 0 env ANDWEORC_CONFIG=.andweorc andweorc-record --print-config >got 2>err
	has '^mode = line$' got
	rm .andweorc andweorc.conf
}
check 'no file is read unless it is named' nothing_is_read_unasked

from_standard_input() {
	echo 'window = 77' | andweorc-record --config - --print-config >got
	has '^window = 77$' got
}
check '--config -: standard input' from_standard_input

no_line_feeds() {
	exits 125 andweorc-record --print-config --block 'a
b' >out 2>err
	has "cannot have the '--block' of several lines" err
}
check '--print-config: what a file cannot say' no_line_feeds

done_testing

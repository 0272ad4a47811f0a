#!/bin/sh
# Common to all tools: help, version, usage errors, missing files, a full disk, a reader that goes
# away, and that help and manual name the same options.
. "$(dirname "$0")/lib.sh"

tools=$(cd "$O" && ls -d andweorc-* 2>/dev/null)
version=$(sed -n 's/^#define ANDWEORC_VERSION "\(.*\)"/\1/p' "$top/lib/base/cli.h")
printf 'andweorc\tversion=1\ttool=record\nrun\tid=1\tcommand=true\nend\trun=1\tstatus=exit:0\n' >log

# The status of the tool's own failures.
trouble() {
	case $1 in
	andweorc-record) echo 125 ;;
	*) echo 2 ;;
	esac
}

is_there() {
	test -x "$O/$1"
}

helps() {
	exits 0 "$1" -h >short 2>err
	empty err
	has "^usage: $1( |\$)" short
	exits 0 "$1" --help >long 2>err
	empty err
	same short long
	lacks '.{129}' short
}

says_its_version() {
	echo "$1 $version" >want
	for option in -V --version; do
		exits 0 "$1" $option >got 2>err
		same want got
		empty err
	done
	"$O/$1" -V >got
	same want got
}

refuses_unknown_options() {
	for option in --no-such-option -%; do
		exits "$(trouble "$1")" "$1" $option >out 2>err
		empty out
		echo "$1: unknown option '$option'; see '$1 --help'" | same - err
	done
	# Neither does it move the cursor of a terminal.
	exits "$(trouble "$1")" "$1" "$(printf '%s\033[2J' --x)" >out 2>err
	echo "$1: unknown option '--x\\x1b[2J'; see '$1 --help'" | same - err
}

refuses_a_missing_argument() {
	for option in $(takes_argument "$1"); do
		exits "$(trouble "$1")" "$1" "$option" >out 2>err
		empty out
		echo "$1: option '$option' requires an argument; see '$1 --help'" | same - err
	done
	exits "$(trouble "$1")" "$1" --version=2 >out 2>err
	empty out
	echo "$1: option '--version' takes no argument; see '$1 --help'" | same - err
}

names_the_missing_file() {
	exits 2 "$1" no/such/file >out 2>err
	head -n 1 err >first # a warning that there was nothing may follow
	same - first <<-END
	$1: cannot open 'no/such/file': No such file or directory
	END
}

names_an_unreadable_file() {
	exits 2 "$1" / >out 2>err
	has "^$1: cannot read '/': Is a directory\$" err
}

reports_a_full_disk() {
	exits 2 "$@" >/dev/full 2>err
	tail -n 1 err >last # warnings may come before
	same - last <<-END
	$1: cannot write standard output: No space left on device
	END
}

reports_a_closed_output() {
	exits 2 "$@" >&- 2>err
	has "^$1: cannot write standard output" err
}

# The test is of a tool that writes to a pipe; the tool's status comes through a file.
survives_a_reader_that_leaves() {
	awk 'BEGIN {
		print "andweorc\tversion=1"
		for (i = 0; i < 100000; i++) print "unknown\ttext=" i
	}' >big
	(trap '' PIPE; run "$1" big 2>err; echo "$status" >status) | head -n 1 >first
	echo 0 >want
	same want status
	empty err
	has '^andweorc' first
}

# Options that the help defines: at the start of an indented line, up to two blanks.
help_options() {
	"$1" --help | sed -n 's/^ \{1,\}\(-[^ ].*\)/\1/p' | sed 's/  .*//' | tr ' ,=[' '\n\n\n\n' |
		grep -E '^(-[A-Za-z]|--[a-z][a-z-]*)$' | sort -u
}

# Long options whose help line has an argument after them.
takes_argument() {
	"$1" --help | sed -n 's/^ \{1,\}\(-[^ ].*\)/\1/p' | sed 's/  .*//' |
		sed -n 's/.*\(--[a-z][a-z-]*\)[ =][A-Z].*/\1/p'
}

# Options that the manual defines: tags of lists, in man(7) and in mdoc(7).
manual_options() {
	sed -e 's/\\f[A-Z]//g' -e 's/\\f(..//g' -e 's/\\-/-/g' -e 's/\\&//g' "$1" |
		awk '
		/^\.(TP|TQ)/ { tag = 1; next }
		/^\.It / { gsub(/Fl +/, "-"); print; next }
		/^\.IP / { print; next }
		tag { print; tag = 0 }' |
		tr ' ,="[' '\n\n\n\n\n' | grep -E '^(-[A-Za-z]|--[a-z][a-z-]*)$' | sort -u
}

help_and_manual_agree() {
	test -r "$top/share/man/man1/$1.1" || { echo "no share/man/man1/$1.1"; return 1; }
	help_options "$1" >in-help
	manual_options "$top/share/man/man1/$1.1" >in-manual
	has '^-h$' in-help
	has '^--version$' in-help
	same in-help in-manual
}

for tool in andweorc-record andweorc-resolve andweorc-analyze andweorc-diff andweorc-plot; do
	check "$tool is there" is_there $tool
done

for tool in $tools; do
	check "$tool: -h and --help" helps "$tool"
	check "$tool: -V and --version" says_its_version "$tool"
	check "$tool: unknown option" refuses_unknown_options "$tool"
	check "$tool: option without its argument" refuses_a_missing_argument "$tool"
	check "$tool: help and manual name the same options" help_and_manual_agree "$tool"
	check "$tool: help to a full disk" reports_a_full_disk "$tool" --help
	check "$tool: version to a closed output" reports_a_closed_output "$tool" --version
	case $tool in
	andweorc-resolve | andweorc-analyze | andweorc-plot)
		check "$tool: missing file" names_the_missing_file "$tool"
		check "$tool: file that cannot be read" names_an_unreadable_file "$tool"
		;;
	esac
	case $tool in
	andweorc-resolve)
		check "$tool: full disk" reports_a_full_disk "$tool" log
		check "$tool: closed output" reports_a_closed_output "$tool" log
		check "$tool: reader that leaves" survives_a_reader_that_leaves "$tool"
		;;
	andweorc-analyze)
		check "$tool: full disk" reports_a_full_disk "$tool" --format andweorc log
		;;
	esac
done

record_without_a_command() {
	exits 125 andweorc-record >out 2>err
	empty out
	echo "andweorc-record: no command to run; see 'andweorc-record --help'" | same - err
	exits 125 andweorc-record -qo >out 2>err
	echo "andweorc-record: option '-o' (--output) requires an argument; see 'andweorc-record --help'" | same - err
	exits 125 andweorc-record --s=3 -- true >out 2>err
	echo "andweorc-record: option '--s' could be one of several; see 'andweorc-record --help'" | same - err
	exits 125 andweorc-record -d never -- true >out 2>err
	echo "andweorc-record: bad duration 'never'; see 'andweorc-record --help'" | same - err
}

# operands_are_counted TOOL TEXT ARG...: refused in one line that names the help
operands_are_counted() {
	tool=$1
	text=$2
	shift 2
	exits 2 "$tool" "$@" >out 2>err
	empty out
	echo "$tool: $text; see '$tool --help'" | same - err
}

record_with_a_command_that_is_not_there() {
	exits 127 andweorc-record -o made.aw -- no-such-command-anywhere >out 2>err
	empty out
	has "^andweorc-record: .*'no-such-command-anywhere'.*No such file" err
}

record_with_a_command_that_is_no_program() {
	echo text >text
	chmod -x text
	exits 126 andweorc-record -o made.aw -- ./text >out 2>err
	empty out
	has "^andweorc-record: .*'\./text'.*Permission denied" err
}

record_with_a_log_that_cannot_be_made() {
	exits 125 andweorc-record -o no/such/dir/log -- sh -c 'echo ran >ran' >out 2>err
	empty out
	has "^andweorc-record: .*'no/such/dir/log': No such file or directory" err
	test ! -e ran
}

if test -x "$O/andweorc-record"; then
	check 'andweorc-record: no command' record_without_a_command
	check 'andweorc-record: no such command' record_with_a_command_that_is_not_there
	check 'andweorc-record: not a program' record_with_a_command_that_is_no_program
	check 'andweorc-record: log that cannot be made' record_with_a_log_that_cannot_be_made
fi

check 'andweorc-diff: one analysis' operands_are_counted andweorc-diff 'two analyses are compared, BASE and HEAD, not 1' a
check 'andweorc-diff: --aa with nothing' operands_are_counted andweorc-diff '--aa takes one or two analyses' --aa
check 'andweorc-diff: --aa and --render' operands_are_counted andweorc-diff '--aa and --render exclude each other' --aa --render a
check 'andweorc-diff: --render and a file' operands_are_counted andweorc-diff \
	"--render compares nothing: no file may follow 'a'" --render a b
check 'andweorc-plot: two analyses' operands_are_counted andweorc-plot 'one analysis is drawn, not 2 (the other is for --base)' a b

done_testing

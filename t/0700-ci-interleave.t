#!/bin/sh
# ci/interleave: its recordings, their order, and the files that remain.
. "$(dirname "$0")/lib.sh"

interleave=$top/ci/interleave
real=$PATH

# A recorder that notes its arguments and writes a log of one line; recordings listed in `fail` fail.
mkdir fake base head
cat >fake/andweorc-record <<'END'
#!/bin/bash
side='' block='' file='' commit=''
echo "${PWD##*/}: $*" >>"$NOTES/calls"
while [[ $1 != -- ]]; do
	case $1 in
	--side) side=$2 ;;
	--block) block=$2 ;;
	--commit) commit=$2 ;;
	-o) file=$2 ;;
	-q)
		shift
		continue
		;;
	esac
	shift 2
done
shift
echo "$side $block" >>"$NOTES/order"
echo "$side $block $commit $*" >"$file"
grep -qx "$side $block" "$NOTES/fail" && exit 7
test ! -e "$NOTES/sleep" || {
	echo $$ >"$NOTES/pid"
	exec sleep 30
}
exit 0
END
chmod +x fake/andweorc-record
NOTES=$scratch
export NOTES
unset GITHUB_SHA

fresh() {
	rm -rf out order calls sleep pid
	: >fail
	PATH=$scratch/fake:$real
}

blocks_alternate() {
	fresh
	exits 0 "$interleave" --base base --head head --shard s --blocks 3 --output out -- prog 'a b' >got 2>err
	empty got
	has '^ci/interleave: 3 of 3 blocks in [0-9]+ s: base head$' err
	same - order <<-END
	base s.1
	head s.1
	head s.2
	base s.2
	base s.3
	head s.3
	END
	has '^base: -q -o .* -d 10 --block s.1 --side base -- prog a b$' calls
	has '^head: -q -o .* -d 10 --block s.1 --side head -- prog a b$' calls
	ls -A out >got
	printf 'base.s.aw\nhead.s.aw\n' | same - got
	printf 'base s.%s  prog a b\n' 1 2 3 | same - out/base.s.aw
	printf 'head s.%s  prog a b\n' 1 2 3 | same - out/head.s.aw
}

options_reach_the_recorder() {
	fresh
	exits 0 "$interleave" --base base --head head --shard s --blocks 1 --duration 3 --option -m --option function \
		--output out --base-command 'echo  "old"' --head-command 'new' >got 2>err
	has '^base: .* -d 3 .* -m function -- bash -c echo  "old"$' calls
	has '^head: .* -d 3 .* -m function -- bash -c new$' calls
	fresh
	exits 0 "$interleave" --base base --head head --shard s --blocks 2 --output out --keep -- prog >got 2>err
	ls out >got
	printf '%s\n' base.s.1.aw base.s.2.aw base.s.aw head.s.1.aw head.s.2.aw head.s.aw | same - got
	cat out/base.s.1.aw out/base.s.2.aw | same out/base.s.aw -
}

# A block with a side missing is left out.
half_blocks_are_left_out() {
	fresh
	echo 'base s.2' >fail
	exits 0 "$interleave" --base base --head head --shard s --blocks 3 --output out -- prog >got 2>err
	has '^ci/interleave: block s.2: base failed with status 7$' err
	has '2 of 3 blocks' err
	printf 'base s.%s  prog\n' 1 3 | same - out/base.s.aw
	printf 'head s.%s  prog\n' 1 3 | same - out/head.s.aw
}

base_may_be_missing() {
	fresh
	printf 'base s.%s\n' 1 2 3 >fail
	exits 3 "$interleave" --base base --head head --shard s --blocks 3 --output out -- prog >got 2>err
	has 'base cannot be recorded: head alone' err
	ls -A out >got
	echo head.s.aw | same - got
	printf 'head s.%s  prog\n' 1 2 3 | same - out/head.s.aw
	fresh
	exits 3 "$interleave" --base base --head head --shard s --blocks 2 --output out \
		--build 'test "${PWD##*/}" = head || { echo "no rule"; exit 4; }' -- prog >got 2>err
	has 'the build of base failed with status 4' err
	has '^no rule$' err
	printf 'head s.1\nhead s.2\n' | same - order
}

head_alone() {
	fresh
	exits 0 "$interleave" --head head --shard s --blocks 2 --output out -- prog >got 2>err
	printf 'head s.1\nhead s.2\n' | same - order
	ls -A out >got
	echo head.s.aw | same - got
}

head_may_not() {
	fresh
	printf 'head s.%s\n' 1 2 3 4 >fail
	exits 2 "$interleave" --base base --head head --shard s --blocks 4 --output out -- prog >got 2>err
	has 'no block was completed: nothing to compare$' err
	test "$(grep -c head order)" -eq 2
	test -z "$(ls -A out)"
	fresh
	exits 2 "$interleave" --base base --head head --output out --build 'test "${PWD##*/}" = base' -- prog >got 2>err
	has 'nothing to compare$' err
	test ! -e order
}

builds_in_both() {
	fresh
	exits 0 "$interleave" --base base --head head --shard s --blocks 1 --output out --build 'false | true || pwd >built' \
		-- prog >got 2>err
	same - head/built <<-END
	$scratch/head
	END
	same - base/built <<-END
	$scratch/base
	END
	rm base/built head/built
}

time_is_kept() {
	fresh
	touch sleep
	exits 2 "$interleave" --base base --head head --shard s --blocks 1 --limit 1 --output out -- prog >got 2>err
	has 'block s.1: base took longer than 1 s' err
	fresh
	exits 0 "$interleave" --base base --head head --shard s --blocks 900000 --budget 1 --output out -- prog >got 2>err
	has 'stopped after [0-9]+ of 900000 blocks: the next would not end within 1 s' err
}

commits_are_told() {
	fresh
	for side in base head; do
		(
			cd $side
			git init -q .
			echo $side >file
			git add file
			git -c user.name=me -c user.email=me@example.org -c commit.gpgsign=false commit -q -m one
		)
	done
	echo more >>head/file
	exits 0 "$interleave" --base base --head head --shard s --blocks 1 --output out -- prog >got 2>err
	echo "base s.1 $(git -C base rev-parse HEAD) prog" | same - out/base.s.aw
	echo "head s.1 $(git -C head rev-parse HEAD)-dirty prog" | same - out/head.s.aw
	rm -rf base/.git head/.git
}

# Ending it ends all processes that it started.
leaves_nothing_behind() {
	fresh
	touch sleep
	"$interleave" --base base --head head --shard s --output out -- prog >got 2>err &
	pid=$!
	until test -s pid; do
		sleep 0.1
	done
	kill $pid
	set +e
	wait $pid
	status=$?
	set -e
	test $status -eq 2
	has 'interrupted' err
	test -z "$(ls -A out)"
	fails kill -0 "$(cat pid)"
}

refuses() {
	fresh
	exits 2 "$interleave" --output out "$@" >got 2>err
	empty got
	test "$(wc -l <err)" -eq 1
	has '^ci/interleave: ' err
	test ! -e order
}

refuses_nonsense() {
	refuses
	refuses --base base -- prog
	refuses --base base --head nowhere -- prog
	refuses --base base --head head
	refuses --base base --head head --head-command new
	refuses --base base --head head prog
	refuses --base base --head head --nonsense 1 -- prog
	refuses --base base --head head --blocks
	for value in 0 -1 x 1.5 '' 99999999; do
		refuses --base base --head head --blocks "$value" -- prog
	done
	for value in '' .x 'a b' a/b '%s'; do
		test -z "$value" || refuses --base base --head head --shard "$value" -- prog
	done
	PATH=/usr/bin:/bin exits 2 "$interleave" --base base --head head -- prog >got 2>err
	has 'no andweorc-record in PATH' err
}

# With the real recorder, to the analysis of each side.
records_for_real() {
	fresh
	PATH=$real
	for side in base head; do
		printf '%s\n' '#include <andweorc.h>' 'int main(void) { for (;;) { for (volatile int i = 0; i < 1000000; i = i + 1) ;' \
			'ANDWEORC_PROGRESS("round"); } }' >$side/prog.c
	done
	exits 0 "$interleave" --base base --head head --shard s --blocks 2 --duration 1 --option --window --option 50 --output out \
		--build "gcc -O2 -g -I'$top/lib' -o prog prog.c" -- ./prog >got 2>err
	for side in base head; do
		andweorc-resolve out/$side.s.aw >resolved
		exits 0 andweorc-analyze --format andweorc resolved >$side.analysis 2>err
		test "$(grep -c "^run	.*	block=s.[12]	side=$side	" $side.analysis)" -eq 2
		# There may be little time for it, but some.
		has '^sample	.*	state=cpu	.*prog\.c	line=2' resolved
	done
}

check 'blocks alternate, logs pair up' blocks_alternate
check 'options and commands reach the recorder' options_reach_the_recorder
check 'half a block is left out' half_blocks_are_left_out
check 'a base that does not work: head alone, status 3' base_may_be_missing
check 'head alone' head_alone
check 'a head that does not work: status 2' head_may_not
check '--build, with pipefail, in both trees' builds_in_both
check '--limit, --budget' time_is_kept
check 'the commit of each tree' commits_are_told
check 'an interruption leaves nothing behind' leaves_nothing_behind
check 'nonsense is refused' refuses_nonsense
check 'for real' records_for_real

done_testing

#!/bin/sh
# Code that a program makes as it runs: its samples count, and have names where perf's map file has them.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

gcc -O2 -g -D_GNU_SOURCE -Wall -Wextra -I"$top/lib" -o jit "$programs/jit.c" || exit 1
strip -o bare jit

# made: prints the percentage of the log's CPU samples that are in such code
made() {
	awk -F'\t' '
	$1 == "module" && $NF == "path=[jit]" { made[substr($3, 4)] = 1 }
	$1 == "sample" && $6 == "state=cpu" { n = substr($5, 7); all += n; if (substr($3, 8) in made) mine += n }
	END { print all ? int(100 * mine / all) : "none" }' log
}

# record ARG...; the list that the program has made is removed
record() {
	recording log --window 20 -s 50 "$@"
	map=$(sed -n 's|^\(/tmp/perf-[0-9]*\.map\)$|\1|p' out)
	test -z "$map" || rm -f "$map"
}

counts() {
	record -- ./jit 1500
	test "$(made)" -ge 90
	has '^warning	run=1	what=jit	' log
	has 'warning: (9[0-9]|100) % of the samples are in code that the program makes as it runs \(JIT\): .*; its functions have names where' err
	# Its time is that of the line that calls it.
	has '^region	.*	scope=line	.*	symbol=main$' log
	andweorc-resolve log >resolved
	has '^sample	.*	function=\[jit\]\+0x' resolved
	andweorc-analyze --format andweorc resolved >analysis 2>analysis.err
	test "$(values cpu_ns run analysis | cut -d. -f1)" -ge 1200000000
}
check 'samples count, as what they are' counts

without_symbols() {
	record -m function -- ./bare 800
	test "$(made)" -ge 90
	has 'of the samples are in code that the program makes as it runs' err
	lacks 'is it stripped' err
}
check 'also where nothing else has a name' without_symbols

has_names() {
	record -- ./jit 800 told
	test "$(made)" -ge 90
	test "$(values function sample | sort -u)" = 'js%20*spin%09a.js:12'
	has '; the log has its functions as the perf map file names them$' err
	andweorc-resolve log >resolved
	has '^sample	.*	function=js%20\*spin%09a.js:12' resolved
	lacks 'function=\[jit\]' resolved
}
check 'a perf map file names it: of two names the later one' has_names

# The list of another process, or one that another user has put in its place.
follows_no_link() {
	record -- ./jit 500 linked
	test "$(made)" -ge 90
	empty_of_names=$(values function sample)
	test -z "$empty_of_names"
}
check 'a link is not followed' follows_no_link

in_each_process() {
	recording log --attach-only -- sh -c './jit 300 told & ./jit 300; wait'
	sed -n 's|^\(/tmp/perf-[0-9]*\.map\)$|\1|p' out | xargs rm -f
	test "$(grep -c '^module	.*path=\[jit\]$' log)" -eq 2
	test "$(values function sample | sort -u)" = 'js%20*spin%09a.js:12'
	# Only one of the two processes wrote a list.
	awk -F'\t' '$1 == "sample" && /function=/ { print $3 }' log | sort -u | wc -l >got
	echo 1 >want
	same want got
}
check 'each process makes its own' in_each_process

# Code of a file that is mapped once more, at another address.
moved() {
	gcc -O2 -g -D_GNU_SOURCE -Wall -Wextra -I"$top/lib" -o moved "$programs/moved.c"
	recording log -m function --window 20 -s 50 -- ./moved 1500
	id=$(sed -n 's/^region	id=\([0-9]*\)	.*symbol=spin_moved.*/\1/p' log)
	has "^experiment	.*region=$id	" log
	andweorc-resolve log >resolved
	awk -F'\t' '$1 == "sample" { n = substr($5, 7); all += n; if (/\tfunction=spin_moved/) mine += n }
		END { print mine, all; exit !(mine > 0.9 * all) }' resolved
}
check 'code that is mapped again elsewhere keeps its name' moved

of_javascript() {
	cat >work.js <<-'END'
	function work(n) { let x = 1; for (let i = 0; i < n; i++) x = (x * 1103515245 + 12345 + i) % 2147483648; return x; }
	const start = Date.now();
	let sum = 0;
	while (Date.now() - start < 1500) sum += work(100000);
	console.log(process.pid);
	END
	recording log --attach-only -m function -- "$node" --perf-basic-prof work.js
	rm -f "/tmp/perf-$(cat out).map"
	test "$(made)" -ge 50
	has '^sample	.*	function=JS:[*^~]?work%20' log
}
node=$(command -v node)
if test -n "$node" && "$node" --perf-basic-prof -e 'require("fs").unlinkSync(`/tmp/perf-${process.pid}.map`)' 2>/dev/null; then
	check 'node --perf-basic-prof' of_javascript
else
	skip 'node --perf-basic-prof' 'it is not there'
fi

done_testing

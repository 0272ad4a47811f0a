#!/bin/sh
# Tools in a directory whose name LD_PRELOAD cannot hold.
. "$(dirname "$0")/lib.sh"

printf '%s\n' '#include <andweorc.h>' '#include <time.h>' 'int main(void)' '{' '	volatile unsigned long x = 0;' \
	'	while (clock() < CLOCKS_PER_SEC / 10) {' '		for (int k = 0; k < 100000; k++)' '			x += (unsigned long)k;' \
	'		ANDWEORC_PROGRESS("round");' '	}' '	return 0;' '}' >try.c
gcc -O2 -g -I"$top/lib" -o try try.c || exit 1

# elsewhere DIR: the recorder and its runtime, copied there
elsewhere() {
	mkdir -p "$1"
	cp "$O/andweorc-record" "$O/libandweorc.so" "$1"
}

# profiles DIR: with the tools in DIR, visits are counted inside the program
profiles() {
	exits 0 "$1/andweorc-record" -q -o log ./try 2>err
	lacks 'preload' err
	has '^point	.*name=round	.*visits=[1-9]' log
	lacks 'not-preloaded' log
}

blanks_and_colons() {
	mkdir links 'my links'
	for dir in 'my tools' 'a:b' 'a$b' ' '; do
		elsewhere "$PWD/$dir"
		TMPDIR=$PWD/links profiles "$PWD/$dir"
		TMPDIR="$PWD/my links" profiles "$PWD/$dir"
	done
	# The temporary link is removed.
	find links 'my links' -mindepth 1 >left
	empty left
}
check 'a blank, a colon, a dollar in the path of the runtime' blanks_and_colons

a_link_for_its_children() {
	elsewhere "$PWD/my tools"
	exits 0 "$PWD/my tools/andweorc-record" -q -o log sh -c 'sleep 0.2; ./try; ./try' 2>err
	has '^point	.*name=round	.*visits=[1-9]' log
	exits 3 "$PWD/my tools/andweorc-record" -q -o log sh -c 'exit 3' 2>err
	exits 127 "$PWD/my tools/andweorc-record" -q -o log ./nowhere 2>err
}
check 'its children are profiled, and its status is kept' a_link_for_its_children

installed_elsewhere() {
	mkdir -p usr/bin usr/lib/andweorc
	cp "$O/andweorc-record" usr/bin
	cp "$O/libandweorc.so" usr/lib/andweorc
	profiles "$PWD/usr/bin"
	rm -r usr/lib
	exits 125 usr/bin/andweorc-record -o log ./try 2>err
	has "^andweorc-record: cannot find libandweorc.so in '.*/usr/bin' or '.*/usr/bin/\.\./lib/andweorc'$" err
}
check 'installed in ../lib, and not at all' installed_elsewhere

done_testing

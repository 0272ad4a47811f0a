#!/bin/sh
# The makefile and ci/deps where things are missing, or are elsewhere than usual.  Nothing is built here.
. "$(dirname "$0")/lib.sh"

unset MAKEFLAGS MFLAGS MAKELEVEL CC CFLAGS CPPFLAGS LDFLAGS
cd "$top" || exit 1

# would WORDS...: writes the commands that make would run to $scratch/got, and its messages to $scratch/err
would() {
	make -n -B --no-print-directory "$@" >"$scratch/got" 2>"$scratch/err"
}

without_a_compiler() {
	would CC=no-such-compiler O="$scratch/none" "$scratch/none/cmd/andweorc-diff.o"
	empty "$scratch/err"
	would CC=no-such-compiler O="$scratch/none" deps
	empty "$scratch/err"
}
check 'make says nothing of a compiler that is about to be installed' without_a_compiler

blank_in_o() {
	run make -n O='a b' all >"$scratch/got" 2>"$scratch/err"
	test "$status" -eq 2
	lacks 'Circular' "$scratch/err"
	has "O='a b': make cannot build in a directory with a blank in its name; make a link to it" "$scratch/err"
}
check 'a blank in O is refused in words' blank_in_o

example_has_lines() {
	would CFLAGS=-O0 O="$scratch/none" "$scratch/none/examples/pzip"
	has ' -O0 .*-g ' "$scratch/got"
}
check 'the example of the demo has lines, whatever CFLAGS are' example_has_lines

runtime_is_found_where_it_is_installed() {
	would O="$scratch/none" "$scratch/none/lib/target/preload.o"
	has 'RUNTIME_DIR=.*"\.\./lib/andweorc"' "$scratch/got"
	would O="$scratch/none" prefix=/usr libdir=/usr/lib/x86_64-linux-gnu "$scratch/none/lib/target/preload.o"
	has 'RUNTIME_DIR=.*"\.\./lib/x86_64-linux-gnu/andweorc"' "$scratch/got"
	would O="$scratch/none" prefix=/opt/andweorc bindir=/opt/bin "$scratch/none/lib/target/preload.o"
	has 'RUNTIME_DIR=.*"\.\./andweorc/lib/andweorc"' "$scratch/got"
}
check 'libdir is where the recorder looks for the runtime' runtime_is_found_where_it_is_installed

# A machine that has everything but cmocka, and no way to get it.
mkdir "$scratch/fake"
cat >"$scratch/fake/cc" <<'END'
#!/bin/sh
for word; do
	case $word in
	*.c) if grep -q cmocka "$word"; then exit 1; fi ;;
	esac
done
exec gcc "$@"
END
printf '#!/bin/sh\necho "$@" >>"%s"\nexit 100\n' "$scratch/apt" >"$scratch/fake/apt-get"
printf '#!/bin/sh\necho 0\n' >"$scratch/fake/id"
chmod +x "$scratch/fake"/*

demo_needs_no_cmocka() {
	exits 0 env PATH="$scratch/fake:$PATH" CC=cc ci/deps --demo >"$scratch/got" 2>"$scratch/err"
	empty "$scratch/err"
	exits 2 env PATH="$scratch/fake:$PATH" CC=cc ci/deps >"$scratch/got" 2>"$scratch/err"
	has 'could not install: libcmocka-dev$' "$scratch/err"
	would demo
	has '^ci/deps --demo$' "$scratch/got"
}
if CC=gcc ci/deps </dev/null >/dev/null 2>&1; then
	check 'what tests alone need does not keep the demo' demo_needs_no_cmocka
else
	skip 'what tests alone need does not keep the demo' 'something else is missing'
fi

done_testing

#!/bin/sh
# Debug information in all its forms: a program that knows its own inline chains
# (t/program/chain.c) is resolved, and each place must have the chain that the program states.
. "$(dirname "$0")/lib.sh"

cp "$programs"/chain.[ch] . || exit 1
here=$(pwd -P)

# labels FILE: prints the symbol table's entry of each place, before the file is stripped
labels() {
	nm "$1" | awk '$3 ~ /^here_/ { sub(/^0+/, "", $1); split($3, w, "_"); print "0x" $1, w[2], w[3], w[4] }' | sort >labels
	test "$(wc -l <labels)" -ge 9
}

# make_log FILE [BUILD_ID]: a log with a sample at each label
make_log() {
	printf 'andweorc\tversion=1\ttool=record\nmodule\trun=1\tid=1\tpath=%s%s\n' "$1" "${2:+	build_id=$2}"
	awk '{ printf "sample\trun=1\tmodule=1\toffset=%s\tcount=1\tstate=cpu\n", $1 }' labels
}

# The last function of each chain is the one whose symbol covers the place.
expected_chains() {
	awk -v here="$here" '
	{
		printf "%s", $1
		if ($4) printf " leaf@%s/chain.h:%d mid@%s/chain.c:%d outer@%s/chain.c:%d", here, $2, here, $3, here, $4
		else if ($3 && $2 < 20) printf " %s outer@%s/chain.c:%d", first($2), here, $3
		else if ($3) printf " leaf@%s/chain.h:%d outer@%s/chain.c:%d", here, $2, here, $3
		else printf " outer@%s/chain.c:%d", here, $2
		print ""
	}
	function first(line) { return (line == leaf_line ? "leaf@" here "/chain.h:" : "mid@" here "/chain.c:") line }' \
		leaf_line="$(awk '/HERE\(__LINE__/ { print NR }' chain.h)" labels
}

# The same of the output of andweorc-resolve.
resolved_chains() {
	awk -F'\t' '
	$1 != "sample" { next }
	{
		for (i = 2; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = substr($i, length(kv[1]) + 2) }
		chain = v["function"] "@" v["file"] ":" v["line"]
		if ("inlined_by" in v) chain = chain ";" v["inlined_by"]
		gsub(/%20/, " ", chain)
		gsub(/\([^)]*\)/, "", chain)
		gsub(/(first|second|main)@/, "outer@", chain)
		gsub(/;/, " ", chain)
		print v["offset"], chain
		delete v
	}' "$1"
}

# agrees FILE [BUILD_ID] [OPTION...]
agrees() {
	file=$1 want_id=${2:-}
	test $# -lt 2 || shift
	shift
	make_log "$file" "$want_id" >log
	exits 0 andweorc-resolve "$@" log >got 2>err
	empty err
	expected_chains >want
	resolved_chains got >chains
	same want chains
}

compiled() {
	compiler=$1
	shift
	"$compiler" -O2 "$@" chain.c -o prog
	labels prog
	agrees "$here/prog"
}

for cc in gcc clang; do
	if ! command -v $cc >/dev/null; then
		skip "$cc" "no $cc here"
		continue
	fi
	for dwarf in -gdwarf-4 -gdwarf-5; do
		check "$cc $dwarf, position-independent" compiled $cc $dwarf -fPIE -pie
		check "$cc $dwarf, fixed address" compiled $cc $dwarf -fno-pie -no-pie
		check "$cc $dwarf, shared object" compiled $cc $dwarf -fPIC -shared
		check "$cc $dwarf, compressed with zlib" compiled $cc $dwarf -gz=zlib
		check "$cc $dwarf, split" compiled $cc $dwarf -gsplit-dwarf
		if echo 'int main() {}' | $cc -x c++ -o probe - 2>/dev/null; then
			check "$cc $dwarf, C++" compiled $cc $dwarf -x c++
		else
			skip "$cc $dwarf, C++" "no C++ compiler with $cc"
		fi
		check "$cc $dwarf, a section a function, unused ones removed" compiled $cc $dwarf -ffunction-sections -Wl,--gc-sections
	done
done

zstd_section() {
	gcc -O2 -g chain.c -o prog
	labels prog
	objcopy --compress-debug-sections=zstd prog packed
	agrees "$here/packed"
}
gcc -O2 -g chain.c -o prog
if objcopy --compress-debug-sections=zstd prog packed 2>/dev/null && readelf -t packed | grep -q ZSTD; then
	check 'compressed with zstd' zstd_section
else
	skip 'compressed with zstd' 'objcopy does not know zstd'
fi

# Separate files.  $id is the build-id of prog.
separate() {
	gcc -O2 -g "$@" chain.c -o prog
	labels prog
	objcopy --only-keep-debug prog prog.debug
	strip -o stripped prog
	id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	rm -rf .debug dir
}

id_path() {
	echo "dir/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug"
}

by_build_id() {
	separate
	mkdir -p "$(dirname "$(id_path)")"
	mv prog.debug "$(id_path)"
	agrees "$here/stripped" "$id" --debug-dir "$here/dir"
	agrees "$here/stripped" '' --debug-dir "$here/nothing" --debug-dir "$here/dir"
}
check 'separate, by build-id' by_build_id

by_build_id_alone() {
	by_build_id
	agrees "$here/gone" "$id" --debug-dir "$here/dir"
}
check 'separate, by build-id, the program being gone' by_build_id_alone

# link WHERE [FLAG...]: a debuglink to prog.debug, which is moved to WHERE
link() {
	where=$1
	shift
	separate "$@"
	objcopy --add-gnu-debuglink=prog.debug stripped
	mkdir -p "$where"
	test "$where" = . || mv prog.debug "$where"
}

by_link() {
	link "$@"
	agrees "$here/stripped" '' --debug-dir "$here/dir"
}
check 'separate, by debuglink, beside it' by_link .
check 'separate, by debuglink, in .debug' by_link .debug
check 'separate, by debuglink, under the debug directory' by_link "dir$here"
check 'separate, by debuglink and CRC, without build-id' by_link . -Wl,--build-id=none

# not_used: the debug file belongs to another program, so only symbols are left
not_used() {
	make_log "$here/stripped" >log
	exits 0 andweorc-resolve --debug-dir "$here/dir" log >got 2>err
	has "neither debug information nor symbols for '$here/stripped'" err
	test "$(wc -l <err)" -eq 1
	lacks 'file=' got
}

# Servers of debug files; the client of elfutils takes directories, too.
from_a_server() {
	separate
	rm -rf server cache
	mkdir -p "server/buildid/$id"
	mv prog.debug "server/buildid/$id/debuginfo"
	(
		export DEBUGINFOD_URLS="file://$here/server" DEBUGINFOD_CACHE_PATH="$here/cache"
		agrees "$here/stripped" "$id" || exit 1
		# It is in the cache then, and no server is needed.
		unset DEBUGINFOD_URLS
		rm -rf server
		agrees "$here/stripped" "$id" || exit 1
		agrees "$here/gone" "$id"
	)
}

not_from_a_server() {
	from_a_server
	gcc -O2 -g -x c - -o other <<-'END'
	int main(void) { return 3; }
	END
	cp other "cache/$id/debuginfo"
	DEBUGINFOD_CACHE_PATH=$here/cache not_used
}
if ldconfig -p 2>/dev/null | grep -q 'libdebuginfod\.so\.1'; then
	check 'separate, from a server of debuginfod, and then from its cache' from_a_server
	check 'a cached file with another build-id is not used' not_from_a_server
else
	skip 'separate, from a server of debuginfod' 'no libdebuginfod.so.1'
fi

wrong_crc() {
	link . -Wl,--build-id=none
	printf 'x' >>prog.debug
	not_used
}
check 'a debuglink with another CRC is not followed' wrong_crc

wrong_id_linked() {
	link .
	gcc -O2 -g -DOTHER -Wl,--build-id=sha1 -x c - -o other <<-'END'
	int main(void) { return 3; }
	END
	objcopy --only-keep-debug other prog.debug
	not_used
}
check 'a debuglink to a file with another build-id is not followed' wrong_id_linked

wrong_id_filed() {
	separate
	mkdir -p "$(dirname "$(id_path)")"
	echo 'int main(void) { return 3; }' >other.c
	gcc -O2 -g other.c -o other
	objcopy --only-keep-debug other "$(id_path)"
	not_used
}
check 'a debug file with another build-id is not used' wrong_id_filed

done_testing

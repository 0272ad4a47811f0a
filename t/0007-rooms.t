#!/bin/sh
# The rooms of lib/ (lib/README.md), and the arrows between them: which may include which.  Nothing is built here; where
# objects are there already, calls are looked at, too.
. "$(dirname "$0")/lib.sh"

# The table.  A room may use the rooms behind its name, and the headers in lib/ itself ("."); "cmd" is no room.
arrows() {
	cat <<-'END'
		base
		format    base .
		text      base
		source    base
		estimate  base
		binary    base runtime
		replay    base .
		finding   base format .
		match     base source binary
		resolve   base format source binary .
		profile   base format text estimate replay .
		analysis  base format estimate profile .
		report    base format text estimate profile analysis .
		diff      base format text source estimate finding match
		publish   base format text match diff
		view      base format text profile analysis estimate
		plot      base text source finding match diff
		target    base binary runtime .
		regions   base binary target runtime .
		recorder  base format binary estimate replay target regions runtime vclock .
		vclock
		runtime   vclock .
		wrap      runtime vclock .
		cmd       base format text source binary finding resolve profile analysis report view diff publish plot target regions recorder .
	END
}

# FILE INCLUDED for each of our headers that one of our files includes, by their paths
includes() {
	(
		cd "$top" || exit 1
		grep -oE '^#[[:space:]]*include "[^"]+"' lib/*.h lib/*/*.h lib/*/*.c cmd/*.c
	) | sed -e 's/:#[[:space:]]*include "/ /' -e 's/"$//' | while read -r file name; do
		if test -e "$top/lib/$name"; then
			echo "$file lib/$name"
		else # of the own room; or of the one above
			echo "$file $(realpath -m --relative-to="$top" "$top/${file%/*}/$name")"
		fi
	done
}

# The room that a path is in
room_awk='function room(path, part, n) {
		n = split(path, part, "/")
		return part[1] == "cmd" ? "cmd" : n > 2 ? part[2] : "."
	}'

includes >"$scratch/includes"
arrows >"$scratch/arrows"

# FROM TO, which may be paths of objects or of files, all by allowed arrows?
follow_arrows() {
	awk "$room_awk"'
		FNR == NR { for (i = 1; i <= NF; i++) may[$1, $i] = 1; next }
		!may[room($1), room($2)] { print $1, "->", $2 }' "$scratch/arrows" "$1" >surplus
	empty surplus
}

each_room_has_a_line() {
	{
		ls -d "$top"/lib/*/
		echo cmd
	} | sed 's|/$||; s|.*/||' | sort >there
	awk '{ print $1 }' "$scratch/arrows" | sort >known
	same known there
	sed -n 's/^    ROOMS := //p; s/^ROOMS := //p' "$top/Makefile" | tr ' ' '\n' | sort >built
	grep -vx -e cmd -e wrap -e runtime -e vclock known >want
	same want built
}
check 'each directory has its line in the table, and is built' each_room_has_a_line

arrows_have_no_circle() {
	awk '{ print $1, $1; for (i = 2; i <= NF; i++) print $1, $i }' "$scratch/arrows" >pairs
	exits 0 tsort pairs
}
check 'the arrows of the table have no circle' arrows_have_no_circle

includes_follow_arrows() {
	test "$(wc -l <"$scratch/includes")" -gt 1000
	follow_arrows "$scratch/includes"
}
check 'includes go where the table lets them' includes_follow_arrows

headers_have_no_circle() {
	grep '\.h ' "$scratch/includes" >pairs
	test -s pairs
	exits 0 tsort pairs
}
check 'no header includes itself by way of others' headers_have_no_circle

includes_are_of_files() {
	awk '{ print $2 }' "$scratch/includes" | sort -u | while read -r path; do
		test -e "$top/$path" || echo "$path"
	done >missing
	empty missing
}
check 'what is included is ours' includes_are_of_files

# A header is private when its name is that of parts, or the comment at its head says so.
private_stays_private() {
	(cd "$top" && for header in lib/*/*.h; do
		case $header in
		*parts.h) echo "$header" ;;
		*) sed '/\*\//q' "$header" | tr -d '*\n' | tr -s ' ' | grep -q 'Private to' || continue; echo "$header" ;;
		esac
	done) >private
	test "$(wc -l <private)" -gt 5
	awk "$room_awk"'FNR == NR { private[$1] = 1; next } private[$2] && room($1) != room($2) { print $1, "->", $2 }' \
		private "$scratch/includes" >surplus
	empty surplus
}
check 'a header that is private to its room is included there alone' private_stays_private

# All code that is linked into users' programs is 0BSD.
runtime_is_free() {
	awk "$room_awk"'function free(name) { return name ~ /^(wrap|runtime|vclock)$/ }
		free(room($1)) && !free(room($2)) { print $2 }' \
		"$scratch/includes" | sort -u >shared
	test -s shared
	while read -r header; do
		has 'SPDX-License-Identifier: 0BSD' "$top/$header"
		sed '/^2\./q' "$top/LICENSE" | tr -s ' \n' ' ' >first
		has "$header" first
	done <shared
	for room in lib/wrap lib/runtime lib/vclock; do
		has "$room" first
	done
}
check 'what the runtime includes is under the licence of the runtime' runtime_is_free

# Calls between the objects of the tools, as FROM TO.
calls() {
	(cd "$O" && nm -A -g lib/*/*.o cmd/*.o) | awk '
		{ split($1, at, ":"); file = at[1]; kind = $(NF - 1) }
		kind ~ /^[TDBR]$/ { of[$NF] = file }
		kind == "U" { from[++n] = file; name[n] = $NF }
		END {
			for (i = 1; i <= n; i++)
				if (name[i] in of && of[name[i]] != from[i])
					print from[i], of[name[i]]
		}' | sort -u
}

# Objects of sources that have gone are none.
is_built() {
	(cd "$top" && printf '%s\n' lib/*/*.c cmd/*.c) | sed -e '/^lib\/\(runtime\|wrap\)\//d' -e 's/c$/o/' | sort >want
	(cd "$O" 2>/dev/null && ls lib/*/*.o cmd/*.o) | sort >got
	cmp -s want got
}

if (cd "$scratch" && is_built); then
	calls_follow_arrows() {
		calls >pairs
		test "$(wc -l <pairs)" -gt 500
		follow_arrows pairs
	}
	check 'calls go where the table lets them' calls_follow_arrows

	files_have_no_circle() {
		calls >pairs
		exits 0 tsort pairs
	}
	check 'no two files of a room call each other, in a circle' files_have_no_circle
else
	skip 'calls go where the table lets them' "there are no objects in $O, or others"
fi

done_testing

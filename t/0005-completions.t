#!/bin/sh
# Completions of shells name the options that --help names, and complete what they should.
. "$(dirname "$0")/lib.sh"

completions=$top/share/completions

# Each option of the help on a line, with "=" when it takes an argument.
help_options() {
	"$1" --help | sed -n 's/^ \{1,\}\(-[^ ].*\)/\1/p' | sed 's/  .*//' | awk '{
		n = gsub(/,/, "")
		argument = $(n + 2) != "" ? "=" : ""
		for (i = 1; i <= n + 1; i++)
			print $i argument
	}' | sort
}

bash_options() {
	bash --norc -c '. "$1"; _andweorc_options "$2"' - "$completions/andweorc.bash" "$1" | tr ' ' '\n' | sort
}

zsh_options() {
	{
		sed -n '/^local -a common/,/^)/p' "$completions/_andweorc"
		sed -n "/^$1)/,/;;/p" "$completions/_andweorc"
	} | sed -n "s/^[^{]*{\([^}]*\)}'.*/\1/p; s/^[^{-]*'\**\(--[a-z-]*=\{0,1\}\)\[.*/\1/p" | tr ',' '\n' | sed 's/+$/=/' | sort
}

fish_options() {
	sed -n '/^complete.* -d /p' "$completions/$1.fish" | sed 's/ -d .*//' | awk '{
		argument = / -[xr]( |$)/ ? "=" : ""
		for (i = 2; i <= NF; i++) {
			if ($i == "-s")
				print "-" $(i + 1) argument
			if ($i == "-l")
				print "--" $(i + 1) argument
		}
	}' | sort
}

names_the_options() {
	help_options "$2" >want
	has '^--help$' want
	"$1_options" "$2" >got
	same want got
}

for tool in $(cd "$O" && ls -d andweorc-*); do
	for shell in bash zsh fish; do
		check "$shell: $tool has its options" names_the_options $shell "$tool"
	done
done

# For andweorc-record, fish must know which options take a word.
fish_skips_arguments() {
	help_options andweorc-record | sed -n 's/=$//p' | sort >want
	sed -n '/^set -l with_argument/,/[^\\]$/{s/^set -l//;p}' "$completions/andweorc-record.fish" | tr ' \t' '\n\n' | grep '^-' | sort >got
	same want got
}
check 'fish: andweorc-record: what takes an argument' fish_skips_arguments

# offers LINE: prints the words that bash offers at the end of LINE, one a line; LINE is split as readline does
cat >offer.bash <<'END'
. "$1"
COMP_LINE=$2 COMP_POINT=${#2}
split=${2//=/ = }
read -ra COMP_WORDS <<<"${split//:/ : }"
[[ $2 != *' ' ]] || COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_andweorc "${COMP_WORDS[0]}"
printf '%s\n' "${COMPREPLY[@]}"
END
offers() {
	(cd files && PATH=$scratch/bin bash --norc ../offer.bash "$completions/andweorc.bash" "$1") 2>/dev/null | sort >got
	same - got
}
mkdir files files/dir bin
touch files/log.aw 'files/a log'
printf '#!/bin/sh\n' >bin/a-program
chmod +x bin/a-program
for program in bash sed tr; do
	ln -s "$(command -v $program)" bin
done

bash_completes_options() {
	printf '%s\n' --sampler --seed --show-output --side --speedups --start-paused | offers 'andweorc-record --s'
	echo --title | offers 'andweorc-plot log.aw --ti'
	printf '%s\n' function line | offers 'andweorc-record -q -m '
	echo function | offers 'andweorc-record --mode=f'
	echo markdown | offers 'andweorc-diff --format m'
	echo sleep | offers 'andweorc-record -r :s'
	echo log.aw | offers 'andweorc-record -qo l'
	echo log.aw | offers 'andweorc-record --output=l'
	echo dir | offers 'andweorc-resolve --debug-dir '
	printf '%s\n' 'a log' dir log.aw | offers 'andweorc-analyze '
}

bash_completes_the_command() {
	echo a-program | offers 'andweorc-record a-p'
	echo a-program | offers 'andweorc-record -o log.aw --given :io=50 -r io.c:12 -- a-p'
	echo ./log.aw | offers 'andweorc-record ./l'
	# The command's arguments are not completed as options of the recorder.
	printf '%s\n' 'a log' dir log.aw | offers 'andweorc-record -d 5 a-program -m '
	echo log.aw | offers 'andweorc-record -- a-program --output lo'
}

if command -v bash >/dev/null; then
	check 'bash: options and their arguments' bash_completes_options
	check 'bash: the command of andweorc-record, and its files' bash_completes_the_command
else
	skip 'bash: options and their arguments' 'no bash'
	skip 'bash: the command of andweorc-record, and its files' 'no bash'
fi

fish_completes() {
	for line in 'andweorc-record -q -m f|function' 'andweorc-diff -f ma|markdown' 'andweorc-record -o x sh --no-such|' 'andweorc-record -m f sor|sort'; do
		for file in "$completions"/*.fish; do
			echo "source $file"
		done >try.fish
		echo "complete -C '${line%|*}'" >>try.fish
		fish --no-config try.fish | cut -f 1 | head -n 1 >got
		echo "${line#*|}" | sed '/^$/d' | same - got
	done
}
if command -v fish >/dev/null; then
	check 'fish: options, and the command of andweorc-record' fish_completes
else
	skip 'fish: options, and the command of andweorc-record' 'no fish'
fi

zsh_parses() {
	exits 0 zsh -n "$completions/_andweorc"
}
if command -v zsh >/dev/null; then
	check 'zsh: it can be read' zsh_parses
else
	skip 'zsh: it can be read' 'no zsh'
fi

done_testing

# shellcheck shell=bash disable=SC2207
# bash completion for andweorc.  It needs nothing else, and completes the command of
# andweorc-record as that would be completed by itself where bash-completion is there.

# The options in --help of each tool; a test compares them.  "=" is for an argument.
_andweorc_options() {
	case $1 in
	andweorc-record)
		echo '-o= --output= -l= --launcher= -d= --duration= -w= --wait= -n= --runs= -m= --mode= -r= --region= --only= -x= --exclude= -P= --point= -s= --speedups= --given=' \
			'--design= --until= --max-regions= --seed= --sampler= --period= --window= -p= --pid= --attach-only --start-paused --show-output --block=' \
			'--only-function= --exclude-function= --config= --print-config' \
			'--side= --commit= -q --quiet -h --help -V --version'
		;;
	andweorc-resolve)
		echo '--debug-dir= --path-map= -h --help -V --version'
		;;
	andweorc-analyze)
		echo '-f= --format= -p= --point= --top= --by= --what-if= --explain -h --help -V --version'
		;;
	andweorc-diff)
		echo '-f= --format= -p= --point= --map= --margin= --region-margin= --fail-on= --force --within-run --confirm= --render= --aa --id=' \
			'--max-bytes= -h --help -V --version'
		;;
	andweorc-plot)
		echo '-o= --output= -p= --point= -t= --top= --base= --map= --margin= --region-margin= --theme= --title= --script= -h --help -V --version'
		;;
	esac
}

# Words, "FILES" or "DIRECTORIES" that may be the argument of an option.
_andweorc_values() {
	case $1:$2 in
	andweorc-record:-m | andweorc-record:--mode) echo 'line function' ;;
	andweorc-record:-r | andweorc-record:--region) echo ':io :sleep :lock :runqueue :alloc' ;;
	andweorc-record:-s | andweorc-record:--speedups) echo '25,50 15,30,50,75' ;;
	andweorc-record:--design) echo 'fixed adaptive' ;;
	andweorc-record:--sampler) echo 'perf timer' ;;
	andweorc-record:--side) echo 'base head' ;;
	andweorc-record:-P | andweorc-record:--point) echo ':output :input :replies :parallel :mpi :kokkos :work :run ?' ;;
	andweorc-plot:--theme) echo 'light dark auto' ;;
	andweorc-analyze:-f | andweorc-analyze:--format) echo 'text andweorc json csv html coz folded pprof' ;;
	andweorc-analyze:--by) echo 'cpu blocked time impact' ;;
	andweorc-diff:-f | andweorc-diff:--format) echo 'text markdown summary github tsv json' ;;
	andweorc-diff:--fail-on) echo 'regression change inconclusive' ;;
	andweorc-resolve:--debug-dir) echo DIRECTORIES ;;
	*:-o | *:--output | *:--map | *:--confirm | *:--render | *:--base | *:--script | *:--config) echo FILES ;;
	esac
}

# Does the option WORD of TOOL take the next word as its argument?  Short ones may stand together (-qo LOG).
_andweorc_wants_more() {
	local options word=$2 i
	options=" $(_andweorc_options "$1") "
	case $word in
	--*) [[ $options == *" $word= "* ]] ;;
	-?*)
		for ((i = 1; i < ${#word}; i++)); do
			if [[ $options == *" -${word:i:1}= "* ]]; then
				((i == ${#word} - 1))
				return
			fi
		done
		return 1
		;;
	*) return 1 ;;
	esac
}

# readline splits words at ":" and "=" too.  Sets `words`, up to the current one, and `at`, where each begins in COMP_WORDS.
_andweorc_join_words() {
	local rest=${COMP_LINE:0:COMP_POINT} i n=-1 word before
	words=() at=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		before=${rest%%[![:blank:]]*}
		rest=${rest#"$before"}
		rest=${rest#"$word"}
		if ((i > 0)) && [[ -z $before && ($word == [:=]* || ${COMP_WORDS[i - 1]} == *[:=]) ]]; then
			words[n]+=$word
		else
			n=$((n + 1))
			words[n]=$word at[n]=$i
		fi
	done
}

# Sets `command` to the place of the first of `words` that is no option: the current one, before it, or, where that is
# the argument of an option, behind it.
_andweorc_find_command() {
	local i=1
	while ((i < ${#words[@]} - 1)); do
		case ${words[i]} in
		--)
			command=$((i + 1))
			return
			;;
		-?*)
			! _andweorc_wants_more "$1" "${words[i]}" || i=$((i + 1))
			;;
		*) break ;;
		esac
		i=$((i + 1))
	done
	command=$i
}

_andweorc_files() {
	local IFS=$'\n'
	compopt -o filenames 2>/dev/null
	COMPREPLY=($(compgen "$1" -- "$2"))
}

# Words that begin with $2; readline has what stands before a colon already.
_andweorc_offer() {
	local before=${2%"${2##*:}"} i
	COMPREPLY=($(compgen -W "$1" -- "$2"))
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=${COMPREPLY[i]#"$before"}
	done
}

# The command and its arguments, as if they stood alone.
_andweorc_command() {
	if declare -F _command_offset >/dev/null; then
		_command_offset "${at[$1]}"
	elif (($1 == ${#words[@]} - 1)) && [[ $cur != */* ]]; then
		_andweorc_files -c "$cur"
	else
		_andweorc_files -f "$cur"
	fi
}

_andweorc_argument() {
	local values
	values=$(_andweorc_values "$tool" "$1")
	case $values in
	FILES) _andweorc_files -f "$cur" ;;
	DIRECTORIES) _andweorc_files -d "$cur" ;;
	*) _andweorc_offer "$values" "$cur" ;;
	esac
}

_andweorc() {
	local tool=${1##*/} words at command cur prev last
	COMPREPLY=()
	_andweorc_join_words
	last=$((${#words[@]} - 1))
	cur=${words[last]} prev=${words[last - 1]}
	_andweorc_find_command "$tool"
	# At the command, the current word may be an option yet.
	if [[ $tool == andweorc-record && ($command -lt $last || ($command -eq $last && ($cur != -* || $prev == --))) ]]; then
		_andweorc_command "$command"
	elif [[ $cur == --*=* ]]; then
		local option=${cur%%=*}
		cur=${cur#*=}
		_andweorc_argument "$option"
	elif [[ $prev == --* ]] && _andweorc_wants_more "$tool" "$prev"; then
		_andweorc_argument "$prev"
	elif [[ $prev == -?* ]] && _andweorc_wants_more "$tool" "$prev"; then
		_andweorc_argument "-${prev: -1}"
	elif [[ $cur == -* && $prev != -- ]]; then
		_andweorc_offer "$(_andweorc_options "$tool" | tr -d =)" "$cur"
	else
		_andweorc_files -f "$cur"
	fi
}

complete -F _andweorc andweorc-record andweorc-resolve andweorc-analyze andweorc-diff andweorc-plot

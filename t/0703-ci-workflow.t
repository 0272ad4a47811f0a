#!/bin/sh
# The workflows: that they ask for no more than they need, and what their steps do,
# from the push of a pull request to the comment on it.
. "$(dirname "$0")/lib.sh"

for program in perl git curl jq; do
	command -v $program >/dev/null || skip_all "no $program"
done
perl -MCPAN::Meta::YAML -MJSON::PP -e 1 2>/dev/null || skip_all 'a perl without its modules'
examples=$top/share/andweorc/workflows
server=

finish() {
	test -z "$server" || kill "$server"
	cleanup
}
trap finish EXIT

# ---- as they stand --------------------------------------------------------------

files="$top/ci/action.yml $examples/andweorc.yml $examples/andweorc-comment.yml $examples/andweorc-baseline.yml
	$top/.github/workflows/check.yml $top/.github/workflows/comment.yml"

nothing_to_complain_of() {
	# shellcheck disable=SC2086 # a list
	exits 0 "$top/t/ci/lint.pl" $files >got
	empty got
	# All that there are.
	for file in "$examples"/* "$top"/.github/workflows/*; do
		case $files in
		*"$file"*) ;;
		*) echo "$file" ;;
		esac
	done >got
	empty got
}

# complains PATTERN FILE SED-SCRIPT: of this change to the file
complains() {
	sed "$3" "$2" >changed.yml
	fails cmp -s "$2" changed.yml
	exits 1 "$top/t/ci/lint.pl" changed.yml >got
	has "$1" got
}

mistakes_are_found() {
	complains 'needs shell: bash' "$top/.github/workflows/check.yml" '0,/shell: bash/{/shell: bash/d}'
	complains 'expression in run' "$top/.github/workflows/check.yml" 's/run: make demo/run: make ${{ github.head_ref }}/'
	complains 'not pinned' "$examples/andweorc.yml" 's/@8e8c[0-9a-f]*/@v6/'
	complains 'not pinned' "$examples/andweorc.yml" 's/@8e8c[0-9a-f]*/@8e8c483/'
	complains 'which release' "$examples/andweorc.yml" 's/ # v6.0.1//'
	complains 'no permissions' "$examples/andweorc.yml" '/^permissions/,+1d'
	complains 'contents: write. in a workflow that runs' "$examples/andweorc.yml" 's/contents: read/contents: write/'
	complains "permissions 'write-all'" "$examples/andweorc-comment.yml" 's/^permissions: {}/permissions: write-all/'
	complains 'pull_request_target' "$examples/andweorc.yml" 's/^  pull_request:/  pull_request_target:/'
	complains 'persist-credentials' "$examples/andweorc.yml" '/persist-credentials/d'
	complains 'code of a pull request' "$top/.github/workflows/comment.yml" 's/persist-credentials: false/&\n          ref: x/'
	complains 'timeout-minutes' "$examples/andweorc.yml" '/timeout-minutes: 30/d'
	complains 'a machine that changes' "$examples/andweorc.yml" 's/ubuntu-24.04/ubuntu-latest/'
	complains 'fail-fast' "$examples/andweorc.yml" '/fail-fast/d'
	complains "no 'sahrd' in the matrix" "$examples/andweorc.yml" 's/matrix.shard/matrix.sahrd/'
	complains "needs 'recrod'" "$examples/andweorc.yml" 's/needs: record/needs: recrod/'
	complains "unknown key 'step'" "$examples/andweorc.yml" 's/^    steps:/    step:/'
	complains "no 'comand' in inputs" "$top/ci/action.yml" 's/inputs.command/inputs.comand/'
	complains "no 'base' in steps" "$top/ci/action.yml" 's/steps.baseline/steps.base/'
	complains 'no YAML' "$examples/andweorc.yml" 's/^jobs:/jobs: [/'
}

# The parser of perl knows a part of YAML; another one has to read the same.
parsers_agree() {
	for file in $files; do
		perl -MCPAN::Meta::YAML -MJSON::PP -e 'print JSON::PP->new->utf8->canonical->encode(CPAN::Meta::YAML->read($ARGV[0])->[0])' \
			"$file" | jq -S 'walk(if type == "number" or type == "boolean" or . == null then tostring else . end)' >one
		python3 -c 'import json, sys, yaml; json.dump(yaml.load(open(sys.argv[1], "rb"), yaml.BaseLoader), sys.stdout)' "$file" |
			jq -S 'walk(if . == "" then . else . end)' >two
		# An empty value is nothing in one of them, and an empty text in the other.
		sed -i 's/: "null"/: ""/' one
		same one two
	done
}

check 'nothing to complain of' nothing_to_complain_of
check 'mistakes are found' mistakes_are_found
if python3 -c 'import yaml' 2>/dev/null; then
	check 'two parsers read the same' parsers_agree
else
	skip 'two parsers read the same' 'no second parser'
fi

# ---- as they run ----------------------------------------------------------------

# The sample: what the recorder's stand-in needs of a program.  The pull request makes one region slower.
repository() {
	git init -q -b main repository
	cd repository
	git config user.name me
	git config user.email me@example.org
	git config commit.gpgsign false
	mkdir 'my src'
	for line in 1 2 3 4 5 6 7 8 9 10 11 work rest; do
		echo "$line" >>'my src/work.c'
	done
	git add .
	git commit -q -m base
	git checkout -q -b topic
	sed -i '1i /* slower */' 'my src/work.c'
	echo 30 >slower
	git add .
	git commit -q -a -m slower
	git checkout -q main
	git merge -q --no-ff -m merge topic
	git update-ref refs/pull/7/merge HEAD
	git reset -q --hard HEAD^1
	cd ..
}

# The tools, but for the recorder: what it measures has to be known here.
mkdir tools
for tool in "$O"/andweorc-*; do
	ln -s "$tool" tools/
done
ln -sf "$top/t/ci/recorder" tools/andweorc-record

# The example, but for what its users fill in, and for time.
workflow() {
	sed -e "s|do: .*|&\n          tools: $scratch/tools|" -e "s|blocks: .*|blocks: $blocks|" -e 's|duration: .*|duration: 1|' \
		-e "s|build: .*|build: test -e 'my src/work.c'|" -e "s|command: .*|command: exec ./prog|" -e 's|^          - 3$||' "$examples/$1" >"$1"
}

# steps NAME OPTION...: the workflow NAME; status 0 or 1
steps() {
	name=$1
	shift
	run "$top/t/ci/steps.pl" --repository repository --action andweorc/andweorc/ci="$top/ci" --out out \
		--env GITHUB_API_URL="http://127.0.0.1:$(cat port)" --token secret "$@" "$name" >steps.out 2>&1
	cat steps.out
	test "$status" -le 1 || tail -n 40 out/log
	test "$status" -le 1
}

pull_request_is_recorded() {
	blocks=3
	repository
	workflow andweorc.yml
	workflow andweorc-comment.yml
	jq -n --arg sha "$(git -C repository rev-parse topic)" '{ token: "secret", comments: [],
		pulls: [{ number: 7, state: "open", label: "fork:topic", head: { sha: $sha }, base: { repo: { full_name: "o/r" } } }] }' >state.json
	"$top/t/ci/github.pl" state.json requests port 2>server.err &
	echo $! >server
	until test -s port; do
		sleep 0.05
	done
	jq -n '{ pull_request: { number: 7, base: { ref: "main" } }, test: { run_id: 42, ref: "refs/pull/7/merge" } }' >event.json
	steps andweorc.yml --event pull_request=event.json
	ls out/artifacts/42 >got
	printf '%s\n' andweorc-result andweorc-shard-1 andweorc-shard-2 | same - got
	ls out/artifacts/42/andweorc-shard-2 >got
	printf '%s\n' base.2.aw change.patch head.2.aw | same - got
	lacks secret out/log
	# Paths are those of the repository, wherever the trees were.
	has '^region	.*	file=my%20src/work.c	line=12	' out/artifacts/42/andweorc-shard-1/base.1.aw
	has '^region	.*	file=my%20src/work.c	line=13	' out/artifacts/42/andweorc-shard-1/head.1.aw
	test "$(grep -c '^run	.*	block=2.[123]	side=head' out/artifacts/42/andweorc-shard-2/head.2.aw)" -eq 3
	has "commit=$(git -C repository rev-parse main)	" out/artifacts/42/andweorc-shard-1/base.1.aw
	has '^@@ -0,0 \+1 @@' out/artifacts/42/andweorc-shard-1/change.patch
}

check 'pull_request: shards are recorded and joined' pull_request_is_recorded
server=$(cat server 2>/dev/null)

done_testing

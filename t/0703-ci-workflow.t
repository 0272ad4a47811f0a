#!/bin/sh
# The workflows: their permissions are no more than they need; and the effect of their steps,
# from the push of a pull request to the comment on it.
. "$(dirname "$0")/lib.sh"
. "$top/t/ci/github.sh"

for program in perl git curl jq; do
	command -v $program >/dev/null || skip_all "no $program"
done
perl -MCPAN::Meta::YAML -MJSON::PP -e 1 2>/dev/null || skip_all 'a perl without its modules'
examples=$top/share/andweorc/workflows

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
	complains 'overwrite: true' "$top/ci/action.yml" '0,/overwrite:/{/overwrite:/d}'
	complains 'fail-fast' "$examples/andweorc.yml" '/fail-fast/d'
	complains "no 'sahrd' in the matrix" "$examples/andweorc.yml" 's/matrix.shard/matrix.sahrd/'
	complains "needs 'recrod'" "$examples/andweorc.yml" 's/needs: record/needs: recrod/'
	complains "unknown key 'step'" "$examples/andweorc.yml" 's/^    steps:/    step:/'
	complains 'overwrite: true' "$top/ci/action.yml" '/overwrite/d'
	complains "no 'comand' in inputs" "$top/ci/action.yml" 's/inputs.command/inputs.comand/'
	complains "no 'base' in steps" "$top/ci/action.yml" 's/steps.baseline/steps.base/'
	complains 'no YAML' "$examples/andweorc.yml" 's/^jobs:/jobs: [/'
}

# The parser of perl knows a part of YAML; another one has to read the same.
parsers_agree() {
	# shellcheck disable=SC2086 # a list
	perl -MCPAN::Meta::YAML -MJSON::PP -e 'print JSON::PP->new->utf8->canonical->encode(CPAN::Meta::YAML->read($_)->[0]) for @ARGV' $files |
		jq -S 'walk(if type == "number" or type == "boolean" or . == null then tostring else . end)' >one
	# shellcheck disable=SC2086 # a list
	python3 -c 'import json, sys, yaml
for name in sys.argv[1:]: json.dump(yaml.load(open(name, "rb"), yaml.BaseLoader), sys.stdout)' $files | jq -S . >two
	# An empty value is nothing in one of them, and an empty text in the other.
	sed -i 's/: "null"/: ""/' one
	has '^  "jobs": ' two
	same one two
}

check 'nothing to complain of' nothing_to_complain_of
check 'mistakes are found' mistakes_are_found
if python3 -c 'import yaml' 2>/dev/null; then
	check 'two parsers read the same' parsers_agree
else
	skip 'two parsers read the same' 'no second parser'
fi

# ---- as they run ----------------------------------------------------------------

# The sample program has as much as the recorder's stand-in needs.  The pull request makes one region slower.
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

# The tools, except the recorder: its measurements have to be known here.
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
		--env GITHUB_API_URL="$api" --token secret "$@" "$name" >steps.out 2>&1
	cat steps.out
	test "$status" -le 1 || tail -n 40 out/log
	test "$status" -le 1
}

# artifacts RUN [PATTERN]: makes the artifacts of a run those of the server
artifacts() {
	jq '.artifacts = []' state.json >new
	for dir in out/artifacts/"$1"/${2:-*}; do
		name=${dir##*/}
		"$top/t/ci/zip.pl" "$name.$1.zip" "$dir"
		jq --arg name "$name" --arg file "$name.$1.zip" --argjson run "$1" '.artifacts += [{ id: (100 + (.artifacts | length)), run: $run,
			name: $name, file: $file, expired: false, created_at: "2026-01-01T00:00:00Z",
			workflow_run: { head_branch: "main", head_repository_id: 1, repository_id: 1 } }]' new >newer
		mv newer new
	done
	mv new state.json
}

start() {
	repository
	workflow andweorc.yml
	workflow andweorc-comment.yml
	workflow andweorc-baseline.yml
	head=$(git -C repository rev-parse topic)
	jq -n --arg sha "$head" '{ token: "secret", comments: [],
		pulls: [{ number: 7, state: "open", label: "fork:topic", head: { sha: $sha }, base: { repo: { full_name: "o/r" } } }] }' >state.json
	jq -n '{ pull_request: { number: 7, base: { ref: "main" } }, test: { run_id: 42, ref: "refs/pull/7/merge" } }' >pull.json
	jq -n --arg sha "$head" '{ workflow_run: { id: 42, event: "pull_request", conclusion: "failure", head_sha: $sha, head_branch: "topic",
		pull_requests: [], head_repository: { full_name: "fork/r", owner: { login: "fork" } } }, test: { run_id: 43 } }' >run.json
}
blocks=2
(set -e; start) >start.out 2>&1 </dev/null || { cat start.out; exit 1; }
serve

# The job that records succeeds in each shard, the one that compares fails, as fail-on asks for.
pull_request_is_judged() {
	steps andweorc.yml --event pull_request=pull.json
	test "$status" -eq 1
	printf 'record\tsuccess\ncompare\tfailure\n' | same - out/jobs
	ls out/artifacts/42 >got
	printf '%s\n' andweorc-result andweorc-shard-1 andweorc-shard-2 | same - got
	ls out/artifacts/42/andweorc-shard-2 >got
	printf '%s\n' base.2.aw change.patch head.2.aw | same - got
	lacks secret out/log
}

# Names of artifacts are unique in a run, and a job that is run again has the run of the first.
run_again_it_replaces() {
	rm -rf out/jobs out/summary.md out/annotations out/record.* out/compare
	touch out/artifacts/42/andweorc-shard-2/old out/artifacts/42/andweorc-result/old
	steps andweorc.yml --event pull_request=pull.json
	printf 'record\tsuccess\ncompare\tfailure\n' | same - out/jobs
	test ! -e out/artifacts/42/andweorc-shard-2/old
	test ! -e out/artifacts/42/andweorc-result/old
	has '^### .*`round` slower' out/summary.md
}

# Paths are those of the repository, wherever the trees were; commits those of the two sides.
shards_say_what_they_are() {
	shard=out/artifacts/42/andweorc-shard
	has '^region	.*	file=my%20src/work.c	line=12	' $shard-1/base.1.aw
	has '^region	.*	file=my%20src/work.c	line=13	' $shard-1/head.1.aw
	test "$(grep -c '^run	.*	block=2\.[12]\.[0-9]*\.1	side=head' $shard-2/head.2.aw)" -eq 2
	has "commit=$(git -C repository rev-parse main)	" $shard-1/base.1.aw
	has "commit=$(git -C repository rev-parse refs/pull/7/merge)	" $shard-1/head.1.aw
	has '^@@ -0,0 \+1 @@' $shard-1/change.patch
}

# Of the visit's 2 ms, the region takes 1 ms, and 30 % more in head: 15 % of a visit, and 13 % of the throughput.
result_is_reported() {
	for file in out/summary.md out/artifacts/42/andweorc-result/diff.md; do
		has '^### .*`round` slower, throughput -1[23]\.[0-9] % \[.*1 region costs more, 1 unchanged' $file
		has '^\| ❌ \| `work.c:13` `work` \| costs more \| \+1[45](\.[0-9])? % \[' $file
		has '^\| ➖ \| `work.c:14` `rest` \| unchanged \|' $file
		has 'work.c:13` \| `work.c:12` \| moved' $file
		has '4 blocks with base and head side by side, 4 \+ 4 runs' $file
	done
	# The gate is met by both, so the step fails because of them.
	test "$(grep -c '^error' out/annotations)" -eq 2
	has '^error	my src/work.c	13	andweorc	work.c:13 costs more: \+1[45]' out/annotations
	has '^error				*andweorc	round slower: -1[23]' out/annotations
	lacks '^warning' out/annotations
	has '^<svg|^<\?xml' out/artifacts/42/andweorc-result/curves.svg
}

# comment N: its text
comment() {
	jq -r --argjson n "$1" '.comments[$n] | .body' state.json
}

run_is_commented() {
	artifacts 42
	: >requests
	rm -f out/jobs
	steps andweorc-comment.yml --event workflow_run=run.json
	printf 'comment\tsuccess\n' | same - out/jobs
	test "$(jq '.comments | length' state.json)" -eq 1
	test "$(jq '.comments[0].issue' state.json)" -eq 7
	comment 0 >got
	head -n 1 got >first
	has '^<!-- andweorc-diff:v1 id=andweorc base=[0-9a-f]* head=[0-9a-f]* -->$' first
	has '^### .*`round` slower, throughput -1[23]\.[0-9] %' got
	# The measuring job and the commenting job render the same.
	sed '/^$/d' out/artifacts/42/andweorc-result/diff.md >one
	sed '/^$/d' got >two
	same one two
	# Nothing was checked out, and these were the only requests to the server.
	sed 's/[?].*//' requests >got
	same - got <<-END
	GET /repos/o/r/actions/runs/42/artifacts
	GET /repos/o/r/actions/artifacts/100/zip
	GET /repos/o/r/pulls
	GET /repos/o/r/issues/7/comments
	POST /repos/o/r/issues/7/comments
	END
	steps andweorc-comment.yml --event workflow_run=run.json
	test "$(jq '.comments | length' state.json)" -eq 1
}

# Programs that the pull request adds cannot be compared.  A requested gate is then not passed.
base_may_be_missing() {
	sed 's/build: .*/build: test -e slower/' andweorc.yml >missing.yml
	jq '.test.run_id = 60' pull.json >missing.json
	rm -rf out/jobs out/summary.md out/annotations out/record.* out/compare
	steps missing.yml --event pull_request=missing.json
	printf 'record\tsuccess\ncompare\tfailure\n' | same - out/jobs
	test "$(grep -c '^warning				*andweorc	the base could not be built or recorded' out/annotations)" -eq 2
	has "^error				*andweorc	the gate 'regression' could not be judged: there is no recording of the base" out/annotations
	echo 'andweorc: the base could not be recorded, there is nothing to compare with.' | same - out/summary.md
	ls out/artifacts/60/andweorc-shard-1 >got
	printf 'change.patch\nhead.1.aw\n' | same - got
	# Without a gate, no job fails.
	sed '/fail-on/d' missing.yml >ungated.yml
	jq '.test.run_id = 62' pull.json >missing.json
	rm -rf out/jobs out/summary.md out/annotations out/record.* out/compare
	steps ungated.yml --event pull_request=missing.json
	printf 'record\tsuccess\ncompare\tsuccess\n' | same - out/jobs
}

# A gate without a result: one block is no comparison.
little_data_is_no_pass() {
	sed -e 's/blocks: .*/blocks: 1/' -e '/^          - 2$/d' andweorc.yml >little.yml
	jq '.test.run_id = 63' pull.json >little.json
	rm -rf out/jobs out/summary.md out/annotations out/record.* out/compare
	steps little.yml --event pull_request=little.json
	printf 'record\tsuccess\ncompare\tfailure\n' | same - out/jobs
	has "^error				*andweorc	the gate 'regression' could not be judged" out/annotations
	has '^### .*`round` too few runs' out/summary.md
}

parents_are_needed() {
	sed 's/fetch-depth: 2/fetch-depth: 1/' andweorc.yml >shallow.yml
	jq '.test.run_id = 61' pull.json >shallow.json
	rm -rf out/jobs out/log out/record.* out/compare
	steps shallow.yml --event pull_request=shallow.json
	has '^record	failure$' out/jobs
	has "ci/record: no commit 'HEAD\^1': does the checkout have fetch-depth: 2 or more\?" out/log
}

# hostile: the result of the run is the directory `hostile`; a comment is made of it, or none is.
hostile() {
	jq '.comments = []' state.json >new
	mv new state.json
	rm -rf out/artifacts/42/andweorc-result
	cp -r hostile out/artifacts/42/andweorc-result
	artifacts 42 andweorc-result
	: >requests
	rm -f out/jobs
	: >out/annotations
	steps andweorc-comment.yml --event workflow_run=run.json
	empty out/annotations
}

artifacts_are_not_trusted() {
	cp -r out/artifacts/42/andweorc-result honest
	# Markdown and numbers of its own are not looked at.
	cp -r honest hostile
	echo '<!-- andweorc-diff:v1 id=andweorc --> buy this' >hostile/diff.md
	echo 1 >hostile/pr-number
	# Names come out as text.
	sed 's/work\.c:13/x`|@everyone<script>alert(1)<\/script>-->%0A::error::x%0A#1/' honest/diff.tsv >hostile/diff.tsv
	fails cmp -s honest/diff.tsv hostile/diff.tsv
	hostile
	printf 'comment\tsuccess\n' | same - out/jobs
	test "$(jq '.comments[0].issue' state.json)" -eq 7
	comment 0 >got
	lacks 'buy' got
	has 'everyone' got
	has '^### .*`round` slower' got
	lacks '^::error' got
	# Outside of code nothing of it is left: no tag, no mention.
	sed -e 1d -e 's/``*[^`]*``*//g' got >outside
	lacks '<script>|@everyone|-->' outside
	# A file that is not a table does not become a comment.
	for try in 'echo text' 'head -c 2000000 /dev/zero' 'true' 'printf row\tnonsense\n'; do
		$try >hostile/diff.tsv
		PATH=$O:$PATH exits 2 "$top/ci/render" hostile/diff.tsv >rendered
		empty rendered
		# Which of them it is, makes no difference to the workflow.
		case $try in
		printf*) ;;
		*) is_long || continue ;;
		esac
		hostile
		printf 'comment\tfailure\n' | same - out/jobs
		test "$(jq '.comments | length' state.json)" -eq 0
		lacks '^(POST|PATCH)' requests
	done
	# A run without artifacts gets no comment.
	rm hostile/diff.tsv
	hostile
	printf 'comment\tsuccess\n' | same - out/jobs
	lacks '^(POST|PATCH)' requests
}

# A run of a branch, or a cancelled one, belongs to no pull request.
others_are_skipped() {
	for change in '.event = "push"' '.conclusion = "cancelled"'; do
		jq ".workflow_run |= ($change)" run.json >other.json
		: >requests
		rm -f out/jobs
		steps andweorc-comment.yml --event workflow_run=other.json
		printf 'comment\tskipped\n' | same - out/jobs
		empty requests
	done
}

# The other way: main is recorded once, and its analysis is what pull requests are compared with.
baseline_is_kept() {
	jq -n '{ test: { run_id: 50, ref: "refs/heads/main" } }' >push.json
	rm -rf out/jobs out/summary.md out/annotations out/record.* out/compare
	steps andweorc-baseline.yml --event push=push.json
	printf 'record\tsuccess\ncompare\tsuccess\n' | same - out/jobs
	has 'nothing to compare with' out/summary.md
	ls out/artifacts/50/andweorc-result >got
	echo head.analysis | same - got
	artifacts 50
	jq '.test.run_id = 51' pull.json >again.json
	rm -rf out/jobs out/summary.md out/record.* out/compare
	steps andweorc-baseline.yml --event pull_request=again.json
	printf 'record\tsuccess\ncompare\tsuccess\n' | same - out/jobs
	has '^### .*andweorc' out/summary.md
	same out/artifacts/50/andweorc-result/head.analysis out/artifacts/51/andweorc-result/base.analysis
}

# commit TREE VERSION: says in the tree which version of the submodules it wants
commit() {
	echo "$2" >"$1/version"
	git -C "$1" add .
	git -C "$1" -c user.name=me -c user.email=me@example.org -c commit.gpgsign=false commit -q -m "$2"
}

# The base has the submodules that head has, at its own commits, without asking a server; one in the other.
submodules_are_there() {
	export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always
	mkdir modular
	cd modular
	for tree in inner outer 'whole tree'; do
		git init -q "$tree"
		commit "$tree" 1
	done
	git -C outer submodule --quiet add "$PWD/inner" 'in ner'
	commit outer 1+
	git -C 'whole tree' submodule --quiet add "$PWD/outer" outer
	git -C 'whole tree' submodule --quiet update --init --recursive
	commit 'whole tree' 1+
	# a new version of each, from within
	commit 'whole tree/outer/in ner' 2
	commit 'whole tree/outer' 2
	commit 'whole tree' 2
	mv outer outer.away
	mv inner inner.away
	unset GIT_CONFIG_COUNT
	cd 'whole tree'
	export OUT="$scratch/modular/out" COMMAND='exec ./prog' BASE=HEAD^1 BLOCKS=1
	export BUILD='want=$(cat version); test "$(cat outer/version)" = "$want"; test "$(cat "outer/in ner/version")" = "${want%+}"'
	export PATH="$scratch/tools:$PATH"
	"$top/ci/record" >got 2>&1 || { cat got; return 1; }
	test -s "$OUT/base.1.aw"
	lacks 'the base could not be built' got
	# No worktree is left.
	for tree in . outer 'outer/in ner'; do
		test "$(git -C "$tree" worktree list | wc -l)" -eq 1
	done
	# Head's checkout is without them: so is base.
	git submodule --quiet deinit --force --all
	BUILD='test ! -e outer/version' "$top/ci/record" >got 2>&1 || { cat got; return 1; }
	lacks 'the base could not be built' got
}

check 'pull_request: recorded, compared, judged' pull_request_is_judged
check 'a run that is run again' run_again_it_replaces
check 'shards: paths, commits, blocks' shards_say_what_they_are
check 'summary, annotations, curves' result_is_reported
check 'workflow_run: one comment' run_is_commented
check 'a base that does not build' base_may_be_missing
check 'too little data is no passed gate' little_data_is_no_pass
check 'a checkout without its parent' parents_are_needed
check 'artifacts are not trusted' artifacts_are_not_trusted
check 'other runs are left alone' others_are_skipped
check 'submodules of the base' submodules_are_there
check 'a baseline of main' baseline_is_kept

done_testing

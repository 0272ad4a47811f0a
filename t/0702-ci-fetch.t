#!/bin/sh
# ci/fetch, ci/baseline, ci/perf-access: the artifacts that they take, and those that they refuse.
. "$(dirname "$0")/lib.sh"
. "$top/t/ci/github.sh"

for program in curl jq perl; do
	command -v $program >/dev/null || skip_all "no $program"
done
fetch=$top/ci/fetch

# Two runs of this repository and one of a fork, whose branch has the same name.
mkdir one two
printf 'first\n' >one/diff.tsv
printf 'second\n' >two/diff.tsv
echo x >two/other
"$top/t/ci/zip.pl" one.zip one && "$top/t/ci/zip.pl" two.zip two ../../diff.tsv=one/diff.tsv || exit 1
head -c 20000000 /dev/zero >zeros
"$top/t/ci/zip.pl" bomb.zip one big.tsv=zeros && rm zeros || exit 1
echo 'no archive' >bad.zip
cat >world.json <<END
{
	"token": "secret",
	"artifacts": [
		{ "id": 1, "run": 10, "name": "a", "file": "one.zip", "expired": false, "created_at": "2026-01-01T00:00:00Z",
		  "workflow_run": { "head_branch": "main", "head_repository_id": 5, "repository_id": 5 } },
		{ "id": 2, "run": 11, "name": "a", "file": "two.zip", "expired": false, "created_at": "2026-01-02T00:00:00Z",
		  "workflow_run": { "head_branch": "main", "head_repository_id": 5, "repository_id": 5 } },
		{ "id": 3, "run": 12, "name": "a", "file": "one.zip", "expired": false, "created_at": "2026-01-03T00:00:00Z",
		  "workflow_run": { "head_branch": "main", "head_repository_id": 6, "repository_id": 5 } },
		{ "id": 4, "run": 13, "name": "a", "file": "one.zip", "expired": true, "created_at": "2026-01-04T00:00:00Z",
		  "workflow_run": { "head_branch": "main", "head_repository_id": 5, "repository_id": 5 } },
		{ "id": 5, "run": 14, "name": "bomb", "file": "bomb.zip", "expired": false, "created_at": "2026-01-01T00:00:00Z" },
		{ "id": 6, "run": 15, "name": "bad", "file": "bad.zip", "expired": false, "created_at": "2026-01-01T00:00:00Z" }
	]
}
END
cp world.json state.json
serve
GITHUB_API_URL=$api GITHUB_REPOSITORY=o/r GITHUB_TOKEN=secret
export GITHUB_API_URL GITHUB_REPOSITORY GITHUB_TOKEN

one_file_of_a_run() {
	exits 0 "$fetch" --run 10 a diff.tsv >got 2>err
	empty err
	same one/diff.tsv got
	exits 0 "$fetch" --run 11 a diff.tsv >got 2>err
	same two/diff.tsv got
	echo '{ "workflow_run": { "id": 11 } }' >event.json
	GITHUB_EVENT_PATH=event.json exits 0 "$fetch" --event a other >got 2>err
	same two/other got
}

nothing_there() {
	exits 3 "$fetch" --run 99 a diff.tsv >got 2>err
	empty got
	echo "ci/fetch: no artifact 'a'" | same - err
	exits 3 "$fetch" --run 13 a diff.tsv >got 2>err
	exits 3 "$fetch" --run 10 a other >got 2>err
	empty got
	echo "ci/fetch: no 'other' in the artifact 'a'" | same - err
}

# A fork's main is not ours, and an expired artifact is gone.
newest_of_the_branch() {
	exits 0 "$fetch" --branch main a diff.tsv >got 2>err
	same two/diff.tsv got
	exits 3 "$fetch" --branch other a diff.tsv >got 2>err
	: >output
	mkdir result
	echo analysis >result/head.analysis
	"$top/t/ci/zip.pl" result.zip result
	jq '.artifacts += [.artifacts[1] | .id = 9 | .name = "n-result" | .file = "result.zip"]' world.json >state.json
	RUNNER_TEMP=$scratch GITHUB_OUTPUT=$scratch/output NAME=n BRANCH=main exits 0 "$top/ci/baseline" 2>err
	echo "file=$scratch/andweorc-baseline" | same - output
	echo analysis | same - andweorc-baseline
	: >output
	RUNNER_TEMP=$scratch GITHUB_OUTPUT=$scratch/output NAME=n BRANCH=other exits 0 "$top/ci/baseline" 2>err
	echo file= | same - output
	test ! -e andweorc-baseline
	cp world.json state.json
}

# pulls FIRST LAST: artifacts of pull requests that came since
pulls() {
	jq --argjson first "$1" --argjson last "$2" '[range($first; $last + 1) | { id: (1000 + .), run: 20, name: "a", file: "one.zip",
		expired: false, created_at: "2026-02-01T00:00:00Z",
		workflow_run: { head_branch: "topic", head_repository_id: 5, repository_id: 5 } }]' world.json
}

# The server has the newest first, and no more than 100 on a page.
behind_many_pull_requests() {
	pulls 1 250 >pulls.json
	jq --slurpfile pulls pulls.json '.artifacts = $pulls[0] + (.artifacts | reverse)' world.json >state.json
	: >requests
	exits 0 "$fetch" --branch main a diff.tsv >got 2>err
	empty err
	same two/diff.tsv got
	test "$(grep -c 'actions/artifacts?' requests)" -eq 3
	# After the artifact is found, the server is asked nothing more.
	jq --slurpfile pulls pulls.json '.artifacts = (.artifacts | reverse) + $pulls[0] | .artifacts |= (sort_by(.created_at) | reverse)
		| .artifacts[0:3] |= map(.created_at = "2026-03-01T00:00:00Z" | .workflow_run.head_branch = "main" | .file = "two.zip")' \
		world.json >state.json
	: >requests
	exits 0 "$fetch" --branch main a diff.tsv >got 2>err
	same two/diff.tsv got
	test "$(grep -c 'actions/artifacts?' requests)" -eq 1
	# Should the server use another order, the newest is found all the same.
	jq --slurpfile pulls pulls.json '.artifacts = .artifacts[0:1] + ($pulls[0] | .[0].created_at = "2025-01-01T00:00:00Z") + .artifacts[1:]' \
		world.json >state.json
	exits 0 "$fetch" --branch main a diff.tsv >got 2>err
	same two/diff.tsv got
	exits 3 "$fetch" --branch other a diff.tsv >got 2>err
	cp world.json state.json
}

bombs_do_not_go_off() {
	exits 2 "$fetch" --run 14 bomb big.tsv >got 2>err
	test ! -s got
	has 'cannot be read, or is too large' err
	exits 0 "$fetch" --run 14 bomb diff.tsv >got 2>err
	same one/diff.tsv got
	run "$fetch" --run 15 bad diff.tsv >got 2>err
	test "$status" -eq 2 || test "$status" -eq 3
	empty got
}

nonsense() {
	exits 2 "$fetch" "$@" >got 2>err
	empty got
	has '^ci/fetch: ' err
	test "$(wc -l <err)" -eq 1
}

refuses_nonsense() {
	: >requests
	nonsense
	nonsense --run x a diff.tsv
	nonsense --run 1 a ../diff.tsv
	nonsense --run 1 a -x
	nonsense --run 1 'a&b' diff.tsv
	nonsense --run 1 a
	GITHUB_TOKEN='' nonsense --run 1 a diff.tsv
	empty requests
	GITHUB_TOKEN=wrong nonsense --run 10 a diff.tsv
	has 'status 401' err
}

# sudo and sysctl as they are on a machine of GitHub's, or not.
access() {
	echo "$1" >level
	mkdir -p fake
	cat >fake/sudo <<-END
		#!/bin/sh
		echo "\$*" >>sudo.calls
		$2
	END
	printf '#!/bin/sh\necho 1000\n' >fake/id
	chmod +x fake/sudo fake/id
	PATH=$scratch/fake:$PATH exits 0 "$top/ci/perf-access" level >got 2>err
}

perf_is_allowed() {
	access 4 'echo 2 >level'
	echo perf | same - got
	echo '-n sysctl -q -w kernel.perf_event_paranoid=2' | same - sudo.calls
	has 'perf_event_paranoid is 2' err
	rm sudo.calls
	access 2 'exit 1'
	echo perf | same - got
	empty err
	test ! -e sudo.calls
	access 4 'exit 1'
	echo timer | same - got
	has 'perf_event_paranoid is 4 and cannot be changed' err
	exits 0 "$top/ci/perf-access" nowhere >got 2>err
	echo timer | same - got
}

check 'one file out of the artifact of a run' one_file_of_a_run
check 'nothing there: status 3' nothing_there
check 'the newest of a branch, never of a fork' newest_of_the_branch
check 'the newest of a branch, behind those of many pull requests' behind_many_pull_requests
check 'large and broken archives' bombs_do_not_go_off
check 'nonsense is refused' refuses_nonsense
check 'perf is allowed where it can be' perf_is_allowed

done_testing

#!/bin/sh
# ci/comment: the comment that it writes, its pull request, and the comments that it does not touch.
. "$(dirname "$0")/lib.sh"
. "$top/t/ci/github.sh"

for program in curl jq perl; do
	command -v $program >/dev/null || skip_all "no $program"
done
comment=$top/ci/comment
sha=0123456789abcdef0123456789abcdef01234567

# The world before each test: two pull requests from one branch, one of them to another repository's.
cat >world.json <<END
{
	"token": "secret",
	"pulls": [
		{ "number": 7, "state": "open", "label": "me:topic", "head": { "sha": "$sha" }, "base": { "repo": { "full_name": "o/r" } } },
		{ "number": 5, "state": "open", "label": "me:topic", "head": { "sha": "$sha" }, "base": { "repo": { "full_name": "x/r" } } },
		{ "number": 4, "state": "open", "label": "me:topic", "head": { "sha": "${sha%7}8" }, "base": { "repo": { "full_name": "o/r" } } },
		{ "number": 3, "state": "closed", "label": "me:topic", "head": { "sha": "$sha" }, "base": { "repo": { "full_name": "o/r" } } }
	],
	"comments": [
		{ "id": 1, "issue": 7, "user": { "login": "mallory" }, "body": "<!-- andweorc-diff:v1 id=default base=a head=b -->\n" },
		{ "id": 2, "issue": 7, "user": { "login": "github-actions[bot]" }, "body": "<!-- another -->\n" },
		{ "id": 3, "issue": 7, "user": { "login": "github-actions[bot]" }, "body": "<!-- andweorc-diff:v1 id=default2 base=a head=b -->\n" },
		{ "id": 4, "issue": 4, "user": { "login": "github-actions[bot]" }, "body": "<!-- andweorc-diff:v1 id=default base=a head=b -->\n" }
	]
}
END
cp world.json state.json
serve
GITHUB_API_URL=$api GITHUB_REPOSITORY=o/r GITHUB_TOKEN=secret GITHUB_EVENT_PATH=$scratch/event.json
export GITHUB_API_URL GITHUB_REPOSITORY GITHUB_TOKEN GITHUB_EVENT_PATH

fresh() {
	cp world.json state.json
	: >requests
	cat >event.json <<-END
	{ "workflow_run": { "event": "pull_request", "head_sha": "$sha", "head_branch": "topic",
	  "pull_requests": [], "head_repository": { "owner": { "login": "me" } } } }
	END
	printf '<!-- andweorc-diff:v1 id=default base=c head=d -->\n%s\n' "${1:-the *text*, "quoted" \`\$(x)\` é}" >body.md
}

# body ID: of a comment
body() {
	jq -rj --argjson id "$1" '.comments[] | select(.id == $id) | .body' state.json
}

others_are_left_alone() {
	for id in 1 2 3 4; do
		jq -r --argjson id $id '.comments[] | select(.id == $id) | .body' world.json >want
		jq -r --argjson id $id '.comments[] | select(.id == $id) | .body' state.json >got
		same want got
	done
}

comments_once() {
	fresh
	exits 0 "$comment" body.md >got 2>err
	empty got
	echo 'ci/comment: commented on #7' | same - err
	same - requests <<-END
	GET /repos/o/r/pulls?state=open&per_page=100&head=me:topic
	GET /repos/o/r/issues/7/comments?per_page=100&page=1
	POST /repos/o/r/issues/7/comments
	END
	body 1004 | same body.md -
	others_are_left_alone
	fresh2=$(cat body.md)
	printf '%s\nand more\n' "$fresh2" >body.md
	exits 0 "$comment" body.md >got 2>err
	echo 'ci/comment: updated the comment on #7' | same - err
	body 1004 | same body.md -
	test "$(jq '.comments | length' state.json)" -eq 5
	: >requests
	exits 0 "$comment" body.md >got 2>err
	echo 'ci/comment: the comment on #7 is as it should be' | same - err
	lacks '^(POST|PATCH)' requests
	others_are_left_alone
}

another_name_is_another_comment() {
	fresh
	exits 0 "$comment" body.md 2>err
	sed 's/id=default /id=second /' body.md >second.md
	exits 0 "$comment" second.md 2>err
	body 1004 | same body.md -
	body 1005 | same second.md -
}

another_author() {
	fresh
	exits 0 "$comment" --author mallory body.md 2>err
	body 1 | same body.md -
}

all_pages_are_read() {
	fresh
	jq '.comments = [range(250) | { id: (. + 10), issue: 7, user: { login: "x" }, body: "hm" }] + .comments
		+ [{ id: 900, issue: 7, user: { login: "github-actions[bot]" }, body: "<!-- andweorc-diff:v1 id=default base=a head=b -->" }]' \
		world.json >state.json
	exits 0 "$comment" body.md 2>err
	body 900 | same body.md -
	test "$(grep -c '^GET .*page=' requests)" -eq 4
}

pull_request_event() {
	fresh
	echo '{ "pull_request": { "number": 4 } }' >event.json
	exits 0 "$comment" body.md 2>err
	body 4 | same body.md -
}

# A commit that was pushed since then gets the comment of the next run.
old_heads_get_nothing() {
	for change in '.head_sha = "ffffffffffffffffffffffffffffffffffffffff"' '.head_branch = "main"' '.head_repository.owner.login = "you"' \
		'.head_repository = null' '.head_branch = "topic&head=me:topic"' '.head_repository.owner.login = "me/../x"'; do
		fresh
		jq ".workflow_run |= ($change)" event.json >new
		mv new event.json
		exits 0 "$comment" body.md >got 2>err
		echo 'ci/comment: no open pull request has this head: nothing to comment on' | same - err
		lacks '^(POST|PATCH)' requests
	done
}

# A file that the run of a fork could have written itself.
numbers_in_the_artifact_do_not_count() {
	fresh
	jq '.workflow_run.pull_requests = [{ "number": 99 }]' event.json >new
	mv new event.json
	exits 0 "$comment" body.md 2>err
	echo 'ci/comment: commented on #7' | same - err
}

trouble() {
	exits 2 "$comment" body.md >got 2>err
	empty got
	has "^ci/comment: $1" err
	lacks '^[^c]' err
	lacks secret err
}

says_what_is_wrong() {
	fresh
	jq '.refuse.POST = 403' world.json >state.json
	trouble 'POST issues/7/comments: status 403: Resource not accessible by integration ::error::x'
	has "needs 'pull-requests: write'" err
	fresh
	jq '.refuse.GET = 404' world.json >state.json
	trouble 'GET pulls'
	fresh
	GITHUB_TOKEN=wrong trouble '.*status 401: Bad credentials'
	fresh
	GITHUB_API_URL=http://127.0.0.1:1 trouble 'GET .* failed' || has 'curl: ' err
	fresh
	GITHUB_REPOSITORY=o/r/../x trouble 'bad repository'
	fresh
	jq '.workflow_run.event = "push"' event.json >new
	mv new event.json
	trouble 'the run was of no pull request'
	for name in GITHUB_API_URL GITHUB_REPOSITORY GITHUB_TOKEN GITHUB_EVENT_PATH; do
		(
			unset $name
			fresh
			trouble "$name is not set"
		)
	done
}

# Only output of andweorc-diff becomes a comment, and only as much as fits.
bodies_are_checked() {
	for line in '' 'no marker' '<!-- andweorc-diff:v1 id= base=a -->' '<!-- andweorc-diff:v1 id=a>b base=a -->' ' <!-- andweorc-diff:v1 id=a b -->' \
		'<!-- andweorc-diff:v1 id=a b --> <!-- c -->'; do
		fresh
		printf '%s\nx\n' "$line" >body.md
		trouble "'body.md' does not begin with a marker"
		empty requests
	done
	fresh "$(printf '%065500d' 0)"
	trouble "'body.md' has 65[0-9]* characters, a comment at most 65536"
	empty requests
	# Characters, not bytes.
	fresh "$(printf '%040000d' 0 | sed 's/0/é/g')"
	exits 0 "$comment" body.md 2>err
	body 1004 | same body.md -
	exits 2 "$comment" >got 2>err
	has '^ci/comment: usage' err
	exits 2 "$comment" nowhere.md >got 2>err
	has "cannot read 'nowhere.md'" err
}

# With --update, a comment that is there says what is new; none is begun.
updates_only() {
	fresh
	exits 0 "$comment" --update body.md >got 2>err
	has 'no comment to bring up to date on #7' err
	lacks '^POST' requests
	exits 0 "$comment" body.md >got 2>err
	fresh 'not compared'
	cp state.json world.kept
	jq '.comments += [{ id: 9, issue: 7, user: { login: "github-actions[bot]" }, body: "<!-- andweorc-diff:v1 id=default base=a head=b -->\nold\n" }]' world.kept >state.json
	exits 0 "$comment" --update body.md >got 2>err
	body 9 | same body.md -
}

# Which of two pull requests the run was of, nobody knows.
two_pulls_get_nothing() {
	fresh
	jq '.pulls[0] as $p | .pulls += [$p | .number = 9]' state.json >more && mv more state.json
	exits 0 "$comment" body.md >got 2>err
	has 'pull requests 7, 9 all have this head' err
	lacks '^(POST|PATCH)' requests
}

# ps shows a command line to all users.
token_is_on_no_command_line() {
	fresh
	mkdir -p spy
	printf '#!/bin/sh\necho "$*" >>"%s/seen"\nexec "%s" "$@"\n' "$scratch" "$(command -v curl)" >spy/curl
	chmod +x spy/curl
	PATH=$scratch/spy:$PATH exits 0 "$comment" body.md 2>err
	has 'issues/7/comments' seen
	lacks secret seen
}

check 'one comment, brought up to date' comments_once
check 'another name is another comment' another_name_is_another_comment
check '--author' another_author
check 'all pages of comments are read' all_pages_are_read
check 'in a pull_request workflow' pull_request_event
check 'a head that is no more gets nothing' old_heads_get_nothing
check 'the pull request is found by its head alone' numbers_in_the_artifact_do_not_count
check 'trouble is told, with a remedy' says_what_is_wrong
check 'what is no comment of ours, or too long, is not sent' bodies_are_checked
check '--update' updates_only
check 'two pull requests of one head get nothing' two_pulls_get_nothing
check 'the token is on no command line' token_is_on_no_command_line

done_testing

# shellcheck shell=sh disable=SC2034,SC2154
# The part of GitHub's API that ci/ asks (github.pl), for a test that has sourced lib.sh.

# serve: answers at $api until the test ends, from state.json, which the test may change meanwhile; what it is asked,
# it adds to `requests`
serve() {
	"$top/t/ci/github.pl" state.json requests port 2>server.err &
	server=$!
	trap 'kill "$server" 2>/dev/null; cleanup' EXIT
	until test -s port; do
		kill -0 "$server" 2>/dev/null || skip_all 'no port can be opened here'
		sleep 0.05
	done
	api=http://127.0.0.1:$(cat port)
	unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
}

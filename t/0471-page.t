#!/bin/sh
# The report as a page: andweorc-analyze --format html.
. "$(dirname "$0")/lib.sh"

page() {
	exits 0 andweorc-analyze -f html "$@" >page.html 2>err
}

# hash ELEMENT: prints the hash of its text, as Content-Security-Policy has it
hash() {
	perl -0777 -MDigest::SHA=sha256_base64 -ne '/<'"$1"'>(.*?)<\/'"$1"'>/s or exit 1; print sha256_base64($1), "=\n"' page.html
}

says_what_the_report_says() {
	page "$data/analyze/reach.aw"
	exits 0 env COLUMNS=100 andweorc-analyze -f text "$data/analyze/reach.aw" >text 2>err
	# The first sentence, and all below the table, but for how they are broken into lines.
	perl -CSD -0777 -ne 's/<(style|script)>.*?<\/\1>//gs; s/<[^>]*>/ /g; s/&#39;/\x27/g; s/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/&/g; s/\s+/ /g; print' page.html >words
	awk '
	/^$/ { lead = 1 }
	!lead { first = first (first ? " " : "") $0; next }
	/^         ./ && text { text = text " " substr($0, 10); next }
	{ if (text) print text; text = "" }
	/^(class|R2|point|program|data|time|regions|interval|in doubt|warning:) / { text = substr($0, 10) }
	END { print text; print first }' text | tr -s ' ' >sentences
	test "$(wc -l <sentences)" -ge 10
	perl -CSD -e 'open W, "<", "words"; $w = <W>; open S, "<", "sentences"; while (<S>) { chomp; print STDERR "missing: $_\n" and $bad = 1 if index($w, $_) < 0 } exit !!$bad'
}
check 'it says what the report says' says_what_the_report_says

is_sealed() {
	page "$data/analyze/reach.aw"
	grep -qF "default-src 'none'; style-src 'sha256-$(hash style)'; script-src 'sha256-$(hash script)'; base-uri 'none'; form-action 'none'" page.html
	# Nothing is fetched, and there is neither style nor script in attributes, which the policy would not let through.
	lacks 'https?:|//[a-z]|url\(|@import|src=|href=|style="| on[a-z]+=' page.html
	test "$(grep -c '<script' page.html)" -eq 1
}
check 'nothing but its own style and script is let through' is_sealed

same_bytes() {
	page "$data/analyze/reach.aw"
	cp page.html first.html
	exits 0 env COLUMNS=40 LC_ALL=C andweorc-analyze -f html "$data/analyze/reach.aw" >page.html 2>err
	cmp first.html page.html
}
check 'the same page for the same input, whatever the terminal' same_bytes

# regions N NAME: windows of so many regions, all called after NAME
regions() {
	awk -v n="$1" -v name="$2" '
	function window(region, pct, block, time) {
		id++
		printf "experiment\tid=%d\trun=1\tblock=%d\tregion=%s\tspeedup_pct=%d\tstart_ns=%.0f\twall_ns=1000\n", id, block, region, pct, id * 1000
		printf "visits\texperiment=%d\tpoint=%s\tcount=40\tvirtual_ns=%d\n", id, name, time
	}
	BEGIN {
		print "andweorc\tversion=1\ttool=record"
		printf "run\tid=1\tcommand=%s\tcommit=%s\thost=%s\tperiod_ns=1000000\tstarted_ns=1\n", name, name, name
		print "module\trun=1\tid=1\tpath=/b/sim"
		for (i = 1; i <= n; i++)
			printf "region\tid=%d\tscope=line\tmodule=1\tranges=0x%x-0x%x\tfile=/s/%s\tline=%d\tfunction=%s\n", i, 16 * i, 16 * i + 8, name, i, name
		for (block = 1; block <= 4; block++) {
			for (i = 0; i < 3; i++)
				window("-", 0, block, 100000 + i)
			for (i = 1; i <= n; i++)
				window(i, 25 * (1 + block % 2), block, 100000 - i % 100 * 300)
		}
		printf "warning\trun=1\twhat=x\ttext=%s\n", name
		print "end\trun=1\tstatus=exit:0\twall_ns=1"
	}' </dev/null
}

# <script>alert(1)</script>, the end of each element that text stands in, quotes, controls, no UTF-8, marks that turn text round
hostile="%3Cscript%3Ealert(1)%3C/script%3E%22'%3C/title%3E%3C/style%3E--%3E%3Cimg%20src=x%20onerror=alert(1)%3E%1B[31m%0Aterms%09%01%FF%E2%80%AE&amp;"
hostile_names() {
	regions 3 "$hostile" >log
	page log
	test "$(grep -o '<script' page.html | wc -l)" -eq 1
	lacks '<img|alert\(1\)</script|</title></style>' page.html
	test "$(tr -d '\011\012\040-\176\200-\377' <page.html | wc -c)" -eq 0
	lacks "$(printf '\342\200\256')" page.html
	exits 0 iconv -f UTF-8 -t UTF-8 page.html >/dev/null
	# The angle brackets of all elements are ours: taken away, none are left.
	perl -0777 -ne 's/<(style|script)>.*?<\/\1>//gs; s/<!DOCTYPE html>|<\/?[a-z0-9]+(?: [a-z-]+(?:="[^"<>]*")?)*\/?>//gi; exit /[<>]/' page.html
}
check 'hostile names' hostile_names

many_regions() {
	regions 10000 name >log
	page --top 10000 log
	test "$(grep -c '^<tr role="row"><td' page.html)" -eq 10000
	test "$(grep -c '<figure>' page.html)" -le 12
	page --top 2 log
	has 'and 9998 more' page.html
}
check '10000 regions' many_regions

no_result() {
	printf 'andweorc\tversion=1\ttool=record\n' >log
	page log
	has 'There is no result' page.html
	has '</html>' page.html
}
check 'no result' no_result

# ---- in a browser -----------------------------------------------------------

# browser ARG...: an empty page of its own for each
browser() {
	timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/browser" --enable-logging=stderr "$@"
}
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)

# Only our script has run (the heads of the table became buttons), and the policy had nothing to refuse of it.
shows() {
	regions 3 "$hostile" >log
	page log
	browser --dump-dom "file://$PWD/page.html" >dom 2>said
	lacks 'Content Security Policy|Refused|Uncaught' said
	test "$(grep -o '<button' dom | wc -l)" -ge 6
	test "$(grep -o '<script' dom | wc -l)" -eq 1
	test "$(grep -o '<tr role="row"' dom | wc -l)" -eq 4
	lacks '<img' dom
}

# The policy itself: what would stand in the page in spite of everything does nothing.
refuses() {
	page "$data/analyze/reach.aw"
	sed 's|<main>|<main><script>document.title = "broken"</script><img src="x" onerror="document.title = 1">|' page.html >broken.html
	browser --dump-dom "file://$PWD/broken.html" >dom 2>said
	has 'Content Security Policy' said
	lacks '<title>(broken|1)</title>' dom
}

if test -n "$chromium" && browser --dump-dom about:blank 2>/dev/null | grep -q '<html>'; then
	check 'a browser shows it, and its script runs' shows
	check 'a browser lets nothing else run' refuses
else
	skip 'a browser shows it, and its script runs' 'no chromium that works'
	skip 'a browser lets nothing else run' 'no chromium that works'
fi

done_testing

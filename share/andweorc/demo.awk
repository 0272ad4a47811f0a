# Says in words what an analysis of pzip says in numbers:
#
#	awk -F '\t' -v source=pzip.c -f demo.awk ANALYSIS
#
# The hottest line is the one with the most samples; the most useful one has the
# largest slope among those with a verdict that says they are worth something, as
# in the first sentence of the report.

function field(name, i) {
	for (i = 2; i <= NF; i++)
		if (index($i, name "=") == 1)
			return substr($i, length(name) + 2)
	return ""
}

# Only blanks are unescaped.
function words(name, text) {
	text = field(name)
	gsub(/%20/, " ", text)
	return text
}

# The text of a line of the program, cut to what fits.
function source_line(n, text) {
	while (n-- > 0)
		if ((getline text < source) <= 0)
			text = ""
	close(source)
	gsub(/^[ \t]+|[ \t]*\/\*.*$/, "", text)
	return length(text) > 84 ? substr(text, 1, 81) "..." : text
}

function show(role, r) {
	printf "\n%s is %s, with %.0f %% of the samples:\n", role, r, share[r]
	if (r ~ /^pzip\.c:/)
		printf "        %s\n", source_line(line[r])
}

# Why it gains so little, where that was seen.
function explain(r) {
	if (waits[r])
		printf "    Why: the threads that run it wait for %.0f %% of their time at %s%s.\n", waits[r], at[r], until[r] == "" ? "" : ",\n    until " until[r]
}

# With one digit, and no "-0.0".
function tenths(x, text) {
	text = sprintf("%.1f", x)
	return text == "-0.0" ? "0.0" : text
}

function is_useful(r) {
	return verdict[r] ~ /^(high|moderate|low)$/
}

# Of 10 % off the time of the region, this much arrives: slope times 10.
function effect(r) {
	printf "    10 %% off its time takes %s %% off the time for a block (95 %% interval %s to %s).\n",
		tenths(10 * slope[r]), tenths(10 * low[r]), tenths(10 * high[r])
	if (knee[r] != "")
		printf "    That holds until it is %.0f %% faster; beyond, something else is in the way.\n", knee[r]
}

function square(x) {
	return x * x
}

# May `other` gain as much as r, which has the greater slope?  The difference of two slopes is uncertain by what both are.
function may_be_as_good(other, r) {
	return slope[r] - slope[other] < sqrt(square(slope[r] - low[r]) + square(high[other] - slope[other]))
}

# Of the other useful lines that may gain as much as r: the one with the greatest slope.
function rival(r, other, found) {
	found = ""
	for (other in slope)
		if (other != r && is_useful(other) && may_be_as_good(other, r) && (found == "" || slope[other] > slope[found]))
			found = other
	return found
}

function is_below_its_share(r) {
	return 100 * high[r] < share[r]
}

function promise(r) {
	printf "    A profiler that counts samples would promise %s %%.\n", tenths(share[r] / 10)
}

$1 == "impact" {
	r = field("region")
	share[r] = field("share_pct") + 0
	slope[r] = field("slope") + 0
	low[r] = field("slope_lo") + 0
	high[r] = field("slope_hi") + 0
	has_slope[r] = field("slope_lo") != ""
	verdict[r] = field("verdict")
	knee[r] = field("max_useful_pct")
	line[r] = field("line")
	if (hottest == "" || share[r] > share[hottest])
		hottest = r
	if (is_useful(r) && (best == "" || slope[r] > slope[best]))
		best = r
}

$1 == "why" && field("who") == "own" {
	r = field("region")
	if (field("wait_pct") + 0 > waits[r]) {
		waits[r] = field("wait_pct") + 0
		at[r] = words("at")
		until[r] = words("until")
	}
}

END {
	if (hottest == "") {
		print "Nothing: no line was measured.  The warnings above say why."
		exit
	}
	show("The hottest line", hottest)
	if (hottest == best) {
		effect(hottest)
		if (is_below_its_share(hottest))
			promise(hottest)
		equal = rival(best)
		if (equal == "")
			print "    Here the hottest line is also the most useful one."
		else
			printf "    Here the hottest line has the greatest effect, but %s, with %.0f %% of the samples, may gain as much.\n",
				equal, share[equal]
	} else if (verdict[hottest] == "not-enough-data" && has_slope[hottest] && is_below_its_share(hottest)) {
		effect(hottest)
		promise(hottest)
		explain(hottest)
	} else if (verdict[hottest] == "not-enough-data" || !has_slope[hottest])
		print "    What making it faster would gain cannot be told from so few experiments."
	else {
		effect(hottest)
		if (is_useful(hottest) && may_be_as_good(hottest, best))
			printf "    It may gain as much as %s, with %.0f %% of the samples.\n", best, share[best]
		else if (verdict[hottest] == "high" || verdict[hottest] == "moderate")
			print "    It pays, though it is not what pays most."
		else
			print "    A profiler that counts samples would send you here: for next to nothing."
		explain(hottest)
	}
	if (best == "")
		print "\nNo line surely gains anything: record for longer, or on a machine with less else to do."
	else if (best != hottest) {
		show(is_useful(hottest) && may_be_as_good(hottest, best) ? "The line with the greatest effect" : "The most useful line", best)
		effect(best)
	}
}

# join.awk: one line for each region and percentage, from a program's regions (NAME FILE:LINE), its analysis and its truths.
#
#     awk -f join.awk -v program=P -v field=1|2 -v last=TEXT step=1 REGIONS step=2 ANALYSIS step=3 TRUTH
#
# Output: program, region, pct, truth, truth_se, predicted, lo, hi, TEXT, basis of the interval; then what replay predicts,
# its lo and hi.  "-" where nothing was predicted, or more than one thing: several regions may bear the name.  Regions that
# are not in REGIONS are left out.

BEGIN { FS = OFS = "\t" }

step == 1 { label[$1] = $field; next }

step == 2 && ($1 == "impact" || $1 == "curve" || $1 == "replay") {
	delete value
	for (i = 2; i <= NF; i++) {
		eq = index($i, "=")
		value[substr($i, 1, eq - 1)] = substr($i, eq + 1)
	}
	if ($1 == "impact")
		basis[value["point"], value["region"]] = value["basis"]
	else if ($1 == "replay") {
		if (value["point"] == "round") {
			at = (field == 1 ? name(value["region"]) : value["region"]) SUBSEP (value["speedup_pct"] + 0)
			replayed[at] = value["gain_pct"]
			half[at] = 1.96 * value["gain_se"]
		}
	} else if (value["point"] == "round") {
		at = (field == 1 ? name(value["region"]) : value["region"]) SUBSEP (value["speedup_pct"] + 0)
		if (at in predicted && of[at] != value["region"])
			shared[at] = 1
		of[at] = value["region"]
		predicted[at] = value["program_pct"]
		lo[at] = value["lo"]
		hi[at] = value["hi"]
		rests[at] = basis[value["point"], value["region"]]
	}
	next
}

step == 3 && $1 in label {
	at = label[$1] SUBSEP ($2 + 0)
	if (at in shared)
		predicted[at] = lo[at] = hi[at] = ""
	print program, $1, $2, $3, $4, or_dash(predicted[at] ""), or_dash(lo[at] ""), or_dash(hi[at] ""), last, or_dash(rests[at] ""), \
		or_dash(replayed[at] ""), at in replayed ? replayed[at] - half[at] : "-", at in replayed ? replayed[at] + half[at] : "-"
}

# A function's label without what analyze adds to tell it from others, "f(int) (a.c) in b at 0x1-0x2", and its parameters.
function name(label) {
	sub(/ at [^ ]*$/, "", label)
	sub(/ in [^ ]*$/, "", label)
	sub(/ \([^()]*\)$/, "", label)
	sub(/\([^()]*\)$/, "", label)
	return label
}

# The caller passes a string: gawk 5.2 crashes where a function looks at an element that was never set.
function or_dash(s) {
	return s == "" ? "-" : s
}

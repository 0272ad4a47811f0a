# join.awk: one line for each region and percentage, from a program's regions (NAME FILE:LINE), its analysis and its truths.
#
#     awk -f join.awk -v program=P -v field=1|2 -v seconds=S step=1 REGIONS step=2 ANALYSIS step=3 TRUTH
#
# Output: program, region, pct, truth, truth_se, predicted, lo, hi, seconds; "-" where nothing was predicted.

BEGIN { FS = OFS = "\t" }

step == 1 { label[$1] = $field; next }

step == 2 && $1 == "curve" {
	delete value
	for (i = 2; i <= NF; i++) {
		eq = index($i, "=")
		value[substr($i, 1, eq - 1)] = substr($i, eq + 1)
	}
	if (value["point"] == "round") {
		at = value["region"] SUBSEP (value["speedup_pct"] + 0)
		predicted[at] = value["program_pct"]
		lo[at] = value["lo"]
		hi[at] = value["hi"]
	}
	next
}

step == 3 {
	at = label[$1] SUBSEP ($2 + 0)
	print program, $1, $2, $3, $4, or_dash(predicted[at]), or_dash(lo[at]), or_dash(hi[at]), seconds
}

function or_dash(s) {
	return s == "" ? "-" : s
}

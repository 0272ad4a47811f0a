# table.awk: results.tsv as a table for people, and its summary.

BEGIN {
	FS = "\t"
	half = "  %6s %5s  %6s %15s  %6s"
	printf "%-11s %-17s" half half "  %5s\n", "program", "region", "truth", "se", "at 25", "interval", "error", \
		"truth", "se", "at 50", "interval", "error", "secs"
}

$3 == 25 { printf "%-11s %-17s", $1, $2 }

{
	if ($6 == "-") {
		printf half, one($4), one($5), "-", "-", "-"
		missing++
	} else {
		error = $6 - $4
		bounded = $7 != "-" && $8 != "-"
		out = bounded && ($4 < $7 || $4 > $8)
		printf half, one($4), one($5), one($6), bounded ? "[" one($7) ", " one($8) "]" (out ? "*" : " ") : "-", \
			sprintf("%+.1f", error)
		n++
		sum += abs(error)
		bias += error
		outside += out
		if ($5 > 1)
			vague++
		else
			sum_known += abs(error)
		# the truth was measured too: it is the difference that must hold 0
		certain += bounded && abs(error) > sqrt((($8 - $7) / 2) ^ 2 + (1.96 * $5) ^ 2)
		if (abs(error) > abs(worst)) {
			worst = error
			where = $1 " " $2 " at " $3 " %"
		}
	}
	zero = abs($4) < 1 && ($3 == 25 || zero)
	covered = bounded && $6 != "-" && $7 <= 0 && $8 >= 0 && ($3 == 25 || covered)
}

$3 == 50 {
	printf "  %5s\n", $9
	zeros += zero
	zeros_covered += zero && covered
}

END {
	printf "\n"
	if (n > 0) {
		printf "mean absolute error  %.2f points (mean error %+.2f, %d values)\n", sum / n, bias / n, n
		if (vague > 0)
			printf "vague truths         %d: with a standard error above a point; without them %.2f points. Was the machine quiet?\n", vague, \
				(n > vague ? sum_known / (n - vague) : 0)
		printf "worst                %+.2f points: %s\n", worst, where
		printf "truth outside        %d of %d intervals (marked *); %d when the truth's own error counts, too\n", outside, n, certain
		printf "zero regions         %d of %d have 0 inside both intervals\n", zeros_covered, zeros
	}
	if (missing > 0)
		printf "no prediction        %d values\n", missing
}

function abs(x) {
	return x < 0 ? -x : x
}

function one(x) {
	return sprintf("%.1f", x)
}

# ratios.awk: medians of interleaved runs, and of their ratios to the first mode.
#
# Input: ROUND MODE VALUE, one run a line; every mode once in each round.
# -v unit=TEXT names the values, -v digits=N rounds them (3).
#
# The ratio is taken within a round, so that slow drift of the machine cancels;
# its +- is the standard error of the median (half the 68 % interval by ranks).

{
	if (!($2 in seen)) {
		seen[$2] = ++modes
		name[modes] = $2
	}
	value[$1, $2] = $3
	if ($1 > rounds)
		rounds = $1
}

END {
	if (digits == "")
		digits = 3
	printf "%-28s %14s %10s %8s\n", "", "median" (unit ? " " unit : ""), "ratio", "+-"
	for (m = 1; m <= modes; m++) {
		n = 0
		ratios = 1
		for (r = 1; r <= rounds; r++)
			if ((r, name[m]) in value && (r, name[1]) in value) {
				n++
				x[n] = value[r, name[m]]
				if (value[r, name[1]] > 0)
					q[n] = value[r, name[m]] / value[r, name[1]]
				else
					ratios = 0
			}
		printf "%-28s %14." digits "f ", name[m], median(x, n)
		if (ratios)
			printf "%10.4f %8.4f\n", median(q, n), error(q, n)
		else
			printf "%10s %8s\n", "-", "-"
	}
}

function sort(a, n,    i, j, t) {
	for (i = 2; i <= n; i++) {
		t = a[i]
		for (j = i - 1; j > 0 && a[j] > t; j--)
			a[j + 1] = a[j]
		a[j + 1] = t
	}
}

function median(a, n) {
	sort(a, n)
	return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}

# Wants a sorted array, as median leaves it.
function error(a, n,    lo, hi) {
	lo = int((n + 1) / 2 - sqrt(n) / 2 + 0.5)
	hi = n + 1 - lo
	return lo < 1 ? (a[n] - a[1]) / 2 : (a[hi] - a[lo]) / 2
}

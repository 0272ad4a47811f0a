# shellcheck shell=sh disable=SC2034,SC2154
# For t/9000-prediction.t and similar scripts: records programs with known answers, and compares predictions with these.

seconds=3
tolerance=5               # points
experiments='-s 0,25,50'  # options of andweorc-record

# Iterations of work that make 1 ms here.  Some programs also wait for the clock: on a machine that is
# half as fast they would have no time to wait.
unit=$("$O/t/workload/serial" --calibrate)

# analysis_of ARG...: leaves in `analysis` what is found in what andweorc-record records
analysis_of() {
	exits 0 andweorc-record -m function -o log "$@" >out
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
}

# profile PROGRAM REGION...: the analysis of a program that goes on and on; without a '/', it is one of t/workload
profile() {
	program=$1
	shift
	work=
	case $program in
	*/*) ;;
	*) program=$O/t/workload/$program work="--unit $unit" ;;
	esac
	for region in "$@"; do
		shift
		set -- "$@" -r "$region"
	done
	# shellcheck disable=SC2086 # several options
	analysis_of -d "$seconds" "$@" $experiments -- "$program" --seconds 1000000 $work
}

# attach PROGRAM REGION...: the same, of one that runs already
attach() {
	program=$1
	shift
	for region in "$@"; do
		shift
		set -- "$@" -r "$region"
	done
	"$O/t/workload/$program" --seconds 1000000 --unit "$unit" >attached.out 2>attached.err &
	attached=$!
	sleep 0.3
	analysis_of -d "$seconds" "$@" -p $attached
	kill -0 $attached
	kill $attached
	wait $attached || :
}

# predicts REGION PCT POINTS [POINT [KEY]]: with the region PCT % faster, the program gets POINTS % faster, within the tolerance.
# Where $again is set, and the recorder says that others used the machine all the time, it is enough that the answer is as wide
# as it has to be: an interval that holds the known value, or none.
predicts() {
	unsure=
	if test -n "${again:-}" && grep -q '^warning	.*what=busy-machine' log; then
		unsure=1
	fi
	awk -F '\t' -v region="$1" -v pct="$2" -v want="$3" -v point="${4:-round}" -v key="${5:-program_pct}" -v tolerance="$tolerance" \
		-v unsure="$unsure" '
		$1 == "curve" {
			delete f
			for (i = 2; i <= NF; i++) {
				eq = index($i, "=")
				f[substr($i, 1, eq - 1)] = substr($i, eq + 1)
			}
			if (f["point"] == point && f["region"] == region && f["speedup_pct"] + 0 == pct) {
				found++
				of = key == "program_pct" ? "" : substr(key, 1, index(key, "_"))
				got = f[key] + 0
				known = (of "lo") in f
				lo = f[of "lo"] + 0
				hi = f[of "hi"] + 0
			}
		}
		END {
			if (found != 1) {
				print found + 0 " curve records for " region " at " pct
				exit !unsure
			}
			printf "%s at %d %%: %s of %s predicted %.1f (%s), known %.1f\n", region, pct, key, point, got,
				known ? sprintf("%.1f to %.1f", lo, hi) : "no interval", want
			if (unsure && (!known || (hi - lo > 2 * tolerance && lo <= want && want <= hi)))
				exit 0
			exit got < want - tolerance || got > want + tolerance
		}' analysis || {
		grep -E '^(end|warning)' log
		return 1
	}
}

# truth DESCRIPTION COMMAND [ARG...]: checks a prediction.  If it fails, it is repeated twice and must hold both times:
# one recording may be disturbed by something that is invisible on this machine, such as its host.
truth() {
	description=$1
	shift
	check "$description" holds "$@"
}

holds() {
	run "$@"
	test $status -ne 0 || return 0
	again=1
	"$@"
	"$@"
}

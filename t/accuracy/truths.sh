# shellcheck shell=sh
# For `run` and `recordings`: the true effects in the workloads, measured once and kept in
# $O/accuracy.  Wants $O; from then on there are
#
#     $unit                 iterations of work that make 1 ms here
#     $scale                ACC_SCALE, or 1
#     truth_of PROGRAM      prints the name of the file with its truths, see `truth`
#
# ACC_REMEASURE=1 measures truths again.

scale=${ACC_SCALE:-1}
mkdir -p "$O/accuracy/truth"

# Kept, since truths hang on it.
[ -s "$O/accuracy/unit" ] || "$O/t/workload/serial" --calibrate >"$O/accuracy/unit"
unit=$(cat "$O/accuracy/unit")

# All that the truths of a program hang on.
ingredients() {
	cat "$O/t/workload/$1" "$(dirname "$0")/truth"
	[ ! -e "$O/t/workload/$1.so" ] || cat "$O/t/workload/$1.so"
	env | grep '^ACC_TRUTH_' | grep -v '^ACC_TRUTH_ONLY=' | sort
	echo "$unit $scale"
}

truth_of() {
	hash=$(ingredients "$1" | sha256sum | cut -c 1-16)
	file=$O/accuracy/truth/$1-$hash.tsv
	if [ ! -s "$file" ] || [ -n "${ACC_REMEASURE:-}" ]; then
		echo "measuring the truth of $1" >&2
		"$(dirname "$0")/truth" "$O/t/workload/$1" --unit "$unit" --scale "$scale" >"$file.new"
		mv "$file.new" "$file"
	fi
	echo "$file"
}

# Changes logs for t/bench/certainty.  -v mode=:
#
#   cut      experiments that ended within `seconds` of the run, and their visits
#   unalign  the same windows, had they been opened and closed by a clock: a part of a period is lost at the end, and
#            visits are counted in whole ones.  The phase of the clock is random, the visits are as regular as they
#            are on average; so it is a little too kind.
#   coz      a profile of Coz as a log.  It tells how long windows were, without the inserted delay, but not when: they
#            follow each other, and are stretched so that all of them take `seconds`
BEGIN {
	FS = OFS = "\t"
	srand(seed)
	if (mode == "coz") {
		while ((getline < ARGV[1]) > 0)
			if ($1 == "experiment")
				all += value("duration")
		close(ARGV[1])
		stretch = all ? seconds * 1e9 / all : 1
		print "andweorc", "version=1", "tool=record"
		print "run", "id=1", "command=coz", "sampler=perf"
		print "module", "run=1", "id=1", "path=/program"
	}
}

function value(key, i) {
	for (i = 2; i <= NF; i++)
		if (index($i, key "=") == 1)
			return substr($i, length(key) + 2)
	return ""
}

mode == "cut" && $1 == "experiment" { gone = (value("start_ns") + value("wall_ns")) / 1e9 > seconds }
mode == "cut" && ($1 == "experiment" || $1 == "visits") && gone { next }

mode == "unalign" && $1 == "visits" {
	lost = rand()
	count = int(value("count") - lost + rand())
	time = value("virtual_ns") * (1 - lost / value("count"))
	for (i = 2; i <= NF; i++) {
		if ($i ~ /^count=/)
			$i = "count=" count
		if ($i ~ /^virtual_ns=/)
			$i = sprintf("virtual_ns=%.0f", time)
	}
}
mode != "coz" { print; next }

$1 == "experiment" {
	place = value("selected")
	line = place
	sub(/.*:/, "", line)
	if (!(line in region)) {
		region[line] = ++regions
		file = place
		sub(/:[0-9]*$/, "", file)
		print "region", "id=" regions, "scope=line", "module=1", "ranges=0x" line "-0x" line + 1, "file=" file, "line=" line
	}
	pct = 100 * value("speedup")
	time = value("duration")
	# Ten windows are a block, as near in time as those of the recorder.
	print "experiment", "id=" ++experiments, "run=1", "block=" int(experiments / 10), "region=" (pct ? region[line] : "-"),
		sprintf("speedup_pct=%g", pct), sprintf("start_ns=%.0f", now), sprintf("wall_ns=%.0f", time * stretch)
}
$1 == "throughput-point" || $1 == "progress-point" {
	print "visits", "experiment=" experiments, "point=" value("name"), "count=" value("delta"), sprintf("virtual_ns=%.0f", time)
	now += time * stretch
}

# Writes the log of a program without progress points: each run is one window.
#
#	awk -v seed=7 -v runs=60 -f ../random.awk -f whole.awk
#
# Regions: solve has slope 0.6, :io 0.25.  A block is both at 4 speedups and 3
# baselines, shuffled; blocks go on from run to run.  The machine gets slower by
# 10 % from the first run to the last.  Also: noise (default 0.01), part=1 (each
# run under a header of its own), start (of the first run, in s), host, speed.

function next_block(    i, j, t) {
	block++
	n = split("0 0 0 1.15 1.30 1.50 1.75 2.15 2.30 2.50 2.75", plan, " ")
	for (i = n; i > 1; i--) {
		j = 1 + int(uniform() * i)
		t = plan[i]; plan[i] = plan[j]; plan[j] = t
	}
}

function header() {
	print "andweorc\tversion=1\ttool=record"
	print "module\trun=1\tid=1\tpath=/src/build/solver"
	print "region\tid=1\tscope=function\tmodule=1\tranges=0x1000-0x1040\tsymbol=solve\tfunction=solve"
	print "region\tid=2\tscope=class\tsymbol=:io\tfunction=:io"
}

BEGIN {
	if (!seed) seed = 1
	if (!runs) runs = 60
	if (noise == "") noise = 0.01
	if (!start) start = 1700000000
	if (host == "") host = "box"
	if (!speed) speed = 1
	slope[1] = 0.6
	slope[2] = 0.25
	plan_seed = seed
	if (!part)
		header()
	for (run = 1; run <= runs; run++) {
		if (i >= n) {
			next_block()
			i = 0
		}
		i++
		split(plan[i], w, ".")
		time = 2e9 / speed * (1 - slope[w[1]] * w[2] / 100) * (1 + 0.1 * run / runs) * (1 + noise * gauss())
		hit = run == 9
		if (hit)
			time *= 3
		if (part)
			header()
		printf "run\tid=%d\tcommand=solver\thost=%s\tcpus=2\tsampler=perf\tperiod_ns=1000000\tstarted_ns=%.0f\tseed=%d\tmode=function\n",
			run, host, (start + 5 * run) * 1e9, plan_seed
		printf "experiment\tid=%d\trun=%d\tblock=%d\tregion=%s\tspeedup_pct=%d\tstart_ns=0\twall_ns=%.0f\tsamples=%d\tregion_samples=%d%s\n",
			run, run, block, w[1] ? w[1] : "-", w[2], time, time / 1e6, w[1] == 1 ? time * 0.6 / 1e6 : 0, hit ? "\tdisturbed=1" : ""
		printf "visits\texperiment=%d\tpoint=run\tkind=run\tcount=1\tvirtual_ns=%.0f\n", run, time
		printf "share\trun=%d\tregion=1\tsamples=1200\ttotal=2000\tblocked=0\tblocked_total=500\n", run
		printf "share\trun=%d\tregion=2\tsamples=0\ttotal=2000\tblocked=500\tblocked_total=500\n", run
		printf "end\trun=%d\tstatus=exit:0\twall_ns=%.0f\n", run, time
	}
}

# Writes a log of a simulated program, so that tests know the truth:
#
#	awk -v seed=7 -v runs=5 -v blocks=8 -f ../random.awk -f generate.awk
#
# Regions (point "block", 2 ms a visit; the machine drifts by some per cent):
#
#	work      50 % of the CPU samples, slope 0.6
#	compress  20 %, slope 0.8 up to 30 %, flat beyond
#	spin      25 %, slope 0: hot, and no bottleneck
#	tiny       2 %, slope 0.02
#	lock       3 %, slope -0.3: harmful
#
# Also: cv (of the time between visits, default 0.3), disturb (part of the windows),
# visits (a window, default 40), levels ("25 50 75 100"), cut=1 (no end record),
# only (number of regions), baselines (a block, default 4).

function effect(region, s) {
	if (region == 1) return 0.6 * s
	if (region == 2) return 0.8 * (s < 0.3 ? s : 0.3)
	if (region == 4) return 0.02 * s
	if (region == 5) return -0.3 * s
	return 0
}

function shuffle(n,    i, j, t) {
	for (i = n; i > 1; i--) {
		j = 1 + int(uniform() * i)
		t = plan[i]; plan[i] = plan[j]; plan[j] = t
	}
}

function window(run, block, region, pct,    period, time, count, hit, samples) {
	period = 2e6 * speed * (1 + drift) * (1 - effect(region, pct / 100))
	hit = uniform() < disturb
	if (hit)
		period *= 2 + 3 * uniform()
	time = count = 0
	while (time < visits * 2e6) {
		time += period * (1 + cv * gauss() / 1.0001)
		count++
	}
	drift = 0.9 * drift + 0.01 * gauss()
	samples = int(time / 1e6)
	id++
	printf "experiment\tid=%d\trun=%d\tblock=%d\tregion=%s\tspeedup_pct=%d\tstart_ns=%.0f\twall_ns=%.0f\tdelay_ns=%.0f\tsamples=%d\tregion_samples=%d%s\n",
		id, run, block, pct ? region : "-", pct, clock, time * (1 + pct / 100), time * pct / 100, samples, int(samples * share[region] / 100),
		hit ? "\tdisturbed=1\tsteal_ns=" int(1e6 * (1 + uniform())) : ""
	printf "visits\texperiment=%d\tpoint=block\tkind=throughput\tcount=%d\tvirtual_ns=%.0f\n", id, count, time
	clock += time * (1 + pct / 100)
}

BEGIN {
	if (!seed) seed = 1
	if (!runs) runs = 1
	if (!blocks) blocks = 10
	if (!visits) visits = 40
	if (cv == "") cv = 0.3
	if (!baselines) baselines = 4
	if (!levels) levels = "25 50 75 100"
	if (!only) only = 5
	nlevels = split(levels, level, " ")
	split("work compress spin tiny lock", name, " ")
	split("50 20 25 2 3", share, " ")
	split("10 142 77 5 300", line, " ")

	print "andweorc\tversion=1\ttool=record"
	print "module\trun=1\tid=1\tbuild_id=00ff\tpath=/src/build/sim"
	for (r = 1; r <= only; r++)
		printf "region\tid=%d\tscope=line\tmodule=1\tranges=0x%x-0x%x\tfile=/src/%s.c\tline=%d\tfunction=%s\n", r, 4096 * r, 4096 * r + 64,
			name[r], line[r], name[r]
	for (run = 1; run <= runs; run++) {
		printf "run\tid=%d\tcommand=sim%%20--fast\thost=box\tkernel=6.1\tcpus=2\tsampler=perf\tperiod_ns=1000000\tstarted_ns=%.0f\tseed=%d\tmode=line\tcommit=abc1234\n",
			run, 1700000000e9 + run * 1e11, 100 + run
		clock = 0
		speed = 1 + (runs > 1 ? 0.02 * gauss() : 0)
		for (b = 1; b <= blocks; b++) {
			n = 0
			for (i = 0; i < baselines; i++)
				plan[++n] = "0 0"
			for (r = 1; r <= only; r++)
				for (i = 1; i <= nlevels; i++)
					plan[++n] = r " " level[i]
			shuffle(n)
			for (i = 1; i <= n; i++) {
				split(plan[i], w, " ")
				window(run, b, w[1], w[2])
			}
		}
		for (r = 1; r <= only; r++)
			printf "share\trun=%d\tregion=%d\tsamples=%d\ttotal=%d\n", run, r, int(share[r] * 10), 1000
		printf "sample\trun=%d\tmodule=1\toffset=0x1010\tcount=500\tstate=cpu\n", run
		if (!cut)
			printf "end\trun=%d\tstatus=exit:0\twall_ns=%.0f\texperiments=%d\n", run, clock, id
	}
}

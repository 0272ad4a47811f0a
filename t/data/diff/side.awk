# Writes the log of one side of a comparison, of a simulated program whose truth is known:
#
#	awk -v side=head -v runs=5 -v cost="parse=1.2 sort=0.9" -f ../random.awk -f side.awk
#
# A visit of the point "block" is serial: the regions' costs in ns, one after the other, and a rest without region.
# `cost` multiplies those of regions.  Runs are in blocks 1, 2, ...: the machine is as fast as the block says
# (standard deviation `drift`, 3 %), the same for both sides; each run differs by `noise` (0.5 %) of its own, and
# each region's cost by `spread` (1 %).
#
# Also: cv (of a visit, 0.3: 5 % for the 40 visits of a window), seed (of the side), block_seed, windows (a run: sweeps
# over all regions, default 4), line (added to all line numbers), file (suffix of file names), commit, noblock=1, only
# (number of regions), gone (one to leave out), kernel, cpus, levels (speedups, "25 50 75 100").

function window(region, pct,    period, time) {
	period = speed * (total - own[region] * pct / 100)
	time = 40 * period * (1 + cv * gauss() / sqrt(40))
	id++
	printf "experiment\tid=%d\trun=%d\tblock=%d\tregion=%s\tspeedup_pct=%d\tstart_ns=%.0f\twall_ns=%.0f\tsamples=80\tregion_samples=%d\n",
		id, run, sweep, pct ? region : "-", pct, clock, time, 80 * share[region]
	printf "visits\texperiment=%d\tpoint=block\tkind=throughput\tcount=40\tvirtual_ns=%.0f\n", id, time
	clock += time
}

# Of functions that have nothing in common.
function sketch(r,    i, text) {
	for (i = 0; i < 32; i++)
		text = text sprintf("%02x", (37 * r + 11 * i + r * i) % 256)
	return text
}

BEGIN {
	if (!seed) seed = side == "head" ? 77 : 33
	if (!block_seed) block_seed = 5
	if (!runs) runs = 5
	if (!windows) windows = 4
	if (cv == "") cv = 0.3
	if (drift == "") drift = 0.03
	if (noise == "") noise = 0.005
	if (spread == "") spread = 0.01
	if (!commit) commit = side == "head" ? "def5678" : "abc1234"
	if (kernel == "") kernel = "6.1"
	if (!cpus) cpus = 2
	nlevels = split(levels ? levels : "25 50 75 100", level, " ")
	n = split("parse 800000 sort 500000 write 300000 hash 200000 log 50000", part, " ")
	for (i = 1; i < n; i += 2) {
		name[++regions] = part[i]
		ns[regions] = part[i + 1]
	}
	if (only) regions = only
	n = split(cost, part, /[ =]/)
	for (i = 1; i < n; i += 2)
		for (r = 1; r <= regions; r++)
			if (name[r] == part[i])
				ns[r] *= part[i + 1]
	rest = 150000
	# the first numbers of near seeds are near each other
	seed = seed * 7919 % 2147483647
	uniform(); uniform()

	print "andweorc\tversion=1\ttool=record"
	print "module\trun=1\tid=1\tpath=/src/build/sim"
	for (r = 1; r <= regions; r++)
		if (name[r] != gone)
			printf "region\tid=%d\tscope=line\tmodule=1\tranges=0x%x-0x%x\tfile=/src/%s%s.c\tline=%d\tfunction=%s\tsymbol=%s\tfunction_line=%d\tline_hash=%016x\tcontext_hash=%x.%x.%x.%x.%x.%x\tfunction_hash=%016x.9.%s\n",
				r, 4096 * r, 4096 * r + 64, name[r], file, 10 * r + line, name[r], name[r], 10 * r - 4 + line,
				r, 16 * r + 1, 16 * r + 2, 16 * r + 3, 16 * r + 4, 16 * r + 5, 16 * r + 6, r, sketch(r)
	for (run = 1; run <= runs; run++) {
		keep = seed
		seed = (block_seed + run) * 7919 % 2147483647
		uniform(); uniform()
		speed = 1 + drift * gauss()
		seed = keep
		speed *= 1 + noise * gauss()
		total = rest
		for (r = 1; r <= regions; r++)
			total += own[r] = ns[r] * (1 + spread * gauss())
		for (r = 1; r <= regions; r++)
			share[r] = own[r] / total
		printf "run\tid=%d\tcommand=sim%%20--fast\tcommit=%s\thost=box\tkernel=%s\tcpus=%d\tcpu_model=Sim%%209000\tsampler=perf\tperiod_ns=1000000\tstarted_ns=%.0f\tseed=%d\tmode=line%s\n",
			run, commit, kernel, cpus, 1700000000e9 + 2e11 * run + (side == "head" ? 1e11 : 0), 100 + run,
			noblock ? "" : "\tblock=" run "\tside=" side
		clock = 0
		for (sweep = 1; sweep <= windows; sweep++) {
			for (r = 1; r <= regions; r++) {
				window(0, 0)
				for (l = 1; l <= nlevels && name[r] != gone; l++)
					window(r, level[l])
			}
		}
		for (r = 1; r <= regions; r++)
			if (name[r] != gone)
				printf "share\trun=%d\tregion=%d\tsamples=%d\ttotal=1000\n", run, r, int(1000 * share[r])
		printf "end\trun=%d\tstatus=exit:0\twall_ns=%.0f\n", run, clock
	}
}

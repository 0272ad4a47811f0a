# Random numbers for simulated logs, the same with each awk; to be given before the program that uses them, which sets
# `seed` (1 to 2147483646):
#
#	awk -v seed=7 -f random.awk -f generate.awk

# Between 0 and 1.  Park and Miller's, in exact doubles: awk's own rand differs between implementations.
function uniform() {
	seed = (seed * 16807) % 2147483647
	return seed / 2147483647
}

# Of mean 0 and variance 1; never beyond 6.
function gauss(    i, sum) {
	for (i = 0; i < 12; i++)
		sum += uniform()
	return sum - 6
}

# burst.pl: what t/0451-what-if.t and t/0452-why.t write logs of bursts with.

my @n = split //, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

# The digits of a number of events, andweorc(5).
sub number {
	my ($n, $s) = (shift, "");
	for (; $n > 31; $n >>= 5) { $s .= $n[32 | $n & 31] }
	return $s . $n[$n];
}

# One record.
sub fields { print join("\t", @_), "\n" }

# A run of half a second with two lines: slow.c:10 (outer) is stack 1, slow.c:20 (inner) is stack 2.
sub begin {
	fields("andweorc", "version=1", "tool=record", "resolved=1");
	fields("run", "id=1", "command=slow", "cpus=2", "period_ns=1000000", "mode=line");
	fields("module", "run=1", "id=1", "path=/slow");
	fields("region", "id=1", "scope=line", "module=1", "ranges=0x10-0x20", "file=/src/slow.c", "line=10", "function=outer");
	fields("region", "id=2", "scope=line", "module=1", "ranges=0x20-0x30", "file=/src/slow.c", "line=20", "function=inner");
	fields("burst", "run=1", "id=1", "start_ns=0", "length_ns=500000000", "cpus=2");
	fields("stack", "run=1", "id=1", "regions=1");
	fields("stack", "run=1", "id=2", "regions=2");
}

1;

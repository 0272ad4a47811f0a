#!/bin/sh
# Signals of the terminal come to the command as if it had been started without us; and a log has one writer.
. "$(dirname "$0")/lib.sh"

# interrupt.pl SIGNAL MILLISECONDS COMMAND...: runs it in a group of its own, which gets the signal after that time; prints how it
# ended, and whether anything of the group is left
cat >interrupt.pl <<'END'
use strict;
use warnings;
use POSIX ":sys_wait_h";
use Time::HiRes qw(sleep time);
my ($sig, $ms, @command) = @ARGV;
my $pid = fork;
if ($pid == 0) {
	setpgrp;
	$SIG{INT} = $SIG{QUIT} = "DEFAULT";
	exec @command;
	exit 99;
}
setpgrp $pid, $pid;
sleep $ms / 1000;
kill $sig, -$pid;
my $until = time + 5;
my $ended = 0;
while (time < $until && !($ended = waitpid $pid, WNOHANG)) {
	sleep 0.002;
}
my $status = $?;
if (!$ended) {
	kill "KILL", -$pid;
	print "still there\n";
} else {
	print $status & 127 || $status >> 8, "\n";
}
END

# The signal may come before the command is started, meanwhile, or while it runs.  Status 130 says that it died of SIGINT.
interrupted() {
	for ms in 0 1 2 3 4 5 6 8 10 12 15 20 25 30 40 60 80; do
		exits 0 perl interrupt.pl "$1" $ms andweorc-record -q -o log -- sleep 7 >got 2>err
		echo "$ms ms: $(cat got)"
		grep -Eqx "$2|$((128 + $2))" got
	done
}
check 'an interrupt in the first 80 ms is not lost' interrupted INT 2
if is_long; then
	check 'nor is a quit' interrupted QUIT 3
fi

# A command that does not want to be interrupted is not, and the recorder waits for it.
ignored() {
	for ms in 0 4 20 60; do
		exits 0 perl interrupt.pl INT $ms sh -c 'trap "" INT; exec andweorc-record -q -o log -- sh -c "sleep 0.3; exit 5"' >got 2>err
		echo "$ms ms: $(cat got)"
		grep -Eqx '5|2' got
	done
	grep -qx 5 got
}
check 'one that is ignored stays so' ignored

# Who presses the keys wants the end, though time is left.
not_again() {
	exits 0 perl interrupt.pl INT 700 andweorc-record -q -d 4 -o log -- sh -c 'echo >>runs; trap "exit 0" INT; sleep 9 & wait' >got 2>err
	test "$(wc -l <runs)" -eq 1
	grep -qx 0 got
}
check 'a command that was interrupted is not run again' not_again

# ---- one log, one writer ----------------------------------------------------------------

two_writers() {
	andweorc-record -q -o log -- sh -c 'echo up >up; sleep 1' 2>err1 &
	first=$!
	for _ in $(seq 100); do
		test -e up && break
		sleep 0.05
	done
	exits 125 andweorc-record -q -o log -- sh -c 'echo ran >ran' 2>err
	echo "andweorc-record: cannot write 'log': another andweorc-record does" >want
	same want err
	test ! -e ran
	wait $first
	test "$(grep -c '^andweorc	' log)" -eq 1
	has '^end	run=1	status=exit:0' log
	# Afterwards other processes may lock it.
	exits 0 andweorc-record -q -o log -- sh -c 'echo ran >ran' 2>err
	test "$(grep -c '^run	' log)" -eq 1
}
check 'a second recorder does not write into the log of the first' two_writers

others_locks() {
	exits 0 flock log andweorc-record -q -o log -- true 2>err
	has '^end	run=1	' log
	exits 0 andweorc-record -q -o /dev/null -- andweorc-record -q -o /dev/null -- true 2>err
}
check 'locks of others, and what is no file, do not matter' others_locks

done_testing

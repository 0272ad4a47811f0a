#!/bin/sh
# Progress that nobody has marked: bytes, answers, processor time; and which of them is used.
. "$(dirname "$0")/lib.sh"
. "$data/record/record.sh"

# mover KIND MS [EVERY [LATE]]: works for so long, and moves something in each or each so many rounds; marks them from LATE ms on
cat >mover.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifdef MARKED
#include <andweorc.h>
#else
#define ANDWEORC_PROGRESS(name) ((void)0)
#endif

static volatile unsigned sink;
static char block[3000];

__attribute__((noinline)) static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

static void move(const char *kind, int fd, FILE *f, int pair[2])
{
	struct iovec v[2] = { { block, 1000 }, { block, 2000 } };

	if (!strcmp(kind, "write") && write(fd, block, sizeof block) < 0)
		exit(1);
	if (!strcmp(kind, "writev") && writev(fd, v, 2) < 0)
		exit(1);
	if (!strcmp(kind, "pwrite") && (pread(fd, block, 10, 0) < 0 || pwrite(fd, block, sizeof block, 0) < 0))
		exit(1);
	if (!strcmp(kind, "fwrite"))
		fwrite(block, 1, sizeof block, f);
	if (!strcmp(kind, "fprintf"))
		fprintf(f, "%3000d", 1);
	if (!strcmp(kind, "read") && read(fd, block, sizeof block) < 0)
		exit(1);
	if (!strcmp(kind, "answer") && (send(pair[0], "?", 1, 0) < 0 || recv(pair[1], block, 9, 0) < 0 || send(pair[1], "yes", 3, 0) < 0 ||
					write(pair[1], ".", 1) < 0 || recv(pair[0], block, 9, 0) < 0))
		exit(1);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	long ms = argc > 2 ? atol(argv[2]) : 100, moves = 0, every = argc > 3 ? atol(argv[3]) : 1;
	int fd = open(!strcmp(kind, "read") ? "/dev/zero" : "moved", O_RDWR | O_CREAT, 0600), pair[2];
	FILE *f = fopen("stream", "w");
	clock_t end, late;

	if (fd < 0 || !f || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return 1;
	end = clock() + ms * (CLOCKS_PER_SEC / 1000);
	late = clock() + (argc > 4 ? atol(argv[4]) : 0) * (CLOCKS_PER_SEC / 1000);
	while (clock() < end) {
		work(400000);
		if (clock() >= late)
			ANDWEORC_PROGRESS("round");
		if (++moves % every == 0)
			move(kind, fd, f, pair);
	}
	fclose(f);
	printf("%ld\n", moves / every);
	return 0;
}
END
gcc -O2 -g -o mover mover.c || exit 1
gcc -O2 -g -DMARKED -I"$top/lib" -o marked mover.c || exit 1

# moves KIND POINT BYTES: of what is asked for from the first instruction on, nothing is missed but what comes before the recorder
moves() {
	recording log -P "$2" -r work --window 40 -s 50 -- ./mover "$1" 1000
	has "^point	.*name=$2	kind=automatic" log
	times=$(cat out)
	counted=$(field point "$2" visits)
	test "$counted" -le $((times * $3))
	test "$counted" -ge $((times * $3 * 8 / 10))
	field visits "$2" kind | sort -u >got
	echo throughput | same - got
}
check 'bytes written' moves write :output 3000
check 'bytes written from several places' moves writev :output 3000
check 'bytes written to a place' moves pwrite :output 3000
check 'bytes written by stdio, as they leave it' moves fwrite :output 3000
check 'bytes printed' moves fprintf :output 3000
check 'bytes read' moves read :input 3000

answers() {
	# Two a round, as both ends are here: "yes" and "." are one answer, and who has heard it writes again.
	moves answer :replies 2
	# Reading and writing at places in a file is no conversation.
	recording log -P :replies -r work --window 40 -s 50 -- ./mover pwrite 700
	test "$(field point :replies visits)" -eq 0
}
check 'answers' answers

is_found_out() {
	recording log -r work -s 50 -- ./mover write 2500
	field visits :output experiment >got
	test -s got
	field visits :work experiment >got
	test -s got
	field visits :input experiment >got
	empty got
	has 'what=unmarked	text=no%20progress%20point%20is%20marked:%20progress%20is%20:output,%20:work;' log
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	grep -c '^point' analysis >got
	echo 1 | same - got
	exits 0 andweorc-analyze --format andweorc -p :output resolved >analysis
	has '^point	point=:output' analysis
}
check 'what advances steadily is found out; one of several is shown' is_found_out

is_rare() {
	recording log -r work -s 50 -- ./mover write 2500 300
	field visits :output experiment >got
	empty got
	field visits :work experiment >got
	test -s got
}
check 'what moves now and then is no progress' is_rare

# The work is the same whatever moves: half of it faster is half of the time.
is_right() {
	recording log -r work -s 50 -d 6 -- ./mover write 100000
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc -p :work resolved >analysis
	awk -F'\t' '$1 == "impact" { for (i = 2; i <= NF; i++) { split($i, f, "="); v[f[1]] = f[2] } }
		END { exit !(v["slope_hi"] > 0.9 && v["slope"] > 0.8) }' analysis
}
check ':work of a program that only works' is_right

has_points() {
	recording log -r work --window 40 -s 50 -- ./marked write 1500
	lacks 'kind=automatic' log
	lacks 'what=unmarked' log
	# Asked for, they are there beside.
	recording log -P :output -r work --window 40 -s 50 -- ./marked write 1500
	field visits :output experiment >got
	test -s got
	field visits round experiment >got
	test -s got
	exits 0 andweorc-resolve log >resolved
	exits 0 andweorc-analyze --format andweorc resolved >analysis
	has '^point	point=round' analysis
	lacks '^point	point=:output' analysis
}
check 'a program with points has no others, unless they are asked for' has_points

marks_late() {
	recording log -r work --window 40 -s 50 -- ./marked write 5000 1 1800
	field visits :work experiment >before
	field visits round experiment >after
	test -s before
	test -s after
	# From the first mark on it is the only point, but for the window that was on.
	last=$(tail -n 1 before)
	test "$(awk -v last="$last" '$1 > last + 1' after | wc -l)" -ge 5
}
check 'a mark that comes late ends the others' marks_late

becomes_short() {
	# The first run takes longer than those that follow it.
	cat >shrinks <<'END'
#!/bin/sh
if mkdir once 2>/dev/null; then exec ./mover none 600; else exec ./mover none 30; fi
END
	chmod +x shrinks
	recording log -d 6 -s 50 -- ./shrinks
	values kind visits | sort -u >got
	has '^run$' got
}
check 'runs that are too short for windows are compared as a whole' becomes_short

is_refused() {
	exits 125 andweorc-record -o log -P :outputs -- ./mover write 100 2>err
	has "^andweorc-record: bad point ':outputs'" err
}
check 'a name that is none' is_refused

done_testing

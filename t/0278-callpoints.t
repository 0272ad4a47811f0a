#!/bin/sh
# Functions of libraries as progress points (-P): each call is counted, and nothing else about it is changed.
. "$(dirname "$0")/lib.sh"
. "$top/t/record.sh"

cc='gcc -O2 -g -Wall -Wextra -D_GNU_SOURCE'
here=$programs
$cc -shared -fPIC -o libcalled.so "$here/called.c" || exit 1
libs="-I$here -L. -lcalled -Wl,-rpath,$PWD"
# shellcheck disable=SC2086
$cc -o calls "$here/calls.c" $libs -ldl || exit 1

unminded='ended before an experiment'
# record ARG...: a recording into `log`
record() {
	recording log -m function --window 20 -s 50 "$@"
}

# counted N [POINT]: visits, as a call
counted() {
	empty err
	test "$(field point "${2:-tick}" kind)" = call
	test "$(field point "${2:-tick}" visits)" -eq "$1"
}

# ---- each call is counted ----------------------------------------------------------------

# A window is sped up, and some have visits.
has_windows() {
	grep -q '^experiment	.*	speedup_pct=50' "$log" && grep -q '^visits' "$log"
}

# record_windows ARG...: the same of a program that goes on until there are windows
record_windows() {
	recording_until has_windows log -m function --window 20 -s 50 "$@"
}

# made WHAT: ./calls says how many it has made ($n), and nothing else
made() {
	n=$(sed -n "s/^$1=//p" out)
	echo "$1=$n" | same - out
}

ticked() {
	record_windows "$@" ticks 1000000000
	made tick
	counted "$n"
	lacks given_up log
}

ticks() {
	ticked -P tick -r work -- ./"$1"
	# Windows are opened and closed there.
	field visits tick kind | sort -u >got
	echo throughput >want
	same want got
}

# built NAME COMPILER OPTION...
built() {
	name=$1
	compiler=$2
	shift 2
	# shellcheck disable=SC2086
	$compiler ${cc#gcc} "$@" -o "$name" "$here/calls.c" $libs -ldl
	ticks "$name"
}
for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	if test $compiler = gcc || is_long; then
		check "bound at the first call ($compiler)" built lazy $compiler -fPIE -pie -Wl,-z,lazy
		check "bound at the start, read-only after that ($compiler)" built now $compiler -fPIE -pie -Wl,-z,now,-z,relro
		check "in a program at a fixed address ($compiler)" built fixed $compiler -fno-pie -no-pie -Wl,-z,lazy
	fi
	check "without a linkage table ($compiler)" built noplt $compiler -fPIE -pie -fno-plt
done

both_counted() {
	grep -q '^visits	.*libtwin-two!twin	' "$log" && grep -q '^visits	.*libtwin-one.so!twin	' "$log"
}

# Two libraries have a function of that name, and the program calls each of them.
of_one_library() {
	for name in one two; do
		printf 'static volatile int n;\nvoid twin(void);\nvoid twin(void) { n++; }\nvoid %s(void);\nvoid %s(void) { twin(); }\n' $name $name >$name.c
		$cc -shared -fPIC -o libtwin-$name.so.1 $name.c -Wl,-soname,libtwin-$name.so.1
		printf 'void twin(void);\nvoid by_%s(void);\nvoid by_%s(void) { twin(); }\n' $name $name >by-$name.c
		$cc -shared -fPIC -o libby-$name.so by-$name.c -L. -l:libtwin-$name.so.1 -Wl,-rpath,"$PWD"
	done
	cat >twins.c <<'END_OF_C'
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	/* Each finds the function of its own library. */
	void (*one)(void) = (void (*)(void))dlsym(dlopen("libby-one.so", RTLD_NOW | RTLD_LOCAL), "by_one");
	void (*two)(void) = (void (*)(void))dlsym(dlopen("libby-two.so", RTLD_NOW | RTLD_LOCAL), "by_two");

	while (access(getenv("LIFE_UNTIL"), F_OK) != 0)
		for (int i = 0; i < 100000; i++) {
			one();
			if (i % 4 == 0)
				two();
		}
	return 0;
}
END_OF_C
	$cc -o twins twins.c -Wl,-rpath,"$PWD" -ldl
	# The library's name, without its version.  The libraries are loaded late: how many calls went by before the
	# recorder had seen them is not known.
	recording_until both_counted log -m function --window 20 -s 50 -P 'libtwin-two!twin' -P 'libtwin-one.so!twin' -r main -- ./twins
	for point in 'libtwin-two!twin' 'libtwin-one.so!twin'; do
		test "$(field point "$point" kind)" = call
	done
	# In windows that have visits of both points.
	awk -F'\t' "$awk_value"'
	$1 == "visits" { count[value("experiment"), value("point")] = number("count"); seen[value("experiment")] }
	END {
		for (e in seen)
			if ((e, "libtwin-one.so!twin") in count && (e, "libtwin-two!twin") in count) {
				one += count[e, "libtwin-one.so!twin"]
				two += count[e, "libtwin-two!twin"]
			}
		print one + 0 " and " two + 0 " calls"
		exit !(two > 0 && one > 3.5 * two && one < 4.5 * two)
	}' log
	exits 0 andweorc-record -q -o log -P 'libtwin-tw!tick' -- ./lazy ticks 3000000 >out 2>err
	has "no progress point at 'libtwin-tw!tick': no code of the program or its libraries is called so" err
}
check 'of one library, where others have that name, too' of_one_library

of_zlib() {
	cat >sums.c <<'END_OF_C'
#include <stdlib.h>
#include <zlib.h>
int main(int argc, char **argv)
{
	static const unsigned char data[4096];
	uLong sum = 0;

	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
		sum = crc32(sum, data, sizeof(data));
	return sum == 1;
}
END_OF_C
	$cc -o sums sums.c -lz
	record -P 'libz!crc32' -r main -- ./sums 50000
	counted 50000 'libz!crc32'
	# There is no such function in that library, and one in another.
	exits 125 andweorc-record -q -o log -P 'libc!crc32' -r main -- ./sums 50000 >out 2>err
	has "no progress point at 'libc!crc32': no code of the program or its libraries is called so" err
}
check "crc32 of zlib" of_zlib

timer() {
	ticked --sampler timer -P tick -r work -- ./calls
}
check 'without perf' timer

# The function is called from another library that the program is linked with.
cat >between.c <<'END_OF_C'
#include "called.h"
void between(long n);
void between(long n)
{
	for (long i = 0; i < n; i++)
		tick();
}
END_OF_C
cat >user.c <<'END_OF_C'
void between(long n);
int main(void)
{
	for (int i = 0; i < 1000; i++)
		between(1000);
	return 0;
}
END_OF_C
from_a_library() {
	# shellcheck disable=SC2086
	$cc "$@" -shared -fPIC -o libbetween.so between.c $libs
	# shellcheck disable=SC2086
	$cc -o user user.c -L. -lbetween $libs
	record -P tick -- ./user
	counted 1000000
}
check 'from another library' from_a_library -Wl,-z,lazy
check 'from another library, bound at the start' from_a_library -Wl,-z,now
check 'from another library, without a linkage table' from_a_library -fno-plt

addresses() {
	for program in lazy now fixed noplt; do
		record -P tick -- ./$program addresses 2000000
		counted 2000000
	done
}
check 'through pointers, which are the same everywhere' addresses

forks() {
	record -P tick -r work -- ./calls forks 150000
	counted 300000
}
check 'in a forked child' forks

execs() {
	record -P tick -r work -- ./calls execs 150000
	counted 300000
}
check 'after an exec' execs

# The first program has the library, and does not call the function.
cat >launcher.c <<'END_OF_C'
#include <unistd.h>
#include "called.h"
int main(int argc, char **argv)
{
	(void)argc;
	make_large(1);
	execv("./calls", argv);
	return 1;
}
END_OF_C
# shellcheck disable=SC2086
$cc -o launcher launcher.c $libs || exit 1
by_another_program() {
	# The recorder has to notice.
	for n in 1000000 10000000; do
		record "$@" -P tick -r work -- ./launcher ticks $n
		test "$(field point tick kind)" = call
		test "$(field point tick visits)" -le $n
		lacks given_up log
		if test "$(field point tick visits)" -ge $((n / 2)); then
			break
		fi
	done
	test "$(field point tick visits)" -ge $((n / 2))
}
check 'by a program that another one has become' by_another_program
check 'by a program that another one has become, without perf' by_another_program --sampler timer

cat >plugin.c <<'END_OF_C'
#include "called.h"
void in_plugin(long n);
void in_plugin(long n)
{
	for (long i = 0; i < n; i++)
		tick();
}
END_OF_C
# in_a_plugin MODE OPTION...
in_a_plugin() {
	mode=$1
	shift
	# shellcheck disable=SC2086
	$cc "$@" -shared -fPIC -o plugin.so plugin.c $libs
	record -P tick -P in_plugin -r work -- ./calls "$mode" 100000
	counted 100000
}
check 'from a library that is loaded later, bound at once' in_a_plugin loads -Wl,-z,now,-z,relro
check 'from a library that is loaded later' in_a_plugin plugin -Wl,-z,lazy

by_dlsym() {
	test "$(field point in_plugin kind)" = call
	# The first calls come before the recorder has seen it.
	test "$(field point in_plugin visits)" -ge 980
	test "$(field point in_plugin visits)" -le 1000
}
check 'what dlsym has found' by_dlsym

# ---- nothing else is changed -------------------------------------------------------------

arrive() {
	record_windows "$@" -P mix -P wide -P sum -P make_large -P make_pair -P make_mixed -r work -- ./calls values 1000000000
	made values
	for point in mix wide make_large make_pair make_mixed; do
		counted "$n" $point
	done
	counted $((2 * n)) sum
	# Experiments were on: only then does a visit do more than count.
	test "$(values speedup_pct experiment | grep -c 50)" -ge 1
}
check 'arguments and results of all kinds arrive; more than four points' arrive
check 'arguments and results of all kinds arrive, without perf' arrive --sampler timer

vectors() {
	# shellcheck disable=SC2086
	$cc "$@" -shared -fPIC -o vectors/libcalled.so "$here/called.c"
	# shellcheck disable=SC2086
	$cc "$@" -o vectors/calls "$here/calls.c" -I"$here" -Lvectors -lcalled -Wl,-rpath,"$PWD/vectors" -ldl
	record_windows -P "$point" -r work -- vectors/calls values 1000000000
	made values
	counted "$n" "$point"
	test "$(values speedup_pct experiment | grep -c 50)" -ge 1
}
mkdir vectors
for option in avx avx512f; do
	if grep -q "^flags.* $option " /proc/cpuinfo; then
		test $option = avx && point=add4 || point=add8
		check "vectors of $option arrive" vectors -m$option
	else
		skip "vectors of $option arrive" 'the processor has none'
	fi
done

signals() {
	record -P tick -P mix -P sum -P make_large -r work -- ./calls signals 500000
	echo 'caught=1' >want
	same want out
	test "$(field point tick visits)" -ge 10
}
check 'calls by handlers' signals

cat >throws.cc <<'END_OF_CC'
#include "called.h"
#include <cstdio>
#include <stdexcept>

static void thrower()
{
	throw std::runtime_error("x");
}

int main()
{
	int caught = 0;

	for (int i = 0; i < 20000; i++)
		try {
			call(thrower);
		} catch (const std::exception &) {
			caught++;
		}
	std::printf("caught=%d\n", caught);
}
END_OF_CC
throws() {
	$cc -fexceptions -shared -fPIC -o libcalled.so "$here/called.c"
	# shellcheck disable=SC2086
	g++ -O2 -g -o throws throws.cc $libs
	record -P call -r thrower -- ./throws
	echo 'caught=20000' >want
	same want out
	counted 20000 call
}
if command -v g++ >/dev/null; then
	check 'exceptions pass' throws
fi

# ---- what is not counted so ----------------------------------------------------------------

# A static function of the program has the name of a function of its library: both are meant, and not all calls can be seen.
cat >own.c <<'END_OF_C'
#include <stdio.h>
void between(long n);
static volatile unsigned sink;
static __attribute__((noinline)) void tick(void)
{
	sink++;
}
int main(void)
{
	for (int i = 0; i < 100; i++) {
		between(1);
		tick();
		for (int k = 0; k < 1000000; k++)
			sink += 3;
	}
	return 0;
}
END_OF_C
own_comes_first() {
	# shellcheck disable=SC2086
	$cc -o own own.c -L. -lbetween $libs
	record -P tick -- ./own
	# The library's function counts as one of the program's own, too.
	test "$(field point tick kind)" = breakpoint
	test "$(field point tick visits)" -eq 200
}

# The library calls it itself, past all slots.
cat >inside.c <<'END_OF_C'
static volatile unsigned sink;
void step(void);
void steps(long n);
__attribute__((noinline, visibility("default"))) void step(void)
{
	/* On an AMD EPYC, a loop in the same 64 bytes as a breakpoint takes 13 times as long. */
	__asm__ volatile(".skip 128, 0x90");
	for (int k = 0; k < 1000000; k++)
		sink += 3;
}
void steps(long n)
{
	while (n-- > 0)
		step();
}
END_OF_C
# Inside until there is the file, then so often from outside.
cat >outside.c <<'END_OF_C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
void step(void);
void steps(long n);
int main(int argc, char **argv)
{
	long inside;

	for (inside = 0; access(getenv("LIFE_UNTIL"), F_OK) != 0; inside += 5)
		steps(5);
	for (long i = argc > 1 ? atol(argv[1]) : 0; i > 0; i--)
		step();
	printf("%ld\n", inside);
	return 0;
}
END_OF_C
has_steps() {
	test "$(values count visits "$log" | awk '{ n += $0 } END { print n + 0 }')" -ge 100
}
inside() {
	recording_until has_steps log -m function --window 20 -s 50 -P step -r step -- ./outside
	test "$(field point step kind)" = call
	test "$(field point step visits)" -ge 100
	# The calls of the first second are not counted.
	test "$(field point step visits)" -lt "$(cat out)"
}
inside_and_outside() {
	recording_until has_steps log -m function --window 20 -s 50 -P step -r step -- ./outside 300
	test "$(field point step visits)" -gt 300
	test "$(field point step visits)" -le $(($(cat out) + 300))
	lacks given_up log
}
if has_breakpoints; then
	check "a function of the program has that name, too" own_comes_first
	$cc -shared -fPIC -Wl,-Bsymbolic -o libinside.so inside.c && $cc -o outside outside.c -L. -linside -Wl,-rpath,"$PWD" || exit 1
	beside 'who is called inside the library alone is counted by breakpoints' inside
	beside 'until it is called from elsewhere' inside_and_outside
	results
else
	skip "a function of the program has that name, too" 'no breakpoints here'
	skip 'who is called inside the library alone is counted by breakpoints' 'the same'
	skip 'until it is called from elsewhere' 'the same'
fi

# ---- programs of the distribution ------------------------------------------------------------

sqlite() {
	awk 'BEGIN {
		print "create table t(a, b);"
		for (i = 0; i < 200; i++)
			print "insert into t values(" i ", " i * 7 ");"
		for (i = 0; i < 10000; i++)
			print "select sum(b) from t where a > " i % 200 ";"
	}' >selects
	exits 0 sqlite3 :memory: <selects >want
	exits 0 andweorc-record -q -o log -m function -P sqlite3_step -r sqlite3_step --window 50 -s 50 -- \
		sqlite3 :memory: <selects >got 2>err
	same want got
	test "$(field point sqlite3_step kind)" = call
	# A row and the end of each select.  On a busy machine it does not wait until the recorder has read its libraries.
	test "$(field point sqlite3_step visits)" -ge 10000
	test "$(field point sqlite3_step visits)" -le 21000
	lacks given_up log
}
if command -v sqlite3 >/dev/null && ldd "$(command -v sqlite3)" | grep -q libsqlite3; then
	check 'sqlite3_step' sqlite
else
	skip 'sqlite3_step' 'sqlite3 is not there, or has no libsqlite3'
fi

digests() {
	exits 0 andweorc-record -q -o log -m function -P EVP_DigestFinal_ex --window 50 -s 50 -- \
		openssl speed -evp sha256 -bytes 64 -seconds 1 >out 2>err
	test "$(field point EVP_DigestFinal_ex kind)" = call
	# At least half of the calls that openssl prints: the first may come before the recorder has read the libraries.
	digests=$(sed -n 's/^Doing sha256.*: \([0-9]*\) sha256.*/\1/p' err)
	test "$(field point EVP_DigestFinal_ex visits)" -ge $((digests / 2))
	lacks given_up log
}
if command -v openssl >/dev/null && ldd "$(command -v openssl)" | grep -q libcrypto; then
	check 'EVP_DigestFinal_ex' digests
else
	skip 'EVP_DigestFinal_ex' 'openssl is not there, or has no libcrypto'
fi

done_testing

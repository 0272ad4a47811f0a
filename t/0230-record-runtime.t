#!/bin/sh
# The runtime of andweorc-record: the functions that it may call and export; when it is
# inert; and the header, in each language and link that it promises.
. "$(dirname "$0")/lib.sh"

runtime=$O/libandweorc.so
test -e "$runtime" || { echo "Bail out! no $runtime"; exit 1; }
LIFE_MS=200
export LIFE_MS

# ---- what the objects may call ---------------------------------------------------

# Async-signal-safe, bounded, without allocation, no system call but those of lib/runtime/sys.h: any context.
any='__errno_location clock_gettime memcpy memmove memset pthread_self sched_getcpu strncmp strncpy'

# allowed OBJECT: prints the names that it may import from outside the runtime.  Adding a name is a decision: say why it is safe.
allowed() {
	case $1 in
	account.o | earner.o | object.o | processor.o | segment.o | vclock.o) # rules: no clock, no system call
		echo memcpy memset ;;
	init.o) # the constructor: before main, alone
		echo "$any" getenv __dso_handle __register_atfork gnu_get_libc_version strstr ;;
	real.o) # the constructor, or the first wrapper of all, never a handler
		echo "$any" dladdr dlsym dlvsym strcmp ;;
	sampler.o) # sampler_init alone, in the constructor
		echo "$any" __libc_current_sigrtmax sscanf uname ;;
	sample_signal.o) # sets of signals are words
		echo "$any" sigaddset sigemptyset sigfillset sigorset ;;
	create.o) # in the place of pthread_create: these neither allocate nor wait
		echo "$any" pthread_attr_destroy pthread_attr_getstacksize pthread_attr_init pthread_key_create pthread_setspecific ;;
	stdio.o) # in the place of functions that do as much; and what pthread_cleanup_push needs
		echo "$any" memchr stdin stdout strlen __pthread_register_cancel __pthread_unregister_cancel __pthread_unwind_next __sigsetjmp ;;
	aio.o) # reads a word of the control block
		echo "$any" aio_error ;;
	sem.o) # in the place of functions that look for a cancellation too; the other reads a word
		echo "$any" pthread_testcancel sem_getvalue ;;
	syscall.o) # a word of the thread's own
		echo "$any" pthread_setcancelstate ;;
	mpi.o) # the first call that needs the world
		echo "$any" dlsym ;;
	library.o | omp_real.o) # the first call of such a library from a place, never a handler
		echo "$any" dladdr dlclose dlopen dlsym ;;
	redirect.o) # the constructor, or in the place of dlopen and dlsym, which take the same lock
		echo "$any" dl_iterate_phdr strcmp strlen strncmp strrchr ;;
	ompt.o) # as LLVM's OpenMP runtime starts
		echo "$any" dlsym ;;
	stack.o) # where the linker has put us
		echo "$any" __ehdr_start ;;
	unwind.o) # nothing at all: it runs at any instruction of any program
		;;
	*)
		echo "$any" ;;
	esac | tr -s ' \t' '\n' | sort -u
}

# themselves OBJECT: prints our own wrappers that it may call by name, as the program would
themselves() {
	case $1 in
	create.o) echo pthread_once ;;
	thread.o | rawcall.o) echo getauxval ;;
	syscall.o) # a call by number is one by name
		echo _exit accept accept4 close close_range connect dup dup2 dup3 epoll_wait fcntl fdatasync fsync pause poll prctl \
			pread64 pwrite64 read readv recvfrom recvmmsg recvmsg sendmmsg sendmsg sendto wait4 write writev ;;
	esac | tr -s ' \t' '\n' | sort -u
}

# Names as written: distributions that fortify by default, and C23, rename some.
plain_names() {
	sed -e 's/^__\(.*\)_chk$/\1/' -e 's/^__isoc[0-9]*_//' -e '/^_GLOBAL_OFFSET_TABLE_$/d' | sort -u
}

ls "$O"/pic/lib/wrap/*.o "$O"/pic/lib/runtime/*.o "$O"/pic/lib/vclock/*.o >objects
test -s objects || { echo "Bail out! no objects in $O/pic"; exit 1; }
# shellcheck disable=SC2046
nm --defined-only -g $(cat objects) | awk 'NF == 3 { print $3 }' | sort -u >ours
nm -D --defined-only "$runtime" | awk '{ print $3 }' | sed 's/@.*//' | sort -u >exported
# A file of names for each object, by one nm: it takes a tenth of a second to start.
mkdir -p imports/wrap imports/runtime imports/vclock
# shellcheck disable=SC2046
nm -A -u $(cat objects) | awk '{ name = $NF; sub(/:.*/, ""); sub(/.*\/lib\//, ""); print name >"imports/" $0 }'

calls_what_it_may() {
	imports=imports/${1##*/lib/}
	test -e "$imports" || : >"$imports" # it may call nothing
	plain_names <"$imports" | comm -23 - ours >imported
	allowed "${1##*/}" >may
	comm -23 imported may >surplus
	empty surplus
	sort -u "$imports" | comm -12 - exported >stand-ins
	themselves "${1##*/}" | comm -23 stand-ins - >surplus
	empty surplus
}
for object in $(cat objects); do
	check "${object##*/}: calls what its context may" calls_what_it_may "$object"
done
has_imports() {
	find imports -type f | wc -l >got
	wc -l <objects | same - got
	test -s imports/runtime/create.o
}
check 'what each object calls was read' has_imports

sources_and_objects_agree() {
	(cd "$top" && ls lib/wrap/*.c lib/runtime/*.c lib/vclock/*.c) | sed 's/c$/o/' >want
	sed 's|.*/pic/||' objects | while read -r object; do
		test ! -e "$top/${object%.o}.c" || echo "$object"
	done >got
	same want got
}
check 'each source has been looked at' sources_and_objects_agree

needs_libc_alone() {
	readelf -d "$runtime" >dynamic
	sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' dynamic | grep -v '^ld-linux' >got
	echo libc.so.6 >want
	same want got
	has 'BIND_NOW|NOW' dynamic
	lacks 'TEXTREL' dynamic
	# The program cannot change a thread's state by way of an allocation: no lazy TLS.
	nm -D -u "$runtime" >undefined
	lacks '__tls_get_addr' undefined
	lacks ' (malloc|free|calloc|realloc|printf|fopen|abort|exit|write)(@|$)' undefined
}
check 'needs libc alone, bound at once, no lazy thread-local storage, no allocation' needs_libc_alone

# The symbols that a program sees: functions in the lists of lib/runtime/real_*.h, variants of their names, and
# functions that are looked up by name.
also='_IO_getc _IO_putc __dprintf_chk __fprintf_chk __getdelim __printf_chk __vprintf_chk dprintf fprintf getc getchar mmap64 printf
	putc putchar vprintf'

exports_what_it_says() {
	test -s exported
	{
		grep -hoE '\bX\([A-Za-z0-9_]+' "$top"/lib/runtime/real_*.h | sed 's/X(//'
		echo "$also" | tr -s ' \t' '\n'
	} | sort -u >listed
	# Also exported: Coz's interface, those of OpenMP's and Kokkos' tools, the functions of MPI that mpi.c wraps (it lists them itself), and the hook that
	# AddressSanitizer looks for.
	comm -23 exported listed | grep -vE '^(_coz_[a-z0-9_]+|ompt_start_tool|MPI_[A-Z][a-z_]+|kokkosp_[a-z_]+|__asan_default_options)$' >surplus || :
	empty surplus
	# All else is libc's, or that of a library of OpenMP or MPI, or asked for by Kokkos.
	nm -D --defined-only "$(ldd "$runtime" | awk '/libc\.so/ { print $3 }')" | awk '{ print $3 }' | sed 's/@.*//' | sort -u >libc
	comm -23 exported libc | grep -vE '^(_coz_|ompt_start_tool$|__asan_default_options$|GOMP_|omp_|__kmpc_|MPI_|kokkosp_|(__)?io_uring_)' >unknown || :
	empty unknown
}
check 'exports what real_*.h lists, and no name of its own' exports_what_it_says

# ---- inert --------------------------------------------------------------------------

program life
gcc -O2 -g -D_GNU_SOURCE -I"$top/lib" -shared -fPIC -o plugin.so "$programs/plugin.c" || exit 1

# without_arena [NAME=VALUE]: each mode of the program gives the same with the library and this environment as
# without; the results without are kept in without/
mkdir without
without_arena() {
	# shellcheck disable=SC3045
	ulimit -c 0
	for mode in crash abort exit main-leaves main-leaves-early fork fork-in-libc spawn exec mask mask-raw trap-handler \
		int3-handler int3 trap trap-flags small-stack many altstack cancel few-descriptors next-descriptor close-all \
		take-numbers dlopen ignored plain; do
		if test ! -e without/$mode.status; then
			LIFE_MS=2 run ./life $mode >without/$mode 2>without/$mode.err
			echo "$status" >without/$mode.status
		fi
		LIFE_MS=2 run env "$@" LD_PRELOAD="$runtime" ./life $mode >got 2>got.err
		same without/$mode got
		same without/$mode.err got.err
		echo "$status" | same without/$mode.status -
	done
}
check 'without its environment variable it is inert' without_arena
check 'with an arena that is not there it is inert' without_arena ANDWEORC_ARENA=/no/such/file
check 'with an arena that is none it is inert' without_arena ANDWEORC_ARENA=/bin/sh
check 'with an arena that is empty it is inert' without_arena ANDWEORC_ARENA=/dev/null

opens_nothing() {
	ls /proc/self/fd >want
	LD_PRELOAD="$runtime" ls /proc/self/fd >got
	same want got
}
check 'inert, it opens no descriptor' opens_nothing

damaged_arena() {
	truncate -s 300M hole
	LD_PRELOAD="$runtime" ANDWEORC_ARENA=$PWD/hole exits 0 ./life plain >got
	echo plain >want
	same want got
	truncate -s 0 hole
}
check 'an arena of another build is left alone' damaged_arena

# ---- the header ----------------------------------------------------------------------

cat >point.c <<'END_OF_C'
#include <andweorc.h>

void visit(void);

void visit(void)
{
	ANDWEORC_BEGIN("span");
	ANDWEORC_BEGIN_ID("numbered", &visit);
	ANDWEORC_PROGRESS("shared");
	ANDWEORC_END_ID("numbered", &visit);
	if (sizeof(int) == 4)
		ANDWEORC_END("span");
	else
		ANDWEORC_END("none");
	if (sizeof(int) == 4)
		ANDWEORC_PROGRESS("another");
	else
		ANDWEORC_PROGRESS("none");
}
END_OF_C
cat >main.c <<'END_OF_C'
#include <andweorc.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C"
#endif
void visit(void);

static volatile unsigned sink;

int main(void)
{
	int i, k;

	for (i = 0; i < 1000; i++) {
		for (k = 0; k < 20000; k++)
			sink += (unsigned)k;
		ANDWEORC_PROGRESS("main");
		visit();
	}
	puts("done");
	return 0;
}
END_OF_C
cp point.c point.cc

strict='-I'$top/lib' -Wall -Wextra -Wpedantic -Wshadow -Wcast-qual -Werror'

compiles() {
	compiler=$1
	shift
	# shellcheck disable=SC2086
	exits 0 "$compiler" $strict -O2 -c -o point.o "$@" "$source" 2>err
	empty err
}

for compiler in gcc clang; do
	if ! command -v $compiler >/dev/null; then
		skip "andweorc.h, $compiler" 'it is not there'
		continue
	fi
	source=point.c
	for std in gnu90 gnu99 c99 c11 gnu11 c17; do
		check "andweorc.h is $std ($compiler)" compiles $compiler -std=$std -Wno-language-extension-token
	done
	check "andweorc.h, not optimised ($compiler)" compiles $compiler -O0
done
for compiler in g++ clang++; do
	if ! command -v $compiler >/dev/null; then
		skip "andweorc.h, $compiler" 'it is not there'
		continue
	fi
	source=point.cc
	for std in c++11 c++14 c++17 c++20; do
		check "andweorc.h is $std ($compiler)" compiles $compiler -std=$std -Wno-old-style-cast
	done
done

# counted PROGRAM [ENV]: all points are visited under the recorder, none of it is seen without
counted() {
	echo 'done' >want
	exits 0 env LD_LIBRARY_PATH=. "./$1" >got
	same want got
	exits 0 env LD_LIBRARY_PATH=. andweorc-record -q -o log -r visit --window 1 -- "./$1" >got 2>err
	same want got
	lacks 'no progress point|no-sample|was not profiled' err
	awk -F'\t' '$1 == "end" { for (i = 2; i <= NF; i++) if ($i ~ /^visits[0-9]+=/) print $i }' log | sort >visits
	same - visits <<-END
	visits1=1000
	visits2=1000
	visits3=1000
	visits4=1000
	visits5=1000
	END
}

built() {
	name=$1
	compiler=$2
	shift 2
	# shellcheck disable=SC2086
	exits 0 "$compiler" $strict -O2 -g "$@" -o "$name"
	counted "$name"
}
for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	check "points of a PIE program are counted ($compiler)" built pie $compiler -fPIE -pie main.c point.c
	check "points of a non-PIE program are counted ($compiler)" built fixed $compiler -fno-pie -no-pie main.c point.c
	check "points, not optimised ($compiler)" built slow $compiler -O0 main.c point.c
done

in_a_shared_object() {
	gcc $strict -O2 -g -fPIC -shared -o libpoint.so point.c
	gcc $strict -O2 -g -no-pie -fno-pie -o user main.c -L. -lpoint
	counted user
	gcc $strict -O2 -g -o user main.c -L. -lpoint
	counted user
}
check 'points of a shared object are counted' in_a_shared_object

in_cxx() {
	cp main.c main.cc
	sed 's/^void visit(void);/extern "C" void visit(void);/' point.c >point-c.cc
	g++ $strict -O2 -g -o cxx main.cc point-c.cc
	counted cxx
}
if command -v g++ >/dev/null; then
	check 'points of C++ are counted' in_cxx
fi

with_lto() {
	gcc $strict -O2 -g -flto -fno-fat-lto-objects -o lto main.c point.c
	counted lto
}
check 'points of a program optimised at link time are counted' with_lto

static_program() {
	gcc $strict -O2 -g -static -o fixed-static main.c point.c
	exits 0 ./fixed-static >got
	echo 'done' >want
	same want got
	LD_PRELOAD="$runtime" exits 0 ./fixed-static >got
	same want got
}
check 'a static program links and runs' static_program

names_are_told_apart() {
	cat >names.c <<-'END_OF_C'
	#include <andweorc.h>
	#include <stdio.h>
	static char name[80][128];
	int main(void)
	{
		volatile unsigned sink = 0;
		for (int i = 0; i < 80; i++) {
			sprintf(name[i], "point number %d", i);
			int n = andweorc_point(name[i]);
			for (int k = 0; n > 0 && k <= i; k++)
				andweorc_visit(n);
		}
		for (int k = 0; k < 30000000; k++)
			sink += (unsigned)k;
		return 0;
	}
	END_OF_C
	gcc -I"$top/lib" -O2 -g -o names names.c
	exits 0 ./names
	exits 0 andweorc-record -q -o log -- ./names 2>err
	# 64 points are the most; those beyond are not counted, and nothing breaks.
	awk -F'\t' '$1 == "end" { for (i = 2; i <= NF; i++) if ($i ~ /^visits[0-9]+=/) print $i }' log >visits
	seq -f 'visits%g' 64 | awk '{ print $0 "=" NR }' >want
	same want visits
}
check 'more points than there is room for' names_are_told_apart

done_testing

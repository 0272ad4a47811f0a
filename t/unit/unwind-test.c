/*
 * Unwinding, against the unwinder of the C++ runtime: the two must agree about
 * every caller, its stack pointer, rbp and rbx, at every single instruction of
 * real code (the processor's trap flag stops behind each) and at random ones.
 */
#include "unit.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <time.h>
#include <unwind.h>
#include <zlib.h>

#include "binary/unwind.h"
#include "runtime/unwind.c" /* the tests are not linked with the runtime */

#define NOINLINE __attribute__((noinline))
#define MAX_FRAMES 256
#define MAX_MODULES 64

static struct unwind_module modules[MAX_MODULES];
static size_t nmodules;
static uintptr_t stack_lo, stack_hi;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- modules ---------------------------------------------------------------- */

static int add_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct unwind_module m = { .lo = UINTPTR_MAX, .bias = info->dlpi_addr };
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe", *why = "";
	struct unwind_row *rows;
	double start = now_ms();

	(void)size, (void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		m.lo = info->dlpi_addr + p->p_vaddr < m.lo ? info->dlpi_addr + p->p_vaddr : m.lo;
		m.hi = info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	if (strstr(path, "linux-vdso"))
		path = "[vdso]";
	m.nrows = (uint32_t)unwind_rows(path, NULL, &rows, &why);
	m.rows = rows;
	if (strstr(path, "libc.so"))
		printf("# %u rows of %s in %.2f ms\n", m.nrows, path, now_ms() - start);
	if (m.nrows == 0)
		printf("# %s: %s\n", path, why);
	modules[nmodules++] = m;
	return nmodules == MAX_MODULES;
}

static int by_lo(const void *a, const void *b)
{
	const struct unwind_module *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

static void find_stack(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned long lo, hi;

	assert_non_null(maps);
	while (fgets(line, sizeof line, maps)) {
		if (strstr(line, "[stack]") && sscanf(line, "%lx-%lx", &lo, &hi) == 2)
			stack_hi = hi;
	}
	fclose(maps);
	assert_true(stack_hi);
	stack_lo = stack_hi - (1 << 23);
}

/* Reads the rows of all modules of this process.  No handler may walk at the same time. */
static void load_modules(void)
{
	while (nmodules > 0)
		free((void *)(uintptr_t)modules[--nmodules].rows);
	dl_iterate_phdr(add_module, NULL);
	qsort(modules, nmodules, sizeof *modules, by_lo);
	find_stack();
}

/* ---- the comparison --------------------------------------------------------- */

struct walk {
	size_t n;
	struct {
		uintptr_t pc, sp, bp, bx;
	} frame[MAX_FRAMES];
};

static struct {
	unsigned long samples, frames, lost_bp, lost_bx, wrong, corrected;
	char first_wrong[512];
	double ns; /* spent in our walks */
} tally;

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *ctx, void *arg)
{
	struct walk *w = arg;
	uintptr_t pc = _Unwind_GetIP(ctx);

	if (pc == 0 || w->n == MAX_FRAMES)
		return _URC_END_OF_STACK;
	w->frame[w->n].pc = pc;
	w->frame[w->n].sp = _Unwind_GetCFA(ctx);
	w->frame[w->n].bp = _Unwind_GetGR(ctx, 6);
	w->frame[w->n].bx = _Unwind_GetGR(ctx, 3);
	w->n++;
	return _URC_NO_REASON;
}

static void walk_on(struct walk *w, struct unwind_cursor *c)
{
	w->n = 0;
	do {
		w->frame[w->n].pc = c->pc;
		w->frame[w->n].sp = c->sp;
		w->frame[w->n].bp = c->bp;
		w->frame[w->n].bx = c->bx;
		w->n++;
	} while (w->n < MAX_FRAMES && unwind_step(c, modules, nmodules));
}

/* The handler's own frame ends their first `skip` frames.  Returns the difference as text, or NULL. */
static const char *difference(const struct walk *ours, const struct walk *theirs, size_t skip)
{
	size_t n = theirs->n - skip;

	for (size_t i = 0; i < ours->n && i < n; i++) {
		if (ours->frame[i].pc != theirs->frame[skip + i].pc)
			return "pc";
		if (ours->frame[i].sp != theirs->frame[skip + i].sp)
			return "sp";
		if (!ours->frame[i].bp && theirs->frame[skip + i].bp)
			tally.lost_bp++;
		else if (ours->frame[i].bp != theirs->frame[skip + i].bp)
			return "rbp";
		if (!ours->frame[i].bx && theirs->frame[skip + i].bx)
			tally.lost_bx++;
		else if (ours->frame[i].bx != theirs->frame[skip + i].bx)
			return "rbx";
	}
	return ours->n == n ? NULL : "depth";
}

static void note_wrong(const char *what, const struct walk *ours, const struct walk *theirs, size_t skip)
{
	char *p = tally.first_wrong, *end = p + sizeof tally.first_wrong;
	Dl_info info;

	if (tally.wrong++)
		return;
	p += snprintf(p, (size_t)(end - p), "%s: ours %zu frames, theirs %zu;", what, ours->n, theirs->n - skip);
	for (size_t i = 0; i < ours->n && p < end - 80; i++) {
		if (dladdr((void *)ours->frame[i].pc, &info))
			p += snprintf(p, (size_t)(end - p), " %.20s+%lx(%.30s)", strrchr(info.dli_fname, '/'),
				      ours->frame[i].pc - (uintptr_t)info.dli_fbase, info.dli_sname ? info.dli_sname : "?");
	}
}

/*
 * In the last two instructions of a realigned function, gcc's rules are wrong (see
 * lib/binary/cfi.c), and its own unwinder may crash.  There the callers must be those
 * that were right one instruction before.
 */
static bool compiler_errs(uintptr_t pc)
{
	static const uint8_t lea_ret[] = { 0x49, 0x8d, 0x62, 0xf8, 0xc3 }; /* lea -8(%r10),%rsp; ret */

	return !memcmp((const void *)pc, lea_ret, 5) || !memcmp((const void *)(pc - 4), lea_ret, 5);
}

static bool same_callers(const struct walk *a, const struct walk *b)
{
	return a->n == b->n && !memcmp(a->frame + 1, b->frame + 1, (a->n - 1) * sizeof a->frame[0]);
}

/* In a signal handler: do both unwinders see the same callers of the interrupted code? */
static NOINLINE void compare(const ucontext_t *uc, bool stepping)
{
	static struct walk ours, theirs, before;
	struct unwind_cursor c;
	struct timespec t0, t1;
	const char *what;
	size_t skip = 0;

	clock_gettime(CLOCK_MONOTONIC, &t0);
	unwind_begin(&c, uc, stack_lo, stack_hi);
	walk_on(&ours, &c);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	tally.ns += (double)(t1.tv_sec - t0.tv_sec) * 1e9 + (double)(t1.tv_nsec - t0.tv_nsec);

	tally.samples++;
	tally.frames += ours.n;
	if (compiler_errs(ours.frame[0].pc)) {
		tally.corrected++;
		if (stepping && !same_callers(&ours, &before))
			note_wrong("epilogue of a realigned function", &ours, &before, 0);
		return;
	}
	before = ours;
	theirs.n = 0;
	_Unwind_Backtrace(add_frame, &theirs);
	while (skip < theirs.n && theirs.frame[skip].sp != ours.frame[0].sp)
		skip++;
	what = skip == theirs.n ? "no common frame" : difference(&ours, &theirs, skip);
	if (what)
		note_wrong(what, &ours, &theirs, skip);
}

/* ---- code to unwind from ---------------------------------------------------- */

static volatile unsigned sink;

static NOINLINE int order(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static NOINLINE void sorting(unsigned n)
{
	unsigned v[512], x = 12345;

	for (unsigned i = 0; i < 512; i++)
		v[i] = x = x * 1103515245u + 12345u;
	qsort(v, n < 512 ? n : 512, sizeof *v, order);
	sink += v[0];
}

static NOINLINE void printing(unsigned n)
{
	char text[200];

	for (unsigned i = 0; i < n; i++)
		sink += (unsigned)snprintf(text, sizeof text, "%u %s %.12g %8lx %c", i, "text", i / 7.0, 0xabcdefUL * i, 'x');
}

static NOINLINE void allocating(unsigned n)
{
	void *p[16] = { 0 };

	for (unsigned i = 0; i < n; i++) {
		free(p[i % 16]);
		p[i % 16] = i % 5 ? malloc(17 * i % 3000 + 1) : calloc(i + 1, 300);
		p[i % 16] = realloc(p[i % 16], 40 * i % 5000 + 1);
	}
	for (unsigned i = 0; i < 16; i++)
		free(p[i]);
}

static NOINLINE void deflating(unsigned n)
{
	unsigned char in[4096], out[8192];
	z_stream z = { .next_in = in, .avail_in = n < sizeof in ? n : sizeof in, .next_out = out, .avail_out = sizeof out };

	for (unsigned i = 0; i < sizeof in; i++)
		in[i] = (unsigned char)(i * i / 7 % 50);
	if (deflateInit2(&z, 6, Z_DEFLATED, 9, 1, Z_DEFAULT_STRATEGY) != Z_OK) /* small tables, to get past filling them */
		return;
	deflate(&z, Z_FINISH);
	sink += (unsigned)z.total_out + (unsigned)crc32(0, in, z.total_in);
	deflateEnd(&z);
}

static NOINLINE unsigned recursing(unsigned n)
{
	volatile unsigned local = n;

	return n == 0 ? 0 : recursing(n - 1) + local;
}

static NOINLINE void growing(unsigned n)
{
	for (unsigned i = 1; i <= n; i++) {
		char *p = __builtin_alloca(i * 24);

		memset(p, (int)i, i * 24);
		sink += (unsigned)p[i];
	}
}

static NOINLINE void big_frame(unsigned n)
{
	char a[100000], b[100000];

	memset(a, (int)n, 2000 + n);
	memcpy(b, a, 2000 + n);
	sink += (unsigned)b[n];
}

/* gcc reaches the arguments of such a function through a register of its own, and then through rbp. */
static NOINLINE void realigned(unsigned n, long a, long b, long c, long d, long e, long on_stack, long also)
{
	char v[64] __attribute__((aligned(64)));
	char *p = __builtin_alloca(n + 8);

	memset(v, (int)(on_stack + also), sizeof v);
	memset(p, (int)(a + b + c + d + e), n);
	sorting(3);
	sink += (unsigned)v[n % 64] + (unsigned)p[0];
}

static NOINLINE void tail(unsigned n)
{
	if (n == 0)
		return;
	sink += n;
	tail(n - 1);
}

static NOINLINE void early_out(unsigned n) /* saves registers late, where the compiler wraps no more than it must */
{
	if (n == 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		if (i % 3 == 0)
			sink += recursing(i % 4);
		tail(i % 3);
	}
}

static NOINLINE void lazily_bound(void)
{
	sink += (unsigned)zlibCompileFlags() + (unsigned)adler32_combine(1, 2, 3); /* called nowhere else */
}

static NOINLINE void everything(unsigned scale)
{
	time_t t = 1700000000;
	struct tm tm;

	sorting(12 * scale);
	printing(scale);
	allocating(20 * scale);
	deflating(200 * scale);
	sink += recursing(10 * scale);
	growing(scale);
	big_frame(scale);
	realigned(scale, 1, 2, 3, 4, 5, 6, 7);
	early_out(4 * scale);
	sink += (unsigned)now_ms() + (unsigned)strtod("3.25e-7", NULL) + (unsigned)atoi("17");
	sink += (unsigned)(localtime_r(&t, &tm) ? tm.tm_year : 0);
}

/* ---- tests ------------------------------------------------------------------ */

static void begin_tally(void)
{
	static struct walk warm;

	memset(&tally, 0, sizeof tally);
	_Unwind_Backtrace(add_frame, &warm); /* sets itself up on first use */
	warm.n = 0;
}

static void end_tally(const char *name, unsigned long at_least)
{
	printf("# %s: %lu samples, %lu frames, %lu wrong, rbp unknown %lu, rbx unknown %lu, %.0f ns a step\n", name,
		      tally.samples, tally.frames, tally.wrong, tally.lost_bp, tally.lost_bx,
		      tally.ns / (double)(tally.frames ? tally.frames : 1));
	if (tally.wrong)
		fail_msg("%lu of %lu walks differ, the first: %s", tally.wrong, tally.samples, tally.first_wrong);
	assert_true(tally.samples >= at_least);
	assert_true(tally.lost_bp == 0);
}

static void on_trap(int sig, siginfo_t *info, void *uc)
{
	(void)sig, (void)info;
	compare(uc, true);
}

/* Sets the trap flag as bit 8 of `flag` says: with it, an exception follows each instruction. */
void set_trap_flag(unsigned long flag);
__asm__(".text\n"
	".type set_trap_flag, @function\n"
	"set_trap_flag:\n"
	"	.cfi_startproc\n"
	"	pushfq\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	andq	$~0x100, (%rsp)\n"
	"	orq	%rdi, (%rsp)\n"
	"	popfq\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size set_trap_flag, . - set_trap_flag\n");

static NOINLINE void trapped(unsigned scale)
{
	set_trap_flag(0x100);
	lazily_bound();
	everything(scale);
	set_trap_flag(0);
}

static void every_instruction_agrees(void **state)
{
	struct sigaction trap = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO }, old;

	(void)state;
	begin_tally();
	sigaction(SIGTRAP, &trap, &old);
	trapped(1);
	sigaction(SIGTRAP, &old, NULL);
	end_tally("every instruction", 20000);
#ifndef __clang__ /* which does not realign in that way */
	assert_true(tally.corrected > 0);
#endif
}

static timer_t timer;

static void arm(void)
{
	static unsigned x = 1;
	struct itimerspec in = { 0 };

	x = x * 1103515245u + 12345u;
	in.it_value.tv_nsec = 20000 + (x >> 8) % 100000;
	timer_settime(timer, 0, &in, NULL);
}

/* From the handler's own frame over the signal frame: the same walk as from the interrupted registers? */
static NOINLINE void compare_across(const ucontext_t *uc, uintptr_t *fp)
{
	static struct walk direct, across;
	struct unwind_cursor c, d;
	struct walk *w = &across;

	unwind_begin(&d, uc, stack_lo, stack_hi);
	walk_on(&direct, &d);
	c = (struct unwind_cursor){ fp[1], (uintptr_t)(fp + 2), fp[0], 0, stack_lo, stack_hi, NULL };
	if (!unwind_step(&c, modules, nmodules)) {
		note_wrong("no step over the signal frame", &direct, &direct, 0);
		return;
	}
	walk_on(w, &c);
	if (w->n != direct.n || memcmp(w->frame, direct.frame, w->n * sizeof w->frame[0]))
		note_wrong("across the signal frame", w, &direct, 0);
}

static void on_timer(int sig, siginfo_t *info, void *uc)
{
	(void)sig, (void)info;
	compare(uc, false);
	compare_across(uc, __builtin_frame_address(0));
	arm();
}

static void random_samples_agree(void **state)
{
	struct sigaction act = { .sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF };
	double end = now_ms() + 2000;

	(void)state;
	begin_tally();
	sigaction(SIGPROF, &act, NULL);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &ev, &timer), 0);
	arm();
	while (now_ms() < end)
		everything(20);
	timer_delete(timer);
	end_tally("random", 1000);
}

/* ---- modules that say less than usual -------------------------------------- */

static const char object_source[] =
	"int toupper(int); int tolower(int);\n"
	"__attribute__((noinline)) static int f(int n, int (*leaf)(int))\n"
	"{ volatile int kept[10]; kept[n % 10] = n;\n"
	"return n ? f(n - 1, leaf) + toupper(n) + kept[n % 10] : leaf(1) + tolower(2); }\n"
	"int work(int n, int (*leaf)(int)) { return f(n, leaf) * 3; }\n";

typedef int work(int n, int (*leaf)(int));

static uintptr_t landmark; /* the CFA of call_work: each walk from below must come by */
static unsigned long passed, missed;

/* Compiles the source above with `flags` and loads it and its rows. NULL when that compiler or linker is not here. */
static work *load_object(const char *flags)
{
	const char *cc = getenv("CC") ? getenv("CC") : "cc";
	char dir[] = "/tmp/unwind-test.XXXXXX", path[64], command[1024];
	static void *object;
	FILE *f;

	if (object)
		dlclose(object);
	object = NULL;
	if (!mkdtemp(dir))
		return NULL;
	snprintf(path, sizeof path, "%s/o.c", dir);
	if ((f = fopen(path, "w"))) {
		fputs(object_source, f);
		fclose(f);
	}
	snprintf(command, sizeof command, "%s -O2 -w -shared -fPIC -nostdlib %s -o %s/o.so %s/o.c 2>/dev/null", cc, flags, dir,
		 dir);
	if (system(command) == 0) {
		snprintf(path, sizeof path, "%s/o.so", dir);
		object = dlopen(path, RTLD_LAZY);
		load_modules();
	}
	snprintf(command, sizeof command, "rm -r %s", dir);
	if (system(command) != 0)
		return NULL;
	return object ? (work *)dlsym(object, "work") : NULL;
}

static const struct unwind_module *last_object(work *entry)
{
	return unwind_find((uintptr_t)entry, modules, nmodules);
}

static void look_for_landmark(struct unwind_cursor *c)
{
	static struct walk w;
	bool found = false;

	walk_on(&w, c);
	for (size_t i = 0; i < w.n; i++)
		found = found || w.frame[i].sp == landmark;
	found ? passed++ : missed++;
}

static void on_object_trap(int sig, siginfo_t *info, void *uc)
{
	struct unwind_cursor c;

	(void)sig, (void)info;
	unwind_begin(&c, uc, stack_lo, stack_hi);
	look_for_landmark(&c);
}

static NOINLINE int leaf_of_work(int n)
{
	uintptr_t *fp = __builtin_frame_address(0);
	struct unwind_cursor c = { fp[1], (uintptr_t)(fp + 2), fp[0], 0, stack_lo, stack_hi, NULL };

	look_for_landmark(&c);
	return n;
}

static NOINLINE void call_work(work *entry, bool step)
{
	struct sigaction trap = { .sa_sigaction = on_object_trap, .sa_flags = SA_SIGINFO }, old;

	landmark = (uintptr_t)__builtin_frame_address(0) + 16;
	passed = missed = 0;
	sigaction(SIGTRAP, &trap, &old);
	if (step)
		set_trap_flag(0x100);
	entry(5, leaf_of_work);
	set_trap_flag(0);
	sigaction(SIGTRAP, &old, NULL);
}

/* cmocka's skip() prints what prove takes for a failure. */
static void not_tried(void)
{
	printf("# not tried: this compiler or linker cannot make the object\n");
}

static void debug_frame_will_do(void **state)
{
	work *entry = load_object("-g -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer");

	(void)state;
	if (!entry) {
		not_tried();
		return;
	}
	assert_true(last_object(entry)->nrows > 5);
	call_work(entry, true);
	printf("# without unwind tables, with -g: %lu walks\n", passed);
	assert_int_equal(missed, 0);
	assert_true(passed > 100);
}

static void undescribed_stubs_are_known(void **state)
{
	work *entry = load_object("-fuse-ld=lld -Wl,-z,lazy");

	(void)state;
	if (!entry) {
		not_tried();
		return;
	}
	call_work(entry, true);
	printf("# linked by lld: %lu walks\n", passed);
	assert_int_equal(missed, 0);
	assert_true(passed > 100);
}

static void frame_pointers_stand_in_for_rows(void **state)
{
	work *entry = load_object("-fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer "
				  "-Wl,--no-ld-generated-unwind-info");

	(void)state;
	if (!entry) {
		not_tried();
		return;
	}
	assert_int_equal(last_object(entry)->nrows, 0);
	call_work(entry, false);
	assert_int_equal(missed, 0);
	assert_int_equal(passed, 1);
}

/* ---- by hand ---------------------------------------------------------------- */

/* One frame by each kind of row, on a stack made by hand. */
static void each_rule_gives_its_caller(void **state)
{
	static uintptr_t stack[64];
	const uintptr_t base = (uintptr_t)stack, code = 0x500000;
	const struct unwind_row rows[] = {
		{ .start = 0x10, .cfa = UNWIND_REG, .base = REG_RSP, .off = 8 },
		{ .start = 0x20, .cfa = UNWIND_REG, .base = REG_RBP, .off = 16, .bp = 2, .bx = 3 },
		{ .start = 0x30, .cfa = UNWIND_REG, .base = REG_R10, .off = 0, .bp = UNWIND_LOST, .bx = UNWIND_SAME },
		{ .start = 0x40, .cfa = UNWIND_LOAD, .base = REG_RBP, .off = -8, .bp = 128, .bx = 128 | 2 },
		{ .start = 0x50, .cfa = UNWIND_LOAD_8, .base = REG_RSP, .off = 16 },
		{ .start = 0x60, .cfa = UNWIND_PLT, .base = 11 },
		{ .start = 0x70, .cfa = UNWIND_OUTERMOST },
		{ .start = 0x80, .cfa = UNWIND_UNKNOWN },
	};
	const struct unwind_module m[] = {
		{ .lo = code - 0x2000, .hi = code - 0x1000, .bias = code - 0x2000 },
		{ .lo = code, .hi = code + 0x1000, .bias = code, .rows = rows, .nrows = sizeof rows / sizeof *rows },
	};
	const struct {
		unsigned off;          /* of the pc, interrupted there */
		int sp, bp, r10;       /* indices into the stack */
		int to_sp, to_bp, to_bx; /* of the caller: index of sp, of the words that it has; -1 unknown, -2 unchanged */
	} t[] = {
		{ 0x10, 8, 20, 0, 9, -2, -2 },
		{ 0x1f, 8, 20, 0, 9, -2, -2 },
		{ 0x20, 8, 20, 0, 22, 20, 19 },
		{ 0x30, 8, 20, 30, 30, -1, -2 },
		{ 0x40, 8, 20, 0, 40, 20, 18 },
		{ 0x50, 8, 20, 0, 41, -2, -2 },
		{ 0x60, 8, 20, 0, 9, -2, -2 },
		{ 0x6a, 8, 20, 0, 9, -2, -2 },
		{ 0x6b, 8, 20, 0, 10, -2, -2 },
		{ 0x6f, 8, 20, 0, 10, -2, -2 },
		{ (unsigned)-0x1800, 8, 20, 0, 22, 20, -1 }, /* no rows: frame pointer */
	};

	(void)state;
	for (size_t i = 0; i < 64; i++)
		stack[i] = 0x1000 + i;
	stack[19] = base + 8 * 40; /* rbp - 8 */
	stack[10] = base + 8 * 40; /* rsp + 16 */
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		ucontext_t uc = { 0 };
		struct unwind_cursor c;
		uintptr_t bp = base + 8 * (uintptr_t)t[i].bp, bx = 77;

		uc.uc_mcontext.gregs[REG_RIP] = (greg_t)(code + (uintptr_t)(int)t[i].off);
		uc.uc_mcontext.gregs[REG_RSP] = (greg_t)(base + 8 * (uintptr_t)t[i].sp);
		uc.uc_mcontext.gregs[REG_RBP] = (greg_t)bp;
		uc.uc_mcontext.gregs[REG_RBX] = (greg_t)bx;
		uc.uc_mcontext.gregs[REG_R10] = (greg_t)(base + 8 * (uintptr_t)t[i].r10);
		unwind_begin(&c, &uc, base, base + sizeof stack);
		assert_true(unwind_step(&c, m, 2));
		assert_int_equal(c.sp, base + 8 * (uintptr_t)t[i].to_sp);
		assert_int_equal(c.pc, stack[t[i].to_sp - 1]);
		assert_int_equal(c.bp, t[i].to_bp == -1 ? 0 : t[i].to_bp == -2 ? bp : stack[t[i].to_bp]);
		assert_int_equal(c.bx, t[i].to_bx == -1 ? 0 : t[i].to_bx == -2 ? bx : stack[t[i].to_bx]);
		assert_null(c.regs);
		/*
		 * The same registers as in a caller: r10 is unknown, and there is no red
		 * zone.  Then pc - 1 decides.
		 */
		c = (struct unwind_cursor){ code + (uintptr_t)(int)t[i].off + 1, base + 8 * (uintptr_t)t[i].sp, bp, bx, base,
					    base + sizeof stack, NULL };
		assert_int_equal(unwind_step(&c, m, 2), t[i].off != 0x30);
	}
	/* A word that is only half within the bounds is not read. */
	stack[19] = base + 8 * 12;
	for (unsigned half = 0; half < 2; half++) {
		struct unwind_cursor c = { code + 0x41, base + 64, base + 160, 0, base, base + 8 * 20 - 4 * half, NULL };

		assert_int_equal(unwind_step(&c, m, 2), half == 0);
	}
	for (unsigned off = 0; off < 0x100; off += 0xf) { /* nothing to go by */
		struct unwind_cursor c = { code + off + 1, base + 64, base + 160, 0, base, base + sizeof stack, NULL };

		if (off >= 0x10 && off < 0x70)
			continue;
		assert_false(unwind_step(&c, m, 2));
		assert_int_equal(c.pc == 0, off >= 0x70 && off < 0x80);
	}
}

static unsigned long below(unsigned long n) /* a random number */
{
	static unsigned long x = 7;

	x = x * 6364136223846793005UL + 1442695040888963407UL;
	return (x >> 20) % n;
}

/* Somewhere in the code of this process; often where a rare kind of row rules. */
static uintptr_t random_code(void)
{
	const struct unwind_module *m = &modules[below(nmodules)];
	uint32_t n = 0;

	if (below(4) == 0) {
		while (n < m->nrows && m->rows[n].cfa != UNWIND_SIGNAL)
			n++;
	}
	return n > 0 && n < m->nrows ? m->bias + m->rows[n].start + 1 : m->lo + below(m->hi - m->lo);
}

/* Any registers on any stack: no fault, and every step goes up. */
static void hostile_stacks_are_survived(void **state)
{
	const size_t page = 4096, size = 4 * page;
	char *map = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t lo = (uintptr_t)map + page, *words = (uintptr_t *)lo;
	unsigned long steps = 0;

	(void)state;
	assert_true(map != MAP_FAILED);
	assert_int_equal(mprotect(map + page, size, PROT_READ | PROT_WRITE), 0);
	for (unsigned round = 0; round < 200000; round++) {
		uintptr_t hi = lo + size - below(3) * below(64), sp;
		struct unwind_cursor c;
		ucontext_t uc;

		for (unsigned i = 0; i < 8; i++)
			words[below(size / 8)] = i < 3 ? random_code() : i < 7 ? lo + below(size + 64) : 0 - below(300);
		for (unsigned i = 0; i < NGREG; i++)
			uc.uc_mcontext.gregs[i] = (greg_t)(below(4) ? lo + below(size + 64) - 32 : 0 - below(64));
		uc.uc_mcontext.gregs[REG_RIP] = (greg_t)random_code();
		if (below(4)) {
			uc.uc_mcontext.gregs[REG_RSP] &= ~7LL;
			uc.uc_mcontext.gregs[REG_RBP] &= ~7LL;
		}
		unwind_begin(&c, &uc, below(4) ? lo : lo + below(size), hi);
		if (below(2))
			c.regs = NULL;
		for (sp = c.sp; unwind_step(&c, modules, nmodules); sp = c.sp) {
			steps++;
			assert_true(c.sp > sp && c.sp <= hi);
		}
	}
	printf("# hostile: %lu steps\n", steps);
	assert_true(steps > 10000);
	munmap(map, size + 2 * page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_gives_its_caller),
		cmocka_unit_test(every_instruction_agrees),
		cmocka_unit_test(random_samples_agree),
		cmocka_unit_test(debug_frame_will_do),
		cmocka_unit_test(undescribed_stubs_are_known),
		cmocka_unit_test(frame_pointers_stand_in_for_rows),
		cmocka_unit_test(hostile_stacks_are_survived),
	};

	load_modules();
	return UNIT_MAIN(tests);
}

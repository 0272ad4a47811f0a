/*
 * breakpoint: progress points without marks in the source.
 *
 * The conductor names places.  Each thread opens a perf event for each place, which
 * sets a breakpoint of the processor: it counts exactly, needs no permission, and
 * changes no byte of the program.  A processor has four of them.  With permission (root,
 * CAP_PERFMON), probes of the kernel watch further places, or all, where the processor's
 * breakpoints are refused or never hit.  A probe puts an instruction that traps in the place
 * of the program's, and a hit costs 4 to 9 us.  A hit of a breakpoint costs a trap
 * and a signal, 1 us on metal and 12 to 22 in a virtual machine.  So a place that is
 * executed too often is given up: by a thread, which notices its own hits at once, or
 * by the conductor, which sees the rate of all threads (lib/recorder/points.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>

#include "breakpoint.h"
#include "hidden_fd.h"
#include "moment.h"
#include "process.h"
#include "progress.h"
#include "sampler.h"
#include "stack.h"
#include "sys.h"
#include "thread.h"

enum {
	TRIALS = 9,                      /* hits whose cost is measured */
	HOT_NS = 40 * 1000 * 1000,       /* if a thread spends so much time on hits */
	HOT_WITHIN_NS = 100 * 1000 * 1000, /* within this time, the point is given up, whatever the rest of the run does */
};

/* The calling thread's events, for the first n of arena->brk. */
static TLS struct {
	uint32_t n;
	uint32_t version; /* versions of the arena's breakpoints and of the table of modules at the last look */
	uint32_t modules;
	struct {
		int fd; /* -ENOENT: no known module of this process has the place; -errno: refused, or given up */
		uint64_t id;
		uint64_t hits;    /* since since_ns */
		int64_t since_ns;
	} at[ARENA_BREAKS];
} watched;

/* Number 0 is for measuring, i + 1 for arena->brk[i], which may have a probe of the kernel instead. */
static int watch(uintptr_t address, uint32_t number, uint64_t *id)
{
	struct perf_event_attr attr = breakpoint_attr(address, number);
	bool probe = number > 0 && arena->brk[number - 1].file[0];
	int fd;

	if (probe) {
		attr.type = arena->uprobe_type;
		attr.bp_type = 0;
		attr.uprobe_path = (uint64_t)(uintptr_t)arena->brk[number - 1].file;
		attr.probe_offset = arena->brk[number - 1].file_off;
	}
	fd = hidden_fd_open(&attr, id);
	if (fd < 0 && !probe)
		atomic_store_explicit(&arena->break_errno, -fd, memory_order_relaxed);
	return fd;
}

/* ---- the cost of a hit ------------------------------------------------------------- */

static __attribute__((noinline)) void be_hit(void)
{
	__asm__ volatile("");
}

void breakpoint_measure(void)
{
	int64_t cost[TRIALS]; /* sorted */
	uint64_t id, hits = 0;
	int fd = watch((uintptr_t)be_hit, 0, &id);

	if (fd < 0)
		return;
	for (int i = 0; i < TRIALS; i++) {
		int64_t start = now_ns(), ns;
		int k = i;

		be_hit();
		ns = now_ns() - start;
		for (; k > 0 && cost[k - 1] > ns; k--)
			cost[k] = cost[k - 1];
		cost[k] = ns;
	}
	/* Some virtual machines accept a breakpoint, but never trap. */
	if (SYS(SYS_read, hidden_fd_find(fd, id), &hits, sizeof(hits)) == sizeof(hits) && hits == 0)
		atomic_store_explicit(&arena->break_errno, BREAK_NEVER_HIT, memory_order_relaxed);
	hidden_fd_close(fd, id);
	atomic_store_explicit(&arena->break_cost_ns, (uint64_t)cost[TRIALS / 2], memory_order_relaxed);
}

/* ---- arming ------------------------------------------------------------------------ */

/* The address of a place in this process; 0: its module is not known to be mapped here. */
static uintptr_t address_of(uint64_t place)
{
	uint32_t n;
	const struct unwind_module *m = stack_modules(&n);

	for (uint32_t i = 0; i < n; i++)
		if (m[i].id == arena_module_of(place))
			return m[i].bias + (uintptr_t)arena_offset_of(place);
	return 0;
}

static _Atomic uint32_t raised; /* semaphores of probes; a bit for each of arena->brk[] */

/*
 * A program skips a probe with a semaphore while the semaphore is 0.  So it is raised
 * once in each process; forked children inherit it.  It is never lowered, since the
 * module may be unmapped by then.  For the same reason the kernel does the addition
 * (FUTEX_WAKE_OP): it fails with an error if the memory is gone.  It adds 1 to the half
 * of the word that is the semaphore.
 */
static void raise_semaphore(uint32_t i)
{
	uint64_t place = arena->brk[i].semaphore;
	uintptr_t at = place ? address_of(place) : 0, word = at & ~(uintptr_t)3;
	uint32_t nobody = 0, add = at == word ? (uint32_t)FUTEX_OP_ADD << 28 | 1 << 12
					      : (uint32_t)(FUTEX_OP_ADD | FUTEX_OP_OPARG_SHIFT) << 28 | 16 << 12;

	if (at && !(atomic_fetch_or_explicit(&raised, 1u << i, memory_order_relaxed) >> i & 1))
		SYS(SYS_futex, &nobody, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0, word, add);
}

static void give_up(uint32_t i)
{
	hidden_fd_close(watched.at[i].fd, watched.at[i].id);
	watched.at[i].fd = -ECANCELED;
}

void breakpoint_look(void)
{
	/* Pairs with the conductor's release: all entries that breaks_used counts are complete. */
	uint32_t version = atomic_load_explicit(&arena->breaks_version, memory_order_acquire);
	uint32_t modules = atomic_load_explicit(&process->modules, memory_order_relaxed);
	uint32_t used = atomic_load_explicit(&arena->breaks_used, memory_order_relaxed);

	if (likely(version == watched.version && modules == watched.modules) || sampler_has_withdrawn())
		return;
	watched.version = version;
	watched.modules = modules;
	for (uint32_t i = 0; i < used && i < ARENA_BREAKS; i++) {
		const struct arena_break *b = &arena->brk[i];
		uintptr_t address;

		if (i == watched.n) {
			watched.at[i].fd = -ENOENT;
			watched.at[i].hits = 0;
			watched.n++;
		}
		if (atomic_load_explicit(&b->off, memory_order_relaxed))
			give_up(i);
		else if (watched.at[i].fd == -ENOENT && (address = address_of(b->place)) != 0)
			watched.at[i].fd = watch(address, i + 1, &watched.at[i].id);
		if (watched.at[i].fd >= 0)
			raise_semaphore(i);
	}
}

/* What an earlier recorder has raised stays so: it is no harm. */
void breakpoint_renew(void)
{
	atomic_store_explicit(&raised, 0, memory_order_relaxed);
}

void breakpoint_forget(void)
{
	while (watched.n > 0)
		give_up(--watched.n);
	watched.version = 0;
}

/* ---- a hit -------------------------------------------------------------------------- */

/* Do hits, at this rate, take too much of the thread's time? */
static bool is_too_hot(uint32_t i)
{
	uint64_t cost = atomic_load_explicit(&arena->break_cost_ns, memory_order_relaxed);
	int64_t now;

	if (watched.at[i].hits++ == 0)
		watched.at[i].since_ns = now_ns();
	if (watched.at[i].hits < HOT_NS / (cost ? cost : BREAK_UNMEASURED_NS))
		return false;
	now = now_ns();
	watched.at[i].hits = 0;
	return now - watched.at[i].since_ns < HOT_WITHIN_NS;
}

/* Are the visits already counted at the calls of the function? */
static bool is_needless(const struct arena_break *b)
{
	uint32_t call = atomic_load_explicit(&b->call, memory_order_relaxed);

	return call > 0 && atomic_load_explicit(&arena->call[call - 1].seen, memory_order_relaxed);
}

static void take_back(struct arena_break *b, uint32_t why)
{
	if (!atomic_exchange_explicit(&b->off, why, memory_order_relaxed))
		atomic_fetch_add_explicit(&arena->breaks_version, 1, memory_order_release);
}

void breakpoint_hit(uint32_t number)
{
	uint32_t i = number - 1;
	struct arena_break *b;

	if (number == 0 || number > watched.n)
		return; /* the event that measures the cost */
	b = &arena->brk[i];
	if (is_needless(b))
		take_back(b, BREAK_NEEDLESS);
	else if (is_too_hot(i))
		take_back(b, BREAK_TOO_HOT);
	if (atomic_load_explicit(&b->off, memory_order_relaxed))
		give_up(i);
	else if (!self.busy)
		point_visit((int)b->point);
}

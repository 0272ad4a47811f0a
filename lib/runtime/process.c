/*
 * process: the processes of a recording.
 *
 * Every process that finds the arena joins it: the process that the recorder started,
 * its forked children, and all programs that these exec.  They share clocks, points and
 * samples.  Each has an entry of its own, which tells where its modules are mapped.
 *
 *     free -> taken    by the process (its pid)
 *     taken -> free    by the conductor, when the process is dead, or has become
 *                      another program (which took an entry of its own, or does
 *                      without)
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "breakpoint.h"
#include "event_log.h"
#include "moment.h"
#include "process.h"
#include "reach.h"
#include "sample_signal.h"
#include "sys.h"
#include "thread.h"
#include "withdraw.h"

enum {
	ATTENTION_NS = 2000 * 1000 * 1000, /* the conductor searches debug information, which takes a second on a busy machine */
	ATTENTION_NAP_NS = 50 * 1000,
	BURIAL_NS = 200 * 1000 * 1000, /* in that time a live conductor frees the entries of dead processes in a full table */
	BURIAL_NAPS = 100,
	FORESEEN_SLOTS = 64,     /* so many slots are mapped before a fork, if they are in use */
	FORESEEN_PROCESSES = 16, /* and entries of so many processes */
};

struct arena_process *process;
int32_t process_pid;

/* News that can wait until the conductor wakes up by itself. */
static void leave_news(void)
{
	atomic_fetch_add_explicit(&arena->news, 1, memory_order_release);
}

bool process_is_recorded(pid_t pid)
{
	uint32_t n = atomic_load_explicit(&arena->processes_used, memory_order_acquire);

	for (uint32_t i = 0; pid > 0 && i < n && i < ARENA_PROCESSES; i++)
		if (atomic_load_explicit(&arena->process[i].pid, memory_order_relaxed) == pid)
			return true;
	return false;
}

void process_news(void)
{
	leave_news();
	SYS(SYS_futex, &arena->news, 1 /* FUTEX_WAKE, shared */, INT_MAX);
}

/*
 * Our pid as the recorder sees it.  In a pid namespace of its own a process has another
 * pid there, but it has found the arena in the recorder's /proc, which knows the
 * recorder's number.  Where that /proc is gone (a chroot, another /proc), the pid is
 * unknown: < 0.
 */
static int32_t pid_outside(void)
{
	static dev_t found_in; /* device of the /proc in which the arena was found */
	char link[16];
	struct stat st;
	int32_t pid = 0;
	long n;

	if (SYS(SYS_newfstatat, AT_FDCWD, "/proc/self", &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -process_pid;
	if (!found_in)
		found_in = st.st_dev;
	n = st.st_dev == found_in ? SYS(SYS_readlinkat, AT_FDCWD, "/proc/self", link, sizeof(link)) : 0;
	for (long i = 0; i < n && link[i] >= '0' && link[i] <= '9'; i++)
		pid = pid * 10 + (link[i] - '0');
	return pid > 0 ? pid : -process_pid;
}

/*
 * An entry with our pid belongs to a process that has ended, or to this process before
 * an exec.  The conductor frees it, and the slots of its threads.
 */
static void outlive(struct arena *a, int32_t pid)
{
	uint32_t used = atomic_load_explicit(&a->processes_used, memory_order_acquire);

	for (uint32_t i = 0; pid > 0 && i < used && i < ARENA_PROCESSES; i++) {
		if (atomic_load_explicit(&a->process[i].pid, memory_order_relaxed) == pid)
			atomic_store_explicit(&a->process[i].left, 1, memory_order_release);
	}
}

static struct arena_process *find_free(struct arena *a, int32_t pid)
{
	uint32_t used = atomic_load_explicit(&a->processes_used, memory_order_relaxed);

	for (uint32_t i = 0; i < ARENA_PROCESSES; i++) {
		int32_t free_pid = 0;

		if (!atomic_compare_exchange_strong(&a->process[i].pid, &free_pid, pid))
			continue;
		while (used <= i && !atomic_compare_exchange_weak(&a->processes_used, &used, i + 1))
			;
		return &a->process[i];
	}
	return NULL;
}

/* Is there an entry of an ended process, which the conductor will free? */
static bool is_any_dead(const struct arena *a)
{
	for (uint32_t i = 0; i < ARENA_PROCESSES; i++) {
		int32_t pid = atomic_load_explicit(&a->process[i].pid, memory_order_relaxed);

		if (pid > 0 && SYS(SYS_kill, pid, 0) == -ESRCH)
			return true;
	}
	return false;
}

/* Processes may begin and end faster than the conductor gets to run. */
static struct arena_process *wait_for_entry(struct arena *a, int32_t pid)
{
	struct timespec nap = { .tv_nsec = BURIAL_NS / BURIAL_NAPS };
	struct arena_process *p = find_free(a, pid);

	for (int i = 0; !p && i < BURIAL_NAPS && arena_is_conducted(a, now_ns()) && is_any_dead(a); i++) {
		sys_nap(&nap);
		p = find_free(a, pid);
	}
	return p;
}

/* Takes an entry, and maps the memory that the conductor will write for it; NULL when there is none. */
static struct arena_process *take_entry(struct arena *a, int32_t pid)
{
	struct arena_modules_piece *modules = NULL;
	struct arena_process *p;

	p = wait_for_entry(a, pid);
	if (p)
		modules = reach_modules_of((uint32_t)(p - a->process));
	if (!modules) {
		/* An entry that could not be used is freed when the process is dead. */
		atomic_fetch_add_explicit(&a->processes_refused, 1, memory_order_relaxed);
		return NULL;
	}
	/* The entry still describes its previous process. */
	modules->set[0].base = modules->set[1].base = 0;
	return p;
}

static void fill_in(struct arena *a, struct arena_process *p, int32_t parent, bool forked)
{
	atomic_store_explicit(&p->parent, parent, memory_order_relaxed);
	atomic_store_explicit(&p->forked, forked, memory_order_relaxed);
	atomic_store_explicit(&p->withdraw, 0, memory_order_relaxed);
	atomic_store_explicit(&p->signals, sample_signal_word(), memory_order_relaxed);
	atomic_store_explicit(&p->visits, 0, memory_order_relaxed);
	atomic_store_explicit(&p->base, (uintptr_t)a, memory_order_relaxed);
	/* Pairs with the acquire of the conductor: it sees the rest. */
	atomic_store_explicit(&p->id, atomic_fetch_add_explicit(&a->joined, 1, memory_order_relaxed) + 1,
			      memory_order_release);
}

/* Written here, so that a process has a name even if it ends before the recorder looks at it. */
static void note_command(char *command, int argc, char *const *argv)
{
	size_t n = 0;

	for (int i = 0; i < argc && argv[i]; i++) {
		if (i > 0 && n < ARENA_COMMAND - 1)
			command[n++] = ' ';
		for (const char *s = argv[i]; *s && n < ARENA_COMMAND - 1; s++)
			command[n++] = *s;
	}
	command[n] = '\0';
}

bool process_join(struct arena *a, int argc, char *const *argv)
{
	struct arena_process *p;
	int32_t none = 0, pid;

	process_pid = (int32_t)SYS(SYS_getpid);
	pid = pid_outside();
	outlive(a, pid);
	p = take_entry(a, pid);
	if (!p)
		return false;
	atomic_compare_exchange_strong(&a->pid, &none, pid);
	process = p;
	if (argv)
		note_command(a->command[p - a->process], argc, argv);
	fill_in(a, p, (int32_t)SYS(SYS_getppid), false);
	return true;
}

/*
 * Waits until the conductor has published the modules and the points of a new program,
 * so that they are known from its first instruction on.  The wait is limited: the
 * conductor may be dead, or may not see this process.
 */
static void wait_for_attention(void)
{
	uint32_t id = atomic_load_explicit(&process->id, memory_order_relaxed);
	struct timespec nap = { .tv_nsec = ATTENTION_NAP_NS };
	int64_t give_up = now_ns() + ATTENTION_NS, now;

	if (atomic_load_explicit(&process->pid, memory_order_relaxed) <= 0)
		return;
	/* Pairs with the release of the conductor: modules and points are published. */
	while (atomic_load_explicit(&process->attended, memory_order_acquire) != id && (now = now_ns()) < give_up &&
	       arena_is_conducted(arena, now))
		sys_nap(&nap);
}

void process_begin(void)
{
	int64_t since = now_ns(), none = 0;

	if (arena->attend_first) {
		wait_for_attention();
		if (self.slot)
			breakpoint_look();
	}
	if (!self.slot || atomic_load_explicit(&process->pid, memory_order_relaxed) !=
				  atomic_load_explicit(&arena->pid, memory_order_relaxed))
		return;
	if (!atomic_compare_exchange_strong(&arena->main_began_ns, &none, now_ns()))
		atomic_fetch_add_explicit(&arena->main_waited_ns, now_ns() - since, memory_order_relaxed);
	atomic_store_explicit(&arena->main_slot, thread_number(self.slot), memory_order_release);
}

void process_adopt(void)
{
	int64_t none = 0;

	if (self.slot->tid != process_pid)
		return;
	atomic_compare_exchange_strong(&arena->main_began_ns, &none, now_ns());
	atomic_store_explicit(&arena->main_slot, thread_number(self.slot), memory_order_release);
}

/* All modules are mapped where they were in the parent.  Copying that is faster than waiting for the conductor. */
static void copy_what_is_known(const struct arena_process *parent, struct arena_process *child)
{
	uint32_t from = (uint32_t)(parent - arena->process), to = (uint32_t)(child - arena->process);
	const struct arena_modules *m =
		&reach_modules_of(from)->set[atomic_load_explicit(&parent->modules, memory_order_acquire) & 1];
	struct arena_modules *copy = &reach_modules_of(to)->set[0];

	copy->base = m->base;
	copy->n = m->n <= ARENA_MODULES ? m->n : 0;
	memcpy(copy->module, m->module, copy->n * sizeof(copy->module[0]));
	atomic_store_explicit(&child->modules, 0, memory_order_relaxed);
	memcpy(arena->command[to], arena->command[from], ARENA_COMMAND);
}

/*
 * Maps what a child is likely to need.  The child inherits the mappings; to make them itself would
 * take it 40 us.  Entries and slots are used again, the lowest first, so most calls find all mapped.
 */
static void map_for_children(void)
{
	uint32_t slots = atomic_load_explicit(&arena->threads_used, memory_order_relaxed);
	uint32_t processes = atomic_load_explicit(&arena->processes_used, memory_order_relaxed);

	for (uint32_t i = 0; i < slots && i < FORESEEN_SLOTS; i += ARENA_THREADS_PIECE)
		reach_thread(i);
	for (uint32_t i = 0; i < processes && i < FORESEEN_PROCESSES; i++)
		reach_modules_of(i);
}

void process_forking(void)
{
	struct arena_thread *t = self.slot;

	if (!arena || !t)
		return;
	map_for_children();
	self.forked.delay_ns = self.busy ? atomic_load_explicit(&t->account.delay_ns, memory_order_relaxed) : vclock_delay(&self.clock);
	self.forked.window = atomic_load_explicit(&t->account.window, memory_order_relaxed);
	self.forked.at_us = event_on() ? (uint32_t)(now_ns() / 1000) : 0;
}

void process_forked(void)
{
	const struct arena_process *parent = process;
	struct arena_process *p = NULL;
	struct arena_thread *slot, *before = self.slot;
	int64_t delay = self.forked.delay_ns;
	int32_t pid;
	uint32_t window = self.forked.window, at_us = self.forked.at_us;
	int64_t began = 0;
	int busy = self.busy; /* the child may have been forked by a handler that interrupted the runtime */

	/* In a static program fork(3) calls our _Fork, too. */
	if (arena && process_pid == (int32_t)SYS(SYS_getpid))
		return;
	if (!arena_adopt_again())
		return;
	process_pid = (int32_t)SYS(SYS_getpid);
	/* A seccomp filter of the program may forbid the calls. */
	if (process_pid > 0 && !self.life.clockless) {
		began = now_ns();
		pid = pid_outside();
		outlive(arena, pid);
		p = take_entry(arena, pid);
	}
	if (!p) {
		thread_forget();
		arena_adopt(NULL);
		return;
	}
	copy_what_is_known(parent, p);
	process = p;
	fill_in(arena, p, atomic_load_explicit(&parent->pid, memory_order_relaxed), true);
	thread_forget();
	slot = thread_reserve();
	if (slot && before) {
		slot->stack_bytes = before->stack_bytes;
		atomic_store_explicit(&slot->account.delay_ns, delay, memory_order_relaxed);
		atomic_store_explicit(&slot->account.window, window, memory_order_relaxed);
	}
	if (slot && before && at_us) {
		slot->arg = thread_number(before);
		slot->ready_ns = began - (int64_t)((uint32_t)(began / 1000) - at_us) * 1000;
	}
	thread_begin(slot);
	self.busy = busy;
	if (slot)
		counter_add(&slot->own_ns, (uint64_t)(now_ns() - began)); /* no sample tells of it */
	/* The conductor knows our modules.  If we woke it up, it would take our processor for 150 us. */
	leave_news();
}

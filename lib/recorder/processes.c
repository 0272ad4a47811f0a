#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "recorder/processes.h"
#include "target/procstatus.h"
#include "target/shared.h"

enum {
	EXECS_AT_A_TIME = 16,
	CARED_AT_A_TIME = 2,
	THREADS_LOOKED_AT = 256, /* number of threads that are looked at, which takes about 2 ms; samples of the class `runqueue` cover the others */
	ASTRAY = 4, /* number of looks: a process has no handlers for a moment during exec */
};

void processes_init(struct processes *p, struct arena *arena, struct mappings *modules, struct journal *journal, unsigned run)
{
	memset(p, 0, sizeof(*p));
	p->arena = arena;
	p->modules = modules;
	p->journal = journal;
	p->run = run;
}

static void forget_member(struct member *m)
{
	if (m->pid && m->pidfd >= 0)
		close(m->pidfd);
	space_release(&m->space);
	queued_release(&m->queued);
	memset(m, 0, sizeof(*m));
}

void processes_release(struct processes *p)
{
	for (size_t i = 0; i < ARENA_PROCESSES; i++)
		forget_member(&p->member[i]);
	p->alive = 0;
}

static uint32_t used_processes(const struct processes *p)
{
	return shared_processes(p->arena);
}

/* ---- joining ------------------------------------------------------------------------ */

/* Finds the program of a process.  False when it cannot be found. */
static bool program_of(pid_t pid, struct program *program)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%ld/exe", (long)pid);
	if (pid <= 0 || stat(name, &st) != 0)
		return false;
	*program = (struct program){ st.st_dev, st.st_ino };
	return true;
}

static void take_member(struct processes *p, struct member *m, pid_t pid)
{
	forget_member(m);
	m->pid = pid;
	m->met_ns = now_ns();
	m->pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	p->alive += pid > 0;
}

static void announce(struct processes *p, const struct member *m, const struct arena_process *at)
{
	char command[ARENA_COMMAND];

	/* The process may change the entry at any time. */
	memcpy(command, p->arena->command[at - p->arena->process], sizeof(command));
	command[sizeof(command) - 1] = '\0';
	journal_process(p->journal, p->run, m->id, m->pid, atomic_load_explicit(&at->parent, memory_order_relaxed), command);
}

/* Without the arena, the process runs another program, which may be about to join. */
static void miss(struct processes *p, pid_t pid)
{
	p->missing[p->nmissing++ % REAPED] = pid;
	p->lost++;
}

static void find_again(struct processes *p, pid_t pid)
{
	for (unsigned i = 0; i < REAPED && pid > 0; i++) {
		if (p->missing[i] != pid)
			continue;
		p->missing[i] = 0;
		p->lost--;
	}
}

/* Reads its mappings.  If the arena is not mapped, the process has become another program. */
static void read_space(struct processes *p, struct member *m, struct arena_process *at, bool new)
{
	enum space_news news;

	if (m->pid < 0)
		return;
	program_of(m->pid, &m->program);
	news = space_read(&m->space, p->modules, m->pid, atomic_load_explicit(&at->base, memory_order_relaxed));
	if (news != SPACE_UNREADABLE && !m->space.arena) {
		m->ended = m->exec = true;
		if (!atomic_load_explicit(&at->left, memory_order_acquire))
			miss(p, m->pid);
		return;
	}
	if (news == SPACE_CHANGED || new)
		space_publish(&m->space, p->modules, p->arena, at);
}

/* Has the process of the entry filled it in since the last look?  Its record is then written. */
static bool introduce(struct processes *p, struct member *m, const struct arena_process *at)
{
	/* Pairs with the release of the process: the rest of the entry is written. */
	uint32_t id = atomic_load_explicit(&at->id, memory_order_acquire);

	if (!id || id == m->id)
		return false;
	m->id = id;
	find_again(p, m->pid);
	announce(p, m, at);
	return true;
}

/*
 * A forked child has the modules of its parent.  It may have ended by now: most live only briefly.  It has copied the table, too,
 * unless the parent had none yet, or another one.
 */
static bool inherit_space(struct processes *p, struct member *m, struct arena_process *at)
{
	int32_t parent = atomic_load_explicit(&at->parent, memory_order_relaxed);

	for (uint32_t i = 0; i < used_processes(p); i++) {
		const struct member *from = &p->member[i];

		if (from->pid != parent || from == m || from->space.n == 0)
			continue;
		m->program = from->program;
		space_copy(&m->space, &from->space);
		if (!space_is_published(&m->space, p->arena, at))
			space_publish(&m->space, p->modules, p->arena, at);
		return true;
	}
	return false;
}

bool processes_meet(struct processes *p, bool all)
{
	size_t known = p->modules->n;
	bool more = false;

	for (uint32_t i = 0; i < used_processes(p); i++) {
		struct arena_process *at = &p->arena->process[i];
		struct member *m = &p->member[i];
		pid_t pid = atomic_load_explicit(&at->pid, memory_order_relaxed);
		bool new, forked;

		if (pid && !m->pid)
			take_member(p, m, pid);
		if (!pid || m->ended)
			continue;
		new = introduce(p, m, at);
		if (!m->id || (!new && !all))
			continue;
		for (size_t k = 0; k < m->space.n; k++)
			more = more || !mapping_of(p->modules, m->space.v[k].module)->searched;
		forked = new && atomic_load_explicit(&at->forked, memory_order_relaxed);
		if (forked)
			p->forked_ns = now_ns();
		if (!forked || !inherit_space(p, m, at))
			read_space(p, m, at, new);
	}
	for (size_t k = 0; k < p->modules->n; k++)
		more = more || (p->modules->v[k].mapped && !p->modules->v[k].searched);
	return more || p->modules->n > known;
}

/* ---- ending ------------------------------------------------------------------------- */

void processes_attended(struct processes *p)
{
	for (uint32_t i = 0; i < used_processes(p); i++)
		if (p->member[i].pid && p->member[i].id)
			atomic_store_explicit(&p->arena->process[i].attended, p->member[i].id, memory_order_release);
}

/* Looks for processes that have become programs which do not join, at some processes each time. */
static void look_for_execs(struct processes *p, uint32_t n)
{
	for (uint32_t k = 0; k < n && k < EXECS_AT_A_TIME; k++) {
		uint32_t i = p->looked_at++ % n;
		struct member *m = &p->member[i];
		struct program now;

		if (!m->id || m->ended || m->exec || !program_of(m->pid, &now))
			continue;
		if (now.dev != m->program.dev || now.ino != m->program.ino)
			read_space(p, m, &p->arena->process[i], false);
		else if (m->pid == atomic_load_explicit(&p->arena->pid, memory_order_relaxed))
			p->same_ns = now_ns();
	}
}

/*
 * Looks whether samples would do harm: a signal without a handler kills a process, and each
 * signal stops a traced one.
 */
static void care_for(struct arena *a, struct arena_process *at, struct member *m)
{
	uint64_t signals = atomic_load_explicit(&at->signals, memory_order_acquire);
	struct procstatus s;

	if (m->pid <= 0 || !procstatus_read(m->pid, &s))
		return;
	if (s.tracer && s.tracer != getpid())
		atomic_fetch_or_explicit(&at->withdraw, WITHDRAWN_TRACED, memory_order_relaxed);
	m->astray = (signals & ~s.caught) ? m->astray + 1 : 0;
	if (m->astray < ASTRAY)
		return;
	/* Its threads may never read this, because they get no signals any more. */
	atomic_fetch_or_explicit(&at->withdraw, WITHDRAWN_HANDLER, memory_order_relaxed);
	atomic_fetch_or_explicit(&a->withdrawn, WITHDRAWN_HANDLER, memory_order_relaxed);
}

static void look_for_harm(struct processes *p, uint32_t n)
{
	for (uint32_t k = 0; k < n && k < CARED_AT_A_TIME; k++) {
		uint32_t i = p->cared_for++ % n;

		if (p->member[i].id && !p->member[i].ended && !p->member[i].exec)
			care_for(p->arena, &p->arena->process[i], &p->member[i]);
	}
}

void processes_look(struct processes *p)
{
	struct pollfd end[ARENA_PROCESSES];
	uint32_t n = used_processes(p);

	for (uint32_t i = 0; i < n; i++)
		end[i] = (struct pollfd){ .fd = p->member[i].pid ? p->member[i].pidfd : -1, .events = POLLIN };
	poll(end, n, 0);
	for (uint32_t i = 0; i < n; i++) {
		struct member *m = &p->member[i];

		if (m->pid <= 0 || m->ended)
			continue;
		m->exec = atomic_load_explicit(&p->arena->process[i].left, memory_order_acquire);
		m->ended = m->exec || (m->pidfd >= 0 ? end[i].revents != 0 : kill(m->pid, 0) != 0 && errno == ESRCH);
	}
	look_for_execs(p, n);
	look_for_harm(p, n);
}

/* The first stop is mostly at an exec: a SIGTRAP that the kernel sends. */
bool processes_stopped(pid_t pid, int status)
{
	siginfo_t info;
	int sig;

	if (!WIFSTOPPED(status))
		return false;
	sig = status >> 16 ? 0 : WSTOPSIG(status); /* one that attach.c has told to stop, and that does so only now */
	if (sig == SIGTRAP && ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) == 0 && info.si_code == SI_USER && info.si_pid == pid)
		sig = 0;
	ptrace(PTRACE_DETACH, pid, NULL, (long)sig);
	return true;
}

void processes_reaped(struct processes *p, pid_t pid, int status)
{
	p->reaped[p->nreaped++ % REAPED] = (struct reaped){ pid, status };
}

static const struct reaped *find_reaped(const struct processes *p, pid_t pid)
{
	for (unsigned i = p->nreaped, n = 0; i > 0 && n < REAPED; i--, n++)
		if (p->reaped[(i - 1) % REAPED].pid == pid)
			return &p->reaped[(i - 1) % REAPED];
	return NULL;
}

static void log_end(struct processes *p, const struct member *m, uint64_t visits)
{
	const struct reaped *r = find_reaped(p, m->pid);
	char status[JOURNAL_STATUS] = "";

	if (!m->id)
		return;
	if (!m->ended)
		strcpy(status, "running");
	else if (m->exec)
		strcpy(status, "exec");
	else if (r)
		journal_status(status, r->status);
	journal_process_end(p->journal, p->run, m->id, status, visits);
}

static void free_slots(struct processes *p, uint32_t process)
{
	uint32_t threads = shared_threads(p->arena);

	for (uint32_t k = 0; k < threads; k++) {
		struct arena_thread *t = shared_thread(p->arena, k);

		/* Pairs with the release in thread_reserve: `process` is that of the present thread. */
		if (atomic_load_explicit(&t->state, memory_order_acquire) != SLOT_FREE &&
		    atomic_load_explicit(&t->process, memory_order_relaxed) == process)
			arena_free_slot(p->arena, t, k);
	}
}

/*
 * Does no process account for its time?  Its parent has not waited for it yet, or has the kernel do that (SIGCHLD is
 * ignored), which then forgets it.
 */
static bool is_unaccounted(const struct member *m, int32_t parent)
{
	struct procstatus s;

	if (m->exec)
		return false;
	return kill(m->pid, 0) == 0 || (parent > 0 && procstatus_read(parent, &s) && (s.ignored >> (SIGCHLD - 1) & 1));
}

void processes_bury(struct processes *p)
{
	for (uint32_t i = 0; i < used_processes(p); i++) {
		struct arena_process *at = &p->arena->process[i];
		struct member *m = &p->member[i];

		if (!m->ended)
			continue;
		introduce(p, m, at); /* it may have joined and ended since the last look */
		free_slots(p, i);
		log_end(p, m, atomic_load_explicit(&at->visits, memory_order_relaxed));
		p->unaccounted += is_unaccounted(m, atomic_load_explicit(&at->parent, memory_order_relaxed));
		forget_member(m);
		p->alive--;
		atomic_store_explicit(&at->id, 0, memory_order_relaxed);
		atomic_store_explicit(&at->left, 0, memory_order_relaxed);
		/* Pairs with the exchange that takes the entry. */
		atomic_store_explicit(&at->pid, 0, memory_order_release);
	}
}

/* ---- while they run ----------------------------------------------------------------- */

uint32_t processes_id(const struct processes *p, uint32_t index)
{
	return index < ARENA_PROCESSES ? p->member[index].id : 0;
}

const struct mapped *processes_find(const struct processes *p, uint32_t index, uint64_t pc)
{
	return index < ARENA_PROCESSES ? space_find(&p->member[index].space, pc) : NULL;
}

void processes_name(struct processes *p, uint32_t index, struct arena_sample *s)
{
	if (index >= ARENA_PROCESSES)
		return;
	for (uint32_t i = 0; i < s->nframes && i < ARENA_FRAMES; i++) {
		const struct mapped *at;

		if (arena_module_of(s->place[i]))
			continue;
		at = processes_find(p, index, s->place[i]);
		if (at)
			s->place[i] = arena_place(at->module, s->place[i] - at->bias);
		else if (i == 0) /* code that was generated since the last look, if there is any */
			s->place[i] = arena_place(space_made(&p->member[index].space, p->modules), s->place[i]);
	}
}

/* Processor time of children that the process has waited for, in ticks; of one that has just ended, none. */
static int64_t waited_for_ns(pid_t pid)
{
	unsigned long user = 0, system = 0;
	char text[1024], *at;

	if (!procstatus_text(pid, "stat", text, sizeof(text)))
		return 0;
	/* The name of the program is in parentheses, and may be anything; see proc(5). */
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
		return 0;
	return (int64_t)(user + system) * (1000000000 / sysconf(_SC_CLK_TCK));
}

int64_t processes_cpu_ns(const struct processes *p)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < used_processes(p); i++) {
		pid_t pid = p->member[i].pid;
		struct timespec t;
		clockid_t clock;

		if (pid > 0 && clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &t) == 0)
			sum += t.tv_sec * 1000000000ll + t.tv_nsec + waited_for_ns(pid);
	}
	return sum;
}

int64_t processes_queued_ns(struct processes *p)
{
	size_t room = THREADS_LOOKED_AT;

	for (uint32_t i = 0; i < used_processes(p) && room > 0; i++)
		if (p->member[i].pid > 0)
			p->queued_ns += queued_since(&p->member[i].queued, p->member[i].pid, &room);
	return p->queued_ns;
}

void processes_visits(const struct processes *p, uint64_t visits[ARENA_PROCESSES])
{
	uint32_t threads = shared_threads(p->arena);

	for (uint32_t i = 0; i < ARENA_PROCESSES; i++)
		visits[i] = atomic_load_explicit(&p->arena->process[i].visits, memory_order_relaxed);
	for (uint32_t k = 0; k < threads; k++) {
		const struct arena_thread *t = shared_thread(p->arena, k);

		if (atomic_load_explicit(&t->state, memory_order_acquire) != SLOT_FREE)
			visits[atomic_load_explicit(&t->process, memory_order_relaxed) % ARENA_PROCESSES] +=
				arena_visits(p->arena, k) - atomic_load_explicit(&t->visits_before, memory_order_relaxed);
	}
}

void processes_take_leave(struct processes *p)
{
	uint64_t visits[ARENA_PROCESSES];

	processes_visits(p, visits);
	for (uint32_t i = 0; i < ARENA_PROCESSES; i++)
		if (p->member[i].pid)
			log_end(p, &p->member[i], visits[i]);
}

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder/processes.h"

void processes_init(struct processes *p, struct arena *arena, struct mappings *modules)
{
	memset(p, 0, sizeof(*p));
	p->arena = arena;
	p->modules = modules;
}

static void forget(struct member *m)
{
	if (m->pid && m->pidfd >= 0)
		close(m->pidfd);
	space_release(&m->space);
	memset(m, 0, sizeof(*m));
}

void processes_release(struct processes *p)
{
	for (size_t i = 0; i < ARENA_PROCESSES; i++)
		forget(&p->member[i]);
	p->alive = 0;
}

static uint32_t used(const struct processes *p)
{
	uint32_t n = atomic_load_explicit(&p->arena->processes_used, memory_order_acquire);

	return n < ARENA_PROCESSES ? n : ARENA_PROCESSES;
}

bool processes_meet(struct processes *p, bool all)
{
	size_t known = p->modules->n;
	bool more = false;

	for (uint32_t i = 0; i < used(p); i++) {
		struct arena_process *at = &p->arena->process[i];
		struct member *m = &p->member[i];
		uint32_t incarnation = atomic_load_explicit(&at->incarnation, memory_order_acquire);
		pid_t pid = atomic_load_explicit(&at->pid, memory_order_relaxed);
		bool new = pid && (m->pid != pid || m->incarnation != incarnation);

		if (!pid || !incarnation || (!new && !all))
			continue;
		if (m->pid != pid) {
			forget(m);
			m->pid = pid;
			m->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
			p->alive++;
			p->changes++;
		}
		m->incarnation = incarnation;
		for (size_t k = 0; k < m->space.n; k++)
			more = more || !mapping_of(p->modules, m->space.v[k].module)->searched;
		if (space_read(&m->space, p->modules, pid) || new)
			space_publish(&m->space, p->modules, p->arena, at);
	}
	for (size_t k = 0; k < p->modules->n; k++)
		more = more || (p->modules->v[k].mapped && !p->modules->v[k].searched);
	return more || p->modules->n > known;
}

static bool has_ended(const struct member *m)
{
	struct pollfd end = { .fd = m->pidfd, .events = POLLIN };

	if (m->pidfd >= 0)
		return poll(&end, 1, 0) == 1;
	return kill(m->pid, 0) != 0 && errno == ESRCH;
}

void processes_bury(struct processes *p)
{
	uint32_t threads = atomic_load_explicit(&p->arena->threads_used, memory_order_acquire);

	for (uint32_t i = 0; i < used(p); i++) {
		struct member *m = &p->member[i];

		if (!m->pid || !has_ended(m))
			continue;
		for (uint32_t k = 0; k < threads; k++) {
			struct arena_thread *t = &p->arena->thread[k];

			if (atomic_load(&t->state) == SLOT_FREE || atomic_load(&t->process) != i)
				continue;
			arena_free_slot(p->arena, t);
		}
		forget(m);
		p->alive--;
		p->changes++;
		atomic_store_explicit(&p->arena->process[i].incarnation, 0, memory_order_relaxed);
		atomic_store_explicit(&p->arena->process[i].pid, 0, memory_order_release);
	}
}

void processes_name(struct processes *p, uint32_t index, struct arena_sample *s)
{
	if (index >= ARENA_PROCESSES)
		return;
	for (uint32_t i = 0; i < s->nframes && i < ARENA_FRAMES; i++) {
		const struct mapped *at;

		if (s->place[i] >> PLACE_MODULE_SHIFT)
			continue;
		at = space_find(&p->member[index].space, s->place[i]);
		if (at)
			s->place[i] = arena_place(at->module, s->place[i] - at->bias);
	}
}

int64_t processes_cpu_ns(struct processes *p)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < used(p); i++) {
		struct member *m = &p->member[i];
		struct timespec t;
		clockid_t clock;

		if (!m->pid)
			continue;
		if (clock_getcpuclockid(m->pid, &clock) == 0 && clock_gettime(clock, &t) == 0)
			m->cpu_ns = t.tv_sec * 1000000000ll + t.tv_nsec;
		sum += m->cpu_ns;
	}
	return sum;
}

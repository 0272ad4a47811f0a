/*
 * The conductor mostly sleeps.  It wakes up when processes of the target join or end,
 * to fetch samples, and at the end of the time.
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "recorder/absent.h"
#include "recorder/collect.h"
#include "recorder/conductor_parts.h"
#include "recorder/wait_credit.h"
#include "target/shared.h"

enum {
	DRAIN_MS = 50,     /* how often samples are fetched: before a ring is half full, but not too often, as each time costs the target a little */
	CROWD = 64,        /* so many processes at once mostly end soon */
	CROWD_MS = 5,      /* with a crowd, or while processes fork, how often ended processes are looked for */
	FORKS_MS = 100,    /* so long after a fork more of them are expected */
	LEFTOVER_MS = 5,   /* after the end of the command: how often its remaining processes are looked at */
};

static struct arena *watched; /* the conductor that the end of a child wakes up */

static void on_child(int sig)
{
	(void)sig;
	if (watched)
		atomic_fetch_add(&watched->news, 1);
}

void conductor_watch(struct conductor *c)
{
	watched = c ? c->arena : NULL;
	if (c)
		signal(SIGCHLD, on_child);
}

/*
 * Looks requested names up in every new module, such as a plugin or the program of an
 * exec.
 */
static void search(struct conductor *c)
{
	for (size_t i = 0; i < c->modules->n; i++)
		if (c->modules->v[i].mapped && !c->modules->v[i].logged)
			journal_module(c->journal, c->run, &c->modules->v[i]);
	if (c->plan->given) {
		c->regions->giving = true;
		c->given_found = regions_name(c->regions, c->plan->given, c->given_found);
		c->regions->giving = false;
	}
	for (size_t i = 0; i < c->plan->nnames; i++)
		c->name_found[i] = regions_name(c->regions, c->plan->names[i], c->name_found[i]);
	points_place(&c->points);
	for (size_t i = 0; i < c->modules->n; i++)
		c->modules->v[i].searched = c->modules->v[i].searched || c->modules->v[i].mapped;
}

void conductor_read_modules(struct conductor *c, bool all)
{
	collect_while_busy(true);
	if (processes_meet(&c->processes, all))
		search(c);
	collect_while_busy(false);
	if (!absent_refuse(c))
		processes_attended(&c->processes);
}

/* Looks at new processes and modules. */
static void attend(struct conductor *c)
{
	uint32_t news = atomic_load_explicit(&c->arena->news, memory_order_acquire);

	if (news == c->news)
		return;
	c->news = news;
	if (c->ready)
		conductor_read_modules(c, false);
}

/* Signal handlers change the futex word of the sleep, so a signal just before the sleep is not missed. */
void conductor_sleep(struct conductor *c, int64_t at)
{
	int64_t now = now_ns(), look;
	struct timespec t;

	atomic_store_explicit(&c->arena->expires_ns, now + ARENA_ALIVE_NS, memory_order_relaxed);
	if (wait_credit(c->arena, now) && !c->ticking) {
		c->ticking = true;
		conductor_let_go(c);
		machine_release(&c->machine);
	}
	/*
	 * After the first time, this is done in all windows alike, because waking up takes
	 * processor time from the target.
	 */
	if (c->ticking)
		at = at < now + TICK_NS ? at : now + TICK_NS;
	look = spans_look(&c->points.spans, now);
	if (look)
		at = at < now + look ? at : now + look;
	atomic_store_explicit(&c->arena->ticking, c->ticking, memory_order_relaxed);
	t = (struct timespec){ .tv_sec = at / 1000000000, .tv_nsec = at % 1000000000 };
	syscall(SYS_futex, &c->arena->news, FUTEX_WAIT_BITSET, c->news, &t, NULL, FUTEX_BITSET_MATCH_ANY);
	conductor_reap(c); /* the end of the command must be known exactly */
	attend(c);
}

/* ---- samples ------------------------------------------------------------------------ */

static void charge_sample(struct conductor *c, struct collected *of)
{
	if (c->waiting || conductor_drops_samples(c))
		return;
	processes_name(&c->processes, of->process, &of->sample);
	regions_sample(c->regions, &of->sample);
	bursts_sample(&c->bursts, of->slot, of->at, &of->sample);
}

/* Samples outside all known modules: the target has loaded a module, or generates code. */
static void look_again(struct conductor *c)
{
	uint32_t unknown = atomic_load_explicit(&c->arena->unknown_code, memory_order_relaxed);

	if (unknown == c->unknown_code || now_ns() < c->look_ns)
		return;
	c->unknown_code = unknown;
	c->look_ns = now_ns() + LOOK_AGAIN_MS * MS;
	conductor_read_modules(c, true);
}

/* One that is no child of ours; all of its threads. */
static bool has_ended(pid_t pid, int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return pidfd < 0 ? kill(pid, 0) != 0 && errno == ESRCH : poll(&p, 1, 0) > 0;
}

void conductor_reap(struct conductor *c)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (processes_stopped(pid, status))
			continue;
		processes_reaped(&c->processes, pid, status);
		if (pid == c->pid && !c->ended) {
			c->wait_status = status;
			c->ended = true;
			c->ended_ns = now_ns();
		}
	}
	if (c->plan->attached && !c->ended && has_ended(c->pid, c->pidfd)) {
		c->ended = true;
		c->ended_ns = now_ns();
	}
}

int64_t conductor_drain_ns(const struct conductor *c)
{
	bool come_and_go = c->processes.alive >= CROWD || now_ns() - c->processes.forked_ns < FORKS_MS * MS;
	int64_t usual = (come_and_go ? CROWD_MS : DRAIN_MS) * MS, half_a_ring = ARENA_RING / 2 * (int64_t)c->arena->period_ns;

	return usual < half_a_ring ? usual : half_a_ring;
}

void conductor_drain(struct conductor *c)
{
	struct collected next;

	processes_look(&c->processes);
	conductor_reap(c); /* for the status of ended processes */
	look_again(c);
	collect_samples();
	collect_while_busy(true);
	while (collect_next(&next))
		charge_sample(c, &next);
	collect_while_busy(false);
	if (c->regions->passed_more) {
		mapping_publish(c->modules, c->arena);
		c->regions->passed_more = false;
	}
	processes_bury(&c->processes);
	points_cool(&c->points, now_ns());
	absent_warn(c);
}

/* ---- the end -------------------------------------------------------------------------- */

static uint64_t all_visits(const struct conductor *c)
{
	uint32_t n = arena_points(c->arena);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		if (shared_kind(c->arena, i) != POINT_AUTOMATIC)
			sum += points_visits(&c->points, i);
	return sum;
}

bool conductor_over(struct conductor *c)
{
	int64_t now;

	if (c->over)
		return true;
	conductor_reap(c);
	if (!c->ended)
		return false;
	c->alone = 1;
	now = now_ns();
	if (now < c->leftover_ns)
		return false;
	c->leftover_ns = now + LEFTOVER_MS * MS;
	if (c->ready)
		conductor_read_modules(c, false);
	conductor_drain(c);
	c->over = !orphans_goes_on(&c->orphans, &c->processes, all_visits(c), now);
	return c->over;
}

bool conductor_time_is_up(const struct conductor *c)
{
	if (*c->plan->stop || c->enough || c->refused)
		return true;
	return c->plan->until_ns && now_ns() >= conductor_until(c);
}

bool conductor_rest(struct conductor *c, int64_t at)
{
	int64_t now;

	while ((now = now_ns()) < at) {
		int64_t next = now + conductor_drain_ns(c);

		next = next < at ? next : at;
		conductor_sleep(c, next);
		conductor_drain(c);
		if (conductor_over(c) || conductor_time_is_up(c) || conductor_is_interrupted(c))
			return false;
	}
	if (c->status)
		status_draw(c->status, now, c->windows, c->regions, &c->adapt.evidence);
	return !conductor_over(c) && !conductor_time_is_up(c) && !conductor_is_interrupted(c);
}

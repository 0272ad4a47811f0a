/* fd_wait: waits at descriptors; see fd_wait.h. */
#include "fd_wait.h"
#include "runtime/process.h"
#include "runtime/sys.h"
#include "sigwait.h"

enum {
	HABITS = 4096,          /* a power of two */
	SURE = 3,               /* number of contrary waits that change the expectation */
	NO_TIME_NS = 50 * 1000, /* time of a call that does not block */
	ON_ITS_WAY_NS = 200 * 1000, /* a release precedes its real call, mostly by less than this */
};

/* ---- habits --------------------------------------------------------------------- */

/* If two kinds share an entry, the expectation is wrong for a wait or two.  That costs nothing but a wrong guess. */
static _Atomic uint8_t habits[HABITS];

uint32_t habit_of(uint64_t what)
{
	return (uint32_t)(what * 0x9e3779b97f4a7c15u >> 40) & (HABITS - 1);
}

bool habit_is_peer(uint32_t habit)
{
	return atomic_load_explicit(&habits[habit], memory_order_relaxed) > 0;
}

void habit_learn(uint32_t habit, bool by_peer)
{
	uint8_t old = atomic_load_explicit(&habits[habit], memory_order_relaxed);
	uint8_t new = by_peer ? SURE : (uint8_t)(old > 0 ? old - 1 : 0);

	if (new != old)
		atomic_store_explicit(&habits[habit], new, memory_order_relaxed);
}

/* ---- refused calls ------------------------------------------------------------------ */

static _Atomic bool refused[HABITS]; /* by habit: the last call failed, because it would have had to wait */

/*
 * An event loop does not wait in a call.  It tries to send to a full socket, and to receive from an empty one.  Such a call releases
 * nothing.  If a later one succeeds, the other end has made room.
 */
static void note_refusal(struct fd_wait *t, bool is_refused)
{
	bool was = atomic_load_explicit(&refused[t->habit], memory_order_relaxed);

	if (is_refused)
		wait_released_nothing(&t->wait, t->released);
	else if (was && t->into)
		wait_released_into(&t->wait, t->released, t->into);
	if (was != is_refused)
		atomic_store_explicit(&refused[t->habit], is_refused, memory_order_relaxed);
}

/* ---- did a peer end the wait?  --------------------------------------------------------------- */

void latest_of(struct latest *l, uint64_t key, int64_t not_before)
{
	int64_t at = key ? vclock_released_at(&arena->clock, key) : 0;

	if (at && at >= not_before && at >= l->at) {
		l->key = key;
		l->at = at;
	}
}

static bool took_no_time(struct wait *w)
{
	return wait_has_not_blocked(w) || now_ns() - w->began.since_ns < NO_TIME_NS;
}

bool wait_was_for_peer(struct wait *w, const struct latest *l)
{
	if (l->at == 0 || l->at >= w->began.since_ns)
		return l->at != 0;
	if (took_no_time(w))
		return true;
	if (l->at < w->began.since_ns - ON_ITS_WAY_NS)
		return false;
	/* The call has waited for it all the same. */
	w->began.since_ns = l->at;
	return true;
}

/* ---- transfers ------------------------------------------------------------------- */

/* Finds the keys, and those to be released; `other` is the second one, when there are two. */
static uint64_t name(struct fd_wait *t, uint64_t *other)
{
	uint64_t out = t->out != NO_FD ? channel_out(t->out) : 0, room;

	t->from = t->in != NO_FD ? channel_in(t->in) : 0;
	t->into = channel_space(out);
	t->named = true;
	room = channel_space(t->from);
	*other = out && room ? room : 0;
	return out ? out : room;
}

static bool was_released(uint64_t key)
{
	return key && vclock_released_at(&arena->clock, key);
}

static void begin_wait(struct fd_wait *t, uint64_t release, const void *site)
{
	bool peer = habit_is_peer(t->habit) || was_released(t->from) || was_released(t->into);

	t->released = release;
	wait_begin_releasing(&t->wait, CLASS_IO, site, !peer, WAIT_UNKNOWN, release);
}

static bool is_outside(int fd)
{
	return fd == NO_FD || channel_is_outside(fd);
}

void fd_wait_begin(struct fd_wait *t, int in, int out, const void *site)
{
	uint64_t release = 0, other = 0;

	t->in = in;
	t->out = out;
	t->named = false;
	t->released = t->from = t->into = 0;
	t->habit = habit_of((uint64_t)(uint32_t)in << 32 | (uint32_t)out);
	if (is_outside(in) && is_outside(out) && wait_begin_brief(&t->wait, CLASS_IO, site))
		return;
	if (wait_is_accounted()) {
		release = name(t, &other);
		if (other)
			sync_release(other, site);
	}
	begin_wait(t, release, site);
}

void fd_wait_begin_with(struct fd_wait *t, int fd, uint64_t release, uint64_t from, uint64_t into, const void *site)
{
	t->in = fd;
	t->out = NO_FD;
	t->named = true;
	t->from = from;
	t->into = into;
	t->habit = habit_of((uint64_t)(uint32_t)fd << 32 | (uint32_t)NO_FD);
	begin_wait(t, release, site);
}

void fd_wait_begin_queue(struct fd_wait *t, int number, uint64_t data, bool receives, const void *site)
{
	uint64_t space = channel_space(data);

	fd_wait_begin_with(t, number, receives ? space : data, receives ? data : 0, receives ? 0 : space, site);
}

void fd_wait_end(struct fd_wait *t, bool done)
{
	struct latest latest = { 0, 0 };
	/* Releases are noted only while a speedup is on: at other times nobody knows who ended a wait. */
	bool noted = window_speedup() != 0;
	uint64_t unused, alarm = 0;
	bool peer;

	if (!t->wait.t || (t->wait.brief && wait_was_brief(&t->wait)))
		return;
	if (!done && errno == EINTR) {
		signal_wait_end_any(&t->wait);
		return;
	}
	note_refusal(t, !done && errno == EAGAIN);
	if (!noted) {
		peer = done && habit_is_peer(t->habit);
	} else {
		if (!t->named)
			name(t, &unused);
		if (done) {
			latest_of(&latest, t->from, 0);
			/* Room ends a wait only if it was made during the wait, and if the thread was not merely preempted then. */
			if (!wait_has_not_blocked(&t->wait))
				latest_of(&latest, t->into, t->wait.began.since_ns);
		}
		peer = wait_was_for_peer(&t->wait, &latest);
		/* A call that did not block tells nothing about its kind of wait. */
		if (peer || (done && habit_is_peer(t->habit) && !took_no_time(&t->wait)))
			habit_learn(t->habit, peer);
	}
	if (peer) {
		wait_by_peer(&t->wait, latest.key);
	} else {
		if (t->in != NO_FD && channel_is_timer(t->in)) {
			t->wait.class = CLASS_SLEEP;
			t->wait.by_clock = true;
			alarm = channel_alarm(t->in);
		}
		if (noted && done && t->from)
			wait_stranger(&t->wait);
		else
			wait_answered(&t->wait, alarm);
	}
}

void fd_wait_end_of_data(int fd, const void *site)
{
	uint64_t out = wait_is_accounted() ? channel_ended_by_close(fd) : 0;

	if (out)
		sync_release(out, site);
}

void fd_wait_closes(int fd, const void *site)
{
	/* A child of vfork closes descriptors of its own, and shares this memory. */
	if (likely(!wait_is_accounted()) || SYS(SYS_getpid) != process_pid)
		return;
	fd_wait_end_of_data(fd, site);
	file_lock_end(fd, site);
}

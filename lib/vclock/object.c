/*
 * object: the rules of release, acquire and answer.
 *
 * Objects are in a direct-mapped table.  Two of them in one place overwrite each other;
 * the tag tells, and the loser is treated as an object without history.  The fields of a
 * place are stored one by one.  A reader between two stores sees two releases mixed, which
 * are microseconds apart.
 */
#include "vclock/parts.h"

#define GROWS_MOST 0.9 /* the part of a timer's time by which G is expected to grow, at most */

enum { TIMER_MOST_NS = 100 * 1000000 }; /* what runs for longer will mostly end in another window: those take 200 ms or more */

static size_t place_of(uint64_t key)
{
	return key >> 40 & (VCLOCK_OBJECTS - 1);
}

static uint64_t tag_of(const struct vclock_world *w, uint64_t key)
{
	return (key ^ (uint64_t)vclock_window(w) * 0x9e3779b97f4a7c15u) | 1;
}

/* A copy of a struct vclock_object, field by field.  It may mix two releases (see the head of this file). */
struct seen {
	bool known;      /* it was released in this window */
	bool own;        /* the calling thread released it last */
	int64_t virt_ns; /* virtual time of the release */
	int64_t real_ns; /* real time of the release */
	int64_t held_ns; /* see struct vclock_object */
	int64_t idle_ns;
	uint32_t passed_by;
};

static struct seen look_at(const struct vclock_world *w, uint64_t key, uint32_t number)
{
	const struct vclock_object *o = &w->object[place_of(key)];

	if (atomic_load_explicit(&o->tag, memory_order_acquire) != tag_of(w, key))
		return (struct seen){ .known = false };
	return (struct seen){
		.known = true,
		.own = atomic_load_explicit(&o->by, memory_order_relaxed) == number,
		.virt_ns = atomic_load_explicit(&o->virt_ns, memory_order_relaxed),
		.real_ns = atomic_load_explicit(&o->real_ns, memory_order_relaxed),
		.held_ns = atomic_load_explicit(&o->held_ns, memory_order_relaxed),
		.idle_ns = atomic_load_explicit(&o->idle_ns, memory_order_relaxed),
		.passed_by = atomic_load_explicit(&o->passed_by, memory_order_relaxed),
	};
}

/* ---- release ------------------------------------------------------------------------ */

/* Another key of a lock that threads may share: only those that had it alone release that. */
static uint64_t unshared(uint64_t key)
{
	return key ^ 0x5851f42d4c957f2d;
}

void vclock_has_lock(struct vclock *c, uint64_t key, int64_t now)
{
	c->took_key = key;
	c->took_virt_ns = vclock_time(c, now);
}

/* How long the thread has had the lock, in virtual time; another object: for ever. */
static int64_t held_until(const struct vclock *c, uint64_t lock, int64_t virt)
{
	return c->took_key != lock ? INT64_MAX : virt > c->took_virt_ns ? virt - c->took_virt_ns : 0;
}

/*
 * For how long the lock was free of late, in virtual time, before the thread, which has held it,
 * releases it now.  It took the lock after the last release: then that was free until then.  A
 * quarter is forgotten each time, because a thread that comes now cannot use time long ago.  Or it
 * has passed by, and has used up some of that time for others; not for itself, because it uses the
 * lock at one time after the other.
 */
static int64_t idle_after(const struct vclock *c, const struct seen *before, int64_t held, bool passes_by)
{
	int64_t idle = before->idle_ns;

	if (held == INT64_MAX || (passes_by && before->passed_by == c->number))
		return idle;
	idle += passes_by ? -held : c->took_virt_ns - before->virt_ns;
	return idle > 0 ? idle - idle / 4 : 0;
}

/* lock: the object as vclock_has_lock knows it. */
static void release(struct vclock *c, uint64_t key, uint64_t lock, int64_t now)
{
	struct vclock_object *o = &c->world->object[place_of(key)];
	struct seen before = look_at(c->world, key, c->number);
	int64_t virt = vclock_time(c, now), held = held_until(c, lock, virt);
	bool passes_by = before.known && held != INT64_MAX && c->took_virt_ns < before.virt_ns;
	int64_t idle = before.known ? idle_after(c, &before, held, passes_by) : 0;
	uint32_t by = c->number;

	/* Several threads may release one object (arrive at a barrier).  The one that goes on waits for the latest of them. */
	if (before.known && !before.own && virt < before.virt_ns) {
		virt = before.virt_ns;
		by = atomic_load_explicit(&o->by, memory_order_relaxed);
	}
	atomic_store_explicit(&o->by, by, memory_order_relaxed);
	atomic_store_explicit(&o->held_ns, held, memory_order_relaxed);
	atomic_store_explicit(&o->idle_ns, idle, memory_order_relaxed);
	atomic_store_explicit(&o->passed_by, passes_by ? c->number : 0, memory_order_relaxed);
	atomic_store_explicit(&o->virt_ns, virt, memory_order_relaxed);
	atomic_store_explicit(&o->real_ns, now, memory_order_relaxed);
	/* Pairs with the acquire in look_at: a thread that sees the tag sees this window's numbers. */
	atomic_store_explicit(&o->tag, tag_of(c->world, key), memory_order_release);
}

void vclock_release(struct vclock *c, uint64_t key, int64_t now)
{
	release(c, key, key, now);
}

void vclock_release_unshared(struct vclock *c, uint64_t key, int64_t now)
{
	release(c, unshared(key), key, now);
	release(c, key, key, now);
}

/*
 * How much longer a timer of ns has to take: G will grow as fast as it has since the window began.  In a window's first
 * moments that may seem to be without end.
 */
static int64_t stretch_of(const struct vclock_world *w, int64_t ns, int64_t now)
{
	double elapsed = (double)(now - atomic_load_explicit(&w->began_ns, memory_order_relaxed));
	double owed = (double)(vclock_owed(w) - atomic_load_explicit(&w->floor_ns, memory_order_relaxed));

	if (!(owed > 0) || !(elapsed > 0))
		return 0;
	owed = owed < elapsed * GROWS_MOST ? owed : elapsed * GROWS_MOST;
	return (int64_t)((double)(ns < TIMER_MOST_NS ? ns : TIMER_MOST_NS) * owed / (elapsed - owed));
}

int64_t vclock_set_timer(struct vclock *c, uint64_t key, int64_t ns, int64_t now)
{
	int64_t more = stretch_of(c->world, ns, now);

	atomic_fetch_sub_explicit(&c->world->object[place_of(key)].virt_ns, more, memory_order_relaxed);
	return ns + more;
}

int64_t vclock_released_at(const struct vclock_world *w, uint64_t key)
{
	return look_at(w, key, 0).real_ns;
}

/* ---- acquire ------------------------------------------------------------------------ */

/*
 * The thread, which need not wait, is no earlier than the release.  Its own release does not
 * bind it: its clock goes back by what it is credited afterwards for work of before.
 */
static void not_before(struct vclock *c, const struct seen *s, int64_t now)
{
	if (vclock_time(c, now) < s->virt_ns && !s->own)
		vclock_set_delay(c, now - s->virt_ns);
}

void vclock_acquire(struct vclock *c, uint64_t key, int64_t now)
{
	struct seen s = look_at(c->world, key, c->number);

	if (s.known)
		not_before(c, &s, now);
}

/*
 * A lock says that two did something one after the other, not that one went on because of the
 * other.  A thread that is ahead of the last release may pass by: in virtual time it is done
 * with the lock before the other one comes, though in real time that one has been there
 * already.  But a lock has one owner at a time in virtual time, too.  So the thread passes by
 * only where the lock was free, since then, for as long as the last owner had it.  Else it
 * comes after that one.  (Binding all threads would take back a quarter of all credits where
 * many threads fill a queue.  Letting all pass made a busy lock look free: a stage before it
 * that is worth nothing was predicted at 7 to 20 points.)
 */
static void pass_or_follow(struct vclock *c, uint64_t key, int64_t now)
{
	struct seen s = look_at(c->world, key, c->number);
	int64_t ahead = s.virt_ns - vclock_time(c, now);
	int64_t free = ahead < s.idle_ns ? ahead : s.idle_ns;

	if (s.known && free < s.held_ns)
		not_before(c, &s, now);
}

void vclock_lock(struct vclock *c, uint64_t key, int64_t now)
{
	pass_or_follow(c, key, now);
	vclock_has_lock(c, key, now);
}

/*
 * Readers do not wait for each other.  As if they did, two of them in turns of 80 us took back
 * half of each other's credit: what is worth 27 points was predicted at 19.
 */
void vclock_lock_shared(struct vclock *c, uint64_t key, int64_t now)
{
	pass_or_follow(c, unshared(key), now);
	vclock_has_lock(c, key, now);
}

/* The later released of two; b is 0 where there is one. */
static struct seen later_released(const struct vclock *c, uint64_t a, uint64_t b)
{
	struct seen of_a = look_at(c->world, a, c->number);
	struct seen of_b = b ? look_at(c->world, b, c->number) : (struct seen){ .known = false };

	return of_a.known && (!of_b.known || of_a.real_ns >= of_b.real_ns) ? of_a : of_b;
}

/* The virtual time at which the wait began; of one that began in another window, at which this window did. */
static int64_t begin_of(struct vclock *c, const struct vclock_wait *w)
{
	int64_t began = atomic_load_explicit(&c->world->began_ns, memory_order_relaxed);

	/* A wait that began in another window begins again with this one, on the floor of its debts. */
	return w->since_ns > began ? w->since_ns - w->delay_ns : began - vclock_delay(c);
}

static void end_at(struct vclock *c, const struct vclock_wait *w, int64_t v, int64_t now)
{
	int64_t earliest = begin_of(c, w);

	vclock_set_delay(c, now - (v > earliest ? v : earliest));
}

void vclock_wait_by_unknown(struct vclock *c, const struct vclock_wait *w, int64_t now)
{
	end_at(c, w, now - vclock_owed(c->world), now);
}

void vclock_wait_answered(struct vclock *c, const struct vclock_wait *w, uint64_t key, int64_t now)
{
	struct seen s = look_at(c->world, key, c->number);

	if (s.known)
		end_at(c, w, s.virt_ns + (now - s.real_ns), now);
}

/* The release ended the wait, of which nothing is known if it is not; the thread has the lock now. */
static bool end_by(struct vclock *c, const struct vclock_wait *w, struct seen s, uint64_t lock, struct vclock_moment m)
{
	/* The release came before the wait began, so it did not end the wait. */
	if (s.known && s.real_ns < w->since_ns) {
		not_before(c, &s, m.ns);
		vclock_has_lock(c, lock, m.ns);
		return false;
	}
	if (s.known)
		end_at(c, w, processor_bound(c, s.virt_ns + (m.ns - s.real_ns), s.virt_ns, s.real_ns, m), m.ns);
	else
		vclock_wait_by_unknown(c, w, m.ns);
	vclock_has_lock(c, lock, m.ns);
	return true;
}

bool vclock_wait_by_peer(struct vclock *c, const struct vclock_wait *w, uint64_t a, uint64_t b, struct vclock_moment m)
{
	return end_by(c, w, later_released(c, a, b), b ? b : a, m);
}

bool vclock_wait_to_share(struct vclock *c, const struct vclock_wait *w, uint64_t key, struct vclock_moment m)
{
	return end_by(c, w, look_at(c->world, unshared(key), c->number), key, m);
}

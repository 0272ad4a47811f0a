/* watch: waits for one of many things; see watch.h. */
#include "sigwait.h"
#include "watch.h"

enum {
	MOST = 64,    /* at most so many of what is ready are looked at */
	NOTES = 8192, /* a power of two */
	PROBES = 8,   /* places where a note may be stored */
};

/* ---- waiting -------------------------------------------------------------------------- */

void watch_begin(struct watch *w, size_t n, int64_t ns, const void *site)
{
	w->habit = habit_of((uintptr_t)site);
	w->looked = 0;
	w->latest = (struct latest){ 0, 0 };
	w->timer = false;
	w->asked = 0;
	if (n > 0)
		wait_begin(&w->wait, CLASS_IO, site, !habit_is_peer(w->habit), WAIT_UNKNOWN);
	else
		wait_begin(&w->wait, CLASS_SLEEP, site, true, ns);
	w->wait.any = n > 1;
}

bool watch_is_curious(const struct watch *w)
{
	return w->wait.t && w->looked < MOST && window_speedup() != 0;
}

void latest_ready(struct latest *l, int fd, bool in, bool out, int64_t room_since)
{
	if (in)
		latest_of(l, channel_in(fd), 0);
	if (out)
		latest_of(l, channel_space(channel_out(fd)), room_since);
}

void watch_ready(struct watch *w, int fd, bool in, bool out)
{
	w->looked++;
	latest_ready(&w->latest, fd, in, out, w->wait.began.since_ns);
	if (in && channel_is_timer(fd)) {
		w->timer = true;
		w->asked = channel_alarm(fd);
	}
}

/* The first one has ended the wait. */
void watch_answer(struct watch *w, uint64_t asked, bool timer)
{
	if (w->looked++ > 0)
		return;
	w->asked = asked;
	w->timer = timer;
}

bool watch_end(struct watch *w, int ready)
{
	bool peer;

	if (!w->wait.t)
		return false;
	/* A signal has ended it: make waits so for the end of a child. */
	if (ready < 0 && errno == EINTR) {
		signal_wait_end_any(&w->wait);
		return false;
	}
	if (window_speedup() == 0) {
		peer = ready > 0 && habit_is_peer(w->habit);
	} else {
		peer = wait_was_for_peer(&w->wait, &w->latest);
		if (ready > 0)
			habit_learn(w->habit, peer);
	}
	if (peer) {
		wait_by_peer(&w->wait, w->latest.key);
		return true;
	}
	if (ready == 0 || w->timer)
		w->wait.class = CLASS_SLEEP;
	wait_answered(&w->wait, w->asked);
	return false;
}

/* ---- what reported values stand for ------------------------------------------------------- */

/* Written without a lock: a reader between two stores may get what another value stands for. */
static struct {
	_Atomic uint64_t tag; /* 0: free */
	_Atomic int32_t what;
} notes[NOTES];

void watch_note(uint64_t tag, int32_t what)
{
	uint64_t at = tag >> 40;
	uint32_t place = at & (NOTES - 1);

	for (uint32_t i = 0; i < PROBES; i++) {
		uint64_t there = atomic_load_explicit(&notes[(at + i) & (NOTES - 1)].tag, memory_order_relaxed);

		if (there == 0 || there == tag) {
			place = (at + i) & (NOTES - 1);
			break;
		}
	}
	atomic_store_explicit(&notes[place].what, what, memory_order_relaxed);
	/* Pairs with the acquire in watch_noted. */
	atomic_store_explicit(&notes[place].tag, tag, memory_order_release);
}

int32_t watch_noted(uint64_t tag)
{
	uint64_t at = tag >> 40;

	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t place = (at + i) & (NOTES - 1);

		if (atomic_load_explicit(&notes[place].tag, memory_order_acquire) == tag)
			return atomic_load_explicit(&notes[place].what, memory_order_relaxed);
	}
	return NO_FD;
}

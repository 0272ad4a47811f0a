/* account: D of a thread and G of all; the rule of credit. */
#include "vclock/parts.h"

enum {
	GATHERED_NS = 30 * 1000, /* credits that are gathered before G is raised */
};

void vclock_begin(struct vclock *c, struct vclock_world *w, struct vclock_account *a, struct vclock_memory *m, uint32_t number)
{
	*c = (struct vclock){ .world = w, .account = a, .memory = m, .number = number };
}

void vclock_open_account(struct vclock_account *a, struct vclock_world *w, struct vclock *creator)
{
	int64_t d = creator ? vclock_delay(creator) : vclock_owed(w);
	uint32_t window = creator ? atomic_load_explicit(&creator->account->window, memory_order_relaxed) : vclock_window(w);

	atomic_store_explicit(&a->delay_ns, d, memory_order_relaxed);
	atomic_store_explicit(&a->window, window, memory_order_relaxed);
}

int64_t vclock_delay(struct vclock *c)
{
	/* Pairs with the conductor's release: the floor is that of this window. */
	uint32_t window = window_number(atomic_load_explicit(&c->world->window_word, memory_order_acquire));
	int64_t d = atomic_load_explicit(&c->account->delay_ns, memory_order_relaxed);

	if (unlikely(atomic_load_explicit(&c->account->window, memory_order_relaxed) != window)) {
		d = atomic_load_explicit(&c->world->floor_ns, memory_order_relaxed);
		atomic_store_explicit(&c->account->delay_ns, d, memory_order_relaxed);
		atomic_store_explicit(&c->account->window, window, memory_order_relaxed);
		c->gathered_ns = 0;
	}
	return d;
}

void vclock_set_delay(struct vclock *c, int64_t d)
{
	atomic_store_explicit(&c->account->delay_ns, d, memory_order_relaxed);
}

void vclock_credit_up_to(struct vclock *c, int64_t ns, int64_t g)
{
	vclock_raise(c->world, g);
	vclock_set_delay(c, vclock_delay(c) + ns);
}

void vclock_credit(struct vclock *c, int64_t ns)
{
	int64_t d = vclock_delay(c), g = vclock_owed(c->world);

	vclock_credit_up_to(c, ns, (d < g ? d : g) + ns);
}

int64_t vclock_lump(int64_t period, uint32_t weight, uint32_t speedup)
{
	return (period * speedup >> 16) * weight >> 16;
}

/*
 * Small credits are gathered before G is raised.  G is read at each lock.  Threads that are
 * credited hundreds of times in a millisecond would contend for its cache line all the
 * time, which does not happen in baselines.
 */
void vclock_credit_work(struct vclock *c, int64_t ns)
{
	int64_t d = vclock_delay(c), before = c->gathered_ns;

	if (ns == 0)
		return;
	account_count(c->account, ns);
	c->gathered_ns += ns;
	if (c->gathered_ns < GATHERED_NS) {
		vclock_set_delay(c, d + ns);
		return;
	}
	c->gathered_ns = 0;
	vclock_set_delay(c, d - before);
	vclock_credit(c, before + ns);
}

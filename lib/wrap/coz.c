/*
 * coz: the functions that programs instrumented for Coz look for.
 *
 * Such programs find these functions with dlsym, so nothing needs to be linked.  coz.h
 * 0.2 (Debian's coz-profiler) and the Rust crate ask for counters; later headers also
 * declare waits for locks that no wrapper sees.
 *
 * A counter is a word that the program itself adds to.  It lies in the arena, so
 * that the conductor reads it and all processes add to one; a visit is no call of ours.
 * So the conductor opens and closes windows at such a point (lib/recorder/points.c),
 * and no segment ends there.
 *
 * Context: any for _coz_get_counter.  The others are not for signal handlers, but for
 * threads that wait and wake.
 */
#include "runtime/block.h"
#include "wrap.h"

/* COZ_COUNTER_TYPE_* of coz.h */
enum { COUNT_THROUGHPUT = 1, COUNT_BEGIN = 2, COUNT_END = 3 };

/* NULL when the program is not profiled, or when there is no room for another point: then nothing is counted. */
EXPORT struct arena_counter *_coz_get_counter(int type, const char *name);
EXPORT struct arena_counter *_coz_get_counter(int type, const char *name)
{
	struct arena_point *p;
	int point;

	if (!arena || !name || type < COUNT_THROUGHPUT || type > COUNT_END)
		return NULL;
	point = arena_add_point(arena, name, type == COUNT_THROUGHPUT ? POINT_THROUGHPUT : POINT_LATENCY);
	if (point < 0)
		return NULL;
	p = &arena->point[point - 1];
	/* Pairs with the acquire of the conductor, which watches the counter from now on. */
	atomic_store_explicit(&p->counted, 1, memory_order_release);
	return type == COUNT_BEGIN ? &p->begins : &p->ends;
}

EXPORT void _coz_pre_block(void);
EXPORT void _coz_pre_block(void)
{
	block_begin(SITE);
}

/* woken: whether another thread of the program has ended the wait. */
EXPORT void _coz_post_block(int woken);
EXPORT void _coz_post_block(int woken)
{
	block_end(woken != 0);
}

/* Two functions of BCOZ. */
EXPORT void _coz_post_block_0(void);
EXPORT void _coz_post_block_0(void)
{
	block_end(false);
}

EXPORT void _coz_post_block_1(void);
EXPORT void _coz_post_block_1(void)
{
	block_end(true);
}

/* To be called before the thread may wake another one.  Three names for the same, the oldest first. */
EXPORT void _coz_wake_other(void);
EXPORT void _coz_wake_other(void)
{
	block_catch_up(SITE);
}

EXPORT void _coz_catch_up(void);
EXPORT void _coz_catch_up(void)
{
	block_catch_up(SITE);
}

EXPORT void _coz_add_delays(void);
EXPORT void _coz_add_delays(void)
{
	block_catch_up(SITE);
}

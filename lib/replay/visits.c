/*
 * visits: a thread that visits progress points very often does so more rarely, and counts more each time.
 *
 * A program that writes through a small buffer visits ":output" 20,000 times a second.  Each visit is a step of all simulations,
 * but their results are compared at 20 moments; see compare.c.  Analyses of rg, sort and sqlite3 (20 s) took 8.7, 3.2 and 1.6 s, and take
 * 1.2, 0.7 and 0.2 s.  Each nth visit is kept, and not those at certain times: stretches of one kind keep one length, by which they are
 * sorted; see shares.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "replay/join.h"

enum { MOST = 1000 }; /* visits of a thread at a point, unless other things come between them */

/* Of the visits at a point, each `every`th of a row is kept.  Counted from the last one of the row. */
struct row {
	size_t all, every;
	size_t more;               /* visits that the kept one will count, too */
	struct burst_event *kept;  /* NULL: the row has none yet */
};

struct rows {
	struct row *of; /* by number of the point; owned */
	size_t cap;
	struct idmap points;
};

static struct row *row_of(struct rows *rows, uint32_t point)
{
	size_t n = idmap_number(&rows->points, point);

	rows->of = idmap_room(&rows->points, rows->of, &rows->cap, sizeof(*rows->of));
	return &rows->of[n];
}

static void count_visits(const struct burst_thread *t, struct rows *rows)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->event[i].kind == BURST_VISIT)
			row_of(rows, t->event[i].object)->all++;
	for (size_t i = 0; i < rows->points.n; i++)
		rows->of[i].every = (rows->of[i].all + MOST - 1) / MOST;
}

static void end_rows(struct rows *rows)
{
	for (size_t i = 0; i < rows->points.n; i++)
		rows->of[i].kept = NULL;
}

/* Counts the visit as a part of the one that follows in its row.  False: it is one itself. */
static bool join_next(struct rows *rows, struct burst_event *e)
{
	struct row *row = row_of(rows, e->object);

	if (row->kept && row->more && row->kept->other <= UINT32_MAX - e->other) {
		row->kept->other += e->other;
		row->more--;
		return true;
	}
	row->kept = e;
	row->more = row->every - 1;
	return false;
}

/* From the last event to the first.  Events that are kept move to the end of the list, and then to its begin. */
static void join_thread(struct burst_thread *t)
{
	struct rows rows = { .points = IDMAP_INIT };
	size_t to = t->n;

	count_visits(t, &rows);
	for (size_t i = t->n; i-- > 0;) {
		const struct burst_event *e = &t->event[i];

		if (e->kind != BURST_VISIT && burst_is_deed(e->kind))
			end_rows(&rows);
		t->event[--to] = *e;
		if (e->kind == BURST_VISIT && join_next(&rows, &t->event[to]))
			to++;
	}
	t->n -= to;
	if (to)
		memmove(t->event, &t->event[to], t->n * sizeof(*t->event));
	free(rows.of);
	idmap_release(&rows.points);
}

size_t visits_join(struct burst *b)
{
	size_t joined = 0;

	for (size_t i = 0; i < b->n; i++) {
		joined += b->thread[i].n;
		join_thread(&b->thread[i]);
		joined -= b->thread[i].n;
	}
	return joined;
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "format.h"
#include "format/record.h"
#include "recorder/bursts.h"
#include "recorder/machine.h"
#include "replay/burst.h"
#include "target/shared.h"

enum { LINE_BYTES = 1 << 16 }; /* bytes of events in one record */

/* ---- before and during a burst ------------------------------------------------------ */

void bursts_init(struct bursts *b, struct arena *arena, struct journal *journal, struct regions *regions,
		 const struct processes *processes, unsigned run)
{
	b->arena = arena;
	b->journal = journal;
	b->regions = regions;
	b->processes = processes;
	b->run = run;
	b->on = false;
}

void bursts_release(struct bursts *b)
{
	idmap_release(&b->threads);
	idmap_release(&b->objects);
	idmap_release(&b->places);
	map_release(&b->stacks);
	b->stacks = (struct map)MAP_INIT;
	b->nthreads = b->nobjects = b->nplaces = 0;
	for (size_t i = 0; i < ARENA_THREADS; i++)
		free(b->samples[i].v);
	memset(b->samples, 0, sizeof(b->samples));
	free(b->life);
	b->life = NULL;
	b->nlives = b->lives_cap = b->written = 0;
}

void bursts_begin(struct bursts *b, int64_t began_ns)
{
	uint32_t n = shared_threads(b->arena);

	/* Empties the logs, and frees their memory. */
	if (madvise(b->arena->parts.log, sizeof(b->arena->parts.log), MADV_REMOVE) != 0)
		for (uint32_t i = 0; i < ARENA_LOGS; i++)
			atomic_store_explicit(&b->arena->parts.log[i].log.n, 0, memory_order_relaxed);
	atomic_store_explicit(&b->arena->logs_used, 0, memory_order_relaxed);
	atomic_store_explicit(&b->arena->cut_ns, 0, memory_order_relaxed);
	for (uint32_t i = 0; i < ARENA_THREADS; i++) {
		b->samples[i].n = 0;
		b->samples[i].was_there = i < n;
		b->samples[i].first = i < n ? atomic_load_explicit(&shared_thread(b->arena, i)->ring_tail, memory_order_relaxed) : 0;
	}
	b->began_ns = began_ns;
	b->polled_ns = 0;
	b->on = true;
}

/* Is the region written to the log?  If the user has named regions, others are not; main only if there is nothing else. */
static bool is_wanted(const struct regions *r, const struct region *g)
{
	return r->only_named ? g->named || g->given : !g->is_main || r->n == 1;
}

/* The number of the stack with the regions that the last sample was charged to. */
static uint32_t stack_number(struct bursts *b)
{
	const struct regions *r = b->regions;
	struct buf *line = &b->journal->line, key = BUF_INIT;
	uint32_t number;
	void **at;

	buf_adds(&key, "");
	for (size_t i = 0; i < r->ncharged; i++)
		if (is_wanted(r, r->charged[i]))
			buf_addf(&key, "%s%u", key.len ? "," : "", r->charged[i]->id);
	at = map_at(&b->stacks, key.s);
	if (!*at) {
		for (size_t i = 0; i < r->ncharged; i++)
			if (is_wanted(r, r->charged[i]))
				journal_know(b->journal, r->charged[i]);
		*at = (void *)(uintptr_t)b->stacks.n;
		record_begin(line, AW_STACK);
		record_u64(line, "run", b->run);
		record_u64(line, "id", b->stacks.n);
		record_str(line, "regions", key.s);
		record_end(line);
		journal_flush(b->journal);
	}
	number = (uint32_t)(uintptr_t)*at;
	buf_release(&key);
	return number;
}

void bursts_sample(struct bursts *b, uint32_t slot, uint32_t place, const struct arena_sample *s)
{
	struct burst_samples *of = &b->samples[slot];
	uint32_t at = place - of->first;

	if (!b->on || at != of->n)
		return;
	of->v = xgrow(of->v, of->n, &of->cap, sizeof(*of->v));
	of->v[of->n++] = (struct burst_sample){
		.stack = s->class == CLASS_LOCK || s->class == CLASS_RUNQUEUE ? 0 : stack_number(b),
		.cpu_ns = s->class == CLASS_CPU ? (uint32_t)(s->weight * b->arena->period_ns) : 0,
	};
}

bool bursts_is_full(const struct bursts *b)
{
	return atomic_load_explicit(&b->arena->cut_ns, memory_order_relaxed) != 0;
}

/* ---- after a burst ------------------------------------------------------------------ */

static uint32_t number_of(struct idmap *map, size_t *n, uint64_t id)
{
	size_t at;

	if (id == 0)
		return 0;
	at = idmap_at(map, id, *n);
	if (at == *n)
		++*n;
	return (uint32_t)at + 1;
}

static void add_life(struct bursts *b, const struct arena_event *event, uint32_t n, uint32_t slot, uint32_t id)
{
	b->life = xgrow(b->life, b->nlives, &b->lives_cap, sizeof(*b->life));
	b->life[b->nlives++] = (struct burst_life){ event, n, slot, id };
}

/* The number of the present thread of the slot. */
static uint32_t last_thread(struct bursts *b, uint32_t slot)
{
	uint64_t tid = (uint32_t)shared_thread(b->arena, slot)->tid;

	return number_of(&b->threads, &b->nthreads, tid << 32 | (slot + 1));
}

/*
 * Adds each thread that used the slot.  The last one is still alive, and may be known
 * from other bursts.  The others have ended, and do not occur again.  (A process may end
 * without a note; then the next one in its slot begins.)
 */
static void find_lives(struct bursts *b, uint32_t log)
{
	uint32_t n, slot, first = 0;
	const struct arena_event *event = shared_log(b->arena, log, &n, &slot);

	if (!event)
		return;
	for (uint32_t i = 0; i < n; i++) {
		bool died = event[i].kind == BURST_DEATH;

		if (!died && !(i > first && event[i].kind == BURST_BORN))
			continue;
		b->nthreads++;
		add_life(b, event + first, i + died - first, slot, (uint32_t)b->nthreads);
		first = i + died;
	}
	if (first < n)
		add_life(b, event + first, n - first, slot, last_thread(b, slot));
}

/* A slot has one log, so its threads come one after the other. */
static bool is_first_life(const struct bursts *b, const struct burst_life *life)
{
	return life == b->life || life[-1].slot != life->slot;
}

static bool has_life(const struct bursts *b, uint32_t slot)
{
	for (size_t i = 0; i < b->nlives; i++)
		if (b->life[i].slot == slot)
			return true;
	return false;
}

/* Adds threads that only computed, and so have noted no events. */
static void find_silent_lives(struct bursts *b)
{
	uint32_t n = shared_threads(b->arena);

	for (uint32_t slot = 0; slot < n; slot++)
		if (b->samples[slot].n > 0 && !has_life(b, slot))
			add_life(b, NULL, 0, slot, last_thread(b, slot));
}

/* The number of the thread that was created in that slot at that time; 0: it has noted nothing. */
static uint32_t born_in(const struct bursts *b, uint32_t number, int64_t at_ns)
{
	for (size_t i = 0; i < b->nlives; i++)
		if (b->life[i].slot + 1 == number && b->life[i].n > 0 && b->life[i].event[0].at_ns >= at_ns)
			return b->life[i].id;
	return 0;
}

/* The number of the thread that had that slot then; 0: it has noted nothing in the burst. */
static uint32_t alive_in(const struct bursts *b, uint32_t number, int64_t at_ns)
{
	uint32_t id = 0;

	for (size_t i = 0; i < b->nlives; i++)
		if (b->life[i].slot + 1 == number && (!id || (b->life[i].n > 0 && b->life[i].event[0].at_ns <= at_ns)))
			id = b->life[i].id;
	return id;
}

/* The last event of the life up to that time; NULL: there is none. */
static const struct arena_event *last_before(const struct burst_life *life, int64_t at_ns)
{
	uint32_t low = 0, high = life->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (life->event[middle].at_ns <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &life->event[low - 1] : NULL;
}

/*
 * May a thread of that slot have executed the program of the other slot's process?  It has the same id after fork(2); or
 * it belongs to the parent, after posix_spawn(3).
 */
static bool may_have_executed(const struct bursts *b, uint32_t slot, uint32_t of)
{
	const struct arena_thread *t = shared_thread(b->arena, slot), *child = shared_thread(b->arena, of);
	uint32_t process = atomic_load_explicit(&t->process, memory_order_relaxed);
	uint32_t its = atomic_load_explicit(&child->process, memory_order_relaxed);

	if (slot == of || process >= ARENA_PROCESSES || its >= ARENA_PROCESSES)
		return false;
	return t->tid == child->tid || atomic_load_explicit(&b->arena->process[process].pid, memory_order_relaxed) ==
		atomic_load_explicit(&b->arena->process[its].parent, memory_order_relaxed);
}

/* The thread that executed the program whose first thread begins with the event: of those that may have, the last one that did anything. */
static void find_executor(const struct bursts *b, uint32_t slot, struct burst_event *e)
{
	int64_t at_ns = e->at_ns + b->began_ns, last_ns = 0;

	for (size_t i = 0; i < b->nlives; i++) {
		const struct arena_event *last = last_before(&b->life[i], at_ns);

		if (!last || last->at_ns <= last_ns || !may_have_executed(b, b->life[i].slot, slot))
			continue;
		last_ns = last->at_ns;
		e->object = b->life[i].id;
		e->waited_ns = at_ns - last_ns;
	}
}

/* The number of the place that a call returns to.  Writes its record when it is new. */
static uint32_t place_number(struct bursts *b, uint32_t process, uint64_t pc)
{
	size_t known = b->nplaces;
	uint32_t number = number_of(&b->places, &b->nplaces, pc * 0x9e3779b97f4a7c15u + processes_id(b->processes, process));
	const struct mapped *at = b->nplaces > known ? processes_find(b->processes, process, pc - 1) : NULL;
	struct buf *line = &b->journal->line;

	if (at) {
		record_begin(line, AW_PLACE);
		record_u64(line, "run", b->run);
		record_u64(line, "id", number);
		record_u64(line, "module", at->module);
		/* The address of the call, because the return address may be on another line. */
		record_hex(line, "offset", pc - 1 - at->bias);
		record_end(line);
		journal_flush(b->journal);
	}
	return number;
}

/* Translates the event to the numbers of the log.  False: it is invalid. */
static bool translate(struct bursts *b, uint32_t slot, const struct arena_event *a, struct burst_event *e)
{
	uint32_t process, place;
	const struct burst_samples *samples;

	*e = (struct burst_event){
		.at_ns = a->at_ns - b->began_ns, .waited_ns = a->waited_ns, .kind = (enum burst_kind)(a->kind & ~(unsigned)BURST_ANY), .any = a->kind & BURST_ANY,
	};
	switch ((unsigned)e->kind) {
	case BURST_RELEASE:
	case BURST_ACQUIRE:
	case BURST_UNLOCK:
	case BURST_LOCK:
	case BURST_WAIT:
	case BURST_ANSWERED:
		e->object = number_of(&b->objects, &b->nobjects, a->object);
		e->other = number_of(&b->objects, &b->nobjects, a->other);
		break;
	case BURST_BIRTH:
		e->object = born_in(b, a->object, a->at_ns);
		break;
	case BURST_BORN:
		if (a->object)
			e->object = alive_in(b, a->object, a->at_ns - a->waited_ns);
		else
			find_executor(b, slot, e);
		break;
	case BURST_SAMPLE:
	case BURST_WAITING:
		samples = &b->samples[slot];
		place = a->object - samples->first;
		if (place >= samples->n || samples->v[place].stack == 0)
			return false;
		e->object = samples->v[place].stack;
		break;
	case BURST_OUTSIDE:
	case BURST_CLOCK:
	case BURST_TIMEOUT:
	case BURST_SLEEP:
	case BURST_POLL:
	case BURST_QUEUED:
	case BURST_KERNEL:
	case BURST_VISIT:
	case BURST_BEGIN:
	case BURST_END:
	case BURST_DEATH:
		e->object = a->object;
		e->other = a->other;
		break;
	default:
		return false;
	}
	process = atomic_load_explicit(&shared_thread(b->arena, slot)->process, memory_order_relaxed);
	e->site = a->site ? place_number(b, process, a->site) : 0;
	return true;
}

static void write_events(struct bursts *b, uint32_t thread, struct buf *text)
{
	struct buf *line = &b->journal->line;

	if (text->len == 0)
		return;
	record_begin(line, AW_EVENTS);
	record_u64(line, "run", b->run);
	record_u64(line, "burst", b->id);
	record_u64(line, "thread", thread);
	record_str(line, "data", text->s);
	record_end(line);
	journal_flush(b->journal);
	buf_clear(text);
}

/* The number of samples of the slot before the first one that the thread noted. */
static size_t early_samples(const struct bursts *b, const struct burst_life *life)
{
	const struct burst_samples *of = &b->samples[life->slot];

	for (uint32_t i = 0; i < life->n; i++) {
		const struct arena_event a = life->event[i];

		if (a.kind == BURST_SAMPLE || a.kind == BURST_WAITING)
			return a.object - of->first < of->n ? a.object - of->first : of->n;
	}
	return of->n;
}

/*
 * A thread has a log from its first event on.  For samples before that, only the order is
 * known, and not the times.  That does not matter, because the thread did nothing to others
 * then.  They are spread evenly over the time up to `until`: from the begin of the burst,
 * if they fill most of it; else from as late as possible, since the thread may have been
 * idle, or not yet created.  If two samples are farther apart than a period, the rest
 * counts as time without a processor.  Returns the time of the last one.
 */
static int64_t write_early_samples(const struct bursts *b, uint32_t slot, size_t n, int64_t until, struct buf *text)
{
	const struct burst_samples *of = &b->samples[slot];
	int64_t sampled = 0, sum = 0, begin, before;

	for (size_t i = 0; i < n; i++)
		sum += of->v[i].cpu_ns;
	if (sum == 0 || until <= 0)
		return 0;
	begin = (of->was_there && sum > until / 2) || sum > until ? 0 : until - sum;
	before = 0;
	for (size_t i = 0; i < n; i++) {
		struct burst_event e = { .kind = BURST_SAMPLE, .waited_ns = of->v[i].cpu_ns, .object = of->v[i].stack };
		struct burst_event queued = { .kind = BURST_QUEUED };

		if (of->v[i].cpu_ns == 0)
			continue;
		sampled += of->v[i].cpu_ns;
		queued.at_ns = e.at_ns = begin + (int64_t)((double)(until - begin) * (double)sampled / (double)sum);
		queued.waited_ns = e.at_ns - (before > begin ? before : begin) - e.waited_ns;
		if (queued.waited_ns > 0) {
			burst_write(text, &queued, before);
			before = e.at_ns;
		}
		burst_write(text, &e, before);
		before = e.at_ns;
	}
	return before;
}

static void write_life(struct bursts *b, const struct burst_life *life)
{
	struct burst_event e, moved = { .kind = BURST_MOVED };
	struct buf text = BUF_INIT;
	int64_t before = 0;

	if (is_first_life(b, life)) {
		int64_t until = life->n > 0 ? life->event[0].at_ns - life->event[0].waited_ns - b->began_ns : b->length_ns;

		before = write_early_samples(b, life->slot, early_samples(b, life), until < b->length_ns ? until : b->length_ns, &text);
	}
	for (uint32_t i = 0; i < life->n; i++) {
		const struct arena_event a = life->event[i];

		if (!translate(b, life->slot, &a, &e) || e.at_ns < before || e.at_ns > b->length_ns)
			continue;
		if (moved.object != a.processor + 1u) {
			moved.at_ns = e.at_ns;
			moved.object = a.processor + 1u;
			burst_write(&text, &moved, before);
			before = e.at_ns;
		}
		burst_write(&text, &e, before);
		before = e.at_ns;
		b->polled_ns += e.kind == BURST_POLL ? e.waited_ns : 0;
		if (text.len > LINE_BYTES)
			write_events(b, life->id, &text);
	}
	write_events(b, life->id, &text);
	buf_release(&text);
}

void bursts_end(struct bursts *b, int64_t start_ns, int64_t ended_ns, bool whole, const struct machine_use *others)
{
	int64_t cut = atomic_load_explicit(&b->arena->cut_ns, memory_order_relaxed);
	int64_t taken_ns = others->stolen_ns + (others->foreign_ns > 0 ? others->foreign_ns : 0), whole_ns = ended_ns - b->began_ns;
	struct buf *line = &b->journal->line;

	b->on = false;
	b->nlives = b->written = 0;
	if (cut && cut < ended_ns)
		ended_ns = cut;
	b->length_ns = ended_ns - b->began_ns;
	if (b->length_ns <= 0)
		return;
	b->id++;
	record_begin(line, AW_BURST);
	record_u64(line, "run", b->run);
	record_u64(line, "id", b->id);
	record_i64(line, "start_ns", start_ns);
	record_i64(line, "length_ns", b->length_ns);
	record_u64(line, "cpus", parallel_processors());
	if (whole && !cut)
		record_u64(line, "whole", 1);
	record_i64(line, "others_ns", (int64_t)((double)taken_ns * (double)b->length_ns / (double)whole_ns));
	record_end(line);
	journal_flush(b->journal);
	for (uint32_t i = 0; i < shared_logs(b->arena); i++)
		find_lives(b, i);
	find_silent_lives(b);
}

bool bursts_write(struct bursts *b)
{
	if (b->written == b->nlives)
		return false;
	write_life(b, &b->life[b->written++]);
	return true;
}

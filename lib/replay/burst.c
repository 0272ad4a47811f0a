#include "replay/burst.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* The numbers that a kind has beside its time. */
enum { WAITED = 1, OBJECT = 2, OTHER = 4, SITE = 8 };

static const struct {
	char letter;
	unsigned char has;
} kinds[BURST_KINDS] = {
	[BURST_RELEASE] = { 'r', OBJECT | SITE },
	[BURST_ACQUIRE] = { 'a', WAITED | OBJECT | SITE },
	[BURST_UNLOCK] = { 'u', OBJECT | SITE },
	[BURST_LOCK] = { 'l', OBJECT | SITE },
	[BURST_WAIT] = { 'w', WAITED | OBJECT | OTHER | SITE },
	[BURST_OUTSIDE] = { 'o', WAITED | SITE },
	[BURST_QUEUED] = { 'q', WAITED },
	[BURST_VISIT] = { 'v', OBJECT | OTHER },
	[BURST_BEGIN] = { 'b', OBJECT | OTHER },
	[BURST_END] = { 'e', OBJECT | OTHER },
	[BURST_BIRTH] = { 'n', OBJECT | SITE },
	[BURST_DEATH] = { 'x', 0 },
	[BURST_SAMPLE] = { 's', WAITED | OBJECT },
	[BURST_WAITING] = { 'i', WAITED | OBJECT | SITE },
	[BURST_TIMEOUT] = { 't', WAITED | SITE },
	[BURST_SLEEP] = { 'z', WAITED | SITE },
	[BURST_POLL] = { 'p', WAITED | SITE },
	[BURST_CLOCK] = { 'c', WAITED | SITE },
	[BURST_MOVED] = { 'm', OBJECT },
	[BURST_KERNEL] = { 'k', WAITED },
	[BURST_ANSWERED] = { 'd', WAITED | OBJECT | SITE },
	[BURST_BORN] = { 'f', WAITED | OBJECT },
};

static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

enum { BASE_BITS = 5, MORE = 1 << BASE_BITS };

/* ---- in memory --------------------------------------------------------------- */

void burst_release(struct burst *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->thread[i].event);
	free(b->thread);
	memset(b, 0, sizeof(*b));
}

struct burst_thread *burst_thread(struct burst *b, uint32_t id)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->thread[i].id == id)
			return &b->thread[i];
	b->thread = xgrow(b->thread, b->n, &b->cap, sizeof(*b->thread));
	b->thread[b->n] = (struct burst_thread){ .id = id };
	return &b->thread[b->n++];
}

void burst_add(struct burst_thread *t, const struct burst_event *e)
{
	t->event = xgrow(t->event, t->n, &t->cap, sizeof(*t->event));
	t->event[t->n++] = *e;
}

static size_t deed_from(const struct burst_thread *t, size_t i)
{
	while (i < t->n && !burst_is_deed(t->event[i].kind))
		i++;
	return i < t->n ? i : t->n;
}

size_t burst_first_deed(const struct burst_thread *t)
{
	return deed_from(t, 0);
}

size_t burst_next_deed(const struct burst_thread *t, size_t i)
{
	return deed_from(t, i + 1);
}

bool burst_begins(const struct burst_thread *t)
{
	size_t i = burst_first_deed(t);
	const struct burst_event *e = i < t->n ? &t->event[i] : NULL;

	return e && e->kind == BURST_OUTSIDE && e->waited_ns == 0 && e->site == 0;
}

static int in_time(const void *va, const void *vb)
{
	const struct burst_event *a = va, *b = vb;

	return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

void burst_insert(struct burst_thread *t, struct burst_thread *added)
{
	struct burst_thread with = { .id = t->id };
	size_t k = 0, deed = 0;

	if (!added->n)
		return;
	qsort(added->event, added->n, sizeof(*added->event), in_time);
	for (size_t i = 0; i < t->n; i++) {
		const struct burst_event *e = &t->event[i];

		for (deed = deed > i ? deed : i; deed + 1 < t->n && !burst_is_deed(t->event[deed].kind);)
			deed++;
		for (; k < added->n && added->event[k].at_ns < e->at_ns; k++) {
			if (added->event[k].at_ns > t->event[deed].at_ns - t->event[deed].waited_ns)
				break;
			burst_add(&with, &added->event[k]);
		}
		burst_add(&with, e);
		for (; i == deed && k < added->n && added->event[k].at_ns < e->at_ns; k++) {
			added->event[k].at_ns = e->at_ns;
			burst_add(&with, &added->event[k]);
		}
	}
	for (; k < added->n; k++)
		burst_add(&with, &added->event[k]);
	free(t->event);
	*t = with;
}

static void count_work(struct burst_thread *t, uint32_t point)
{
	struct burst_thread with = { .id = t->id };

	for (size_t i = 0; i < t->n; i++) {
		struct burst_event visit = { .at_ns = t->event[i].at_ns, .kind = BURST_VISIT, .object = point };

		burst_add(&with, &t->event[i]);
		visit.other = (uint32_t)(t->event[i].waited_ns / 1000);
		if (t->event[i].kind == BURST_SAMPLE && visit.other > 0)
			burst_add(&with, &visit);
	}
	free(t->event);
	*t = with;
}

void burst_count_work(struct burst *b, uint32_t point)
{
	b->work = point;
	for (size_t i = 0; i < b->n; i++)
		count_work(&b->thread[i], point);
}

/* ---- as text ----------------------------------------------------------------- */

static void write_number(struct buf *b, uint64_t n)
{
	for (; n >= MORE; n >>= BASE_BITS)
		buf_addc(b, digits[MORE | (n & (MORE - 1))]);
	buf_addc(b, digits[n]);
}

void burst_write(struct buf *b, const struct burst_event *e, int64_t before_ns)
{
	unsigned has = kinds[e->kind].has;

	buf_addc(b, e->any ? (char)toupper((unsigned char)kinds[e->kind].letter) : kinds[e->kind].letter);
	write_number(b, e->at_ns > before_ns ? (uint64_t)(e->at_ns - before_ns) : 0);
	if (has & WAITED)
		write_number(b, e->waited_ns > 0 ? (uint64_t)e->waited_ns : 0);
	if (has & OBJECT)
		write_number(b, e->object);
	if (has & OTHER)
		write_number(b, e->other);
	if (has & SITE)
		write_number(b, e->site);
}

/* False when there is none, or it is above `most`. */
static bool read_number(const char **text, uint64_t most, uint64_t *n)
{
	*n = 0;
	for (unsigned shift = 0; **text && shift < 64; shift += BASE_BITS) {
		const char *at = strchr(digits, *(*text)++);
		uint64_t digit;

		if (!at)
			return false;
		digit = (uint64_t)(at - digits);
		if (shift + BASE_BITS > 64 && (digit & (MORE - 1)) >> (64 - shift))
			return false;
		*n |= (digit & (MORE - 1)) << shift;
		if (digit < MORE)
			return *n <= most;
	}
	return false;
}

static bool read_id(const char **text, bool has, uint32_t *id)
{
	uint64_t n = 0;

	if (has && !read_number(text, UINT32_MAX, &n))
		return false;
	*id = (uint32_t)n;
	return true;
}

static bool read_event(const char **text, int64_t before_ns, struct burst_event *e)
{
	uint64_t since, waited = 0;
	unsigned kind = 0, has;

	while (kind < BURST_KINDS && kinds[kind].letter != tolower((unsigned char)**text))
		kind++;
	if (kind == BURST_KINDS)
		return false;
	has = kinds[kind].has;
	e->any = kinds[kind].letter != *(*text)++;
	if (e->any && !((has & WAITED) && (has & SITE)))
		return false;
	e->kind = (enum burst_kind)kind;
	if (!read_number(text, (uint64_t)(INT64_MAX - before_ns), &since))
		return false;
	if ((has & WAITED) && !read_number(text, INT64_MAX, &waited))
		return false;
	e->at_ns = before_ns + (int64_t)since;
	e->waited_ns = (int64_t)waited;
	return read_id(text, has & OBJECT, &e->object) && read_id(text, has & OTHER, &e->other) && read_id(text, has & SITE, &e->site);
}

bool burst_read(struct burst_thread *t, const char *text)
{
	struct burst_event e = { .at_ns = t->n ? t->event[t->n - 1].at_ns : 0 };

	while (*text) {
		if (!read_event(&text, e.at_ns, &e))
			return false;
		burst_add(t, &e);
	}
	return true;
}

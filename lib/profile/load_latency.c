/* Records of spans. */
#include "profile/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/num.h"
#include "bucket.h"
#include "profile/latency.h"

/* One "LEAST:COUNT"; ends it with a NUL. */
static bool parse_bucket(char *s, struct lengths_bucket *out)
{
	char *colon = strchr(s, ':');
	uint64_t least, count;

	if (!colon)
		return false;
	*colon = '\0';
	if (!num_u64(s, &least) || !num_u64(colon + 1, &count) || least > INT64_MAX || !count)
		return false;
	*out = (struct lengths_bucket){ .bucket = bucket_of((int64_t)least), .count = count };
	return true;
}

/* Buckets must be in ascending order, and their counts must add up to the number of spans. */
static bool parse_buckets(struct context *c, char *s, struct context_spans *spans)
{
	uint64_t all = 0;

	spans->first = c->nbuckets;
	while (s) {
		char *comma = strchr(s, ',');
		struct lengths_bucket b;

		if (comma)
			*comma++ = '\0';
		if (!parse_bucket(s, &b) || (spans->n && b.bucket <= c->bucket[c->nbuckets - 1].bucket) || b.count > spans->count - all)
			return false;
		c->bucket = xgrow(c->bucket, c->nbuckets, &c->cap_buckets, sizeof *c->bucket);
		c->bucket[c->nbuckets++] = b;
		spans->n++;
		all += b.count;
		s = comma;
	}
	return all == spans->count;
}

static bool load_buckets(struct context *c, struct record *rec, struct context_spans *spans)
{
	const char *text = record_get(rec, "buckets");
	char *copy;
	bool ok;

	if (!text)
		return true;
	copy = xstrdup(text);
	ok = parse_buckets(c, copy, spans);
	if (!ok) {
		c->nbuckets = spans->first;
		msg_error_at(rec->path, rec->line, "bad buckets: LEAST:COUNT wanted, by length, of %llu spans together",
			     (unsigned long long)spans->count);
	}
	free(copy);
	return ok;
}

void load_latency(struct context *c, struct record *rec)
{
	struct context_spans spans = { .count = record_get_u64(rec, "count"), .crossing = record_get_u64(rec, "crossing") };

	if (!load_buckets(c, rec, &spans) || !spans.count)
		return;
	spans.virtual_ns = record_get_real(rec, "virtual_ns");
	spans.point = load_point(c->p, record_get(rec, "point"));
	spans.window = context_window(c, record_get_u64(rec, "experiment"));
	c->p->point[spans.point].kinds |= KIND_LATENCY;
	c->spans = xgrow(c->spans, c->nspans, &c->cap_spans, sizeof *c->spans);
	c->spans[c->nspans++] = spans;
}

void load_ends(struct context *c, struct record *rec, size_t visits)
{
	c->ends = xgrow(c->ends, c->nends, &c->cap_ends, sizeof *c->ends);
	c->ends[c->nends++] = (struct context_ends){ .at = visits, .in_flight_ns = record_get_real(rec, "in_flight_ns") };
}

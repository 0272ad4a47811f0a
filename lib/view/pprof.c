/* The numbers of fields are those of https://github.com/google/pprof/blob/main/proto/profile.proto. */
#include "view/pprof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "text/prose.h"
#include "view/blame.h"
#include "view/proto.h"

enum { PAGE = 4096 };

struct proto {
	const struct stacks *s;
	struct map text;     /* the table of strings; values: 1 + number */
	struct map function; /* by name and file; values: their number */
	struct buf out;
	struct buf functions;
};

/* ---- strings, functions ---------------------------------------------------------- */

/* Strings must be UTF-8 without controls, which names in a program need not be. */
static uint64_t string_number(struct proto *p, const char *s)
{
	char *clean = prose_clean(s);
	void **place = map_at(&p->text, clean);

	free(clean);
	if (!*place)
		*place = (void *)(uintptr_t)p->text.n;
	return (uintptr_t)*place - 1;
}

static uint64_t function(struct proto *p, const struct stack_frame *f)
{
	uint64_t name = string_number(p, f->function), file = f->file ? string_number(p, f->file) : 0;
	char *key = xasprintf("%llu %llu", (unsigned long long)name, (unsigned long long)file);
	void **place = map_at(&p->function, key);
	struct buf b = BUF_INIT;

	free(key);
	if (*place)
		return (uintptr_t)*place;
	*place = (void *)(uintptr_t)p->function.n;
	proto_number(&b, 1, p->function.n);
	proto_number(&b, 2, name);
	proto_number(&b, 3, name);
	proto_number(&b, 4, file);
	proto_bytes(&p->functions, 5, &b);
	buf_release(&b);
	return p->function.n;
}

/* ---- parts ------------------------------------------------------------------------ */

static void add_type(struct proto *p, unsigned field, const char *type)
{
	struct buf b = BUF_INIT;

	proto_number(&b, 1, string_number(p, type));
	proto_number(&b, 2, string_number(p, "nanoseconds"));
	proto_bytes(&p->out, field, &b);
	buf_release(&b);
}

/* The innermost frame first. */
static void add_sample(struct proto *p, size_t node, const uint64_t value[3], const char *wait)
{
	struct buf b = BUF_INIT, packed = BUF_INIT, label = BUF_INIT;

	for (size_t at = node; at != STACKS_NONE; at = p->s->node[at].parent)
		proto_varint(&packed, p->s->node[at].address + 1);
	proto_bytes(&b, 1, &packed);
	buf_clear(&packed);
	for (int i = 0; i < 3; i++)
		proto_varint(&packed, value[i]);
	proto_bytes(&b, 2, &packed);
	if (wait) {
		proto_number(&label, 1, string_number(p, "wait"));
		proto_number(&label, 2, string_number(p, wait));
		proto_bytes(&b, 3, &label);
	}
	proto_bytes(&p->out, 2, &b);
	buf_release(&b);
	buf_release(&packed);
	buf_release(&label);
}

static void add_samples(struct proto *p, const double *blame)
{
	for (size_t i = 0; i < p->s->nnodes; i++)
		for (int class = 0; class < STACK_CLASSES; class++) {
			uint64_t ns = p->s->node[i].ns[class], impact = blame ? (uint64_t)llround(blame[i * STACK_CLASSES + (size_t)class]) : 0;
			bool cpu = class == STACK_CPU;

			if (ns || impact)
				add_sample(p, i, (uint64_t[]){ cpu ? ns : 0, cpu ? 0 : ns, impact },
					   cpu ? NULL : stack_class_name((enum stack_class)class));
		}
}

/* A module with its range of code. */
struct knowledge {
	uint64_t end; /* behind its last address, of whole pages */
	bool lines, inlined;
};

static void add_mappings(struct proto *p)
{
	struct knowledge *known = xcalloc(p->s->nmodules + 1, sizeof *known);

	for (size_t i = 0; i < p->s->naddresses; i++) {
		const struct stack_address *a = &p->s->address[i];
		struct knowledge *k = &known[a->module];

		if (a->offset >= k->end)
			k->end = (a->offset / PAGE + 1) * PAGE;
		k->lines = k->lines || a->frame[0].line;
		k->inlined = k->inlined || a->nframes > 1;
	}
	for (size_t i = 0; i < p->s->nmodules; i++) {
		struct buf b = BUF_INIT;

		proto_number(&b, 1, i + 1);
		proto_number(&b, 3, known[i].end);
		proto_number(&b, 5, string_number(p, p->s->module[i].path));
		proto_number(&b, 6, string_number(p, p->s->module[i].build_id));
		/* Code without a name gets one from its place; other tools cannot find a better one. */
		proto_number(&b, 7, 1);
		proto_number(&b, 8, known[i].lines);
		proto_number(&b, 9, known[i].lines);
		proto_number(&b, 10, known[i].inlined);
		proto_bytes(&p->out, 3, &b);
		buf_release(&b);
	}
	free(known);
}

static void add_locations(struct proto *p)
{
	for (size_t i = 0; i < p->s->naddresses; i++) {
		const struct stack_address *a = &p->s->address[i];
		struct buf b = BUF_INIT, line = BUF_INIT;

		proto_number(&b, 1, i + 1);
		proto_number(&b, 2, a->module + 1);
		proto_number(&b, 3, a->offset);
		for (size_t k = 0; k < a->nframes; k++) {
			buf_clear(&line);
			proto_number(&line, 1, function(p, &a->frame[k]));
			proto_number(&line, 2, a->frame[k].line);
			proto_bytes(&b, 4, &line);
		}
		proto_bytes(&p->out, 4, &b);
		buf_release(&b);
		buf_release(&line);
	}
}

static void add_strings(struct proto *p)
{
	for (size_t i = 0; i < p->text.n; i++) {
		char *key = p->text.entry[i].key;

		proto_bytes(&p->out, 6, &(struct buf){ .s = key, .len = strlen(key) });
	}
}

static void add_times(struct proto *p, const struct profile *profile)
{
	uint64_t began = 0, length = 0, period = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		const struct profile_run *r = &profile->run[i];

		if (r->started_ns && (!began || r->started_ns < began))
			began = r->started_ns;
		length += r->wall_ns;
		period = period ? period : r->period_ns;
	}
	proto_number(&p->out, 9, began);
	proto_number(&p->out, 10, length);
	add_type(p, 11, "cpu");
	proto_number(&p->out, 12, period);
}

static void add_comment(struct proto *p, const struct impact_point *point)
{
	char *comment;

	if (!point)
		return;
	comment = xasprintf("impact: by how much a visit of '%s' would be shorter if the code took no time (andweorc)", point->name);
	proto_number(&p->out, 13, string_number(p, comment));
	free(comment);
}

/* ---- all of it -------------------------------------------------------------------- */

/* zlib writes neither a time nor a name into the header. */
static void write_compressed(const struct buf *b, FILE *out)
{
	z_stream z = { .next_in = (Bytef *)b->s, .avail_in = (uInt)b->len };
	unsigned char chunk[1 << 16];
	int state;

	/* 31: the greatest window, with gzip's header */
	if (b->len > UINT32_MAX || deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		msg_error("cannot compress the profile");
		return;
	}
	do {
		z.next_out = chunk;
		z.avail_out = sizeof chunk;
		state = deflate(&z, Z_FINISH);
		fwrite(chunk, 1, sizeof chunk - z.avail_out, out);
	} while (state == Z_OK);
	deflateEnd(&z);
	if (state != Z_STREAM_END)
		msg_error("cannot compress the profile");
}

void pprof_write(const struct stacks *s, const struct analysis *a, FILE *out)
{
	struct proto p = { .s = s, .text = MAP_INIT, .function = MAP_INIT };
	size_t *region = NULL;
	double *blame = a->npoints ? stacks_blame(s, a, &a->point[0], &region) : NULL;

	string_number(&p, ""); /* is number 0 */
	add_type(&p, 1, "cpu");
	add_type(&p, 1, "blocked");
	add_type(&p, 1, "impact");
	add_samples(&p, blame);
	add_mappings(&p);
	add_locations(&p);
	buf_add(&p.out, p.functions.s ? p.functions.s : "", p.functions.len);
	add_times(&p, a->profile);
	add_comment(&p, a->npoints ? &a->point[0] : NULL);
	proto_number(&p.out, 14, string_number(&p, "cpu"));
	add_strings(&p);
	write_compressed(&p.out, out);
	free(blame);
	free(region);
	map_release(&p.text);
	map_release(&p.function);
	buf_release(&p.out);
	buf_release(&p.functions);
}

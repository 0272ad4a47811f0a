#include "resolve/coz_read.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/text.h"
#include "format.h"
#include "format/kind.h"
#include "format/record.h"

enum { MOST_FIELDS = 32 };

/* A line: its type, and its fields as text. */
struct line {
	char *type;                                   /* owned */
	char *key[MOST_FIELDS], *value[MOST_FIELDS];  /* owned */
	size_t n;
};

struct coz {
	const char *path;
	unsigned long number; /* of the line */
	FILE *out;
	struct buf text;
	uint64_t run, experiment;
	struct map regions;   /* their places in `name`, + 1 */
	struct map samples;   /* counts by location */
	uint64_t sampled;     /* all of these */
	double elapsed_ns;    /* time of all experiments of this run */
	double duration_ns;   /* length of the last experiment; 0: none */
};

/* ---- lines --------------------------------------------------------------------- */

static void line_release(struct line *l)
{
	free(l->type);
	for (size_t i = 0; i < l->n; i++) {
		free(l->key[i]);
		free(l->value[i]);
	}
	*l = (struct line){ 0 };
}

static void add_field(struct line *l, char *key, char *value)
{
	if (l->n == MOST_FIELDS) {
		free(key);
		free(value);
		return;
	}
	l->key[l->n] = key;
	l->value[l->n++] = value;
}

static void parse_words(const char *text, struct line *l)
{
	char *copy = xstrdup(text), *rest = copy, *word = strsep(&rest, "\t");

	l->type = xstrdup(word);
	while ((word = strsep(&rest, "\t"))) {
		char *value = strchr(word, '=');

		if (value)
			add_field(l, xstrndup(word, (size_t)(value - word)), xstrdup(value + 1));
	}
	free(copy);
}

static bool parse_object(const char *text, struct line *l)
{
	json_t *object = json_loads(text, 0, NULL), *value;
	const char *key, *type = json_string_value(json_object_get(object, "type"));

	json_object_foreach(object, key, value) {
		if (json_is_string(value))
			add_field(l, xstrdup(key), xstrdup(json_string_value(value)));
		else if (json_is_number(value))
			add_field(l, xstrdup(key), xasprintf("%.17g", json_number_value(value)));
	}
	l->type = type ? xstrdup(type) : NULL;
	json_decref(object);
	return l->type != NULL;
}

static const char *field_of(const struct line *l, const char *key)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->key[i], key))
			return l->value[i];
	return NULL;
}

static bool need(const struct coz *c, const struct line *l, const char *key, const char **value)
{
	*value = field_of(l, key);
	if (!*value)
		msg_error_at(c->path, c->number, "'%s' has no '%s'", l->type, key);
	return *value;
}

static bool need_number(const struct coz *c, const struct line *l, const char *key, double *x)
{
	const char *text;

	if (!need(c, l, key, &text))
		return false;
	if (num_real(text, x) && *x >= 0 && *x < 1e18)
		return true;
	msg_error_at(c->path, c->number, "bad number '%s' for '%s'", text, key);
	return false;
}

/* ---- records ------------------------------------------------------------------- */

static void put_record(struct coz *c)
{
	record_end(&c->text);
	fwrite(c->text.s, 1, c->text.len, c->out);
	buf_clear(&c->text);
}

static void begin_run(struct coz *c)
{
	record_begin(&c->text, AW_RUN);
	record_u64(&c->text, "id", ++c->run);
	record_str(&c->text, "command", c->path);
	record_str(&c->text, "sampler", "coz");
	put_record(c);
	c->elapsed_ns = c->duration_ns = 0;
}

/* "/src/a.c:12", or any other name. */
static uint64_t region_of(struct coz *c, const char *selected)
{
	void **at = map_at(&c->regions, selected);
	const char *colon = strrchr(selected, ':');
	uint64_t line;

	if (*at)
		return (uint64_t)(uintptr_t)*at;
	*at = (void *)(uintptr_t)c->regions.n;
	record_begin(&c->text, AW_REGION);
	record_u64(&c->text, "id", c->regions.n);
	if (colon && num_u64(colon + 1, &line)) {
		record_str(&c->text, "scope", "line");
		record_u64(&c->text, "module", 1);
		record_strn(&c->text, "file", selected, (size_t)(colon - selected));
		record_u64(&c->text, "line", line);
	} else {
		record_str(&c->text, "scope", "function");
		record_u64(&c->text, "module", 1);
		record_str(&c->text, "function", selected);
	}
	put_record(c);
	return c->regions.n;
}

static void read_experiment(struct coz *c, const struct line *l)
{
	double speedup, duration;
	const char *selected, *samples = field_of(l, "selected-samples");
	uint64_t region, hits = 0;

	c->duration_ns = 0;
	if (!need(c, l, "selected", &selected) || !need_number(c, l, "speedup", &speedup) || !need_number(c, l, "duration", &duration))
		return;
	if (speedup > 1) {
		msg_error_at(c->path, c->number, "a speedup of %s is more than 1", field_of(l, "speedup"));
		return;
	}
	region = region_of(c, selected);
	record_begin(&c->text, AW_EXPERIMENT);
	record_u64(&c->text, "id", ++c->experiment);
	record_u64(&c->text, "run", c->run);
	if (speedup > 0)
		record_u64(&c->text, "region", region);
	else
		record_str(&c->text, "region", "-");
	record_real(&c->text, "speedup_pct", round(speedup * 1e4) / 100);
	record_i64(&c->text, "start_ns", (int64_t)c->elapsed_ns);
	record_i64(&c->text, "wall_ns", (int64_t)duration);
	if (samples && num_u64(samples, &hits))
		record_u64(&c->text, "region_samples", hits);
	put_record(c);
	c->duration_ns = duration;
	c->elapsed_ns += duration;
}

static void begin_visits(struct coz *c, const char *point, const char *kind, double count)
{
	record_begin(&c->text, AW_VISITS);
	record_u64(&c->text, "experiment", c->experiment);
	record_str(&c->text, "point", point);
	record_str(&c->text, "kind", kind);
	record_u64(&c->text, "count", (uint64_t)count);
	record_i64(&c->text, "virtual_ns", (int64_t)c->duration_ns);
}

static void read_throughput(struct coz *c, const struct line *l)
{
	const char *point;
	double delta;

	if (!need(c, l, "name", &point) || !need_number(c, l, "delta", &delta) || c->duration_ns <= 0)
		return;
	begin_visits(c, point, kind_name(KIND_THROUGHPUT), delta);
	put_record(c);
}

/* `difference` is the mean number in flight; the mean length follows by Little's law. */
static void read_latency(struct coz *c, const struct line *l)
{
	const char *point;
	double arrivals, difference;

	if (!need(c, l, "name", &point) || !need_number(c, l, "arrivals", &arrivals) || !need_number(c, l, "difference", &difference) ||
	    c->duration_ns <= 0)
		return;
	begin_visits(c, point, kind_name(KIND_LATENCY), arrivals);
	record_i64(&c->text, "in_flight_ns", (int64_t)(difference * c->duration_ns));
	put_record(c);
}

static void read_samples(struct coz *c, const struct line *l)
{
	const char *location;
	double count;
	void **at;

	if (!need(c, l, "location", &location) || !need_number(c, l, "count", &count))
		return;
	at = map_at(&c->samples, location);
	*at = (void *)((uintptr_t)*at + (uintptr_t)count);
	c->sampled += (uint64_t)count;
}

static void end_run(struct coz *c)
{
	for (size_t i = 0; i < c->regions.n && c->sampled; i++) {
		record_begin(&c->text, AW_SHARE);
		record_u64(&c->text, "run", c->run);
		record_u64(&c->text, "region", i + 1);
		record_u64(&c->text, "samples", (uint64_t)(uintptr_t)map_get(&c->samples, c->regions.entry[i].key));
		record_u64(&c->text, "total", c->sampled);
		put_record(c);
	}
	map_release(&c->samples);
	c->samples = (struct map)MAP_INIT;
	c->sampled = 0;
	record_begin(&c->text, AW_END);
	record_u64(&c->text, "run", c->run);
	record_str(&c->text, "status", "exit:0");
	record_i64(&c->text, "wall_ns", (int64_t)c->elapsed_ns);
	put_record(c);
}

static bool says_nothing(const char *type)
{
	return !strcmp(type, "shutdown") || !strcmp(type, "runtime");
}

static void take_line(struct coz *c, const struct line *l)
{
	if (!strcmp(l->type, "startup") && c->run)
		end_run(c);
	if (!strcmp(l->type, "startup") || !c->run)
		begin_run(c);
	if (!strcmp(l->type, "experiment"))
		read_experiment(c, l);
	else if (!strcmp(l->type, "throughput-point") || !strcmp(l->type, "progress-point"))
		read_throughput(c, l);
	else if (!strcmp(l->type, "latency-point"))
		read_latency(c, l);
	else if (!strcmp(l->type, "samples"))
		read_samples(c, l);
	else if (strcmp(l->type, "startup") && !says_nothing(l->type))
		msg_error_at(c->path, c->number, "unknown line '%.40s' in a profile of Coz", l->type);
}

/* ---- files ----------------------------------------------------------------------- */

bool coz_is_profile(const char *path)
{
	static const char *const begins[] = { "startup\t", "experiment\t", "{" };
	char head[16] = "";
	struct stat st;
	FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	bool yes = false;

	if (!f)
		return false;
	if (fgets(head, sizeof head, f))
		for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
			yes = yes || text_begins(head, begins[i]);
	fclose(f);
	return yes;
}

void coz_read(const char *path, FILE *out)
{
	struct coz c = { .path = path, .out = out, .text = BUF_INIT };
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t cap = 0;
	ssize_t len;

	if (!f) {
		msg_error("cannot open '%s': %s", path, strerror(errno));
		return;
	}
	record_begin(&c.text, AW_HEADER);
	record_u64(&c.text, "version", AW_FORMAT_VERSION);
	record_str(&c.text, "tool", "record");
	record_u64(&c.text, "resolved", 1);
	put_record(&c);
	record_begin(&c.text, AW_MODULE);
	record_u64(&c.text, "run", 1);
	record_u64(&c.text, "id", 1);
	record_str(&c.text, "path", "program");
	put_record(&c);
	while ((len = getline(&text, &cap, f)) > 0) {
		struct line l = { 0 };

		c.number++;
		if (text[len - 1] == '\n')
			text[--len] = '\0';
		if (len == 0)
			continue;
		if (text[0] != '{')
			parse_words(text, &l);
		if (text[0] != '{' || parse_object(text, &l))
			take_line(&c, &l);
		else
			msg_error_at(c.path, c.number, "a line that is no object with a type");
		line_release(&l);
	}
	if (ferror(f))
		msg_error("cannot read '%s': %s", path, strerror(errno));
	if (c.run)
		end_run(&c);
	free(text);
	fclose(f);
	map_release(&c.regions);
	map_release(&c.samples);
	buf_release(&c.text);
}

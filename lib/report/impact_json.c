/* An analysis as JSON: the names of the format's keys, in the format's order. */
#include <jansson.h>

#include "base/buf.h"
#include "format.h"
#include "report/impact_fields.h"
#include "report/report.h"

static void set_real(void *to, const char *key, double x)
{
	json_object_set_new(to, key, json_real(x));
}

static void set_count(void *to, const char *key, uint64_t x)
{
	json_object_set_new(to, key, json_integer((json_int_t)x));
}

/* JSON is UTF-8, but a name in a log need not be: other bytes become the text \xNN. */
static void set_text(void *to, const char *key, const char *value)
{
	struct buf b = BUF_INIT;
	json_t *s = json_string(value);

	if (!s) {
		for (const char *c = value; *c; c++)
			buf_addf(&b, (unsigned char)*c < 0x80 ? "%c" : "\\x%02x", (unsigned char)*c);
		s = json_string(b.s);
		buf_release(&b);
	}
	json_object_set_new(to, key, s);
}

static void set_names(void *to, const char *key, const char *const *names, size_t n)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, json_string(names[i]));
	json_object_set_new(to, key, all);
}

static struct impact_writer writer(json_t *object)
{
	return (struct impact_writer){ set_real, set_count, set_text, set_names, .to = object };
}

/* A writer of an object that is made the last one of `all`, which owns it. */
static struct impact_writer append_object(json_t *all)
{
	json_t *o = json_object();

	json_array_append_new(all, o);
	return writer(o);
}

static json_t *run_array(const struct profile *p)
{
	json_t *all = json_array();

	for (size_t i = 0; i < p->nruns; i++) {
		struct impact_writer w = append_object(all);

		impact_run_fields(&w, &p->run[i]);
	}
	return all;
}

static void append_warnings(json_t *all, const struct profile_warning *warning, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct impact_writer w = append_object(all);

		impact_warning_fields(&w, &warning[i]);
	}
}

static json_t *warning_array(const struct analysis *a)
{
	json_t *all = json_array();

	append_warnings(all, a->profile->warning, a->profile->nwarnings);
	append_warnings(all, a->doubt, a->ndoubts);
	return all;
}

static json_t *coverage_object(const struct profile *p)
{
	struct impact_coverage c = impact_coverage(p);
	json_t *o = json_object(), *untried = json_array();
	struct impact_writer w = writer(o);

	impact_coverage_fields(&w, &c);
	for (size_t i = 0; i < c.nuntried; i++) {
		w = append_object(untried);
		impact_untried_fields(&w, &c, i);
	}
	json_object_set_new(o, "untried", untried);
	return o;
}

static json_t *curve_array(const struct impact *im)
{
	json_t *all = json_array();

	for (size_t i = 0; i < im->effect.nlevels; i++) {
		struct impact_writer w = append_object(all);

		impact_level_fields(&w, im, &im->effect.level[i]);
	}
	return all;
}

static json_t *impact_array(const struct analysis *a, const struct impact_point *p, size_t top)
{
	json_t *all = json_array();

	for (size_t i = 0; i < p->nimpacts && i < top; i++) {
		struct impact_writer w = append_object(all);

		impact_region_fields(&w, a, &p->impact[i]);
		json_object_set_new(w.to, "curve", curve_array(&p->impact[i]));
	}
	return all;
}

static json_t *point_array(const struct analysis *a, size_t top)
{
	json_t *all = json_array();

	for (size_t i = 0; i < a->npoints; i++) {
		struct impact_writer w = append_object(all);

		impact_point_fields(&w, &a->point[i]);
		json_object_set_new(w.to, "impacts", impact_array(a, &a->point[i], top));
	}
	return all;
}

void impact_write_json(const struct analysis *a, size_t top, FILE *out)
{
	json_t *root = json_object();

	set_count(root, "version", AW_FORMAT_VERSION);
	set_text(root, "tool", "analyze");
	json_object_set_new(root, "runs", run_array(a->profile));
	json_object_set_new(root, "warnings", warning_array(a));
	json_object_set_new(root, "coverage", coverage_object(a->profile));
	json_object_set_new(root, "points", point_array(a, top));
	json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	fputc('\n', out);
	json_decref(root);
}

/* An analysis in the format andweorc(5). */
#include <math.h>

#include "base/buf.h"
#include "format.h"
#include "format/record.h"
#include "report/impact_fields.h"
#include "report/report.h"

static void add_real(void *to, const char *key, double x)
{
	record_real(to, key, x);
}

static void add_count(void *to, const char *key, uint64_t x)
{
	record_u64(to, key, x);
}

static void add_text(void *to, const char *key, const char *value)
{
	record_str(to, key, value);
}

static void add_names(void *to, const char *key, const char *const *names, size_t n)
{
	struct buf all = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_addf(&all, "%s%s", i ? "," : "", names[i]);
	if (n)
		record_str(to, key, all.s);
	buf_release(&all);
}

static struct impact_writer writer(struct buf *b)
{
	return (struct impact_writer){ add_real, add_count, add_text, add_names, .whole = true, .to = b };
}

static void add_run(const struct impact_writer *w, size_t id, const struct profile_run *r)
{
	record_begin(w->to, AW_RUN);
	impact_put_count(w, "id", id);
	impact_run_fields(w, r);
	record_end(w->to);
}

static void add_warnings(const struct impact_writer *w, const struct profile_warning *warning, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		record_begin(w->to, AW_WARNING);
		impact_warning_fields(w, &warning[i]);
		record_end(w->to);
	}
}

/* The code outside all regions that takes most time. */
static void add_coverage(const struct impact_writer *w, const struct profile *p)
{
	struct impact_coverage c = impact_coverage(p);

	if (isnan(c.pct))
		return;
	record_begin(w->to, AW_COVERAGE);
	impact_coverage_fields(w, &c);
	record_end(w->to);
	for (size_t i = 0; i < c.nuntried; i++) {
		record_begin(w->to, AW_UNTRIED);
		impact_untried_fields(w, &c, i);
		record_end(w->to);
	}
}

static void add_point(const struct impact_writer *w, const struct impact_point *p)
{
	record_begin(w->to, AW_POINT);
	impact_point_fields(w, p);
	record_end(w->to);
}

/* The results of each run for the point. */
static void add_baselines(const struct impact_writer *w, const struct impact_point *p)
{
	for (size_t i = 0; i < p->nbaselines; i++) {
		const struct impact_baseline *r = &p->baseline[i];

		record_begin(w->to, AW_BASELINE);
		impact_put_text(w, "point", p->name);
		impact_put_count(w, "run", r->run + 1);
		impact_put_real(w, "period_ns", r->period.value);
		impact_put_real(w, "period_se", r->period.se);
		impact_put_real(w, "df", r->period.df);
		impact_put_real(w, "visits", r->visits);
		impact_put_count(w, "windows", r->windows);
		record_end(w->to);
	}
}

static void add_impact(const struct impact_writer *w, const struct analysis *a, const struct impact_point *p, const struct impact *im)
{
	record_begin(w->to, AW_IMPACT);
	impact_put_text(w, "point", p->name);
	impact_region_fields(w, a, im);
	record_end(w->to);
}

static void add_curve(const struct impact_writer *w, const struct impact_point *p, const struct impact *im)
{
	for (size_t i = 0; i < im->effect.nlevels; i++) {
		record_begin(w->to, AW_CURVE);
		impact_put_text(w, "point", p->name);
		impact_put_text(w, "region", im->region->label);
		impact_level_fields(w, im, &im->effect.level[i]);
		record_end(w->to);
	}
}

/* The results of each run for the region. */
static void add_replicates(const struct impact_writer *w, const struct impact_point *p, const struct impact *im)
{
	for (size_t i = 0; i < im->nreplicates; i++) {
		const struct impact_replicate *r = &im->replicate[i];

		record_begin(w->to, AW_REPLICATE);
		impact_put_text(w, "point", p->name);
		impact_put_text(w, "region", im->region->label);
		impact_put_count(w, "run", r->run + 1);
		impact_put_real(w, "slope", r->all.slope.value);
		impact_put_real(w, "slope_se", r->all.slope.se);
		impact_put_real(w, "cost_ns", r->all.cost.value);
		impact_put_real(w, "cost_se", r->all.cost.se);
		impact_put_real(w, "df", r->all.slope.df);
		if (r->rise.basis != CAUSAL_NONE) {
			impact_put_real(w, "rise_slope", r->rise.slope.value);
			impact_put_real(w, "rise_slope_se", r->rise.slope.se);
			impact_put_real(w, "rise_cost_ns", r->rise.cost.value);
			impact_put_real(w, "rise_cost_se", r->rise.cost.se);
		}
		impact_put_real(w, "info", r->sum.ratio.den);
		impact_put_count(w, "windows", r->sum.windows);
		impact_put_count(w, "baselines", r->sum.baselines);
		record_end(w->to);
	}
}

/* The results of replay, also for regions without experiments. */
static void add_replayed(const struct impact_writer *w, const struct profile *p, const struct profile_replayed *r)
{
	static const char *const gain[REPLAY_MODELS] = { "simulated", "monitor", "staying" };
	static const char *const check[REPLAY_MODELS] = { "simulated_check", "monitor_check", "staying_check" };

	record_begin(w->to, AW_REPLAY);
	impact_put_text(w, "point", p->point[r->point].name);
	impact_put_text(w, "region", p->region[r->region].label);
	impact_put_real(w, "speedup_pct", r->s * 100);
	impact_put_real(w, "gain_pct", r->gain * 100);
	impact_put_real(w, "gain_se", r->se * 100);
	impact_put_real(w, "trust", r->trust);
	impact_put_real(w, "unseen_pct", r->unseen * 100);
	for (size_t i = 0; i < REPLAY_MODELS; i++) {
		impact_put_real(w, gain[i], r->model[i].gain * 100);
		impact_put_real(w, check[i], r->model[i].base_ns / r->measured_ns);
	}
	record_end(w->to);
}

static void add_why(const struct impact_writer *w, const struct profile *p, const struct profile_why *why)
{
	record_begin(w->to, AW_WHY);
	impact_put_text(w, "region", p->region[why->region].label);
	impact_put_text(w, "who", why->own ? "own" : "others");
	impact_put_real(w, "wait_pct", 100 * why->ns / why->threads_ns);
	impact_put_text(w, "at", why->at);
	if (why->until)
		impact_put_text(w, "until", why->until);
	record_end(w->to);
}

void impact_write_records(const struct analysis *a, size_t top, FILE *out)
{
	struct buf b = BUF_INIT;
	struct impact_writer w = writer(&b);

	record_begin(&b, AW_HEADER);
	impact_put_count(&w, "version", AW_FORMAT_VERSION);
	impact_put_text(&w, "tool", "analyze");
	record_end(&b);
	for (size_t i = 0; i < a->profile->nruns; i++)
		add_run(&w, i + 1, &a->profile->run[i]);
	add_warnings(&w, a->profile->warning, a->profile->nwarnings);
	add_warnings(&w, a->doubt, a->ndoubts);
	add_coverage(&w, a->profile);
	for (size_t i = 0; i < a->npoints; i++) {
		const struct impact_point *p = &a->point[i];

		add_point(&w, p);
		add_baselines(&w, p);
		for (size_t j = 0; j < p->nimpacts && j < top; j++) {
			add_impact(&w, a, p, &p->impact[j]);
			add_curve(&w, p, &p->impact[j]);
			add_replicates(&w, p, &p->impact[j]);
		}
	}
	for (size_t i = 0; i < a->profile->nreplayed; i++)
		if (profile_is_mean(&a->profile->replayed[i]))
			add_replayed(&w, a->profile, &a->profile->replayed[i]);
	for (size_t i = 0; i < a->profile->nwhys; i++)
		add_why(&w, a->profile, &a->profile->why[i]);
	fwrite(b.s, 1, b.len, out);
	buf_release(&b);
}

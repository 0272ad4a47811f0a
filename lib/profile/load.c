/* Reading logs: records to the model.  Within a header, records may come in any order. */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/num.h"
#include "format.h"
#include "format/record.h"
#include "profile/idmap.h"

struct module {
	uint64_t id;
	char *path;
};

/* What lasts from one header to the next. */
struct load {
	struct profile *p;
	struct idmap run, region, window;
	struct module *module;
	size_t nmodules, cap_modules;
	size_t first_region, first_window, first_run;
};

static size_t run_at(struct load *l, uint64_t id)
{
	struct profile *p = l->p;
	size_t at = idmap_at(&l->run, id, p->nruns);

	if (at == p->nruns) {
		p->run = xgrow(p->run, p->nruns, &p->cap_runs, sizeof *p->run);
		p->run[p->nruns++] = (struct profile_run){ 0 };
	}
	return at;
}

static size_t region_at(struct load *l, uint64_t id)
{
	struct profile *p = l->p;
	size_t at = idmap_at(&l->region, id, p->nregions);

	if (at == p->nregions) {
		p->region = xgrow(p->region, p->nregions, &p->cap_regions, sizeof *p->region);
		p->region[p->nregions++] = (struct profile_region){ .header = p->nheaders };
	}
	return at;
}

static size_t window_at(struct load *l, uint64_t id)
{
	struct profile *p = l->p;
	size_t at = idmap_at(&l->window, id, p->nwindows);

	if (at == p->nwindows) {
		p->window = xgrow(p->window, p->nwindows, &p->cap_windows, sizeof *p->window);
		p->window[p->nwindows++] = (struct profile_window){ .id = id, .region = PROFILE_NONE };
	}
	return at;
}

static size_t point_at(struct profile *p, const char *name)
{
	/* programs have a handful of points */
	for (size_t i = 0; i < p->npoints; i++)
		if (!strcmp(p->point[i].name, name))
			return i;
	p->point = xgrow(p->point, p->npoints, &p->cap_points, sizeof *p->point);
	p->point[p->npoints].name = xstrdup(name);
	return p->npoints++;
}

static void take(struct record *rec, const char *key, char **out)
{
	const char *value = record_get(rec, key);

	if (value && !*out)
		*out = xstrdup(value);
}

static bool is_new(struct record *rec, bool defined, uint64_t id)
{
	if (defined)
		msg_error_at(rec->path, rec->line, "%s %llu is there twice", rec->type, (unsigned long long)id);
	return !defined;
}

static void load_run(struct load *l, struct record *rec)
{
	struct profile_run *r;
	uint64_t id;
	size_t at;

	if (!record_need_u64(rec, "id", &id))
		return;
	at = run_at(l, id); /* may move the array */
	r = &l->p->run[at];
	if (!is_new(rec, r->defined, id))
		return;
	r->defined = true;
	take(rec, "command", &r->command);
	take(rec, "commit", &r->commit);
	take(rec, "host", &r->host);
	take(rec, "kernel", &r->kernel);
	take(rec, "cpu_model", &r->cpu_model);
	take(rec, "sampler", &r->sampler);
	take(rec, "mode", &r->mode);
	record_opt_u64(rec, "cpus", &r->cpus);
	record_opt_u64(rec, "period_ns", &r->period_ns);
	record_opt_u64(rec, "started_ns", &r->started_ns);
	record_opt_u64(rec, "seed", &r->seed);
}

static void load_end(struct load *l, struct record *rec)
{
	struct profile_run *r;
	uint64_t id;
	size_t at;

	if (!record_need_u64(rec, "run", &id))
		return;
	at = run_at(l, id); /* may move the array */
	r = &l->p->run[at];
	if (!record_get(rec, "status"))
		r->status = r->status ? r->status : xstrdup("?");
	take(rec, "status", &r->status);
	record_opt_u64(rec, "wall_ns", &r->wall_ns);
}

static void load_module(struct load *l, struct record *rec)
{
	const char *path;
	uint64_t id;

	if (!record_need_u64(rec, "id", &id) || !record_need_str(rec, "path", &path))
		return;
	l->module = xgrow(l->module, l->nmodules, &l->cap_modules, sizeof *l->module);
	l->module[l->nmodules++] = (struct module){ .id = id, .path = xstrdup(path) };
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_region(struct record *rec, const struct profile_region *r, uint64_t module)
{
	uint64_t line = 0;

	return r->module_id == module && record_opt_u64(rec, "line", &line) && r->line == line &&
	       same_text(record_get(rec, "scope"), r->scope) && same_text(record_get(rec, "symbol"), r->symbol) &&
	       same_text(record_get(rec, "file"), r->file);
}

static void load_region(struct load *l, struct record *rec)
{
	struct profile_region *r;
	uint64_t id, module;
	size_t at;

	if (!record_need_u64(rec, "id", &id) || !record_need_u64(rec, "module", &module))
		return;
	at = region_at(l, id); /* may move the array */
	r = &l->p->region[at];
	/* Each run that experiments with a region says again what it is, so that a log that is cut short can be read. */
	if (r->defined && !same_region(rec, r, module)) {
		msg_error_at(rec->path, rec->line, "region %llu is there twice, and not the same", (unsigned long long)id);
		return;
	}
	r->defined = true;
	r->module_id = module;
	take(rec, "scope", &r->scope);
	take(rec, "ranges", &r->ranges);
	take(rec, "function", &r->function);
	take(rec, "symbol", &r->symbol);
	take(rec, "also", &r->also);
	take(rec, "file", &r->file);
	record_opt_u64(rec, "line", &r->line);
}

/* region=- is a baseline, and so is speedup 0 whatever the region. */
static bool window_region(struct load *l, struct record *rec, double s, size_t *out)
{
	uint64_t id;

	*out = PROFILE_NONE;
	if (s == 0)
		return true;
	if (!record_need_u64(rec, "region", &id))
		return false;
	*out = region_at(l, id);
	return true;
}

static void load_experiment(struct load *l, struct record *rec)
{
	struct profile_window w = { 0 };
	struct profile_region *region;
	struct profile_run *run;
	uint64_t id, run_id, disturbed = 0, samples = 0, region_samples = 0, wall_ns = 0;
	double pct;
	size_t at;

	if (!record_need_u64(rec, "id", &id) || !record_need_u64(rec, "run", &run_id) ||
	    !record_need_real(rec, "speedup_pct", &pct))
		return;
	if (pct < 0 || pct > 100) {
		msg_error_at(rec->path, rec->line, "speedup_pct %g is not between 0 and 100", pct);
		return;
	}
	if (!record_opt_u64(rec, "block", &w.block) || !record_opt_u64(rec, "start_ns", &w.start_ns) ||
	    !record_opt_u64(rec, "wall_ns", &wall_ns) || !record_opt_u64(rec, "samples", &samples) ||
	    !record_opt_u64(rec, "region_samples", &region_samples) || !record_opt_u64(rec, "disturbed", &disturbed) ||
	    !window_region(l, rec, pct / 100, &w.region))
		return;
	at = window_at(l, id);
	if (!is_new(rec, l->p->window[at].defined, id))
		return;
	w.id = id;
	w.defined = true;
	w.run = run_at(l, run_id);
	w.s = pct / 100;
	w.disturbed = disturbed != 0;
	l->p->window[at] = w;
	run = &l->p->run[w.run];
	run->windows++;
	run->disturbed += w.disturbed;
	run->windows_ns += wall_ns;
	if (w.region == PROFILE_NONE)
		return;
	region = &l->p->region[w.region];
	region->window_samples += region_samples;
	region->window_total += samples;
}

static void load_visits(struct load *l, struct record *rec)
{
	struct profile *p = l->p;
	const char *point, *time;
	uint64_t window, count;
	int64_t virtual_ns = 0;
	size_t at;

	if (!record_need_u64(rec, "experiment", &window) || !record_need_str(rec, "point", &point) ||
	    !record_need_u64(rec, "count", &count))
		return;
	at = point_at(p, point);
	if (!count)
		return;
	if (!record_need_str(rec, "virtual_ns", &time))
		return;
	if (!num_i64(time, &virtual_ns)) {
		msg_error_at(rec->path, rec->line, "bad number '%s' for 'virtual_ns'", time);
		return;
	}
	if (virtual_ns <= 0) {
		p->impossible++;
		return;
	}
	p->visits = xgrow(p->visits, p->nvisits, &p->cap_visits, sizeof *p->visits);
	p->visits[p->nvisits++] = (struct profile_visits){
		.window = window_at(l, window), .point = at, .count = count, .virtual_ns = (double)virtual_ns
	};
}

static void load_share(struct load *l, struct record *rec)
{
	uint64_t run, region, samples, total;
	struct profile *p = l->p;
	struct profile_share share;

	if (!record_need_u64(rec, "run", &run) || !record_need_u64(rec, "region", &region) ||
	    !record_need_u64(rec, "samples", &samples) || !record_need_u64(rec, "total", &total))
		return;
	share = (struct profile_share){ run_at(l, run), region_at(l, region), samples };
	if (total > p->run[share.run].share_total)
		p->run[share.run].share_total = total;
	p->share = xgrow(p->share, p->nshares, &p->cap_shares, sizeof *p->share);
	p->share[p->nshares++] = share;
}

static void load_warning(struct load *l, struct record *rec)
{
	struct profile *p = l->p;
	struct profile_warning w = { 0 };

	take(rec, "what", &w.what);
	take(rec, "text", &w.text);
	if (!w.what)
		w.what = xstrdup("warning");
	if (!w.text)
		w.text = xstrdup(w.what);
	p->warning = xgrow(p->warning, p->nwarnings, &p->cap_warnings, sizeof *p->warning);
	p->warning[p->nwarnings++] = w;
}

/* Regions learn their module's path; references into nothing are reported, once for each kind. */
static void close_header(struct load *l, const char *path)
{
	struct profile *p = l->p;
	size_t regions = 0, windows = 0;

	for (size_t i = l->first_region; i < p->nregions; i++) {
		regions += !p->region[i].defined;
		for (size_t m = 0; m < l->nmodules; m++)
			if (p->region[i].defined && l->module[m].id == p->region[i].module_id && !p->region[i].module)
				p->region[i].module = xstrdup(l->module[m].path);
	}
	for (size_t i = l->first_window; i < p->nwindows; i++)
		windows += !p->window[i].defined;
	if (regions)
		msg_error("%s: records name %zu region(s) that no 'region' record defines", path, regions);
	/* a bad line has been reported by then, and this may only follow from it */
	if (windows && !msg_failed())
		msg_error("%s: 'visits' records name %zu experiment(s) that no 'experiment' record defines", path, windows);
	for (size_t m = 0; m < l->nmodules; m++)
		free(l->module[m].path);
	l->nmodules = 0;
	idmap_release(&l->run);
	idmap_release(&l->region);
	idmap_release(&l->window);
	l->first_region = p->nregions;
	l->first_window = p->nwindows;
	p->nheaders++;
}

static void load_header(struct load *l, struct record *rec)
{
	const char *tool = record_get(rec, "tool");

	close_header(l, rec->path);
	if (tool && (!strcmp(tool, "analyze") || !strcmp(tool, "diff")))
		msg_error_at(rec->path, rec->line, "this is the result of andweorc-%s, not a log", tool);
}

static void load_record(struct load *l, struct record *rec)
{
	static const struct {
		const char *type;
		void (*load)(struct load *l, struct record *rec);
	} known[] = {
		{ AW_VISITS, load_visits },   { AW_EXPERIMENT, load_experiment }, { AW_REGION, load_region },
		{ AW_SHARE, load_share },     { AW_MODULE, load_module },         { AW_RUN, load_run },
		{ AW_WARNING, load_warning }, { AW_END, load_end },               { AW_HEADER, load_header },
	};

	/* by far the most frequent type, and of no use here */
	if (!strcmp(rec->type, AW_SAMPLE)) {
		l->p->samples++;
		return;
	}
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (!strcmp(rec->type, known[i].type))
			known[i].load(l, rec);
}

bool profile_load(struct profile *p, const char *path)
{
	struct load l = { .p = p, .first_region = p->nregions, .first_window = p->nwindows };
	struct reader *reader = reader_open(path);
	struct record rec;

	if (!reader)
		return false;
	while (reader_next(reader, &rec))
		load_record(&l, &rec);
	close_header(&l, strcmp(path, "-") ? path : "standard input");
	free(l.module);
	return reader_close(reader);
}

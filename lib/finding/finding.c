#include "finding/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void findings_init(struct findings *a)
{
	*a = (struct findings){ .points = MAP_INIT };
}

static void finding_free(struct finding *m)
{
	free(m->region);
	free(m->scope);
	free(m->function);
	free(m->symbol);
	free(m->module);
	free(m->file);
	free(m->line_hash);
	free(m->context_hash);
	free(m->function_hash);
	free(m->basis);
	free(m->verdict);
	free(m->need);
	free(m->doubt);
	free(m->curve);
	free(m->replicate);
	free(m);
}

static void point_free(struct found_point *p)
{
	for (size_t i = 0; i < p->regions.n; i++)
		finding_free(p->regions.entry[i].value);
	map_release(&p->regions);
	free(p->name);
	free(p->kind);
	free(p->baseline);
	free(p);
}

static void run_release(struct found_run *r)
{
	free(r->command);
	free(r->commit);
	free(r->host);
	free(r->kernel);
	free(r->cpu_model);
	free(r->sampler);
	free(r->mode);
	free(r->scope);
	free(r->block);
}

void findings_release(struct findings *a)
{
	for (size_t i = 0; i < a->points.n; i++)
		point_free(a->points.entry[i].value);
	map_release(&a->points);
	for (size_t i = 0; i < a->nruns; i++)
		run_release(&a->run[i]);
	free(a->run);
	free(a->command);
	free(a->tool);
	free(a->warning);
	findings_init(a);
}

const struct found_point *findings_point(const struct findings *a, const char *name)
{
	return map_get(&a->points, name);
}

const struct found_run *findings_run(const struct findings *a, size_t context, double id)
{
	size_t usual = id >= 1 && id <= (double)a->nruns ? (size_t)id - 1 : 0;

	/* an analysis numbers its runs from 1 */
	if (usual < a->nruns && a->run[usual].context == context && a->run[usual].id == id)
		return &a->run[usual];
	for (size_t i = 0; i < a->nruns; i++)
		if (a->run[i].context == context && a->run[i].id == id)
			return &a->run[i];
	return NULL;
}

bool finding_is_known(const struct finding *m)
{
	return m->verdict && strcmp(m->verdict, "not-enough-data") && !isnan(m->slope);
}

bool finding_is_below_share(const struct finding *m)
{
	return m->verdict && !finding_is_known(m) && m->slope_hi < m->share_pct / 100;
}

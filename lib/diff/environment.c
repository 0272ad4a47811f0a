#include "diff/environment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { TEXT_MOST = 4096 };

/* A property of the environment of runs. */
static const struct aspect {
	const char *name, *words;
	size_t offset;  /* in struct found_run */
	bool is_number;
	bool matters;   /* a difference makes times incomparable; else it is only noted */
	const char *so; /* the end of the note; NULL: none */
} aspects[] = {
	{ "command", "commands", offsetof(struct found_run, command), false, false, NULL },
	{ "host", "machines", offsetof(struct found_run, host), false, false, NULL },
	{ "cpu_model", "processors", offsetof(struct found_run, cpu_model), false, true, NULL },
	{ "cpus", "numbers of processors", offsetof(struct found_run, cpus), true, true, NULL },
	{ "kernel", "kernels", offsetof(struct found_run, kernel), false, true, NULL },
	{ "sampler", "samplers", offsetof(struct found_run, sampler), false, true, NULL },
	{ "period_ns", "sampling periods", offsetof(struct found_run, period_ns), true, true, NULL },
	{ "mode", "kinds of regions", offsetof(struct found_run, mode), false, true, NULL },
	{ "scope", "scopes", offsetof(struct found_run, scope), false, false,
	  "; regions are not comparable: what is out of scope is charged to its callers" },
};

/* False when the run does not state it. */
static bool say_aspect(const struct aspect *a, const struct found_run *r, char out[TEXT_MOST])
{
	const char *at = (const char *)r + a->offset;

	if (a->is_number) {
		double x = *(const double *)(const void *)at;

		snprintf(out, TEXT_MOST, "%.0f", x);
		return isfinite(x);
	}
	at = *(char *const *)(const void *)at;
	snprintf(out, TEXT_MOST, "%s", at ? at : "");
	return at;
}

/* The value that all runs of both sides that have one agree on. */
static bool common(const struct aspect *a, const struct side *base, const struct side *head, char out[TEXT_MOST])
{
	const struct side *side[2] = { base, head };
	bool known = false;

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s]->found.nruns; i++) {
			char text[TEXT_MOST];

			if (!say_aspect(a, &side[s]->found.run[i], text))
				continue;
			if (known && strcmp(text, out) != 0)
				return false;
			known = true;
			strcpy(out, text);
		}
	return known;
}

/* As in units_of_blocks. */
static bool are_held(const struct found_run *a, const struct found_run *b, bool paired)
{
	return !paired || (text_same(a->block, b->block) && text_order(a->host, b->host) == 0);
}

/* Notes the first two runs that differ. */
static void check_aspect(struct report *r, const struct side *base, const struct side *head, const struct aspect *a, bool paired)
{
	for (size_t i = 0; i < base->found.nruns; i++)
		for (size_t k = 0; k < head->found.nruns; k++) {
			char b[TEXT_MOST], h[TEXT_MOST];

			if (!are_held(&base->found.run[i], &head->found.run[k], paired) || !say_aspect(a, &base->found.run[i], b) ||
			    !say_aspect(a, &head->found.run[k], h) || !strcmp(b, h))
				continue;
			report_note(r, a->matters ? "unlike" : a->name, "%s differ: '%s' for base, '%s' for head%s", a->words, b, h,
				    a->matters ? "; times are not comparable" : a->so ? a->so : "");
			return;
		}
}

void environment_compare(struct report *r, const struct side *base, const struct side *head, bool paired)
{
	for (size_t i = 0; i < sizeof aspects / sizeof aspects[0]; i++) {
		char text[TEXT_MOST];

		if (common(&aspects[i], base, head, text))
			report_meta(r, aspects[i].name, text);
		else
			check_aspect(r, base, head, &aspects[i], paired);
	}
}

bool environment_is_unlike(const struct report *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->row[i].kind == ROW_NOTE && !strcmp(r->row[i].text[TEXT_NAME], "unlike"))
			return true;
	return false;
}

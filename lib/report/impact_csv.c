/* impact_csv: an analysis as comma-separated values (RFC 4180), one line for each point and region. */
#include <math.h>

#include "base/num.h"
#include "report/report.h"

/*
 * Writes a quoted text.  Spreadsheets treat a text that begins with one of these as a
 * formula, and names can be any text; an apostrophe in front makes it a text.
 */
static void put_text(const char *text, FILE *out)
{
	putc('"', out);
	if (*text == '=' || *text == '+' || *text == '-' || *text == '@' || *text == '\t' || *text == '\r')
		putc('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

/* Writes nothing for an unknown number. */
static void put_number(double x, FILE *out)
{
	putc(',', out);
	if (isfinite(x))
		fprintf(out, "%.6g", num_round(x));
}

static void put_impact(const struct analysis *a, const struct impact_point *p, const struct impact *im, FILE *out)
{
	const struct profile_region *r = im->region;
	const struct causal_slope *fit = &im->effect.fit;

	put_text(p->name, out);
	putc(',', out);
	put_text(r->label, out);
	putc(',', out);
	put_text(r->function ? r->function : "", out);
	putc(',', out);
	put_text(r->file ? r->file : "", out);
	putc(',', out);
	if (r->line)
		fprintf(out, "%llu", (unsigned long long)r->line);
	put_number(impact_share(a->profile, r), out);
	put_number(impact_blocked_share(a->profile, r), out);
	put_number(im->estimated ? fit->slope.value : NAN, out);
	put_number(im->bounded ? fit->slope.lo : NAN, out);
	put_number(im->bounded ? fit->slope.hi : NAN, out);
	put_number(im->estimated ? fit->cost.value : NAN, out);
	put_number(im->bounded ? fit->cost.lo : NAN, out);
	put_number(im->bounded ? fit->cost.hi : NAN, out);
	put_number(im->q, out);
	fprintf(out, ",%s\r\n", verdict_name(im->verdict));
}

void impact_write_csv(const struct analysis *a, size_t top, FILE *out)
{
	fputs("point,region,function,file,line,cpu_pct,blocked_pct,impact,impact_lo,impact_hi,cost_ns,cost_lo,cost_hi,q,verdict\r\n", out);
	for (size_t i = 0; i < a->npoints; i++)
		for (size_t k = 0; k < a->point[i].nimpacts && k < top; k++)
			put_impact(a, &a->point[i], &a->point[i].impact[k], out);
}

/* Intervals as small pictures, all on one axis. */
#include "report/report_table.h"

#include <math.h>
#include <stdint.h>

#include "text/prose.h"

static size_t cell_of(const struct table *t, double x)
{
	double at = round((x - t->least) / (t->most - t->least) * (double)(t->layout.picture - 1));

	return at <= 0 ? 0 : at >= (double)t->layout.picture ? t->layout.picture - 1 : (size_t)at;
}

enum mark { BLANK, ZERO, LINE, CROSS, DOT, LESS, MORE };

/* Cells of the axis; lo > hi where no interval can be printed. */
struct picture {
	size_t zero, lo, hi;
	size_t value;     /* SIZE_MAX: outside the axis */
	bool less, more;  /* the interval leaves the axis */
};

static struct picture picture_of(const struct table *t, const struct report_row *row)
{
	const struct estimate *slope = &row->im->effect.fit.slope;
	struct picture p = { .zero = cell_of(t, 0), .lo = 1, .hi = 0, .value = SIZE_MAX };

	if (row->class == REPORT_UNKNOWN)
		return p;
	p.lo = cell_of(t, slope->lo);
	p.hi = cell_of(t, slope->hi);
	if (slope->value >= t->least && slope->value <= t->most)
		p.value = cell_of(t, slope->value);
	p.less = slope->lo < t->least;
	p.more = slope->hi > t->most;
	return p;
}

static enum mark mark_of(const struct picture *p, size_t cell, size_t last)
{
	if (cell == p->value)
		return DOT;
	if (cell < p->lo || cell > p->hi)
		return cell == p->zero ? ZERO : BLANK;
	if (p->less && !cell)
		return LESS;
	if (p->more && cell == last)
		return MORE;
	return cell == p->zero ? CROSS : LINE;
}

void table_picture(struct buf *b, const struct table *t, const struct report_row *row)
{
	static const char *const marks[2][7] = {
		{ " ", "|", "-", "+", "o", "<", ">" },
		{ " ", "│", "─", "┼", "●", "◂", "▸" },
	};
	struct picture p = picture_of(t, row);

	for (size_t i = 0; i < t->layout.picture && (i <= p.zero || i <= p.hi); i++)
		buf_adds(b, marks[prose_page().utf8][mark_of(&p, i, t->layout.picture - 1)]);
}

void table_axis(struct buf *b, const struct table *t)
{
	struct buf least = BUF_INIT, most = BUF_INIT;

	prose_add_number(&least, t->least, 1);
	prose_add_number(&most, t->most, 1);
	buf_addf(b, "%s%*s", least.s, (int)(t->layout.picture - least.len), most.s);
	buf_release(&least);
	buf_release(&most);
}

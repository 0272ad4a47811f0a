#include "plot/heading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "diff/words.h"
#include "text/caption.h"

/* The name of the program in a command: "pzip" for "/usr/bin/pzip -j 4".  The caller frees it. */
static char *program_of(const char *command)
{
	size_t len = command ? strcspn(command, " ") : 0, from = len;

	while (from && command[from - 1] != '/')
		from--;
	return from < len ? xstrndup(command + from, len - from) : xstrdup("the program");
}

char *heading_text(const struct chart_request *q, const char *point, const struct room *r)
{
	const char *what = q->base ? "What changed in " : "What would speed up ", *at = " at progress point ";
	struct buf b = BUF_INIT;
	double room = r->width - caption_width(what, &r->letters) - caption_width(at, &r->letters);
	char *program;

	if (q->title) {
		caption_fit(&b, q->title, &r->letters, r->width);
		return buf_detach(&b);
	}
	program = program_of(q->head->command);
	buf_adds(&b, what);
	room -= caption_fit(&b, program, &r->letters,
			    caption_share(room, caption_width(program, &r->letters), caption_width(point, &r->letters)));
	buf_adds(&b, at);
	caption_fit(&b, point, &r->letters, room);
	free(program);
	return buf_detach(&b);
}

/* Few runs: said once a page. */
static const char *interval_note(const struct page *p)
{
	size_t within = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct finding *m = p->panel[i].head ? p->panel[i].head : p->panel[i].base;
		const char *basis = m->basis;

		within += basis && !strcmp(basis, "within-run");
	}
	return !within ? "" : within == p->n ? " · intervals within runs" : " · some intervals within runs";
}

static const struct row *row_of_point(const struct report *changes, const char *point)
{
	for (size_t i = 0; changes && i < changes->n; i++)
		if (changes->row[i].kind == ROW_POINT && !strcmp(changes->row[i].text[TEXT_POINT], point))
			return &changes->row[i];
	return NULL;
}

static void add_change(struct buf *b, const struct row *row)
{
	if (!row)
		return;
	buf_adds(b, words_verdict(row));
	if (!isnan(row->real[REAL_PCT])) {
		buf_adds(b, ": throughput ");
		words_pct(b, row, " %");
	}
	buf_adds(b, " · ");
}

char *heading_more(const struct chart_request *q, const struct page *p, const char *point, size_t first, size_t all,
		   const struct room *r)
{
	struct buf b = BUF_INIT, fitted = BUF_INIT;

	if (q->title) {
		buf_adds(&b, "progress point ");
		caption_fit(&b, point, &r->letters, r->width / 3);
		buf_adds(&b, " · ");
	}
	add_change(&b, row_of_point(q->changes, point));
	if (first > 0)
		buf_addf(&b, "regions %zu to %zu of %zu", first + 1, first + p->n, all);
	else if (p->n < all)
		buf_addf(&b, q->base ? "the %zu of %zu regions that changed most" : "the %zu most useful of %zu regions", p->n,
			 all);
	else
		buf_addf(&b, "%zu region%s", all,
			 all == 1 ? "" : q->base ? "s, the most changed first" : "s, most useful first");
	if (caption_width(b.s, &r->letters) + caption_width(interval_note(p), &r->letters) <= r->width)
		buf_adds(&b, interval_note(p));
	caption_fit(&fitted, b.s, &r->letters, r->width);
	buf_release(&b);
	return buf_detach(&fitted);
}

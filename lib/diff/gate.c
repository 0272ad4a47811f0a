#include "diff/gate.h"

#include <string.h>

#include "base/text.h"
#include "diff/side.h"

/* 0: not a gate. */
static unsigned gate_named(const char *word, size_t len)
{
	static const struct {
		const char *name;
		enum gate gate;
	} all[] = { { "regression", GATE_REGRESSION }, { "change", GATE_CHANGE }, { "inconclusive", GATE_INCONCLUSIVE } };

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (strlen(all[i].name) == len && !strncmp(word, all[i].name, len))
			return all[i].gate;
	return 0;
}

bool gate_parse(const char *list, unsigned *gates, const char **bad)
{
	for (const char *word = list;; word++) {
		size_t len = strcspn(word, ",");
		unsigned gate = gate_named(word, len);

		*bad = word;
		if (!gate)
			return false;
		*gates |= gate;
		word += len;
		if (!*word)
			return true;
	}
}

static bool is_bottleneck(const char *impact)
{
	return text_same(impact, "high") || text_same(impact, "moderate");
}

bool gate_is_met_by(const struct row *row, unsigned gates)
{
	bool matters = row->kind == ROW_POINT || is_bottleneck(row->text[TEXT_BASE_IMPACT]) ||
		       is_bottleneck(row->text[TEXT_HEAD_IMPACT]);

	if (row->kind != ROW_POINT && row->kind != ROW_REGION)
		return false;
	if (row_is_open(row))
		return (gates & GATE_INCONCLUSIVE) && matters;
	if (row->change != CHANGE_CHANGED || row->real[REAL_SHIFT] > 0 || row->real[REAL_CONFIRMED] == 0)
		return false;
	return (gates & GATE_CHANGE) || ((gates & GATE_REGRESSION) && row_is_regression(row));
}

size_t gate_count(const struct report *r, unsigned gates)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += gate_is_met_by(&r->row[i], gates);
	return n;
}

bool gate_can_close(const struct report *r)
{
	for (size_t i = 0; i < r->n; i++)
		if ((r->row[i].kind == ROW_POINT || r->row[i].kind == ROW_REGION) && r->row[i].change <= CHANGE_INCONCLUSIVE)
			return true;
	return false;
}

static bool have_one_base(const struct report *a, const struct report *b)
{
	const char *base = report_find(a, "base_commit");

	return text_same(base, report_find(b, "base_commit")) && !commit_is_dirty(base);
}

/* The line of a region changes with what is above it.  In base, which is the same, it does not. */
static bool are_one_region(const struct row *a, const struct row *b, bool one_base)
{
	enum row_text label = one_base && a->text[TEXT_BASE_REGION] && b->text[TEXT_BASE_REGION] ? TEXT_BASE_REGION : TEXT_REGION;

	return text_order(a->text[label], b->text[label]) == 0;
}

static bool saw(const struct report *previous, const struct row *row, bool one_base)
{
	for (size_t i = 0; i < previous->n; i++) {
		const struct row *p = &previous->row[i];

		if (p->kind == row->kind && p->change <= CHANGE_LIKELY && !text_order(p->text[TEXT_POINT], row->text[TEXT_POINT]) &&
		    are_one_region(p, row, one_base) && !text_order(p->text[TEXT_DIRECTION], row->text[TEXT_DIRECTION]))
			return true;
	}
	return false;
}

void gate_confirm(struct report *r, const struct report *previous)
{
	bool one_base = have_one_base(r, previous);

	for (size_t i = 0; i < r->n; i++) {
		struct row *row = &r->row[i];

		if ((row->kind == ROW_POINT || row->kind == ROW_REGION) && row->change <= CHANGE_LIKELY)
			row->real[REAL_CONFIRMED] = saw(previous, row, one_base);
	}
}

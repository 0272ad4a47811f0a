/* The verdict on a region in words, for the table and the page. */
#include "report/report_parts.h"

bool report_is_below_share(const struct report_row *row)
{
	return row->class == REPORT_UNSURE && row->im->bounded && row->im->effect.fit.slope.hi < row->cpu_pct / 100;
}

bool report_states(const struct report_row *row)
{
	return row->class == REPORT_JUDGED || report_is_below_share(row);
}

const struct report_verdict *report_verdict(const struct report_row *row)
{
	static const struct report_verdict words[] = {
		[VERDICT_HIGH] = { "high", "high", "high" },
		[VERDICT_MODERATE] = { "moderate", "moderate", "moderate" },
		[VERDICT_LOW] = { "low", "low", "low" },
		[VERDICT_HARMFUL] = { "harmful", "harmful", "harmful" },
		[VERDICT_NOT_ENOUGH_DATA] = { "unknown", "unknown", "not enough data" },
		[VERDICT_NONE] = { "none", "none", "not a bottleneck" },
	};
	static const struct report_verdict below_share = { "unknown", "limited", "below its share" };

	if (report_is_below_share(row))
		return &below_share;
	return &words[row->class == REPORT_JUDGED ? row->im->verdict : VERDICT_NOT_ENOUGH_DATA];
}

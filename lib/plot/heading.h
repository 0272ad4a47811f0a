/*
 * heading: the texts above a page of a chart.  The caller frees them.
 */
#ifndef ANDWEORC_PLOT_HEADING_H
#define ANDWEORC_PLOT_HEADING_H

#include "plot/chart.h"
#include "plot/panel.h"

/* "What would speed up pzip at progress point block", or the title of the request. */
char *heading_text(const struct chart_request *q, const char *point, const struct room *r);

/* "faster, throughput +5.7 % [4.1, 7.2] · 4 regions, the most changed first · intervals within runs" */
char *heading_more(const struct chart_request *q, const struct page *p, const char *point, size_t first, size_t all,
		   const struct room *r);

#endif

/*
 * gnuplot: a chart as a gnuplot script, and the running of gnuplot.
 *
 * The script stands alone: data in datablocks, no file names, picture to
 * standard output.  `gnuplot SCRIPT > chart.svg` makes the picture again.
 *
 * Text from outside cannot do anything in it.  gnuplot runs `commands` that
 * stand in double quotes (or in no quotes), so texts go into single-quoted
 * strings only, and a ' in them is joined on as a constant of its own;
 * datablocks hold numbers only; no name in the script comes from the input;
 * "noenhanced" keeps _ ^ { } @ & plain.
 */
#ifndef ANDWEORC_PLOT_GNUPLOT_H
#define ANDWEORC_PLOT_GNUPLOT_H

#include <stdbool.h>

#include "base/buf.h"
#include "plot/chart.h"

void gnuplot_script(struct buf *script, const struct chart *c);

/*
 * Runs the script, and appends the output to `picture`. False, after a message, when
 * gnuplot is not installed, fails, or writes an incomplete picture.  The user's gnuplot
 * settings files are not read.
 */
bool gnuplot_run(const struct buf *script, enum chart_format format, struct buf *picture);

#endif

/*
 * svg: adds to an SVG what gnuplot cannot write.
 *
 * gnuplot calls each picture "Gnuplot", and puts its version into the description.
 * Screen readers, search engines and browser tabs would show that.
 */
#ifndef ANDWEORC_PLOT_SVG_H
#define ANDWEORC_PLOT_SVG_H

#include "base/buf.h"
#include "plot/chart.h"

/*
 * Gives the picture the title of its chart, a description with the words of
 * all panels, the role of an image and, with THEME_AUTO, its style; the titles that
 * gnuplot invents for curves are removed.  Nothing else in it is changed.
 */
void svg_finish(struct buf *picture, const struct chart *c);

#endif

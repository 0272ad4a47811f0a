/*
 * svg: what gnuplot cannot say in an SVG.
 *
 * gnuplot calls each picture "Gnuplot", and describes it by its own version.
 * People who hear the picture, search engines and tabs of browsers get that.
 */
#ifndef ANDWEORC_PLOT_SVG_H
#define ANDWEORC_PLOT_SVG_H

#include "base/buf.h"
#include "plot/chart.h"

/*
 * Gives the picture the title of its chart, a description with the words of
 * all panels, the role of an image and, with THEME_AUTO, its style; curves lose
 * the titles that gnuplot makes up.  Nothing else in it is changed.
 */
void svg_finish(struct buf *picture, const struct chart *c);

#endif

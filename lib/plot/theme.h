/*
 * theme: the colours of a picture.
 *
 * Curves have colours of Okabe and Ito, which colour-blind people can distinguish, and
 * different shapes.  Every text has a contrast of 4.5 to its ground, and every curve
 * one of 3.
 */
#ifndef ANDWEORC_PLOT_THEME_H
#define ANDWEORC_PLOT_THEME_H

#include <stdbool.h>

#include "base/buf.h"

enum theme {
	THEME_LIGHT,
	THEME_DARK,
	THEME_AUTO, /* an SVG that is light, and dark where its viewer asks for that */
	THEMES
};

enum role {
	ROLE_GROUND,
	ROLE_INK,   /* main texts */
	ROLE_QUIET, /* secondary texts */
	ROLE_FAINT, /* axes, and the line for one for one */
	ROLE_GRID,
	ROLE_HEAD,
	ROLE_BASE,
	ROLE_BASE_TEXT,
	ROLES
};

/* "#0072B2"; static storage. */
const char *theme_colour(enum theme t, enum role r);

/* False when there is none of the name. */
bool theme_named(const char *name, enum theme *out);

/*
 * CSS that makes a light SVG of gnuplot dark if the viewer prefers that.  It selects colours by the
 * attributes that gnuplot writes; viewers without media queries show the light picture.
 */
void theme_add_style(struct buf *b);

#endif

#include "plot/theme.h"

#include <stdio.h>
#include <string.h>

static const char *const colours[][ROLES] = {
	[THEME_LIGHT] = {
		[ROLE_GROUND] = "#FFFFFF", [ROLE_INK] = "#1F2328",  [ROLE_QUIET] = "#59636E", [ROLE_FAINT] = "#8A9099",
		[ROLE_GRID] = "#E6E8EB",   [ROLE_HEAD] = "#0072B2", [ROLE_BASE] = "#D55E00",  [ROLE_BASE_TEXT] = "#B54E00",
	},
	[THEME_DARK] = {
		[ROLE_GROUND] = "#0D1117", [ROLE_INK] = "#F0F3F6",  [ROLE_QUIET] = "#A3ADB8", [ROLE_FAINT] = "#757D87",
		[ROLE_GRID] = "#262C34",   [ROLE_HEAD] = "#56B4E9", [ROLE_BASE] = "#E69F00",  [ROLE_BASE_TEXT] = "#E9A820",
	},
};

const char *theme_colour(enum theme t, enum role r)
{
	return colours[t == THEME_DARK ? THEME_DARK : THEME_LIGHT][r];
}

bool theme_named(const char *name, enum theme *out)
{
	static const char *const names[] = { "light", "dark", "auto" };

	for (enum theme t = THEME_LIGHT; t < THEMES; t++)
		if (!strcmp(name, names[t])) {
			*out = t;
			return true;
		}
	return false;
}

/* gnuplot (5.4) writes the ground as it got it or in small letters, colours of text without blanks, all others with. */
static void add_rules(struct buf *b, enum role r)
{
	const char *dark = theme_colour(THEME_DARK, r);
	unsigned red, green, blue;
	char wide[32], narrow[32];

	sscanf(theme_colour(THEME_LIGHT, r), "#%2x%2x%2x", &red, &green, &blue);
	snprintf(wide, sizeof wide, r == ROLE_GROUND ? "#%02X%02X%02X" : "rgb(%3u, %3u, %3u)", red, green, blue);
	snprintf(narrow, sizeof narrow, r == ROLE_GROUND ? "#%02x%02x%02x" : "rgb(%u,%u,%u)", red, green, blue);
	buf_addf(b, "[stroke=\"%s\"]{stroke:%s}[color=\"%s\"]{color:%s}[fill=\"%s\"],[fill=\"%s\"]{fill:%s}\n", wide, dark,
		 wide, dark, wide, narrow, dark);
}

void theme_add_style(struct buf *b)
{
	buf_adds(b, "<style>\n:root{color-scheme:light dark}\n@media (prefers-color-scheme:dark){\n");
	for (enum role r = ROLE_GROUND; r < ROLES; r++)
		add_rules(b, r);
	buf_adds(b, "}\n</style>\n");
}

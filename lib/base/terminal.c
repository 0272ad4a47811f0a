#include "base/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/num.h"

size_t terminal_columns(void)
{
	const char *text = getenv("COLUMNS");
	struct winsize w = { 0 };
	uint64_t columns;

	if (!isatty(STDOUT_FILENO))
		return TERMINAL_NONE_COLUMNS;
	if (!text || !num_u64(text, &columns) || !columns)
		columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) ? 0 : w.ws_col;
	if (!columns)
		return TERMINAL_NONE_COLUMNS;
	return columns < 60 ? 60 : columns > 200 ? 200 : (size_t)columns;
}

bool terminal_has_colour(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

/* The locale of characters, by the first of the variables that is not empty. */
static const char *locale_name(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return value;
	}
	return "C";
}

bool terminal_has_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	const char *name = locale_name();
	bool has;

	if (!locale)
		return strcasestr(name, "utf-8") || strcasestr(name, "utf8");
	has = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	freelocale(locale);
	return has;
}

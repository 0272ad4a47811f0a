#include "text/shortname.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/caption.h"

static const char OPERATOR[] = "operator";

static bool ends_with(const char *s, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && !memcmp(s + len - n, end, n);
}

/* "f(int) const [clone .isra.0]" is "f"; of "operator()", the parentheses are its name. */
static char *without_parameters(const char *name)
{
	const char *clone = strstr(name, " [clone ");
	size_t len = clone ? (size_t)(clone - name) : strlen(name), depth = 0, i;

	if (ends_with(name, len, " const"))
		len -= strlen(" const");
	if (!len || name[len - 1] != ')')
		return NULL;
	for (i = len; i-- > 0;) {
		depth += name[i] == ')';
		if (name[i] == '(' && --depth == 0)
			break;
	}
	if (depth || !i || ends_with(name, i, OPERATOR))
		return NULL;
	return xstrndup(name, i);
}

/* The length of what begins at s and whose signs are not brackets: "operator<<", "operator->", "->"; 0: no such thing. */
static size_t signs_length(const char *s)
{
	size_t n = strlen(OPERATOR);

	if (!strncmp(s, OPERATOR, n))
		return n + strspn(s + n, "<>=-");
	return strncmp(s, "->", 2) ? 0 : 2;
}

/* "a<b, c<d> >::e" is "a<…>::e"; NULL when the brackets are none. */
static char *without_arguments(const char *name)
{
	struct buf b = BUF_INIT;
	size_t depth = 0;
	const char *s = name;

	while (*s) {
		size_t skip = signs_length(s);

		if (skip) {
			if (!depth)
				buf_add(&b, s, skip);
			s += skip;
			continue;
		}
		if (*s == '>' && !depth--)
			break; /* more are closed than were opened */
		if (!depth)
			buf_addc(&b, *s);
		if (*s == '<' && !depth++)
			buf_adds(&b, "\xe2\x80\xa6");
		s++;
	}
	if (!*s && !depth && b.len)
		return buf_detach(&b);
	buf_release(&b);
	return NULL;
}

/* What comes after the first, or the last, `between` outside brackets, a copy; NULL: there is none, or nothing. */
static char *behind(const char *name, const char *between, bool last)
{
	const char *found = NULL;
	int depth = 0;

	for (const char *s = name; *s; s++) {
		size_t skip = signs_length(s);

		if (skip) {
			s += skip - 1;
			continue;
		}
		depth += strchr("<([{", *s) ? 1 : strchr(">)]}", *s) ? -1 : 0;
		if (depth < 0)
			return NULL;
		if (!depth && (last || !found) && !strncmp(s, between, strlen(between)))
			found = s + strlen(between);
	}
	return depth || !found || !*found ? NULL : xstrdup(found);
}

/* "a<b> c::d" is "c::d"; but "operator new" is the name itself. */
static char *without_result(const char *name)
{
	return strstr(name, OPERATOR) ? NULL : behind(name, " ", true);
}

/* "a::b::c" is "b::c". */
static char *without_outer_scope(const char *name)
{
	return behind(name, "::", false);
}

static bool is_of_word(char c)
{
	return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (unsigned char)c > 127;
}

/* "<a::b::C as d::E>::f" is "<C as E>::f": scopes go where the arguments are, not those of the function. */
static char *without_inner_scopes(const char *name)
{
	struct buf b = BUF_INIT;
	size_t depth = 0;

	for (const char *s = name; *s; s++) {
		depth += *s == '<';
		depth -= *s == '>' && depth;
		if (depth && !strncmp(s, "::", 2) && b.len && is_of_word(b.s[b.len - 1])) {
			while (b.len && is_of_word(b.s[b.len - 1]))
				b.len--;
			s++;
			continue;
		}
		buf_addc(&b, *s);
	}
	if (b.len)
		return buf_detach(&b);
	buf_release(&b);
	return NULL;
}

/* If the middle is cut beside arguments that were cut, one ellipsis stands for both. */
static void join_dots(struct buf *b, size_t from)
{
	static const char DOTS[] = "\xe2\x80\xa6\xe2\x80\xa6";
	char *twice;

	while ((twice = strstr(b->s + from, DOTS))) {
		memmove(twice, twice + 3, strlen(twice + 3) + 1);
		b->len -= 3;
	}
}

/* False: the step does not apply. */
static bool shorten(char **name, char *(*step)(const char *))
{
	char *shorter = step(*name);

	if (!shorter)
		return false;
	free(*name);
	*name = shorter;
	return true;
}

char *shortname_of(const char *function, const struct letters *l, double room)
{
	char *(*const steps[])(const char *) = { without_parameters, without_result, without_inner_scopes, without_arguments };
	char *name = xstrdup(function);

	for (size_t i = 0; i < sizeof steps / sizeof *steps && caption_width(name, l) > room; i++)
		shorten(&name, steps[i]);
	while (caption_width(name, l) > room && shorten(&name, without_outer_scope))
		;
	return name;
}

void shortname_add(struct buf *b, const char *function, const struct letters *l, double room)
{
	char *name = shortname_of(function, l, room);
	size_t from = b->len;

	caption_fit(b, name, l, room);
	join_dots(b, from);
	free(name);
}

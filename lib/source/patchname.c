#include "source/patchname.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/path.h"
#include "base/text.h"

/* Longer ones are not split at every blank. */
#define GIT_LINE_MAX 8192

void patch_names_clear(struct patch_names *n)
{
	free(n->git);
	free(n->minus);
	free(n->plus);
	free(n->from);
	free(n->to);
	free(n->old);
	free(n->new);
	*n = (struct patch_names){ 0 };
}

/* ---- quoting -------------------------------------------------------------- */

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* One escaped byte off *s, which stands behind the backslash; a NUL byte in a name is impossible and left out. */
static void unescape(const char **s, struct buf *out)
{
	static const char LETTERS[] = "abtnvfr", BYTES[] = "\a\b\t\n\v\f\r";
	const char *letter;

	if (is_octal((*s)[0]) && is_octal((*s)[1]) && is_octal((*s)[2])) {
		int c = ((*s)[0] - '0') * 64 + ((*s)[1] - '0') * 8 + ((*s)[2] - '0');

		if (c & 0xff)
			buf_addc(out, (char)c);
		*s += 3;
		return;
	}
	letter = **s ? strchr(LETTERS, **s) : NULL;
	if (letter)
		buf_addc(out, BYTES[letter - LETTERS]);
	else if (**s)
		buf_addc(out, **s);
	*s += **s != '\0';
}

/* A quoted name off *s, which stands at the quote. */
static char *unquote(const char **s)
{
	struct buf out = BUF_INIT;

	buf_adds(&out, "");
	for (++*s; **s && **s != '"';) {
		if (*(*s)++ == '\\')
			unescape(s, &out);
		else
			buf_addc(&out, (*s)[-1]);
	}
	*s += **s == '"';
	return buf_detach(&out);
}

/* `tab`: the name ends at a TAB, behind which diff(1) writes the time, and git nothing. */
static void set_name(char **out, const char *s, bool tab)
{
	free(*out);
	*out = *s == '"' ? unquote(&s) : xstrndup(s, tab ? strcspn(s, "\t") : strlen(s));
}

/* ---- lines ---------------------------------------------------------------- */

static bool take_word(const char *line, const char *word, const char **rest)
{
	size_t n = strlen(word);

	if (strncmp(line, word, n) != 0)
		return false;
	*rest = line + n;
	return true;
}

void patch_names_add(struct patch_names *n, const char *line)
{
	const char *s;

	if (take_word(line, "diff --git ", &s)) {
		free(n->git);
		n->git = xstrdup(s);
	} else if (take_word(line, "--- ", &s)) {
		set_name(&n->minus, s, true);
	} else if (take_word(line, "+++ ", &s)) {
		set_name(&n->plus, s, true);
	} else if (take_word(line, "rename from ", &s) || take_word(line, "copy from ", &s)) {
		set_name(&n->from, s, false);
		n->copy = *line == 'c';
	} else if (take_word(line, "rename to ", &s) || take_word(line, "copy to ", &s)) {
		set_name(&n->to, s, false);
	} else if (take_word(line, "new file mode ", &s)) {
		n->added = true;
	} else if (take_word(line, "deleted file mode ", &s)) {
		n->deleted = true;
	} else if (take_word(line, "Binary files ", &s) || take_word(line, "GIT binary patch", &s)) {
		n->binary = true;
	}
}

/* ---- both names ----------------------------------------------------------- */

/* Two names of one file, which may have prefixes. */
static void pair(struct patch_names *n, const char *a, const char *b)
{
	size_t tail = path_common_tail(a, b);

	n->old = xstrdup(tail ? a + strlen(a) - tail : a);
	n->new = xstrdup(tail ? b + strlen(b) - tail : b);
}

/* "a/x y b/x y": at the blank that leaves the most in common. */
static void split_git(struct patch_names *n)
{
	const char *s = n->git, *best = NULL;
	size_t most = 0;

	if (*s == '"' || strlen(s) > GIT_LINE_MAX) {
		char *a = *s == '"' ? unquote(&s) : NULL, *b = NULL;

		set_name(&b, s + (*s == ' '), false);
		if (a)
			pair(n, a, b);
		free(a);
		free(b);
		return;
	}
	for (const char *blank = strchr(s, ' '); blank; blank = strchr(blank + 1, ' ')) {
		char *a = xstrndup(s, (size_t)(blank - s)), *b = NULL;
		size_t tail;

		set_name(&b, blank + 1, false);
		tail = path_common_tail(a, b);
		if (tail > most) {
			most = tail;
			best = blank;
		}
		free(a);
		free(b);
	}
	if (best) {
		char *a = xstrndup(s, (size_t)(best - s)), *b = NULL;

		set_name(&b, best + 1, false);
		pair(n, a, b);
		free(a);
		free(b);
	}
}

static bool is_null(const char *name)
{
	return text_same(name, "/dev/null");
}

static char *without_letter(const char *name)
{
	return xstrdup(!strncmp(name, "a/", 2) || !strncmp(name, "b/", 2) ? name + 2 : name);
}

static void both_names(struct patch_names *n)
{
	if (n->from && n->to) {
		n->old = xstrdup(n->from);
		n->new = xstrdup(n->to);
		return;
	}
	if (n->minus && n->plus && !is_null(n->minus) && !is_null(n->plus)) {
		pair(n, n->minus, n->plus);
		return;
	}
	if (n->git)
		split_git(n);
	if (n->old || !n->minus || !n->plus)
		return;
	n->old = without_letter(is_null(n->minus) ? n->plus : n->minus);
	n->new = xstrdup(n->old);
}

static void drop_name(char **name)
{
	free(*name);
	*name = NULL;
}

void patch_names_finish(struct patch_names *n, const char **old, const char **new)
{
	both_names(n);
	if (n->added || is_null(n->minus))
		drop_name(&n->old);
	if (n->deleted || is_null(n->plus))
		drop_name(&n->new);
	*old = n->old;
	*new = n->new;
}

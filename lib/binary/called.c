/*
 * A demangled name is read once from left to right and reduced to a path: components
 * with "::" between them.  Text in brackets is skipped as a whole, so that a "::" in
 * template arguments or parameters is no boundary.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "binary/called.h"
#include "binary/image.h"

/* Parts that a path may keep beside names. */
enum {
	KEEP_ARGUMENTS = 1,  /* <int> */
	KEEP_PARAMETERS = 2, /* (int) */
	KEEP_ANONYMOUS = 4,  /* (anonymous namespace) */
	TAKE_TRAIT = 8,      /* <T as Trait> is Trait, else T */
};

static const char anonymous[] = "(anonymous namespace)";

enum { DEPTH_MAX = 64 }; /* types within types; a hostile name may have thousands */

/* s[at..end) is being read. */
struct reader {
	const char *s;
	size_t at, end;
	unsigned keep;
	unsigned depth;
	bool has_arguments, has_parameters, has_anonymous; /* they were seen */
};

static bool looking_at(const struct reader *r, size_t at, const char *text)
{
	size_t len = strlen(text);

	return at + len <= r->end && !memcmp(r->s + at, text, len);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* The length of the operator's name at `at`, without the target type of a conversion; 0: none. */
static size_t operator_length(const struct reader *r, size_t at)
{
	static const char *const symbols[] = { "()", "[]", "<=>", "<<=", ">>=", "->*", "->", "<<", ">>", "<=", ">=", "<", ">", "\"\"" };
	size_t len = strlen("operator");

	if (!looking_at(r, at, "operator") || (at > 0 && is_word(r->s[at - 1])) || (at + len < r->end && is_word(r->s[at + len])))
		return 0;
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
		if (looking_at(r, at + len, symbols[i]))
			return len + strlen(symbols[i]);
	while (at + len < r->end && strchr("+-*/%^&|~!=,", r->s[at + len]))
		len++;
	return len;
}

/* Behind the bracket that closes the one at `at`; the end when none does. */
static size_t behind_bracket(const struct reader *r, size_t at)
{
	const char open = r->s[at], close = open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>';
	size_t depth = 0, skip;

	for (size_t i = at; i < r->end; i += skip) {
		char c = r->s[i];

		skip = operator_length(r, i);
		if (skip)
			continue;
		skip = 1;
		if (c == open)
			depth++;
		else if (c == close && !(c == '>' && i > at && r->s[i - 1] == '-') && --depth == 0)
			return i + 1;
		else if (open == '<' && (c == '(' || c == '{'))
			skip = behind_bracket(r, i) - i;
	}
	return r->end;
}

/* Ignores blanks between signs: "> >" is ">>". */
static void add_tight(struct buf *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] != ' ')
			buf_addc(out, s[i]);
}

static size_t behind_qualifiers(const struct reader *r, size_t at)
{
	static const char *const words[] = { " const", " volatile", " &&", " &", " noexcept" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (looking_at(r, at, words[i])) {
			at += strlen(words[i]);
			i = (size_t)-1;
		}
	}
	return at;
}

static void read_path(struct reader *r, struct buf *out);

/* A type of Rust as a path; other types stay unchanged. */
static void read_type(const struct reader *r, size_t at, size_t end, struct buf *out)
{
	static const char *const prefixes[] = { "&", "mut ", "dyn ", "*const ", "*mut ", "impl " };
	struct reader type = { .s = r->s, .end = end, .keep = r->keep, .depth = r->depth + 1 };
	size_t before = out->len;

	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
		struct reader all = { .s = r->s, .end = end };

		if (looking_at(&all, at, prefixes[i])) {
			at += strlen(prefixes[i]);
			i = (size_t)-1;
		}
	}
	if (at >= end)
		return;
	type.at = at;
	if (type.depth < DEPTH_MAX && r->s[at] != '[' && r->s[at] != '(')
		read_path(&type, out);
	if (out->len == before)
		add_tight(out, r->s + at, end - at);
}

/* The position of `word` between at and end, outside of brackets; `end`: not found. */
static size_t find_word(const struct reader *r, size_t at, size_t end, const char *word)
{
	struct reader inner = { .s = r->s, .end = end };

	for (; at < end; at++) {
		if (looking_at(&inner, at, word))
			return at;
		if (strchr("<([{", r->s[at]))
			at = behind_bracket(&inner, at) - 1;
	}
	return end;
}

/* "<T as Trait>", "<impl Trait for T>" or "<T>" in the place of a path: finds the path that it means. */
static void read_self(struct reader *r, struct buf *out)
{
	size_t after = behind_bracket(r, r->at), at = r->at + 1, end = after - 1, split;
	bool trait = r->keep & TAKE_TRAIT;

	if (end <= at) {
		r->at = after;
		return;
	}
	if (looking_at(r, at, "impl ")) {
		at += strlen("impl ");
		split = find_word(r, at, end, " for ");
		if (split < end && trait)
			read_type(r, at, split, out);
		else
			read_type(r, split < end ? split + strlen(" for ") : at, end, out);
	} else {
		split = find_word(r, at, end, " as ");
		if (split < end && trait)
			read_type(r, split + strlen(" as "), end, out);
		else
			read_type(r, at, split, out);
	}
	r->at = after;
}

/* "(...)": a namespace without a name, parameters, or a part of the result's type.  True when the name ends with it. */
static bool read_parentheses(struct reader *r, struct buf *out)
{
	size_t after, next;

	if (looking_at(r, r->at, anonymous)) {
		r->has_anonymous = true;
		if (r->keep & KEEP_ANONYMOUS)
			buf_adds(out, anonymous);
		else if (out->len >= 2 && !memcmp(out->s + out->len - 2, "::", 2))
			out->len -= 2;
		r->at += sizeof anonymous - 1;
		return false;
	}
	after = behind_bracket(r, r->at);
	next = behind_qualifiers(r, after);
	if (looking_at(r, next, "::")) { /* the parameters of an enclosing function */
		r->at = next;
		return false;
	}
	if (next == r->end || looking_at(r, next, " [")) {
		r->has_parameters = true;
		if (r->keep & KEEP_PARAMETERS)
			add_tight(out, r->s + r->at, after - r->at);
		return true;
	}
	r->at = after;
	return false;
}

/* "<...>": arguments of what stands before, or the beginning of a path. */
static void read_angle(struct reader *r, struct buf *out, size_t begin)
{
	bool boundary = out->len == begin || (out->len >= 2 && !memcmp(out->s + out->len - 2, "::", 2));
	size_t after = behind_bracket(r, r->at);

	if (out->len == begin || (boundary && looking_at(r, r->at, "<impl "))) {
		out->len = begin; /* the module of the impl is not part of the path */
		read_self(r, out);
		return;
	}
	if (boundary)
		out->len -= 2; /* f::<u32> */
	r->has_arguments = true;
	if (r->keep & KEEP_ARGUMENTS)
		add_tight(out, r->s + r->at, after - r->at);
	r->at = after;
}

static void read_operator(struct reader *r, struct buf *out, size_t length)
{
	size_t end = r->at + length;

	/* new, delete, "" _km, and the target type of a conversion: up to the parameters. */
	if (looking_at(r, end, " ") && !looking_at(r, end, " <"))
		while (end < r->end && r->s[end] != '(')
			end = r->s[end] == '<' ? behind_bracket(r, end) : end + 1;
	buf_add(out, r->s + r->at, end - r->at);
	if (looking_at(r, end, " <"))
		end++;
	r->at = end;
}

/* Appends the path. */
static void read_path(struct reader *r, struct buf *out)
{
	size_t begin = out->len, length;

	buf_add(out, "", 0);
	while (r->at < r->end) {
		char c = r->s[r->at];

		if ((length = operator_length(r, r->at)) > 0) {
			read_operator(r, out, length);
		} else if (c == '(') {
			if (read_parentheses(r, out))
				break;
		} else if (c == '<') {
			read_angle(r, out, begin);
		} else if (c == '{') {
			size_t after = behind_bracket(r, r->at);

			add_tight(out, r->s + r->at, after - r->at);
			r->at = after;
		} else if (c == '[') {
			r->at = behind_bracket(r, r->at); /* [abi:cxx11] */
		} else if (c == ' ') {
			out->len = begin; /* the text before it is the type of the result */
			r->at++;
		} else if (looking_at(r, r->at, "::") && out->len == begin) {
			r->at += 2;
		} else {
			buf_addc(out, c);
			r->at++;
		}
	}
	out->s[out->len] = '\0';
}

static char *path_of(const char *plain, unsigned keep, unsigned *seen)
{
	struct reader r = { .s = plain, .end = strlen(plain), .keep = keep };
	struct buf out = BUF_INIT;

	read_path(&r, &out);
	if (seen)
		*seen = (r.has_arguments ? KEEP_ARGUMENTS : 0) | (r.has_parameters ? KEEP_PARAMETERS : 0) |
			(r.has_anonymous ? KEEP_ANONYMOUS : 0);
	return buf_detach(&out);
}

/* ---- comparing ------------------------------------------------------------------------- */

/*
 * A mangled name contains the names of the source, except for some of the standard
 * library.  Demangling is slow, and most names of a program can be excluded without it.
 */
static char *word_of(const char *path)
{
	static const char *const abbreviated[] = { "basic_", "string", "allocator", "istream", "ostream", "iostream" };
	const char *word = called_last(path);

	word += *word == '~';
	for (size_t i = 0; i < sizeof abbreviated / sizeof abbreviated[0]; i++)
		if (!strncmp(word, abbreviated[i], strlen(abbreviated[i])))
			return NULL;
	if (!strncmp(word, "operator", strlen("operator")) || !*word)
		return NULL;
	for (const char *c = word; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return NULL;
	return xstrdup(word);
}

void called_init(struct called_name *name, const char *text)
{
	char *bare;

	*name = (struct called_name){ .text = text };
	name->glob = strpbrk(text, "*?[") != NULL;
	bare = path_of(text, 0, &name->kept);
	name->word = name->glob ? NULL : word_of(bare);
	free(bare);
	name->path = path_of(text, name->kept, NULL);
}

void called_release(struct called_name *name)
{
	free(name->path);
	free(name->word);
	name->path = name->word = NULL;
}

/* The demangled name up to its parameters: the length without "(...)" and what may follow it (const, [clone]). */
static size_t without_parameters(const char *plain)
{
	struct reader r = { .s = plain, .end = strlen(plain) };
	struct buf out = BUF_INIT;

	read_path(&r, &out);
	buf_release(&out);
	return r.at;
}

static bool is_full(const struct called_name *name, char *plain)
{
	bool yes = !strcmp(name->text, plain) || (name->glob && fnmatch(name->text, plain, 0) == 0);

	plain[without_parameters(plain)] = '\0';
	return yes || !strcmp(name->text, plain) || (name->glob && fnmatch(name->text, plain, 0) == 0);
}

/* The last n components of a path; NULL when it has fewer. */
static const char *tail(const char *path, size_t n)
{
	struct reader r = { .s = path, .end = strlen(path) };
	size_t starts[32], count = 0;

	starts[count++ % 32] = 0;
	while (r.at < r.end) {
		size_t length = operator_length(&r, r.at);

		if (length) {
			r.at += length;
		} else if (strchr("<({[", path[r.at])) {
			r.at = behind_bracket(&r, r.at);
		} else if (looking_at(&r, r.at, "::")) {
			r.at += 2;
			starts[count++ % 32] = r.at;
		} else {
			r.at++;
		}
	}
	return n > 0 && n <= count && n <= 32 ? path + starts[(count - n) % 32] : NULL;
}

static size_t components(const char *path)
{
	size_t n = 1;

	while (tail(path, n + 1))
		n++;
	return n;
}

static bool ends_in(const struct called_name *name, const char *path)
{
	const char *end = tail(path, components(name->path));

	if (end && !strcmp(end, name->path))
		return true;
	end = name->glob ? tail(path, components(name->text)) : NULL;
	return end && fnmatch(name->text, end, 0) == 0;
}

static bool is_part(const struct called_name *name, const char *plain)
{
	char *path = path_of(plain, name->kept, NULL);
	bool yes = ends_in(name, path);

	free(path);
	if (yes || !strchr(plain, '<'))
		return yes;
	path = path_of(plain, name->kept | TAKE_TRAIT, NULL);
	yes = ends_in(name, path);
	free(path);
	return yes;
}

/* Removes the closures at the end of a path of Rust; false: there are none. */
static bool leave_closures(char *path)
{
	bool left = false;
	char *last;

	while ((last = strrchr(path, ':')) != NULL && last > path && last[-1] == ':' &&
	       (!strncmp(last + 1, "{closure#", 9) || !strcmp(last + 1, "{{closure}}"))) {
		last[-1] = '\0';
		left = true;
	}
	return left;
}

static bool is_inside(const struct called_name *name, const char *plain)
{
	char *path = path_of(plain, name->kept, NULL);
	bool yes = !name->glob && leave_closures(path) && ends_in(name, path);

	free(path);
	return yes;
}

/* Thunks and initialisers of variables are not in the source. */
static bool is_made_up(const char *linkage_name)
{
	return !strncmp(linkage_name, "_ZT", 3) || !strncmp(linkage_name, "_ZGV", 4);
}

enum called called_so(const struct called_name *name, const char *linkage_name)
{
	enum called how = CALLED_NOT;
	char *plain, *whole;

	if (!strcmp(name->text, linkage_name) || (name->glob && fnmatch(name->text, linkage_name, 0) == 0))
		return CALLED_FULL;
	if (name->word && !strstr(linkage_name, name->word))
		return CALLED_NOT;
	plain = image_demangle(linkage_name);
	if (strcmp(plain, linkage_name) != 0) {
		whole = xstrdup(plain);
		if (is_full(name, whole))
			how = CALLED_FULL;
		else if (*name->path && !is_made_up(linkage_name) && is_part(name, plain))
			how = CALLED_PART;
		else if (*name->path && is_inside(name, plain))
			how = CALLED_INSIDE;
		free(whole);
	}
	free(plain);
	return how;
}

char *called_path(const char *linkage_name)
{
	char *plain = image_demangle(linkage_name), *path = path_of(plain, 0, NULL);

	free(plain);
	return path;
}

const char *called_last(const char *path)
{
	const char *last = tail(path, 1);

	return last ? last : path;
}

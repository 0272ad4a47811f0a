#include "source/source.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/sorted.h"
#include "base/texthash.h"

/* Limit on the size of a file: its path is from debug information, and may name any file. */
#define SIZE_LIMIT ((size_t)64 << 20)
/* Shorter lines ("}", "else") are in every function, and do not identify one. */
#define TELLING 4

struct line {
	size_t at, len;  /* without LF */
	uint64_t hash;   /* TEXTHASH_NONE: blank */
};

struct source {
	char *text;
	size_t len;
	struct line *line; /* line[0..n) */
	size_t n, cap;
};

struct source *source_of(const char *bytes, size_t len)
{
	struct source *s = xcalloc(1, sizeof *s);
	size_t at = 0;

	s->text = memcpy(xcalloc(1, len + 1), bytes, len);
	s->len = len;
	while (at < len) {
		const char *lf = memchr(s->text + at, '\n', len - at);
		size_t n = lf ? (size_t)(lf - s->text) - at : len - at;

		s->line = xgrow(s->line, s->n, &s->cap, sizeof *s->line);
		s->line[s->n++] = (struct line){ at, n, texthash_line(s->text + at, n) };
		at += n + 1;
	}
	return s;
}

static bool read_all(int fd, char *to, size_t size)
{
	size_t done = 0;
	ssize_t n;

	while (done < size && (n = read(fd, to + done, size - done)) > 0)
		done += (size_t)n;
	return done == size;
}

struct source *source_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct source *s = NULL;
	struct stat st;
	char *text;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size <= SIZE_LIMIT) {
		text = xcalloc((size_t)st.st_size + 1, 1);
		if (read_all(fd, text, (size_t)st.st_size))
			s = source_of(text, (size_t)st.st_size);
		free(text);
	}
	close(fd);
	return s;
}

void source_free(struct source *s)
{
	if (!s)
		return;
	free(s->text);
	free(s->line);
	free(s);
}

/* ---- functions ------------------------------------------------------------ */

/* Behind a comment that begins at `at`; `at` when none does. */
static size_t skip_comment(const struct source *s, size_t at)
{
	const char *end = NULL;

	if (s->text[at] != '/' || at + 1 >= s->len)
		return at;
	if (s->text[at + 1] == '/')
		end = memchr(s->text + at, '\n', s->len - at);
	else if (s->text[at + 1] == '*')
		end = memmem(s->text + at + 2, s->len - at - 2, "*/", 2);
	else
		return at;
	return end ? (size_t)(end - s->text) + (*end == '*' ? 2 : 0) : s->len;
}

/* Behind a literal.  An apostrophe may also be a lifetime in Rust, or stand between digits in C++: one letter or an escape is a literal. */
static size_t skip_literal(const struct source *s, size_t at)
{
	char quote = s->text[at];

	if (quote == '\'' && at + 2 < s->len && s->text[at + 1] != '\\' && s->text[at + 2] != '\'')
		return at + 1;
	for (at++; at < s->len && s->text[at] != quote; at++)
		if (s->text[at] == '\\')
			at++;
	return at < s->len ? at + 1 : s->len;
}

/* The next byte that is neither blank nor in a comment. */
static size_t skip_blank(const struct source *s, size_t at)
{
	while (at < s->len) {
		size_t next = texthash_is_blank(s->text[at]) ? at + 1 : skip_comment(s, at);

		if (next == at)
			return at;
		at = next;
	}
	return at;
}

/* Behind the bracket that closes the one at `at`; the text's length when none does. */
static size_t skip_group(const struct source *s, size_t at)
{
	size_t depth = 0;

	while (at < s->len) {
		char c = s->text[at];
		size_t next = skip_comment(s, at);

		if (next != at) {
			at = next;
			continue;
		}
		if (c == '"' || c == '\'') {
			at = skip_literal(s, at);
			continue;
		}
		at++;
		depth += c == '{' || c == '(' || c == '[';
		if (c == '}' || c == ')' || c == ']') {
			if (depth <= 1)
				return at;
			depth--;
		}
	}
	return at;
}

static unsigned line_at(const struct source *s, size_t at)
{
	return (unsigned)sorted_up_to(s->line, s->n, sizeof *s->line, at);
}

bool source_function(const struct source *s, unsigned first, struct source_function *f)
{
	size_t at = first >= 1 && first <= s->n ? s->line[first - 1].at : s->len;

	while ((at = skip_blank(s, at)) < s->len) {
		char c = s->text[at];
		size_t end;

		if (c == ';' || c == '}')
			return false;
		if (c == '"' || c == '\'') {
			at = skip_literal(s, at);
			continue;
		}
		if (c != '{' && c != '(' && c != '[') {
			at++;
			continue;
		}
		end = skip_group(s, at);
		if (c == '{') {
			size_t next = skip_blank(s, end);

			if (s->text[end - 1] != '}')
				return false;
			/* in C++, members are initialized before the body: name{1}, other{2} {} */
			if (next == s->len || (s->text[next] != ',' && s->text[next] != '{')) {
				*f = (struct source_function){ first, line_at(s, end - 1), at, end };
				return true;
			}
		}
		at = end;
	}
	return false;
}

/* ---- fingerprints --------------------------------------------------------- */

bool source_line_hash(const struct source *s, unsigned line, const struct source_function *f, struct buf *out)
{
	bool inside = f && line >= f->first && line <= f->last;
	size_t lo = inside ? f->first - 1 : 0, hi = inside ? f->last : s->n, n = 0, k = 0;
	uint64_t hash;

	if (line < 1 || line > s->n || s->line[line - 1].hash == TEXTHASH_NONE)
		return false;
	hash = s->line[line - 1].hash;
	for (size_t i = lo; i < hi; i++) {
		n += s->line[i].hash == hash;
		if (i == line - 1)
			k = n;
	}
	buf_addf(out, "%016" PRIx64, hash);
	if (n > 1)
		buf_addf(out, ".%zu/%zu", k, n);
	return true;
}

/* 32 bits of it; not 0, which is nothing. */
static uint32_t short_hash(uint64_t hash)
{
	uint32_t h = (uint32_t)(hash ^ hash >> 32);

	return h ? h : 1;
}

void source_context_hash(const struct source *s, unsigned line, struct buf *out)
{
	uint32_t around[2 * SOURCE_AROUND] = { 0 };
	size_t before = line < 1 ? 0 : line <= s->n ? line - 1 : s->n, found = 0;

	for (size_t i = before; i-- > 0 && found < SOURCE_AROUND;)
		if (s->line[i].hash != TEXTHASH_NONE)
			around[SOURCE_AROUND - ++found] = short_hash(s->line[i].hash);
	found = 0;
	for (size_t i = line; i < s->n && found < SOURCE_AROUND; i++)
		if (s->line[i].hash != TEXTHASH_NONE)
			around[SOURCE_AROUND + found++] = short_hash(s->line[i].hash);
	for (size_t i = 0; i < 2 * SOURCE_AROUND; i++)
		buf_addf(out, around[i] ? "%s%08" PRIx32 : "%s%" PRIx32, i ? "." : "", around[i]);
}

static bool tells(const struct source *s, const struct line *line)
{
	size_t n = 0;

	for (size_t i = 0; i < line->len && n < TELLING; i++)
		n += !texthash_is_blank(s->text[line->at + i]);
	return n >= TELLING;
}

/* The finalizer of splitmix64: each i makes another order of all hashes. */
static uint64_t mix_order(uint64_t x, uint64_t i)
{
	x += (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static void sketch(uint64_t least[SOURCE_SKETCH], uint64_t hash)
{
	for (size_t k = 0; k < SOURCE_SKETCH; k++) {
		uint64_t x = mix_order(hash, k);

		least[k] = x < least[k] ? x : least[k];
	}
}

void source_function_hash(const struct source *s, const struct source_function *f, struct buf *out)
{
	uint64_t least[SOURCE_SKETCH], body = texthash_line(s->text + f->open, f->close - f->open);
	size_t lines = 0, telling = 0;

	memset(least, 0xff, sizeof least);
	for (size_t i = line_at(s, f->open); i < f->last; i++) {
		lines += s->line[i].hash != TEXTHASH_NONE;
		if (tells(s, &s->line[i])) {
			sketch(least, s->line[i].hash);
			telling++;
		}
	}
	/* A body on one line, or an empty one: equals only identical bodies. */
	if (!telling)
		sketch(least, body);
	buf_addf(out, "%016" PRIx64 ".%zu.", body, lines);
	for (size_t k = 0; k < SOURCE_SKETCH; k++)
		buf_addf(out, "%02x", (unsigned)(least[k] & 0xff));
}

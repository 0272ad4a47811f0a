/*
 * Names are taken from the lines with one name each (---, +++, rename from, rename to).
 * "diff --git a/x b/x" cannot be split with certainty when names contain blanks, so it
 * is used only without other lines.
 */
#include "source/patch.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "source/patchname.h"

struct texts {
	struct patch_text *v;
	size_t n, cap;
};

struct reading {
	const char *path;
	const struct patch_sink *sink;
	unsigned long lineno;
	struct patch_names names;
	bool in_file;          /* behind the first line of a file's part */
	bool told;             /* sink->file was called for it */
	bool broken;           /* ... and sink->broken */
	bool failed;           /* some part of the patch is broken */
	unsigned long old_next, new_next; /* in a hunk */
	unsigned long old_left, new_left; /* lines that the hunk still has to have */
	unsigned long old_done, new_done; /* behind the last block or hunk of the file */
	struct texts olds, news; /* the block that is being read */
};

/* ---- telling -------------------------------------------------------------- */

static void tell_file(struct reading *r)
{
	struct patch_file file;

	if (r->told || !r->in_file)
		return;
	r->told = true;
	patch_names_finish(&r->names, &file.old, &file.new);
	file.copy = r->names.copy;
	file.binary = r->names.binary;
	if (file.old || file.new)
		r->sink->file(r->sink->arg, &file);
}

static void report_broken(struct reading *r, const char *what)
{
	msg_error_at(r->path, r->lineno, "%s", what);
	r->failed = true;
	if (r->in_file && !r->broken) {
		tell_file(r);
		r->broken = true;
		r->sink->broken(r->sink->arg);
	}
	r->old_left = r->new_left = 0;
}

static void forget_texts(struct texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i].s);
	t->n = 0;
}

/* Lines between two blocks are in both files: as many in the one as in the other, or the patch is not one. */
static bool follows(struct reading *r, unsigned long old, unsigned long new)
{
	if (old < r->old_done || new < r->new_done || old - r->old_done != new - r->new_done) {
		report_broken(r, "the line numbers of this hunk do not follow from those before it");
		return false;
	}
	return true;
}

static void end_block(struct reading *r)
{
	unsigned long old = r->old_next - r->olds.n, new = r->new_next - r->news.n;

	if (r->olds.n + r->news.n == 0)
		return;
	if (!r->broken && follows(r, old, new)) {
		r->sink->block(r->sink->arg, &(struct patch_block){ old, new, r->olds.v, r->news.v, r->olds.n, r->news.n });
		r->old_done = r->old_next;
		r->new_done = r->new_next;
	}
	forget_texts(&r->olds);
	forget_texts(&r->news);
}

static void end_hunk(struct reading *r)
{
	end_block(r);
	if (r->old_left + r->new_left > 0)
		report_broken(r, "the hunk before this line is cut short");
}

static void end_file(struct reading *r)
{
	end_hunk(r);
	tell_file(r);
	patch_names_clear(&r->names);
	r->in_file = r->told = r->broken = false;
	r->old_done = r->new_done = 1;
}

/* ---- lines ---------------------------------------------------------------- */

/* The word off *s, if it is that. */
static bool take_word(const char **s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*s, word, n) != 0)
		return false;
	*s += n;
	return true;
}

static bool take_number(const char **s, unsigned long *out)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return false;
	errno = 0;
	*out = strtoul(*s, &end, 10);
	*s = end;
	return !errno && *out <= UINT_MAX;
}

/* "12" or "12,3" off *s. */
static bool take_range(const char **s, unsigned long *first, unsigned long *count)
{
	*count = 1;
	return take_number(s, first) && (!take_word(s, ",") || take_number(s, count));
}

/* "@@ -a,b +c,d @@"; an empty side names the line before it. */
static void begin_hunk(struct reading *r, const char *s)
{
	unsigned long a, b, c, d;

	if (s[2] == '@') {
		report_broken(r, "this is a combined diff; compare two commits");
		return;
	}
	if (!take_word(&s, "@@ -") || !take_range(&s, &a, &b) || !take_word(&s, " +") || !take_range(&s, &c, &d) ||
	    !take_word(&s, " @@") || (b && !a) || (d && !c) || b + d == 0) {
		report_broken(r, "bad hunk header");
		return;
	}
	tell_file(r);
	r->old_next = b ? a : a + 1;
	r->new_next = d ? c : c + 1;
	r->old_left = b;
	r->new_left = d;
	if (!r->broken)
		follows(r, r->old_next, r->new_next);
}

static void keep_text(struct texts *t, const char *s, size_t len)
{
	if (len > 0 && s[len - 1] == '\r')
		len--;
	t->v = xgrow(t->v, t->n, &t->cap, sizeof *t->v);
	t->v[t->n++] = (struct patch_text){ memcpy(xcalloc(1, len + 1), s, len), len };
}

/* A line of a hunk.  Mailers make an empty one of a blank. */
static void body(struct reading *r, const char *s, size_t len)
{
	char sign = len == 0 || *s == '\r' ? ' ' : *s;

	if (sign == '\\')
		return;
	if ((sign != ' ' && sign != '-' && sign != '+') || (sign != '+' && !r->old_left) || (sign != '-' && !r->new_left)) {
		end_block(r);
		report_broken(r, "this line is not one of a hunk, which should go on here");
		return;
	}
	if (sign == ' ')
		end_block(r);
	else
		keep_text(sign == '-' ? &r->olds : &r->news, s + 1, len - 1);
	if (sign != '+') {
		r->old_next++;
		r->old_left--;
	}
	if (sign != '-') {
		r->new_next++;
		r->new_left--;
	}
	if (r->old_left + r->new_left == 0)
		end_block(r);
}

/* "--- x" begins a file, where no "diff" line did. */
static bool begins_file(const struct reading *r, const char *s)
{
	return !strncmp(s, "diff --git ", 11) || !strncmp(s, "diff --cc ", 10) || !strncmp(s, "diff --combined ", 16) ||
	       (!strncmp(s, "--- ", 4) && (!r->in_file || r->told || r->names.minus));
}

static void header(struct reading *r, const char *s)
{
	if (begins_file(r, s)) {
		end_file(r);
		r->in_file = true;
	}
	if (!r->in_file)
		return;
	if (!strncmp(s, "@@", 2)) {
		/* A line like that in a mail is no hunk. */
		if (r->names.plus)
			begin_hunk(r, s);
	} else if (!r->told) {
		patch_names_add(&r->names, s);
	}
}

static void take_line(struct reading *r, char *s, size_t len)
{
	r->lineno++;
	/* A line that begins a file ends a hunk that was cut short; but "--- " may be a line of it. */
	if (r->old_left + r->new_left > 0 && strncmp(s, "diff --git ", 11) != 0) {
		body(r, s, len);
		return;
	}
	end_hunk(r);
	if (len > 0 && s[len - 1] == '\r')
		s[len - 1] = '\0';
	header(r, s);
}

bool patch_read(FILE *in, const char *path, const struct patch_sink *sink)
{
	struct reading r = { .path = path, .sink = sink, .old_done = 1, .new_done = 1 };
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	while ((len = getline(&line, &cap, in)) > 0) {
		if (line[len - 1] == '\n')
			line[--len] = '\0';
		take_line(&r, line, (size_t)len);
	}
	free(line);
	end_file(&r);
	free(r.olds.v);
	free(r.news.v);
	if (ferror(in)) {
		msg_error("cannot read '%s': %s", path, strerror(errno));
		return false;
	}
	return !r.failed;
}

/*
 * replay: how well regions are matched, by real or made histories.
 *
 *     replay [-cv] STEP...
 *
 * Each STEP is a directory that holds both sides of a commit: base/ and head/
 * with the files that it changed; the patches map, map.patience, map.histogram
 * and map.blanks between them, by three algorithms and without regard to blanks;
 * and, where the history was made up and the truth is known, truth: lines
 * "BASEFILE LINE HEADFILE LINE", the latter two "-" when the line is gone.
 *
 * Of a real commit the truth is known where the method under test is not asked:
 * a line whose text is there once in both versions of its file is that line,
 * and a line that all four patches keep, in a function of the same name, is that
 * line.  Where the two disagree nothing is known.  A line is gone when all four
 * delete it, putting nothing in its place, and its text is nowhere in the new
 * files.  A line was edited into another when all four replace just it by just
 * that one.
 *
 * Places are made of every line (all), or of few of each side, most of them the
 * same ones, as a profile has them (few).  Four times: with and without the patch
 * (map), with and without the hashes of texts.  Functions that are the same on
 * both sides are easy, and counted by themselves.
 *
 * known: lines of the base whose partner is known and is a place; of these are
 * right, wrong (pairs of lines without a partner included), missed; sure: right,
 * and at a confidence of MATCH_SURE or more; and wrong: the number of pairs that
 * are wrong at such a confidence, which -v prints.  Functions are places too,
 * known by where most of their lines went; also with their names hidden, as if
 * all of them had been renamed.  -c prints how often pairs
 * are right, in changed functions, by the confidence that they state.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/msg.h"
#include "base/texthash.h"
#include "diff/linemap.h"
#include "diff/match.h"
#include "profile/source.h"

/* ---- a version of the tree ------------------------------------------------ */

struct line {
	size_t file;
	unsigned number;
	const char *text; /* with blanks */
	size_t len;
	uint64_t hash;
	size_t function;  /* 1 + index; 0 none */
	size_t truth;     /* of a base line: enum truth, or TRUE + index of head line */
	bool changed;     /* its function's text is another one on the other side, or there is none of its name */
	bool edited;      /* true line has another text */
};

enum { UNKNOWN, GONE, TRUE };

struct function {
	char *name, *hash;
	unsigned first, last;
	size_t file;
};

struct file {
	char *path, *text;
	size_t len, first, n; /* lines */
	struct source *source;
};

struct tree {
	struct file *file;
	size_t nfiles, cap_files;
	struct line *line;
	size_t nlines, cap_lines;
	struct function *function;
	size_t nfunctions, cap_functions;
	struct match_place *place; /* of each line */
};

static bool is_source(const char *path)
{
	static const char *const END[] = { ".c", ".h", ".cc", ".cpp", ".rs" };

	for (size_t i = 0; i < sizeof END / sizeof END[0]; i++) {
		size_t n = strlen(path), e = strlen(END[i]);

		if (n > e && !strcmp(path + n - e, END[i]))
			return true;
	}
	return false;
}

static char *slurp(const char *path, size_t *len)
{
	FILE *in = fopen(path, "re");
	struct buf b = BUF_INIT;
	char chunk[1 << 16];
	size_t n;

	buf_adds(&b, "");
	while (in && (n = fread(chunk, 1, sizeof chunk, in)) > 0)
		buf_add(&b, chunk, n);
	if (in)
		fclose(in);
	*len = b.len;
	return buf_detach(&b);
}

/* The name of the function that may begin on the line: in C and C++ in the first column, in Rust behind "fn". */
static char *function_name(const char *s, size_t len, bool rust)
{
	const char *end = s + len, *p, *name;

	if (rust) {
		p = memmem(s, len, "fn ", 3);
		if (!p || (p > s && p[-1] != ' ' && p[-1] != '\t') || memchr(s, '"', len) || memmem(s, len, "//", 2))
			return NULL;
		name = p += 3;
		while (p < end && (*p == '_' || (*p >= '0' && *p <= '9') || (*p | 32) >= 'a') && *p != '{' && *p != '}' && *p != '|')
			p++;
		return p > name ? xstrndup(name, (size_t)(p - name)) : NULL;
	}
	if (len == 0 || !(*s == '_' || ((*s | 32) >= 'a' && (*s | 32) <= 'z')) || s[len - 1] == ';')
		return NULL;
	p = memchr(s, '(', len);
	if (!p || !strncmp(s, "typedef", 7))
		return NULL;
	while (p > s && (p[-1] == ' ' || p[-1] == '\t'))
		p--;
	name = p;
	while (name > s && (name[-1] == '_' || name[-1] == ':' || (name[-1] >= '0' && name[-1] <= '9') ||
			    ((name[-1] | 32) >= 'a' && (name[-1] | 32) <= 'z')))
		name--;
	return p > name ? xstrndup(name, (size_t)(p - name)) : NULL;
}

static void find_functions(struct tree *t, size_t at)
{
	struct file *f = &t->file[at];
	bool rust = strlen(f->path) > 3 && !strcmp(f->path + strlen(f->path) - 3, ".rs");
	struct buf impl = BUF_INIT;
	unsigned next = 1;

	buf_adds(&impl, "");
	for (size_t i = f->first; i < f->first + f->n; i++) {
		struct line *l = &t->line[i];
		struct source_function sf;
		char *name;

		if (rust && (!strncmp(l->text, "impl", 4) || !strncmp(l->text, "trait", 5) || !strncmp(l->text, "pub trait", 9))) {
			buf_clear(&impl);
			buf_add(&impl, l->text, l->len);
		}
		if (l->number < next)
			continue;
		name = function_name(l->text, l->len, rust);
		if (name && source_function(f->source, l->number, &sf)) {
			struct buf hash = BUF_INIT;
			struct function *fn;

			source_function_hash(f->source, &sf, &hash);
			t->function = xgrow(t->function, t->nfunctions, &t->cap_functions, sizeof *t->function);
			fn = &t->function[t->nfunctions++];
			*fn = (struct function){ NULL, buf_detach(&hash), sf.first, sf.last, at };
			fn->name = rust ? xasprintf("%s%s%s", l->text[0] == ' ' || l->text[0] == '\t' ? impl.s : "",
						    l->text[0] == ' ' ? "::" : "", name)
					: xstrdup(name);
			for (size_t k = i; k < f->first + f->n && t->line[k].number <= sf.last; k++)
				t->line[k].function = t->nfunctions;
			next = sf.last + 1;
		}
		free(name);
	}
	buf_release(&impl);
}

static void add_file(struct tree *t, const char *root, const char *path)
{
	char *full = xasprintf("%s/%s", root, path);
	struct file f = { .path = xstrdup(path), .first = t->nlines };
	size_t at = t->nfiles;

	f.text = slurp(full, &f.len);
	f.source = source_of(f.text, f.len);
	for (size_t i = 0; i < f.len;) {
		const char *lf = memchr(f.text + i, '\n', f.len - i);
		size_t n = lf ? (size_t)(lf - f.text) - i : f.len - i;

		t->line = xgrow(t->line, t->nlines, &t->cap_lines, sizeof *t->line);
		t->line[t->nlines++] = (struct line){ .file = at, .number = (unsigned)++f.n, .text = f.text + i, .len = n,
						      .hash = texthash_line(f.text + i, n) };
		i += n + 1;
	}
	t->file = xgrow(t->file, t->nfiles, &t->cap_files, sizeof *t->file);
	t->file[t->nfiles++] = f;
	find_functions(t, at);
	free(full);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_directory(struct tree *t, const char *root, const char *under)
{
	char *full = xasprintf("%s/%s", root, under);
	struct dirent **entry;
	int n = scandir(full, &entry, NULL, by_name);

	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;
		char *path = *under ? xasprintf("%s/%s", under, name) : xstrdup(name), *whole = xasprintf("%s/%s", root, path);
		struct stat st;

		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && lstat(whole, &st) == 0) {
			if (S_ISDIR(st.st_mode))
				add_directory(t, root, path);
			else if (S_ISREG(st.st_mode) && is_source(path))
				add_file(t, root, path);
		}
		free(path);
		free(whole);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	free(full);
}

static void make_places(struct tree *t)
{
	t->place = xcalloc(t->nlines + 1, sizeof *t->place);
	for (size_t i = 0; i < t->nlines; i++) {
		const struct line *l = &t->line[i];
		const struct function *fn = l->function ? &t->function[l->function - 1] : NULL;
		const struct file *f = &t->file[l->file];
		struct source_function sf = { 0 };
		struct buf line = BUF_INIT, context = BUF_INIT;

		if (fn) {
			sf.first = fn->first;
			sf.last = fn->last;
		}
		source_line_hash(f->source, l->number, fn ? &sf : NULL, &line);
		source_context_hash(f->source, l->number, &context);
		t->place[i] = (struct match_place){
			.scope = "line", .function = fn ? fn->name : NULL, .symbol = fn ? fn->name : NULL, .file = f->path,
			.module = "prog", .line = l->number, .function_line = fn ? fn->first : 0, .line_hash = buf_detach(&line),
			.context_hash = buf_detach(&context), .function_hash = fn ? fn->hash : NULL,
		};
	}
}

static struct tree tree_of(const char *step, const char *side)
{
	char *root = xasprintf("%s/%s", step, side);
	struct tree t = { 0 };

	add_directory(&t, root, "");
	make_places(&t);
	free(root);
	return t;
}

static void release_tree(struct tree *t)
{
	for (size_t i = 0; i < t->nlines; i++) {
		free((void *)(uintptr_t)t->place[i].line_hash);
		free((void *)(uintptr_t)t->place[i].context_hash);
	}
	for (size_t i = 0; i < t->nfunctions; i++) {
		free(t->function[i].name);
		free(t->function[i].hash);
	}
	for (size_t i = 0; i < t->nfiles; i++) {
		source_free(t->file[i].source);
		free(t->file[i].text);
		free(t->file[i].path);
	}
	free(t->place);
	free(t->function);
	free(t->line);
	free(t->file);
}

/* ---- the truth ------------------------------------------------------------ */

static struct line *line_at(struct tree *t, const char *path, unsigned long number)
{
	for (size_t i = 0; path && i < t->nfiles; i++)
		if (!strcmp(t->file[i].path, path))
			return number >= 1 && number <= t->file[i].n ? &t->line[t->file[i].first + number - 1] : NULL;
	return NULL;
}

/* How often a text is in a file, and where last. */
struct count {
	size_t n, at;
};

static struct count *counts(struct map *m, const struct line *l, size_t file)
{
	char key[64];
	void **place;

	snprintf(key, sizeof key, "%zx %llx", file, (unsigned long long)l->hash);
	place = map_at(m, key);
	if (!*place)
		*place = xcalloc(1, sizeof(struct count));
	return *place;
}

static struct map count_lines(const struct tree *t)
{
	struct map m = MAP_INIT;

	for (size_t i = 0; i < t->nlines; i++) {
		struct count *c = counts(&m, &t->line[i], t->line[i].file);

		c->n++;
		c->at = i;
		counts(&m, &t->line[i], SIZE_MAX)->n++; /* anywhere */
	}
	return m;
}

static void release_counts(struct map *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->entry[i].value);
	map_release(m);
}

enum { MAPS = 4 };

/* What all algorithms say of a base line; UNKNOWN when they disagree. */
static size_t by_maps(const struct linemap *maps, const struct tree *base, struct tree *head, const char *path, const struct line *l, bool *edited)
{
	struct linemap_answer first = linemap_forward(&maps[0], path, l->number);
	struct line *to;

	*edited = first.fate == LINEMAP_EDITED;
	for (size_t i = 1; i < MAPS; i++) {
		struct linemap_answer a = linemap_forward(&maps[i], path, l->number);

		if (a.fate != first.fate || a.line != first.line || (a.fate == LINEMAP_EDITED && a.n != first.n))
			return UNKNOWN;
	}
	if (first.fate == LINEMAP_GONE)
		return GONE;
	if (first.fate == LINEMAP_UNKNOWN || !first.line)
		return UNKNOWN;
	if (*edited) {
		struct linemap_answer back = linemap_backward(&maps[0], first.file, first.line);

		if (first.n != 1 || back.n != 1 || first.similarity < 0.5)
			return UNKNOWN;
	}
	to = line_at(head, first.file, first.line);
	/* Braces and the like are carried from one function to another as it suits a short patch. */
	if (to && (!l->function || !to->function ||
		   strcmp(base->function[l->function - 1].name, head->function[to->function - 1].name) != 0))
		return UNKNOWN;
	return to ? TRUE + (size_t)(to - head->line) : UNKNOWN;
}

/* In a file of the same name or of the one that it was renamed to, or UNKNOWN. */
static size_t by_text(struct map *base_counts, struct map *head_counts, const struct linemap *map, struct tree *base,
		      struct tree *head, const struct line *l)
{
	struct linemap_answer a = linemap_forward(map, base->file[l->file].path, 1);
	struct line *first = line_at(head, a.file, 1);
	struct count *there;

	if (!first || l->len < 8 || counts(base_counts, l, l->file)->n != 1)
		return UNKNOWN;
	there = counts(head_counts, l, first->file);
	return there->n == 1 ? TRUE + there->at : UNKNOWN;
}

static size_t disputed;

static void find_truth(struct tree *base, struct tree *head, const struct linemap *maps)
{
	struct map b = count_lines(base), h = count_lines(head);

	for (size_t i = 0; i < base->nlines; i++) {
		struct line *l = &base->line[i];
		size_t text = by_text(&b, &h, &maps[0], base, head, l);
		size_t map = by_maps(maps, base, head, base->file[l->file].path, l, &l->edited);

		if (map == GONE && (text != UNKNOWN || counts(&h, l, SIZE_MAX)->n > 0))
			map = UNKNOWN; /* it may have moved */
		if (l->edited && counts(&h, l, SIZE_MAX)->n > 0)
			map = UNKNOWN;
		l->truth = text != UNKNOWN ? text : map;
		if (text != UNKNOWN && map > GONE && map != text) {
			l->truth = UNKNOWN;
			disputed++;
		}
		l->edited = l->edited && l->truth == map && map != UNKNOWN;
	}
	release_counts(&b);
	release_counts(&h);
}

/* The truth of a history that was made. */
static bool read_truth(const char *path, struct tree *base, struct tree *head)
{
	FILE *in = fopen(path, "re");
	char from[512], to[512], line[32];
	unsigned long number;

	if (!in)
		return false;
	while (fscanf(in, "%511s %lu %511s %31s", from, &number, to, line) == 4) {
		struct line *b = line_at(base, from, number), *h = line_at(head, to, strtoul(line, NULL, 10));

		if (!b || (!h && *to != '-'))
			msg_die(2, "%s: no line %s:%lu or %s:%s", path, from, number, to, line);
		b->truth = h ? TRUE + (size_t)(h - head->line) : GONE;
		b->edited = h && h->hash != b->hash;
	}
	fclose(in);
	return true;
}

/* A line of a function that is as it was is easy. */
static void find_changed(struct tree *base, const struct tree *head)
{
	struct map same = MAP_INIT;

	for (size_t i = 0; i < head->nfunctions; i++) {
		char *key = xasprintf("%s %s", head->function[i].name, head->function[i].hash);

		*map_at(&same, key) = base;
		free(key);
	}
	for (size_t i = 0; i < base->nlines; i++) {
		const struct function *fn = base->line[i].function ? &base->function[base->line[i].function - 1] : NULL;
		char *key = fn ? xasprintf("%s %s", fn->name, fn->hash) : NULL;

		base->line[i].changed = fn && !map_get(&same, key);
		free(key);
	}
	map_release(&same);
}

/* ---- the trial ------------------------------------------------------------ */

enum mode { MAP_AND_HASHES, MAP_ALONE, HASHES, POSITIONS, MODES };
static const char *const MODE[MODES] = { "map and hashes", "map alone", "hashes alone", "positions alone" };
enum sampling { DENSE, SPARSE, SAMPLINGS };
static const char *const SAMPLING[SAMPLINGS] = { "all", "few" };
enum { BINS = 20 };

struct tally {
	size_t known, right, wrong, missed, wrong_sure, right_sure;
};

static struct tally tally[MODES][SAMPLINGS][2];
struct bin {
	size_t n, right;
	double sum; /* of confidences */
};
static struct bin calibration[MODES][MATCH_KINDS][BINS + 1];
static bool verbose;

/* The same answer for the same line, whatever the run; 0..99. */
static unsigned draw(const struct tree *t, const struct line *l, unsigned salt)
{
	uint64_t h = texthash_line(t->file[l->file].path, strlen(t->file[l->file].path));

	h = (h ^ l->number * UINT64_C(0x9e3779b97f4a7c15) ^ salt) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 29) * UINT64_C(0x94d049bb133111eb);
	return (unsigned)((h >> 33) % 100);
}

/* Which lines are places: index[k] is the line of the kth. */
static size_t choose(const struct tree *base, const struct tree *head, bool of_head, enum sampling sampling, size_t *index)
{
	const struct tree *t = of_head ? head : base;
	bool *in = xcalloc(t->nlines + 1, sizeof *in);
	size_t n = 0;

	for (size_t i = 0; i < t->nlines; i++)
		in[i] = sampling == DENSE || draw(t, &t->line[i], 1 + of_head) < (of_head ? 3 : 12);
	/* Of what base has, head has most. */
	if (of_head && sampling == SPARSE)
		for (size_t i = 0; i < base->nlines; i++)
			if (base->line[i].truth >= TRUE && draw(base, &base->line[i], 1) < 12)
				in[base->line[i].truth - TRUE] = draw(base, &base->line[i], 7) < 75;
	for (size_t i = 0; i < t->nlines; i++)
		if (in[i] && t->line[i].hash != TEXTHASH_NONE && t->line[i].function)
			index[n++] = i;
	free(in);
	return n;
}

static void show(const char *step, enum mode mode, enum sampling sampling, const struct tree *base, const struct line *b,
		 const struct tree *head, const struct line *h, const struct match *m)
{
	printf("wrong %s %s/%s %s %.2f\n  %s:%u %.*s\n  %s:%u %.*s\n", step, MODE[mode], SAMPLING[sampling],
	       match_kind_name(m->kind), m->confidence, base->file[b->file].path, b->number, (int)b->len, b->text,
	       head->file[h->file].path, h->number, (int)h->len, h->text);
	if (b->truth >= TRUE) {
		const struct line *t = &head->line[b->truth - TRUE];

		printf("  truth %s:%u %.*s\n", head->file[t->file].path, t->number, (int)t->len, t->text);
	} else {
		printf("  truth: gone\n");
	}
}

static void count(const char *step, enum mode mode, enum sampling sampling, const struct tree *base, size_t at,
		  const struct tree *head, const bool *there, const size_t *hindex, const struct match *m)
{
	const struct line *b = &base->line[at];
	struct tally *t = &tally[mode][sampling][b->changed];
	bool has = b->truth >= TRUE && there[b->truth - TRUE], right;
	int bin;

	if (b->truth == UNKNOWN)
		return;
	t->known += has;
	if (!m) {
		t->missed += has;
		return;
	}
	right = has && hindex[m->head] == b->truth - TRUE;
	t->right += right;
	t->wrong += !right;
	t->right_sure += right && m->confidence >= MATCH_SURE;
	t->wrong_sure += !right && m->confidence >= MATCH_SURE;
	if (verbose && !right && m->confidence >= MATCH_SURE)
		show(step, mode, sampling, base, b, head, &head->line[hindex[m->head]], m);
	if (!b->changed)
		return; /* easy ones would hide the others */
	bin = (int)(m->confidence * BINS + 1e-9);
	calibration[mode][m->kind][bin].n++;
	calibration[mode][m->kind][bin].right += right;
	calibration[mode][m->kind][bin].sum += m->confidence;
}

/* What a mode lets the matcher see. */
static struct match_place *seen(const struct tree *t, const size_t *index, size_t n, enum mode mode)
{
	struct match_place *p = xcalloc(n + 1, sizeof *p);

	for (size_t i = 0; i < n; i++) {
		p[i] = t->place[index[i]];
		if (mode == MAP_ALONE || mode == POSITIONS)
			p[i].line_hash = p[i].context_hash = p[i].function_hash = NULL;
	}
	return p;
}

static void try(const char *step, struct tree *base, struct tree *head, const struct linemap *map, enum mode mode,
		enum sampling sampling)
{
	size_t *bi = xcalloc(base->nlines + 1, sizeof *bi), *hi = xcalloc(head->nlines + 1, sizeof *hi);
	size_t nb = choose(base, head, false, sampling, bi), nh = choose(base, head, true, sampling, hi), n, k = 0;
	struct match_place *b = seen(base, bi, nb, mode), *h = seen(head, hi, nh, mode);
	bool *there = xcalloc(head->nlines + 1, sizeof *there);
	struct match *m;

	for (size_t i = 0; i < nh; i++)
		there[hi[i]] = true;
	n = match_places(b, nb, h, nh, mode == MAP_AND_HASHES || mode == MAP_ALONE ? map : NULL, &m);
	for (size_t i = 0; i < nb; i++) {
		while (k < n && m[k].base < i)
			k++;
		count(step, mode, sampling, base, bi[i], head, there, hi, k < n && m[k].base == i ? &m[k] : NULL);
	}
	free(m);
	free(b);
	free(h);
	free(bi);
	free(hi);
	free(there);
}

/* ---- functions ------------------------------------------------------------ */

enum function_mode { NAMES, NAMES_AND_HASHES, NAMES_AND_MAP, NAMELESS, FUNCTION_MODES };
static const char *const FUNCTION_MODE[FUNCTION_MODES] = { "names alone", "names and hashes", "names and map", "hashes, no names" };
static struct tally function_tally[FUNCTION_MODES];

/* The function that most of its lines went to, 1 + index; 0 unknown, or gone. */
static size_t true_function(const struct tree *base, size_t at, const struct tree *head)
{
	const struct function *fn = &base->function[at];
	const struct file *f = &base->file[fn->file];
	size_t *votes = xcalloc(head->nfunctions + 1, sizeof *votes), best = 0, all = 0;

	for (size_t i = f->first + fn->first - 1; i < f->first + fn->last; i++) {
		if (base->line[i].hash == TEXTHASH_NONE || base->line[i].truth == UNKNOWN)
			continue;
		all++;
		if (base->line[i].truth >= TRUE)
			votes[head->line[base->line[i].truth - TRUE].function]++;
	}
	for (size_t i = 1; i <= head->nfunctions; i++)
		if (2 * votes[i] > all)
			best = i;
	free(votes);
	return best;
}

/* Where names are hidden, a side's functions are called by their order, and by the side. */
static struct match_place *functions_of(const struct tree *t, enum function_mode mode, const char *side)
{
	struct match_place *p = xcalloc(t->nfunctions + 1, sizeof *p);

	for (size_t i = 0; i < t->nfunctions; i++) {
		const struct function *fn = &t->function[i];

		p[i] = (struct match_place){ .scope = "function", .file = t->file[fn->file].path, .module = "prog",
					     .line = fn->first, .function_line = fn->first };
		p[i].function = p[i].symbol = mode == NAMELESS ? xasprintf("%s_%zu", side, i) : xstrdup(fn->name);
		if (mode == NAMES_AND_HASHES || mode == NAMELESS)
			p[i].function_hash = fn->hash;
	}
	return p;
}

static void free_functions(struct match_place *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)p[i].function);
	free(p);
}

static void try_functions(const struct tree *base, const struct tree *head, const struct linemap *map, enum function_mode mode)
{
	struct match_place *b = functions_of(base, mode, "base"), *h = functions_of(head, mode, "head");
	struct tally *t = &function_tally[mode];
	struct match *m;
	size_t n = match_places(b, base->nfunctions, h, head->nfunctions, mode == NAMES_AND_MAP ? map : NULL, &m), k = 0;

	for (size_t i = 0; i < base->nfunctions; i++) {
		size_t truth = true_function(base, i, head);
		bool right;

		while (k < n && m[k].base < i)
			k++;
		if (!truth)
			continue;
		t->known++;
		if (k == n || m[k].base != i) {
			t->missed++;
			continue;
		}
		right = m[k].head == truth - 1;
		t->right += right;
		t->wrong += !right;
		t->right_sure += right && m[k].confidence >= MATCH_SURE;
		t->wrong_sure += !right && m[k].confidence >= MATCH_SURE;
		if (verbose && !right && m[k].confidence >= MATCH_SURE)
			printf("wrong function %s %s %.2f: %s in %s is %s in %s, not %s\n", FUNCTION_MODE[mode],
			       match_kind_name(m[k].kind), m[k].confidence, base->function[i].name, b[i].file,
			       head->function[truth - 1].name, h[truth - 1].file, head->function[m[k].head].name);
	}
	free(m);
	free_functions(b, base->nfunctions);
	free_functions(h, head->nfunctions);
}

static void replay(const char *step)
{
	static const char *const NAME[MAPS] = { "map", "map.patience", "map.histogram", "map.blanks" };
	struct tree base = tree_of(step, "base"), head = tree_of(step, "head");
	struct linemap maps[MAPS];
	char *path = xasprintf("%s/truth", step);

	for (size_t i = 0; i < MAPS; i++) {
		char *patch = xasprintf("%s/%s", step, NAME[i]);

		linemap_init(&maps[i]);
		linemap_read(&maps[i], patch);
		free(patch);
	}
	if (!read_truth(path, &base, &head))
		find_truth(&base, &head, maps);
	find_changed(&base, &head);
	for (enum mode mode = 0; mode < MODES; mode++)
		for (enum sampling sampling = 0; sampling < SAMPLINGS; sampling++)
			try(step, &base, &head, &maps[0], mode, sampling);
	for (enum function_mode mode = 0; mode < FUNCTION_MODES; mode++)
		try_functions(&base, &head, &maps[0], mode);
	for (size_t i = 0; i < MAPS; i++)
		linemap_release(&maps[i]);
	free(path);
	release_tree(&base);
	release_tree(&head);
}

/* ---- the report ----------------------------------------------------------- */

static double percent(size_t part, size_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void report(void)
{
	printf("%-16s %-5s %-9s %9s %8s %8s %8s  %9s %9s\n", "", "lines", "functions", "known", "right", "wrong", "missed",
	       "sure", "and wrong");
	for (enum mode m = 0; m < MODES; m++) {
		for (enum sampling s = 0; s < SAMPLINGS; s++) {
			for (int c = 0; c < 2; c++) {
				const struct tally *t = &tally[m][s][c];

				printf("%-16s %-5s %-9s %9zu %7.2f%% %7.2f%% %7.2f%%  %8.2f%% %9zu\n", MODE[m], SAMPLING[s],
				       c ? "changed" : "same", t->known, percent(t->right, t->known), percent(t->wrong, t->known),
				       percent(t->missed, t->known), percent(t->right_sure, t->known), t->wrong_sure);
			}
		}
	}
	printf("%-16s %-15s %9s %8s %8s %8s  %9s %9s\n", "functions", "", "known", "right", "wrong", "missed", "sure", "and wrong");
	for (enum function_mode m = 0; m < FUNCTION_MODES; m++) {
		const struct tally *t = &function_tally[m];

		printf("%-32s %9zu %7.2f%% %7.2f%% %7.2f%%  %8.2f%% %9zu\n", FUNCTION_MODE[m], t->known, percent(t->right, t->known),
		       percent(t->wrong, t->known), percent(t->missed, t->known), percent(t->right_sure, t->known), t->wrong_sure);
	}
	if (disputed)
		printf("(Not counted: %zu lines on which the patches and the text do not agree.)\n", disputed);
}

static void print_bin(const char *mode, const char *kind, const struct bin *b)
{
	if (b->n)
		printf("%-16s %-10s %9.3f %9.4f %9zu\n", mode, kind, b->sum / (double)b->n, (double)b->right / (double)b->n, b->n);
}

static void add_bin(struct bin *to, const struct bin *b)
{
	to->n += b->n;
	to->right += b->right;
	to->sum += b->sum;
}

/* What confidences promise, and what they keep. */
static void report_confidences(void)
{
	printf("\n%-16s %-10s %9s %9s %9s\n", "", "confidence", "stated", "right", "pairs");
	for (enum mode m = 0; m < MODES; m++) {
		for (int i = 0; i <= BINS; i++) {
			struct bin all = { 0 };
			char range[16];

			for (enum match_kind k = 0; k < MATCH_KINDS; k++)
				add_bin(&all, &calibration[m][k][i]);
			snprintf(range, sizeof range, "%.2f", (double)i / BINS);
			print_bin(MODE[m], range, &all);
		}
		for (enum match_kind k = 0; k < MATCH_KINDS; k++) {
			struct bin all = { 0 };

			for (int i = 0; i <= BINS; i++)
				add_bin(&all, &calibration[m][k][i]);
			print_bin(MODE[m], match_kind_name(k), &all);
		}
	}
}

int main(int argc, char **argv)
{
	bool confidences = false;
	int c;

	msg_init(argv[0]);
	while ((c = getopt(argc, argv, "cv")) != -1) {
		confidences |= c == 'c';
		verbose |= c == 'v';
	}
	for (int i = optind; i < argc; i++)
		replay(argv[i]);
	report();
	if (confidences)
		report_confidences();
	return msg_failed() ? 2 : 0;
}

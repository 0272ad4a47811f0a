#include "tree.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/texthash.h"

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

struct tree tree_of(const char *step, const char *side)
{
	char *root = xasprintf("%s/%s", step, side);
	struct tree t = { 0 };

	add_directory(&t, root, "");
	make_places(&t);
	free(root);
	return t;
}

void tree_release(struct tree *t)
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

struct line *tree_line(struct tree *t, const char *path, unsigned long number)
{
	for (size_t i = 0; path && i < t->nfiles; i++)
		if (!strcmp(t->file[i].path, path))
			return number >= 1 && number <= t->file[i].n ? &t->line[t->file[i].first + number - 1] : NULL;
	return NULL;
}

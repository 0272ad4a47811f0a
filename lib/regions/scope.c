#include "regions/scope.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"

void patterns_add(struct patterns *p, const char *pattern)
{
	const char *colon = strrchr(pattern, ':');
	struct pattern *new;
	uint64_t line = 0;
	bool has_line = colon && colon > pattern && num_u64(colon + 1, &line) && line > 0 && line <= INT_MAX;

	p->v = xgrow(p->v, p->n, &p->cap, sizeof(*p->v));
	new = &p->v[p->n++];
	new->text = xstrdup(pattern);
	new->path = has_line ? xstrndup(pattern, (size_t)(colon - pattern)) : xstrdup(pattern);
	new->line = has_line ? (int)line : 0;
	p->lines = p->lines || has_line;
}

void function_patterns_add(struct function_patterns *p, const char *pattern)
{
	p->v = xgrow(p->v, p->n, &p->cap, sizeof(*p->v));
	called_init(&p->v[p->n++], xstrdup(pattern));
}

static bool matches(const struct pattern *p, const char *path, int line)
{
	if (p->line != 0 && line != SCOPE_ANY_LINE && line != p->line)
		return false;
	for (const char *end = path; end; end = strchr(end, '/') ? strchr(end, '/') + 1 : NULL)
		if (fnmatch(p->path, end, 0) == 0)
			return true;
	return false;
}

bool patterns_match(const struct patterns *p, const char *path, int line)
{
	for (size_t i = 0; i < p->n; i++)
		if (matches(&p->v[i], path, line))
			return true;
	return false;
}

bool function_patterns_match(const struct function_patterns *p, const char *function)
{
	for (size_t i = 0; i < p->n; i++)
		if (called_so(&p->v[i], function) >= CALLED_PART)
			return true;
	return false;
}

static void write_one(struct buf *out, const char *option, const char *text)
{
	buf_addf(out, "%s%s %s", out->len ? " " : "", option, text);
}

void scope_write(const struct scope *s, struct buf *out)
{
	for (size_t i = 0; i < s->only.n; i++)
		write_one(out, "--only", s->only.v[i].text);
	for (size_t i = 0; i < s->exclude.n; i++)
		write_one(out, "--exclude", s->exclude.v[i].text);
	for (size_t i = 0; i < s->only_functions.n; i++)
		write_one(out, "--only-function", s->only_functions.v[i].text);
	for (size_t i = 0; i < s->exclude_functions.n; i++)
		write_one(out, "--exclude-function", s->exclude_functions.v[i].text);
	if (out->len == 0)
		buf_adds(out, "default");
}

static void patterns_release(struct patterns *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].text);
		free(p->v[i].path);
	}
	free(p->v);
	*p = (struct patterns){ 0 };
}

static void function_patterns_release(struct function_patterns *p)
{
	for (size_t i = 0; i < p->n; i++) {
		char *text = (char *)(uintptr_t)p->v[i].text;

		called_release(&p->v[i]);
		free(text);
	}
	free(p->v);
	*p = (struct function_patterns){ 0 };
}

void scope_release(struct scope *s)
{
	patterns_release(&s->only);
	patterns_release(&s->exclude);
	function_patterns_release(&s->only_functions);
	function_patterns_release(&s->exclude_functions);
}

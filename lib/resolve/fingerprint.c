#include "resolve/fingerprint.h"

#include <sys/stat.h>

#include "base/msg.h"
#include "source/source.h"

/* Marks a file that cannot be read; only its address is used. */
static char NONE;

void fingerprints_release(struct fingerprints *f)
{
	for (size_t i = 0; i < f->file.n; i++)
		if (f->file.entry[i].value != &NONE)
			source_free(f->file.entry[i].value);
	map_release(&f->file);
	map_release(&f->newer);
}

static bool is_newer(struct fingerprints *f, const struct fingerprint_place *at)
{
	struct stat source, module;
	void **place;

	if (stat(at->file, &source) != 0 || stat(at->module, &module) != 0 || source.st_mtim.tv_sec < module.st_mtim.tv_sec ||
	    (source.st_mtim.tv_sec == module.st_mtim.tv_sec && source.st_mtim.tv_nsec <= module.st_mtim.tv_nsec))
		return false;
	place = map_at(&f->newer, at->file);
	if (!*place)
		msg_warn("'%s' was changed after '%s' was built; its text is not used", at->file, at->module);
	*place = f;
	return true;
}

static const struct source *source_at(struct fingerprints *f, const char *path)
{
	void **place = map_at(&f->file, path);

	if (!*place) {
		*place = source_read(path);
		if (!*place)
			*place = &NONE;
	}
	return *place == &NONE ? NULL : *place;
}

static void add_text(struct record *rec, struct buf *out, const char *key, struct buf *value)
{
	if (value->len > 0 && !record_get(rec, key))
		record_strn(out, key, value->s, value->len);
	buf_clear(value);
}

void fingerprint_add(struct fingerprints *f, const struct fingerprint_place *at, struct record *rec, struct buf *out)
{
	const struct source *s = is_newer(f, at) ? NULL : source_at(f, at->file);
	struct source_function function;
	struct buf text = BUF_INIT;
	bool whole = s && at->function_line && source_function(s, at->function_line, &function);

	if (at->function_line && !record_get(rec, "function_line"))
		record_u64(out, "function_line", at->function_line);
	if (s && at->line && source_line_hash(s, at->line, whole ? &function : NULL, &text)) {
		add_text(rec, out, "line_hash", &text);
		source_context_hash(s, at->line, &text);
		add_text(rec, out, "context_hash", &text);
	}
	if (whole) {
		source_function_hash(s, &function, &text);
		add_text(rec, out, "function_hash", &text);
	}
	buf_release(&text);
}

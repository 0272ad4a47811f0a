#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "binary/image.h"
#include "binary/symbols.h"

/*
 * A short name can unfold to gigabytes (each substitution may double it), and
 * libiberty offers no limit of its own.  Its callback interface keeps nothing
 * on the heap, so leaving it by longjmp is safe.
 */
#define PLAIN_MAX (64 << 10)

struct output {
	struct buf text;
	jmp_buf full;
};

static void take_output(const char *s, size_t len, void *arg)
{
	struct output *out = arg;

	if (out->text.len + len > PLAIN_MAX)
		longjmp(out->full, 1);
	buf_add(&out->text, s, len);
}

/* Without DMGL_VERBOSE the hash of a Rust name is left out. */
static char *demangle(const char *name)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;
	struct output *out = xcalloc(1, sizeof *out);
	char *plain = NULL;

	if (setjmp(out->full) == 0) {
		bool ok = rust_demangle_callback(name, options, take_output, out);

		if (!ok) {
			buf_clear(&out->text);
			ok = cplus_demangle_v3_callback(name, options, take_output, out);
		}
		if (ok && out->text.len > 0) {
			plain = buf_detach(&out->text);
			free(out);
			return plain;
		}
	}
	buf_release(&out->text);
	free(out);
	return NULL;
}

/*
 * g++ names what a coroutine does _Z...P...<length>_Z....Frame.actor: a function with the coroutine's name, whose parameter is
 * a structure that bears the coroutine's linkage name and ".Frame".  Cuts *base down to that linkage name.
 */
static void find_coroutine(char *base)
{
	static const char frame[] = ".Frame";
	size_t len = strlen(base), suffix = sizeof frame - 1;

	if (len <= suffix || strcmp(base + len - suffix, frame) != 0)
		return;
	for (char *own = strstr(base + 1, "_Z"); own; own = strstr(own + 1, "_Z")) {
		const char *digits = own;

		while (digits > base && digits[-1] >= '0' && digits[-1] <= '9')
			digits--;
		if (digits == own || strtoul(digits, NULL, 10) != strlen(own))
			continue;
		memmove(base, own, strlen(own) + 1);
		base[strlen(base) - suffix] = '\0';
		return;
	}
}

char *image_demangle(const char *linkage_name)
{
	char *base = xstrndup(linkage_name, symbol_base(linkage_name)), *plain = NULL;

	/* Names in C are left alone: 'f' is not a type. */
	if (!strncmp(base, "_Z", 2))
		find_coroutine(base);
	if (!strncmp(base, "_Z", 2) || !strncmp(base, "_R", 2))
		plain = demangle(base);
	if (!plain)
		return base;
	free(base);
	return plain;
}

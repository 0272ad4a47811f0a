#include "match/identity.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "binary/image.h"
#include "binary/symbols.h"

static size_t digits(const char *s)
{
	size_t n = 0;

	while (isdigit((unsigned char)s[n]))
		n++;
	return n;
}

static bool is_hash(const char *s, size_t n)
{
	return strspn(s, "0123456789abcdef") == n;
}

/* Where a word that is followed by digits begins, as in ".__uniq.123". */
static size_t numbered(const char *s, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(s, word, n) && digits(s + n) ? n + digits(s + n) : 0;
}

/* The length of the part at s that is left out. */
static size_t left_out(const char *s)
{
	/* Rust's old scheme: ::h and 16 digits at the end; demangled that is gone, but not every demangler was asked */
	if (!strncmp(s, "::h", 3) && is_hash(s + 3, 16) && !s[19])
		return 19;
	/* clang -funique-internal-linkage-names */
	return numbered(s, ".__uniq.");
}

/*
 * The number of a lambda: "{lambda(int)#2}", "{closure#0}", "{closure_env#1}";
 * clang's demangler and older ones say 'lambda1'(int) and {{closure}}.
 */
static size_t lambda_number(const char *s, const char *begin)
{
	const char *open;

	if (*s == '#' && s[1 + digits(s + 1)] == '}' && digits(s + 1)) {
		for (open = s; open > begin && *open != '{'; open--)
			;
		return *open == '{' ? 1 + digits(s + 1) : 0;
	}
	if (s - begin >= 7 && !strncmp(s - 7, "'lambda", 7) && s[digits(s)] == '\'')
		return digits(s);
	return 0;
}

static char *cleaned(const char *s)
{
	struct buf out = BUF_INIT;

	buf_adds(&out, "");
	for (const char *at = s; *at;) {
		size_t n = left_out(at);

		n = n ? n : lambda_number(at, s);
		if (n)
			at += n;
		else
			buf_addc(&out, *at++);
	}
	return buf_detach(&out);
}

char *identity_function(const char *symbol, const char *function)
{
	char *plain, *clean;

	if (symbol && (!strncmp(symbol, "_Z", 2) || !strncmp(symbol, "_R", 2)))
		plain = image_demangle(symbol);
	else if (symbol || function)
		plain = xstrndup(symbol ? symbol : function, symbol_base(symbol ? symbol : function));
	else
		return NULL;
	clean = cleaned(plain);
	free(plain);
	return clean;
}

size_t identity_name(const char *identity)
{
	size_t n = strlen(identity), depth = 0;
	const char *close = strrchr(identity, ')');

	/* behind the parameters may be " const", " &", " [clone]" */
	if (!close || strpbrk(close, ":>}"))
		return n;
	for (const char *s = close;; s--) {
		depth += *s == ')';
		depth -= *s == '(';
		if (depth == 0)
			return s > identity ? (size_t)(s - identity) : n;
		if (s == identity)
			return n;
	}
}

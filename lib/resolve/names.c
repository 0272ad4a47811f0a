#include "resolve/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "binary/image.h"
#include "format/field.h"
#include "resolve/value_list.h"

void names_init(struct names *names, bool functions)
{
	*names = (struct names){ .functions = functions };
}

void names_release(struct names *names)
{
	for (size_t i = 0; i < names->nslots; i++) {
		struct name *name = names->slot[i];

		if (!name)
			continue;
		free(name->plain);
		free(name->value.s);
		free(name->member.s);
		free(name);
	}
	free(names->slot);
	names_init(names, names->functions);
}

static struct name **slot_of(const struct names *names, const char *key)
{
	size_t i = (size_t)(((uintptr_t)key * 0x9e3779b97f4a7c15u) >> 32);

	for (;; i++) {
		struct name **slot = &names->slot[i & (names->nslots - 1)];

		if (!*slot || (*slot)->key == key)
			return slot;
	}
}

static void widen_table(struct names *names)
{
	struct name **old = names->slot;
	size_t nold = names->nslots;

	names->nslots = nold ? 2 * nold : 256;
	names->slot = xcalloc(names->nslots, sizeof *names->slot);
	for (size_t i = 0; i < nold; i++)
		if (old[i])
			*slot_of(names, old[i]->key) = old[i];
	free(old);
}

static struct text escaped(const char *s)
{
	struct buf b = BUF_INIT;
	struct text t;

	field_escape(&b, s, strlen(s), '\0');
	t.len = b.len;
	t.s = buf_detach(&b);
	return t;
}

const struct name *names_of(struct names *names, const char *key)
{
	struct buf member = BUF_INIT;
	struct name **slot, *name;

	if (2 * names->n >= names->nslots)
		widen_table(names);
	slot = slot_of(names, key);
	if (*slot)
		return *slot;
	*slot = name = xcalloc(1, sizeof *name);
	names->n++;
	name->key = key;
	name->plain = names->functions ? image_demangle(key) : xstrdup(key);
	name->value = escaped(name->plain);
	value_list_add(&member, name->plain, ";@");
	name->member = escaped(member.s ? member.s : "");
	buf_release(&member);
	return name;
}

#include "profile/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"

const char *stack_class_name(enum stack_class class)
{
	static const char *const name[STACK_CLASSES] = { "cpu", "lock", "io", "sleep", "runqueue", "waiting" };

	return name[class];
}

void stacks_release(struct stacks *s)
{
	for (size_t i = 0; i < s->nmodules; i++)
		idmap_release(&s->address_at[i]);
	for (size_t i = 0; i < s->naddresses; i++) {
		free(s->address[i].frame);
		free(s->address[i].region);
	}
	free(s->module);
	free(s->address_at);
	free(s->address);
	free(s->node);
	map_release(&s->text);
	map_release(&s->module_at);
	idmap_release(&s->node_at);
	idmap_release(&s->more_at);
	*s = (struct stacks){ 0 };
}

const char *stacks_text(struct stacks *s, const char *text)
{
	void **place = map_at(&s->text, text);

	if (!*place)
		*place = (void *)(uintptr_t)s->text.n;
	return s->text.entry[(uintptr_t)*place - 1].key;
}

size_t stacks_module(struct stacks *s, const char *path, const char *build_id)
{
	char *key = xasprintf("%s\n%s", build_id, path);
	void **place = map_at(&s->module_at, key);

	free(key);
	if (*place)
		return (size_t)(uintptr_t)*place - 1;
	s->module = xgrow(s->module, s->nmodules, &s->cap_modules, sizeof *s->module);
	s->address_at = xrealloc(s->address_at, s->cap_modules, sizeof *s->address_at);
	s->address_at[s->nmodules] = (struct idmap)IDMAP_INIT;
	s->module[s->nmodules++] = (struct stack_module){ stacks_text(s, path), stacks_text(s, build_id) };
	*place = (void *)(uintptr_t)s->nmodules;
	return s->nmodules - 1;
}

size_t stacks_address(struct stacks *s, size_t module, uint64_t offset)
{
	size_t at = idmap_at(&s->address_at[module], offset, s->naddresses);

	if (at == s->naddresses) {
		s->address = xgrow(s->address, s->naddresses, &s->cap_addresses, sizeof *s->address);
		s->address[s->naddresses++] = (struct stack_address){ .module = module, .offset = offset };
	}
	return at;
}

size_t stacks_node(struct stacks *s, size_t parent, size_t address, bool more)
{
	/*
	 * The lower half decides the place in the map, so it must depend on the depth, too:
	 * in a recursion, the address is always the same.
	 */
	uint64_t key = (uint64_t)(parent + 1) << 32 | (uint32_t)((parent + 1) ^ address);
	size_t at = idmap_at(more ? &s->more_at : &s->node_at, key, s->nnodes);

	if (at == s->nnodes) {
		s->node = xgrow(s->node, s->nnodes, &s->cap_nodes, sizeof *s->node);
		s->node[s->nnodes++] = (struct stack_node){
			.parent = parent, .address = address, .more = more, .depth = parent == STACKS_NONE ? 0 : s->node[parent].depth + 1,
		};
	}
	return at;
}

void stacks_warn(const struct stacks *s)
{
	if (!s->nnodes)
		msg_warn("there are no samples in the input, so there are no stacks");
	else if (!s->calls)
		msg_warn("there are no calls in the input, so stacks are the innermost functions alone; record again with this andweorc-record");
	if (s->periodless)
		msg_warn("a run does not say how long its sampling period is; a sample counts as 1 ms");
}

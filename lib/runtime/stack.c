/*
 * stack: finds the program's own frame of a stack, and whether the stack is in the
 * region.
 *
 * Frames are looked at from the innermost outwards.  Code that is not the
 * program's own (libraries of the system, functions of header libraries) is
 * charged to its caller.  For line regions, the innermost frame of the program's own
 * code decides.  For function regions, any frame may match.
 */
#include "process.h"
#include "reach.h"
#include "stack.h"

enum { WALK_FRAMES = 96 }; /* frames of a stack that are looked at, at most */

const struct unwind_module *stack_modules(uint32_t *n)
{
	/* Pairs with the conductor's release: the table is there before it is named. */
	const struct arena_modules *set = &reach_modules()->set[atomic_load_explicit(&process->modules, memory_order_acquire) & 1];

	/* A table that was made for the program before an exec has invalid addresses. */
	*n = set->base == (uintptr_t)arena && set->n <= ARENA_MODULES ? set->n : 0;
	return set->module;
}

/* In a static program, our code cannot be told from the program's by its address. */
static bool is_runtime(const struct unwind_module *m)
{
#ifndef ANDWEORC_STATIC
	extern __attribute__((visibility("hidden"))) const char __ehdr_start[]; /* the linker's: where our library is loaded */

	return m && m->bias == (uintptr_t)__ehdr_start;
#else
	(void)m;
	return false;
#endif
}

static uint64_t place_at(uintptr_t pc, const struct unwind_module *m)
{
	return m ? arena_place(m->id, pc - m->bias) : arena_place(0, pc);
}

/* Moves c to the caller of code of m (NULL: of no module). */
static bool step(struct unwind_cursor *c, const struct unwind_module *m)
{
	return unwind_step_in(c, m, m ? reach_rows(m->first, m->nrows) : NULL) && c->pc;
}

/*
 * Does a frame at `place` put the stack into the region?  `left`: functions of a call path
 * still to be found; 0: not a call path.
 */
static bool is_in(const struct arena_target *target, uint64_t place, bool decided, uint32_t *left)
{
	if (unlikely(*left)) {
		/* A line at the end of the path must be the line of the charged frame. */
		if (target->inclusive || !decided || *left != target->path)
			*left = arena_path_left(target->link, target->nlinks, *left, place);
		return *left == 0;
	}
	return target->nranges && arena_in_ranges(target->range, target->nranges, place) && (target->inclusive || !decided);
}

/* Can frames further out put the stack into the region? */
static bool is_open(const struct arena_target *target, bool in)
{
	return (target->inclusive || target->path) && !in;
}

static void walk_frames(struct stack *s, struct unwind_cursor *c)
{
	uint32_t index = atomic_load_explicit(&arena->target, memory_order_acquire) & 1;
	const struct arena_target *target = &arena->targets[index], *given = &arena->givens[index];
	const struct arena_scope *scope = &arena->scopes[atomic_load_explicit(&arena->scope, memory_order_acquire) & 1];
	uint32_t target_left = target->path, given_left = given->path;
	uint32_t nmodules;
	const struct unwind_module *modules = stack_modules(&nmodules);

	s->n = 0;
	s->hit = s->given = s->in_runtime = s->decided = false;
	for (uint32_t depth = 0; depth < WALK_FRAMES; depth++) {
		const struct unwind_module *m = unwind_find(unwind_pc(c), modules, nmodules);
		uint64_t place = place_at(unwind_pc(c), m);

		if (s->n < ARENA_FRAMES)
			s->place[s->n++] = place;
		s->hit = s->hit || is_in(target, place, s->decided, &target_left);
		s->given = s->given || is_in(given, place, s->decided, &given_left);
		s->decided = s->decided || (m && m->own && !arena_in_ranges(scope->passed, scope->npassed, place));
		/* Callers are kept for the log, as far as there is room, even after the decision. */
		if (s->decided && s->n == ARENA_FRAMES && !is_open(target, s->hit) && !is_open(given, s->given))
			return;
		s->in_runtime = s->in_runtime || (depth == 0 && is_runtime(m));
		if (depth == 0 && arena_module_of(place) == 0)
			atomic_fetch_add_explicit(&arena->unknown_code, 1, memory_order_relaxed);
		if (!step(c, m))
			return;
	}
}

void stack_walk(struct stack *s, struct unwind_cursor *c)
{
	walk_frames(s, c);
	s->weight = arena_weight(arena, s->hit, s->given);
}

void stack_walk_wait(struct stack *s, struct unwind_cursor *c, uint32_t class)
{
	uint32_t index = atomic_load_explicit(&arena->target, memory_order_acquire) & 1;
	const struct arena_target *target = &arena->targets[index], *given = &arena->givens[index];

	walk_frames(s, c);
	if (target->class != CLASS_CPU)
		s->hit = target->class == class;
	/* A wait for a peer does not belong to the code that waits. */
	if (given->class != CLASS_CPU || class == CLASS_LOCK)
		s->given = given->class == class;
	s->weight = arena_weight(arena, s->hit, s->given);
}

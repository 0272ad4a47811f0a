/*
 * kokkos: what Kokkos tells a tool (-P :kokkos).
 *
 * Kokkos loads a tool that an environment variable names, looks these functions up
 * in it, and calls them.  With -P :kokkos the recorder names this runtime (launch.c).
 * Of the functions that a tool may have, those that concern progress are here:
 *
 *     end_parallel_for, _reduce, _scan         count one kernel
 *     profile_event                            a visit of a point of that name
 *     push_profile_region, pop_profile_region  a span of that name begins, ends
 *     start_profile_section, stop_...          the same
 *
 * So what the program marks for Kokkos' own tools is marked for us, too.
 *
 * There can be one tool: a program's own is not asked meanwhile.  Kernels are told
 * to a tool after the work is done on processors; on other devices it may still be
 * under way, because we do not ask for a fence after each.
 *
 * Context: threads that the program has, as it calls Kokkos; not handlers.
 */
#include "runtime/moved.h"
#include "runtime/progress.h"
#include "runtime/span.h"
#include "wrap.h"

enum { DEPTH = 15 }; /* regions that are open at once, in a thread; deeper ones are not measured */

/*
 * Numbers of points (at most ARENA_POINTS) of the regions that each thread is in, by the thread's number; later threads
 * have none.  Not in the threads' own storage, which is taken from their stacks.
 */
enum { FOLLOWED = 1024 };

static struct regions {
	uint8_t n;
	uint8_t point[DEPTH];
} regions_of[FOLLOWED];

static struct regions *own_regions(void)
{
	uint32_t i = arena && self.slot ? thread_number(self.slot) - 1 : FOLLOWED;

	return i < FOLLOWED ? &regions_of[i] : NULL;
}

/* struct Kokkos_Tools_ToolSettings: 256 truth values, of which the first is known. */
struct tool_settings {
	bool requires_global_fencing;
	bool unknown[255];
};

EXPORT void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, const void *device);
EXPORT void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, const void *device)
{
	(void)sequence, (void)version, (void)devices, (void)device;
}

EXPORT void kokkosp_finalize_library(void);
EXPORT void kokkosp_finalize_library(void)
{
}

EXPORT void kokkosp_request_tool_settings(uint32_t n, struct tool_settings *settings);
EXPORT void kokkosp_request_tool_settings(uint32_t n, struct tool_settings *settings)
{
	if (n > 0)
		settings->requires_global_fencing = false;
}

/* ---- kernels ---------------------------------------------------------------------------- */

#define KERNEL(kind) \
	EXPORT void kokkosp_begin_parallel_##kind(const char *name, uint32_t device, uint64_t *id); \
	EXPORT void kokkosp_begin_parallel_##kind(const char *name, uint32_t device, uint64_t *id) \
	{ \
		(void)name, (void)device; \
		*id = 0; \
	} \
	EXPORT void kokkosp_end_parallel_##kind(uint64_t id); \
	EXPORT void kokkosp_end_parallel_##kind(uint64_t id) \
	{ \
		(void)id; \
		moved_visit(MOVED_KOKKOS); \
	}

KERNEL(for)
KERNEL(reduce)
KERNEL(scan)

/* ---- what the program marks --------------------------------------------------------------- */

EXPORT void kokkosp_profile_event(const char *name);
EXPORT void kokkosp_profile_event(const char *name)
{
	point_visit(point_number(name));
}

EXPORT void kokkosp_push_profile_region(const char *name);
EXPORT void kokkosp_push_profile_region(const char *name)
{
	struct regions *r = own_regions();
	int point = r ? span_number(name) : -1;

	if (!r)
		return;
	if (r->n < DEPTH)
		r->point[r->n] = point > 0 ? (uint8_t)point : 0;
	if (r->n < DEPTH && point > 0)
		span_begin(point);
	if (r->n < UINT8_MAX)
		r->n++;
}

EXPORT void kokkosp_pop_profile_region(void);
EXPORT void kokkosp_pop_profile_region(void)
{
	struct regions *r = own_regions();

	if (!r || r->n == 0)
		return;
	r->n--;
	if (r->n < DEPTH && r->point[r->n])
		span_end(r->point[r->n]);
}

/* A section's number is that of its point; 0: there is no room for it. */
EXPORT void kokkosp_create_profile_section(const char *name, uint32_t *section);
EXPORT void kokkosp_create_profile_section(const char *name, uint32_t *section)
{
	int point = span_number(name);

	*section = point > 0 ? (uint32_t)point : 0;
}

EXPORT void kokkosp_start_profile_section(uint32_t section);
EXPORT void kokkosp_start_profile_section(uint32_t section)
{
	span_begin((int)section);
}

EXPORT void kokkosp_stop_profile_section(uint32_t section);
EXPORT void kokkosp_stop_profile_section(uint32_t section)
{
	span_end((int)section);
}

EXPORT void kokkosp_destroy_profile_section(uint32_t section);
EXPORT void kokkosp_destroy_profile_section(uint32_t section)
{
	(void)section;
}

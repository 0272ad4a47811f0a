/*
 * mpi: ranks that wait for each other, where they share a recording.
 *
 * A rank that waits inside an MPI library mostly spins on shared memory.  That is not
 * work, nor a wait that a wrapper of libc sees.  So the wrappers here account for the
 * MPI calls of the program:
 *
 *     Barrier, Allreduce...   all ranks release the call's key, and wait for it
 *     Bcast, Scatter          the root releases it, the others wait for it
 *     Reduce, Gather          the root waits for it, the others release it
 *     Send, Recv              each releases a key for the other rank,
 *                             and a rank that waits for the other acquires it
 *     Wait...                 acquires the keys that other ranks released for this one
 *
 * Ranks are processes, so keys are made of what all of them know: the numbers of
 * ranks in MPI_COMM_WORLD.  Calls of a communicator come in the same order in all
 * of its ranks; two keys that take turns are enough for them, as for barriers in gomp.c.
 *
 * No header of MPI is needed, and none would do: handles are pointers in Open MPI and
 * integers in MPICH.  Both are passed in one register or word, which the wrappers pass
 * on unchanged.  Where a handle's value is used, the upper half of an integer is
 * ignored.
 *
 * While a rank waits, the library's calls for this (poll, sched_yield) are not waits of
 * their own.  So the thread counts as one inside the runtime.
 *
 * Not followed: calls of Fortran's bindings, requests for collective calls
 * (MPI_Ibarrier), windows (MPI_Put), files.
 */
#include <dlfcn.h>

#include "library.h"
#include "runtime/moved.h"
#include "wrap.h"

enum {
	COMMUNICATORS = 64,
	RANKS = 256,            /* ranks of a communicator whose numbers in the world are known */
	EAGER_BYTES = 4096,     /* in some libraries, the sender of a longer message waits for its receiver */
	MPICH_WORLD = 0x44000000,
	ERR_OTHER = 15,
};

typedef uintptr_t word;

/* ---- the library ---------------------------------------------------------------------- */

static int do_nothing(void)
{
	return ERR_OTHER;
}

static void *find_real(void *_Atomic *known, const char *name, const void *site)
{
	void *found = library_find(known, name, site);

	return likely(found != NULL) ? found : (void *)do_nothing;
}

#define REAL_MPI(name, site) find_real(&real_##name, #name, site)
#define MPI(name) static void *_Atomic real_##name

MPI(PMPI_Comm_rank);
MPI(PMPI_Comm_size);
MPI(PMPI_Comm_group);
MPI(PMPI_Group_translate_ranks);
MPI(PMPI_Group_free);
MPI(PMPI_Type_size);

/* ---- communicators ---------------------------------------------------------------------- */

struct comm {
	_Atomic word handle;    /* 0: free, or not complete yet */
	uint64_t key;           /* identifier, the same in all of its ranks */
	_Atomic uint32_t calls; /* collective calls so far */
	int rank;               /* rank of this process */
	int world[RANKS];       /* numbers of its ranks in MPI_COMM_WORLD */
};

static struct comm comms[COMMUNICATORS];
static _Atomic bool comms_taken;
static int my_rank = -1; /* in MPI_COMM_WORLD; -1: not known yet */

/*
 * Open MPI's handles are addresses of variables.  The variable of the world may be in
 * the program (by a copy relocation), so it is looked up in the global order of
 * modules.
 */
static word world_of(const void *site)
{
	static _Atomic word known;
	word world = atomic_load_explicit(&known, memory_order_relaxed);

	if (unlikely(!world)) {
		world = (word)dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
		if (!world)
			world = (word)library_look_up("ompi_mpi_comm_world", site);
		world = world ? world : MPICH_WORLD;
		atomic_store_explicit(&known, world, memory_order_relaxed);
	}
	return world;
}

static bool is_same(word a, word b, word world)
{
	return world == MPICH_WORLD ? (uint32_t)a == (uint32_t)b : a == b;
}

static void translate(struct comm *c, word handle, word world, int n, const void *site)
{
	static int ranks[RANKS]; /* under the lock */
	word group = 0, of_world = 0;

	for (int i = 0; i < RANKS; i++)
		ranks[i] = c->world[i] = i;
	if (is_same(handle, world, world))
		return;
	((int (*)(word, word *))REAL_MPI(PMPI_Comm_group, site))(handle, &group);
	((int (*)(word, word *))REAL_MPI(PMPI_Comm_group, site))(world, &of_world);
	((int (*)(word, int, const int *, word, int *))REAL_MPI(PMPI_Group_translate_ranks, site))(group, n, ranks, of_world, c->world);
	((int (*)(word *))REAL_MPI(PMPI_Group_free, site))(&group);
	((int (*)(word *))REAL_MPI(PMPI_Group_free, site))(&of_world);
}

static void learn_comm(struct comm *c, word handle, word world, const void *site)
{
	int n = 0, known;

	((int (*)(word, int *))REAL_MPI(PMPI_Comm_rank, site))(handle, &c->rank);
	((int (*)(word, int *))REAL_MPI(PMPI_Comm_size, site))(handle, &n);
	if (my_rank < 0)
		((int (*)(word, int *))REAL_MPI(PMPI_Comm_rank, site))(world, &my_rank);
	known = n < RANKS ? n : RANKS;
	translate(c, handle, world, known, site);
	c->key = key_of(KEY_MPI, (uint64_t)n, 0);
	for (int i = 0; i < known; i++)
		c->key = key_of(KEY_MPI, c->key, (uint64_t)c->world[i]);
	atomic_store_explicit(&c->calls, 0, memory_order_relaxed);
	/* Pairs with the acquire in known_comm. */
	atomic_store_explicit(&c->handle, handle, memory_order_release);
}

static struct comm *known_comm(word handle, word world)
{
	for (int i = 0; i < COMMUNICATORS; i++) {
		word h = atomic_load_explicit(&comms[i].handle, memory_order_acquire);

		if (h && is_same(h, handle, world))
			return &comms[i];
	}
	return NULL;
}

/*
 * NULL: there are too many communicators.  Waits while another thread learns one: all ranks have to count the same
 * collective calls.
 */
static struct comm *comm_of(word handle, const void *site)
{
	word world = world_of(site);
	struct comm *c = known_comm(handle, world);

	if (c)
		return c;
	while (atomic_exchange_explicit(&comms_taken, true, memory_order_acquire))
		SYS(SYS_sched_yield);
	c = known_comm(handle, world);
	for (int i = 0; !c && i < COMMUNICATORS; i++) {
		if (atomic_load_explicit(&comms[i].handle, memory_order_relaxed))
			continue;
		c = &comms[i];
		/* MPI calls made here must not count as calls of the program. */
		runtime_enter();
		learn_comm(c, handle, world, site);
		runtime_leave();
	}
	atomic_store_explicit(&comms_taken, false, memory_order_release);
	return c;
}

/* `at` is the address of the program's handle. */
static void forget_comm(const void *at, const void *site)
{
	word world = world_of(site), handle = world == MPICH_WORLD ? *(const uint32_t *)at : *(const word *)at;

	struct comm *c = known_comm(handle, world);

	if (c)
		atomic_store_explicit(&c->handle, 0, memory_order_release);
}

/* ---- keys ------------------------------------------------------------------------------- */

static uint64_t told_by(int from, int to)
{
	return key_of(KEY_MPI, (uint64_t)(uint32_t)from << 32 | (uint32_t)to, 1);
}

static uint64_t told_by_anybody(int to)
{
	return key_of(KEY_MPI, (uint32_t)to, 2);
}

/* The number in the world of a rank of c; < 0: none (MPI_PROC_NULL), or any. */
static int in_world(const struct comm *c, int rank)
{
	return rank >= 0 && rank < RANKS ? c->world[rank] : rank;
}

static void tell_rank(int to, const void *site)
{
	if (to < 0 || !wait_is_watched())
		return;
	sync_release(told_by(my_rank, to), site);
	sync_release(told_by_anybody(to), site);
}

/* ---- calls ------------------------------------------------------------------------------ */

struct call {
	struct wait w;
	uint64_t a, b; /* keys that end the wait, by the later release; b is 0 if there is one key */
	bool hushed;
};

static void begin_call(struct call *c, const void *site, uint64_t released)
{
	wait_begin_releasing(&c->w, CLASS_LOCK, site, false, WAIT_UNKNOWN, released);
	c->hushed = c->w.t != NULL;
	if (c->hushed)
		runtime_hush();
}

static void end_call(struct call *c)
{
	if (c->hushed)
		runtime_unhush();
	wait_by_peer2(&c->w, c->a, c->b);
}

/* A collective call, in which this rank releases the key, or waits for it, or both. */
static void call_collectively(struct call *c, struct comm *comm, bool releases, bool waits, const void *site)
{
	c->a = key_of(KEY_MPI, comm->key, 4 + (atomic_fetch_add_explicit(&comm->calls, 1, memory_order_relaxed) & 1));
	if (waits)
		begin_call(c, site, releases ? c->a : 0);
	else if (releases)
		sync_release(c->a, site);
}

/* There is no wait unless begin is called. */
static void clear_call(struct call *c)
{
	c->w.t = NULL;
	c->a = c->b = 0;
	c->hushed = false;
}

static struct comm *watched(struct call *c, word handle, const void *site)
{
	clear_call(c);
	return wait_is_watched() ? comm_of(handle, site) : NULL;
}

static void meet(struct call *c, word handle, const void *site)
{
	struct comm *comm = watched(c, handle, site);

	if (comm)
		call_collectively(c, comm, true, true, site);
}

/* from_root: the root sends; else it receives. */
static void spread(struct call *c, word handle, int root, bool from_root, const void *site)
{
	struct comm *comm = watched(c, handle, site);

	if (comm)
		call_collectively(c, comm, (comm->rank == root) == from_root, (comm->rank == root) != from_root, site);
}

static void met(struct call *c)
{
	end_call(c);
	moved_visit(MOVED_MPI);
}

/* Releases for both ranks, and waits for them; < 0: none (Send), or any (Recv). */
static void talk(struct call *c, word handle, int to, int from, bool may_be_any, bool waits, const void *site)
{
	struct comm *comm = watched(c, handle, site);

	if (!comm)
		return;
	to = in_world(comm, to);
	from = in_world(comm, from);
	tell_rank(to, site);
	if (from != to)
		tell_rank(from, site);
	c->a = from >= 0 ? told_by(from, my_rank) : may_be_any ? told_by_anybody(my_rank) : told_by(to, my_rank);
	c->b = from >= 0 && to >= 0 && from != to ? told_by(to, my_rank) : 0;
	if (waits)
		begin_call(c, site, 0);
}

/* The same for a transfer that an earlier call has begun. */
static void await(struct call *c, const void *site)
{
	clear_call(c);
	if (!wait_is_watched() || my_rank < 0)
		return;
	c->a = told_by_anybody(my_rank);
	begin_call(c, site, 0);
}

static bool is_long(word count, word type, const void *site)
{
	int bytes = 1;

	if (!wait_is_watched())
		return false;
	((int (*)(word, int *))REAL_MPI(PMPI_Type_size, site))(type, &bytes);
	return (int64_t)(int)count * bytes > EAGER_BYTES;
}

/* ---- wrappers ----------------------------------------------------------------- */

#define P1 word a
#define P2 P1, word b
#define P3 P2, word c
#define P4 P3, word d
#define P5 P4, word e
#define P6 P5, word f
#define P7 P6, word g
#define P8 P7, word h
#define P9 P8, word i
#define P12 P9, word j, word k, word l
#define V1 a
#define V2 V1, b
#define V3 V2, c
#define V4 V3, d
#define V5 V4, e
#define V6 V5, f
#define V7 V6, g
#define V8 V7, h
#define V9 V8, i
#define V12 V9, j, k, l

#define WRAP(name, n, before, after) \
	MPI(name); \
	EXPORT int name(P##n); \
	int name(P##n) \
	{ \
		struct call call; \
		int result; \
		before; \
		result = ((int (*)(P##n))REAL_MPI(name, SITE))(V##n); \
		after; \
		return result; \
	}

#define ALL(name, n, comm) WRAP(name, n, meet(&call, comm, SITE), met(&call))
#define FROM(name, n, root, comm) WRAP(name, n, spread(&call, comm, (int)(root), true, SITE), met(&call))
#define TO(name, n, root, comm) WRAP(name, n, spread(&call, comm, (int)(root), false, SITE), met(&call))
#define SEND(name, waits) WRAP(name, 6, talk(&call, f, (int)d, -1, false, waits, SITE), end_call(&call))
#define AWAIT(name, n) WRAP(name, n, await(&call, SITE), end_call(&call))

ALL(MPI_Barrier, 1, a)
ALL(MPI_Allreduce, 6, f)
ALL(MPI_Allgather, 7, g)
ALL(MPI_Allgatherv, 8, h)
ALL(MPI_Alltoall, 7, g)
ALL(MPI_Alltoallv, 9, i)
ALL(MPI_Alltoallw, 9, i)
ALL(MPI_Reduce_scatter, 6, f)
ALL(MPI_Reduce_scatter_block, 6, f)
FROM(MPI_Bcast, 5, d, e)
FROM(MPI_Scatter, 8, g, h)
FROM(MPI_Scatterv, 9, h, i)
TO(MPI_Reduce, 7, f, g)
TO(MPI_Gather, 8, g, h)
TO(MPI_Gatherv, 9, h, i)

SEND(MPI_Send, is_long(b, c, SITE))
SEND(MPI_Ssend, true)
SEND(MPI_Rsend, false)
SEND(MPI_Bsend, false)
WRAP(MPI_Recv, 7, talk(&call, f, -1, (int)d, true, true, SITE), end_call(&call))
WRAP(MPI_Probe, 4, talk(&call, c, -1, (int)a, true, true, SITE), end_call(&call))
WRAP(MPI_Sendrecv, 12, talk(&call, k, (int)d, (int)i, true, true, SITE), end_call(&call))
WRAP(MPI_Sendrecv_replace, 9, talk(&call, h, (int)d, (int)f, true, true, SITE), end_call(&call))
WRAP(MPI_Isend, 7, talk(&call, f, (int)d, -1, false, false, SITE), (void)0)
WRAP(MPI_Issend, 7, talk(&call, f, (int)d, -1, false, false, SITE), (void)0)
WRAP(MPI_Irecv, 7, talk(&call, f, -1, (int)d, true, false, SITE), (void)0)
AWAIT(MPI_Wait, 2)
AWAIT(MPI_Waitall, 3)
AWAIT(MPI_Waitany, 4)
AWAIT(MPI_Waitsome, 5)

/* The handle may be reused for another communicator. */
#define FORGET(name) \
	MPI(name); \
	EXPORT int name(void *comm); \
	int name(void *comm) \
	{ \
		if (unlikely(arena != NULL)) \
			forget_comm(comm, SITE); \
		return ((int (*)(void *))REAL_MPI(name, SITE))(comm); \
	}

FORGET(MPI_Comm_free)
FORGET(MPI_Comm_disconnect)

/*
 * object_key: names of sync objects.
 *
 * Two threads meet at an object: a mutex, a pipe, the end of a child.  One leaves its
 * clock there, and the other must find it, possibly from another process.  So the key
 * of an object does not depend on its address in one process:
 *
 *   - private memory: the process and the address;
 *   - shared memory: the mapping (the file's device and inode, or a serial number that
 *     forked children inherit) and the offset in it;
 *   - any other object: the numbers that identify it, mixed with its kind.
 *
 * The key is a hash of 64 bits.  Among a thousand objects, two keys collide once in
 * 10^14 cases.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "object_key.h"
#include "process.h"
#include "real.h"
#include "sys.h"
#include "thread.h"

enum { SHARED_MAPPINGS = 64 };

/*
 * Mappings that other processes may share.  Read without a lock: an entry is complete
 * before `shared_used` covers it.
 */
static struct {
	uintptr_t lo, hi; /* hi 0: unmapped */
	uint64_t identity, offset;
	int fd; /* -1: anonymous */
} shared[SHARED_MAPPINGS];
static _Atomic uint32_t shared_used;

static uint64_t mix_key(uint64_t x)
{
	/* The finalizer of MurmurHash3: every bit of x moves every bit of the result. */
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdu;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53u;
	x ^= x >> 33;
	return x;
}

uint64_t key_of(enum key_kind kind, uint64_t a, uint64_t b)
{
	return mix_key(mix_key(a ^ (uint64_t)kind << 56) + b) | 1;
}

/* The index of the shared mapping with that address; SHARED_MAPPINGS: there is none. */
static uint32_t find_shared(uintptr_t at)
{
	uint32_t n = atomic_load_explicit(&shared_used, memory_order_acquire);

	for (uint32_t i = n; i-- > 0;)
		if (at >= shared[i].lo && at < shared[i].hi)
			return i;
	return SHARED_MAPPINGS;
}

bool key_is_shared(const volatile void *p)
{
	return find_shared((uintptr_t)p) < SHARED_MAPPINGS;
}

uint64_t key_of_address(const volatile void *p)
{
	uintptr_t at = (uintptr_t)p;
	uint32_t i = find_shared(at);

	if (i < SHARED_MAPPINGS)
		return key_of(KEY_MAPPED, shared[i].identity, shared[i].offset + (at - shared[i].lo));
	return key_of(KEY_ADDRESS, at, process_number());
}

/* Identifies the file; 0: that is not possible. */
static uint64_t identity_of(int fd)
{
	struct stat st = { 0 };

	return SYS(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) == 0 ? key_of(KEY_MAPPED_FILE, st.st_dev, st.st_ino) : 0;
}

void *key_mapping(int fd, uint64_t offset)
{
	uint32_t n = atomic_load_explicit(&shared_used, memory_order_acquire);
	uint64_t identity = identity_of(fd);

	for (uint32_t i = n; i-- > 0;)
		if (shared[i].hi && shared[i].fd == fd && shared[i].offset == offset && shared[i].identity == identity)
			return (void *)shared[i].lo;
	return NULL;
}

/* What was mapped there is gone.  Of a mapping with a hole, the part behind it is forgotten, too. */
static void forget_range(uintptr_t lo, uintptr_t hi)
{
	for (uint32_t i = 0; i < atomic_load_explicit(&shared_used, memory_order_relaxed); i++)
		if (shared[i].lo < hi && lo < shared[i].hi)
			shared[i].hi = lo > shared[i].lo ? lo : 0;
}

static void remember_mapping(uintptr_t lo, size_t length, int flags, int fd, int64_t offset)
{
	static _Atomic uint32_t lock;
	uint32_t unlocked = 0, n;
	uint64_t identity;

	if (flags & MAP_ANONYMOUS) {
		identity = key_of(KEY_MAPPED_MEMORY, atomic_fetch_add_explicit(&arena->serial, 1, memory_order_relaxed), 0);
		offset = 0;
		fd = -1;
	} else if ((identity = identity_of(fd)) == 0) {
		return;
	}
	/*
	 * If the lock is taken, the mapping is not noted; then waits for other processes at
	 * objects in it are not matched.
	 */
	if (!atomic_compare_exchange_strong_explicit(&lock, &unlocked, 1, memory_order_acquire, memory_order_relaxed))
		return;
	for (n = 0; n < atomic_load_explicit(&shared_used, memory_order_relaxed); n++)
		if (shared[n].hi == 0)
			break;
	if (n < SHARED_MAPPINGS) {
		shared[n].hi = 0;
		shared[n].lo = lo;
		shared[n].identity = identity;
		shared[n].offset = (uint64_t)offset;
		shared[n].fd = fd;
		shared[n].hi = lo + length;
		if (n == atomic_load_explicit(&shared_used, memory_order_relaxed))
			atomic_store_explicit(&shared_used, n + 1, memory_order_release);
	}
	atomic_store_explicit(&lock, 0, memory_order_release);
}

static void *map(void *at, size_t length, int prot, int flags, int fd, int64_t offset)
{
	void *p = real.mmap ? real.mmap(at, length, prot, flags, fd, offset) :
			      (void *)sys_as_libc(SYS(SYS_mmap, at, length, prot, flags, fd, offset));

	if (likely(arena == NULL) || p == MAP_FAILED)
		return p;
	forget_range((uintptr_t)p, (uintptr_t)p + length);
	/* In a file that is only read there are no objects, and some programs map hundreds of them. */
	if ((flags & MAP_TYPE) != MAP_PRIVATE && ((prot & PROT_WRITE) || (flags & MAP_ANONYMOUS)))
		remember_mapping((uintptr_t)p, length, flags, fd, offset);
	return p;
}

EXPORT void *mmap(void *at, size_t length, int prot, int flags, int fd, off_t offset)
{
	return map(at, length, prot, flags, fd, offset);
}

EXPORT void *mmap64(void *at, size_t length, int prot, int flags, int fd, off64_t offset)
{
	return map(at, length, prot, flags, fd, offset);
}

EXPORT int munmap(void *at, size_t length)
{
	forget_range((uintptr_t)at, (uintptr_t)at + length);
	return real.munmap ? real.munmap(at, length) : (int)sys_as_libc(SYS(SYS_munmap, at, length));
}

/*
 * A program that writes into the recorder's shared memory while it is recorded:
 * scribble MODE SEED.  The program may harm itself; it ends itself after LIFE_MS.
 */
#include "hostile.h"
#include "runtime/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

static struct arena *arena;
static uint64_t state;

static uint64_t pick(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

/* The file, by way of the mapping's name: with descriptors it would be easier to find, but there is none. */
static void find(void)
{
	char line[512], path[64], *name = getenv("ANDWEORC_ARENA");
	FILE *f = fopen("/proc/self/maps", "r");
	int fd;

	if (!f || !name)
		exit(0); /* bare */
	while (!arena && fgets(line, sizeof(line), f))
		if (strstr(line, "/memfd:andweorc") && strstr(line, " 00000000 "))
			arena = (struct arena *)(uintptr_t)strtoul(line, NULL, 16);
	fclose(f);
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(name, "#"), name);
	fd = open(path, O_RDWR);
	if (!arena || fd < 0)
		die("no arena");
	/* Overwrites everything, except parts that would end the program at once. */
	arena = mmap(NULL, sizeof(*arena), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	if (arena == MAP_FAILED)
		die("mmap");
}

static uint64_t nasty(void)
{
	static const uint64_t value[] = { 0, 1, 63, 64, 65, 1000, 100000, INT32_MAX, 1u << 31, UINT32_MAX, INT64_MAX, 1ull << 63, UINT64_MAX };

	return pick(2) ? value[pick(sizeof(value) / sizeof(value[0]))] : state;
}

/* Most data that the recorder uses is in few places. */
static uint64_t place(void)
{
	switch (pick(8)) {
	case 0:
		return pick(offsetof(struct arena, clock.object));
	case 1:
		return offsetof(struct arena, target) + pick(offsetof(struct arena, waits) - offsetof(struct arena, target));
	case 2:
		return offsetof(struct arena, waits) + pick(offsetof(struct arena, spans_used) - offsetof(struct arena, waits));
	case 3:
		return offsetof(struct arena, targets) + pick(offsetof(struct arena, parts) - offsetof(struct arena, targets));
	case 4:
		return offsetof(struct arena, process) + pick(2 * sizeof(struct arena_process));
	case 5:
		return offsetof(struct arena, parts.modules) + pick(sizeof(struct arena_modules_piece));
	case 6:
		return offsetof(struct arena, parts.threads) + pick(sizeof(struct arena_threads_piece));
	default:
		return pick(arena_bytes(ARENA_THREADS_PIECE));
	}
}

/* Where the program itself would only stand still. */
static int is_dull(uint64_t at)
{
	return at / 8 == offsetof(struct arena, clock.owed_ns) / 8;
}

static void *scribbles(void *arg)
{
	for (;;) {
		uint64_t at = place() & ~7ull;

		if (!is_dull(at))
			*(volatile uint64_t *)((char *)arena + at) = pick(4) ? nasty() : nasty() << 32 | (uint32_t)nasty();
		usleep(50);
	}
	return arg;
}

static void begin(void)
{
	pthread_t t;

	work(60); /* a recording has begun */
	alarm(2);
	start(&t, NULL, scribbles, NULL);
	work(ms);
	_exit(0);
}

/* Not random: all values that the recorder could use. */
static void *claims(void *arg)
{
	for (;; usleep(500)) {
		uint32_t many = pick(2) ? 100000 : UINT32_MAX;

		atomic_store(&arena->points_used, many);
		atomic_store(&arena->threads_used, many);
		atomic_store(&arena->processes_used, many);
		atomic_store(&arena->spans_used, many);
		atomic_store(&arena->breaks_used, many);
		atomic_store(&arena->main_slot, many);
		for (int i = 0; i < ARENA_POINTS; i++) {
			memset(arena->point[i].name, 'x', ARENA_POINT_NAME);
			arena->point[i].kind = (uint32_t)pick(9);
		}
		for (int i = 0; i < ARENA_CALLS; i++)
			memset(arena->call[i].name, 'x', ARENA_POINT_NAME);
		memset(arena->command, 'x', sizeof(arena->command));
		for (int i = 0; i < 2; i++) {
			arena->targets[i].nranges = arena->givens[i].nranges = arena->scopes[i].npassed = many;
			arena->parts.modules[0].set[i].n = many;
		}
		for (int i = 0; i < ARENA_THREADS_PIECE; i++) {
			struct arena_thread *t = &arena->parts.threads[0].slot[i];

			atomic_store(&t->process, many);
			atomic_store(&t->ring_head, (uint32_t)nasty());
			for (int k = 0; k < ARENA_RING; k++) {
				t->ring[k].nframes = many;
				t->ring[k].class = (uint16_t)many;
				t->ring[k].place[0] = nasty();
			}
			t->wait.at.nframes = many;
			atomic_store(&t->wait.since, 1);
			atomic_store(&arena->waits[i], 1);
		}
		for (int i = 1; i < 20; i++) {
			atomic_store(&arena->process[i].pid, (int32_t)nasty());
			atomic_store(&arena->process[i].id, (uint32_t)nasty());
		}
	}
	return arg;
}

static void hostile(void)
{
	pthread_t t;

	work(60);
	alarm(2);
	start(&t, NULL, claims, NULL);
	work(ms);
	_exit(0);
}

/* Truncates the file: a process that reads there dies. */
static void shrink(void)
{
	char path[64], *name = getenv("ANDWEORC_ARENA");
	int fd;

	work(ms);
	if (!name)
		exit(0);
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(name, "#"), name);
	fd = open(path, O_RDWR);
	if (fd < 0)
		die("no arena");
	puts(ftruncate(fd, 0) == 0 ? "has shrunk" : "cannot shrink");
	fflush(stdout);
	close(fd);
}

int main(int argc, char **argv)
{
	static const struct mode mode[] = { { "random", begin }, { "hostile", hostile }, { "shrink", shrink } };

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a recorder that dies must not leave processes behind */
	state = argc > 2 ? strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15u | 1 : 1;
	find();
	return run_mode(argc, argv, mode, sizeof(mode) / sizeof(mode[0]));
}

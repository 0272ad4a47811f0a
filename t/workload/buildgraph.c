/*
 * buildgraph: a parallel build system like make -j2.  For each build, the main thread scans the tree and finds out
 * which of ten sources have changed.  Three workers take targets whose prerequisites are made, in the order of the
 * makefile, and each needs a token from the jobserver, a pipe that holds two.  Five sources include a header that is
 * generated, some sources take long, a library is archived before the program is linked, and a manual, on which
 * nothing depends but the end of the build, stands first in the makefile and so goes first.  Builds count.
 */
#include "workload.h"

#include <unistd.h>

#define SIZED(name_, ms_)                                                                                                    \
	REGION_FUNCTION(WORKLOAD_OPAQUE, name_, ms_, (double size), WORKLOAD_LOOP((uint64_t)(size * (double)name_##_region.iterations)))

SIZED(scan, 0.25);
SIZED(generate, 0.4);
SIZED(compile, 0.42);
SIZED(link_objects, 0.6);
SIZED(document, 0.9);

enum { MANUAL, HEADER, SOURCE, SOURCES = 10, LIBRARY = SOURCE + SOURCES, PROGRAM, TARGETS };
enum { WORKERS = 3, TOKENS = 2 };

#define BIT(target_) (1u << (target_))
#define ALL (BIT(TARGETS) - 1)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static unsigned needs[TARGETS]; /* constant */
static double sizes[TARGETS];
static unsigned started = ALL, made = ALL;

static int jobserver[2];

static double draw(void)
{
	static uint64_t state = 0x94d049bb133111ebu;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) * 0x1p-53;
}

/* The first half of the sources belongs to the library; odd ones include the header. */
static void read_makefile(void)
{
	for (int i = 0; i < SOURCES; i++) {
		if (i % 2)
			needs[SOURCE + i] = BIT(HEADER);
		needs[i < SOURCES / 2 ? LIBRARY : PROGRAM] |= BIT(SOURCE + i);
	}
	needs[PROGRAM] |= BIT(LIBRARY);
}

static void make(int target, double size)
{
	if (target == MANUAL)
		document(size);
	else if (target == HEADER)
		generate(size);
	else if (target == LIBRARY || target == PROGRAM)
		link_objects(size);
	else
		compile(size);
}

/* -1: none. */
static int next_ready(void)
{
	for (int i = 0; i < TARGETS; i++)
		if (!(started & BIT(i)) && !(needs[i] & ~made))
			return i;
	return -1;
}

static void *work(void *arg)
{
	char token;

	(void)arg;
	for (;;) {
		int target;
		double size;

		pthread_mutex_lock(&lock);
		while ((target = next_ready()) < 0)
			pthread_cond_wait(&ready, &lock);
		started |= BIT(target);
		size = sizes[target];
		pthread_mutex_unlock(&lock);

		if (read(jobserver[0], &token, 1) != 1)
			workload_die("no token of", "the jobserver");
		make(target, size);
		if (write(jobserver[1], &token, 1) != 1)
			workload_die("cannot return", "a token");

		pthread_mutex_lock(&lock);
		made |= BIT(target);
		pthread_cond_broadcast(&ready);
		if (made == ALL)
			pthread_cond_signal(&finished);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/* What is up to date counts as made. */
static void build(void)
{
	unsigned fresh = 0;

	scan(0.6 + 0.8 * draw());
	pthread_mutex_lock(&lock);
	for (int i = 0; i < TARGETS; i++)
		sizes[i] = 0.6 + 0.8 * draw();
	for (int i = 0; i < SOURCES; i++) {
		if (draw() < 0.12)
			sizes[SOURCE + i] = 3; /* templates */
		if (draw() < 0.35)
			fresh |= BIT(SOURCE + i);
	}
	sizes[LIBRARY] *= 0.5;
	if (draw() < 0.3)
		fresh |= BIT(HEADER);
	started = made = fresh;
	pthread_cond_broadcast(&ready);
	while (made != ALL)
		pthread_cond_wait(&finished, &lock);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&scan_region, &generate_region, &compile_region, &link_objects_region, &document_region, NULL};

	workload_start(argc, argv, regions, 1);
	read_makefile();
	if (pipe(jobserver) || write(jobserver[1], "++", TOKENS) != TOKENS)
		workload_die("cannot make", "the jobserver");
	for (int i = 0; i < WORKERS; i++)
		workload_thread(work, NULL);
	for (;;) {
		build();
		workload_visit();
	}
}

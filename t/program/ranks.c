/*
 * Ranks that meet after each round: ranks ROUNDS SLOW FAST [WAY].  Rank 0 works SLOW
 * us a round, the others FAST us.  WAY: barrier (the default), allreduce, sendrecv
 * (the first two tell each other), bcast.  Rank 0 prints how long it took.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned sink;

static double us_of_work; /* turns for 1 us, found out as it begins */

static void spend(double us)
{
	unsigned x = 1;

	for (long n = (long)(us * us_of_work); n > 0; n--)
		x = x * 1664525 + 1013904223;
	sink += x;
}

__attribute__((noinline, noclone)) void slow(double us)
{
	spend(us);
	sink++;
}

__attribute__((noinline, noclone)) void fast(double us)
{
	spend(us);
	sink += 2;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void meet(const char *way, int rank, int size, long round)
{
	long mine = round, all = 0;

	if (strcmp(way, "allreduce") == 0)
		MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	else if (strcmp(way, "sendrecv") == 0 && rank < 2 && size > 1)
		MPI_Sendrecv(&mine, 1, MPI_LONG, 1 - rank, 1, &all, 1, MPI_LONG, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else if (strcmp(way, "bcast") == 0)
		MPI_Bcast(&mine, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	else
		MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 0;
	double slow_us = argc > 2 ? atof(argv[2]) : 0, fast_us = argc > 3 ? atof(argv[3]) : 0, began;
	const char *way = argc > 4 ? argv[4] : "barrier";
	int rank, size;

	/* The same in each rank: it does not matter how fast the machine is. */
	us_of_work = 600;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	began = now();
	for (long i = 0; i < rounds; i++) {
		if (rank == 0)
			slow(slow_us);
		else
			fast(fast_us);
		meet(way, rank, size, i);
	}
	if (rank == 0)
		printf("seconds=%.3f ranks=%d\n", now() - began, size);
	MPI_Finalize();
	return 0;
}

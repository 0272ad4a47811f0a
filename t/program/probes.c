/*
 * Probes of <sys/sdt.h>, with that header (-DREAL) or an equivalent: probes MODE N. It
 * prints how often each was executed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Two semaphores in one word; another tool has raised the second one before. */
__attribute__((section(".probes"), aligned(4))) unsigned short tested_guarded_semaphore;
__attribute__((section(".probes"))) unsigned short tested_raised_semaphore = 1;

#ifdef REAL
#define _SDT_HAS_SEMAPHORES 1
#define tested_plain__unit_semaphore tested_raised_semaphore
#define tested_twice_semaphore tested_raised_semaphore
#include <sys/sdt.h>
#define PROBE(name, n) DTRACE_PROBE1(tested, name, n)
#define GUARDED(name, n) DTRACE_PROBE1(tested, name, n)
#else
#define NOTE(name, semaphore, n) \
	__asm__ volatile("990: nop\n" \
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n" \
			 ".balign 4\n" \
			 ".4byte 992f-991f, 994f-993f, 3\n" \
			 "991: .asciz \"stapsdt\"\n" \
			 "992: .balign 4\n" \
			 "993: .8byte 990b, _.stapsdt.base, " semaphore "\n" \
			 ".asciz \"tested\"\n" \
			 ".asciz \"" #name "\"\n" \
			 ".asciz \"-4@%0\"\n" \
			 "994: .balign 4\n" \
			 ".popsection\n" \
			 ".ifndef _.stapsdt.base\n" \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
			 ".weak _.stapsdt.base\n" \
			 ".hidden _.stapsdt.base\n" \
			 "_.stapsdt.base: .space 1\n" \
			 ".size _.stapsdt.base, 1\n" \
			 ".popsection\n" \
			 ".endif\n" \
			 : : "nor"(n))
#define PROBE(name, n) NOTE(name, "0", n)
#define GUARDED(name, n) NOTE(name, "tested_" #name "_semaphore", n)
#endif

static volatile unsigned sink;
static long rounds;
static _Atomic long came, guarded, raised;

/* 1 is about 1 us. */
__attribute__((noinline)) void work(unsigned long n)
{
	unsigned x = 1;

	for (n *= 600; n > 0; n--)
		x = x * 1664525 + 1013904223;
	sink += x;
}

static void *worker(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		work(1000);
		PROBE(plain__unit, i);
		came++;
		if (__builtin_expect(*(volatile unsigned short *)&tested_guarded_semaphore, 0)) {
			GUARDED(guarded, i);
			guarded++;
		}
		if (*(volatile unsigned short *)&tested_raised_semaphore) {
			GUARDED(raised, i);
			raised++;
		}
		PROBE(twice, i);
		sink++;
		PROBE(twice, -i);
	}
	return arg;
}

int main(int argc, char **argv)
{
	const char *mode = argc == 3 ? argv[1] : "";
	pthread_t t[3];

	rounds = argc == 3 ? atol(argv[2]) : 0;
	if (strcmp(mode, "threads") == 0) {
		for (int i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, worker, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
	} else if (strcmp(mode, "forks") == 0) {
		pid_t child;

		worker(NULL);
		child = fork();
		worker(NULL);
		if (child == 0)
			_exit(tested_guarded_semaphore != 1);
		waitpid(child, NULL, 0);
	} else {
		worker(NULL);
	}
	printf("plain=%ld guarded=%ld raised=%ld semaphores=%u,%u\n", came, guarded, raised, tested_guarded_semaphore,
	       tested_raised_semaphore);
	return 0;
}

/*
 * Events between threads, for the tests of bursts.
 *
 *     events pair       two threads take turns at a lock and a condition variable; a visit each time
 *     events tight      two threads lock and unlock as fast as they can
 *     events own        two threads do so with a lock each of their own, and now and then with one in common
 *     events spawn      a thread is created and joined, again and again
 *     events once       a routine runs once, as the first and only caller asks; again and again
 *     events signals    a thread sends signals, which another one reads from a descriptor
 *     events moments    a thread sleeps until moments of the clock
 *     events late       the same, but all of them are over
 *     events frames     a thread sleeps for the rest of each frame, of 5 ms; each fourth one is late
 *
 *     events full       a thread sends to a socket that is mostly full, and does not wait for room, but tries again
 *
 * Each goes on until it is killed.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "andweorc.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;
static volatile unsigned sink;

__attribute__((noinline)) static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

static void *take_turns(void *who)
{
	int me = who != NULL;

	for (;;) {
		work(50000);
		pthread_mutex_lock(&mutex);
		while (turn != me)
			pthread_cond_wait(&turned, &mutex);
		turn = !me;
		pthread_cond_signal(&turned);
		pthread_mutex_unlock(&mutex);
		ANDWEORC_PROGRESS("turn");
	}
	return NULL;
}

static void *lock(void *unused)
{
	for (unsigned i = 0;; i++) {
		pthread_mutex_lock(&mutex);
		sink++;
		pthread_mutex_unlock(&mutex);
		if (i % 1000 == 0)
			ANDWEORC_PROGRESS("thousand");
	}
	return unused;
}

static void *own(void *unused)
{
	pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;

	for (;;) {
		for (unsigned i = 0; i < 100; i++) {
			pthread_mutex_lock(&mine);
			sink++;
			pthread_mutex_unlock(&mine);
			work(200);
		}
		pthread_mutex_lock(&mutex);
		work(200);
		pthread_mutex_unlock(&mutex);
		ANDWEORC_PROGRESS("hundred");
	}
	return unused;
}

static void *live(void *unused)
{
	work(100000);
	return unused;
}

static void spawn(void)
{
	for (;;) {
		pthread_t t;

		pthread_create(&t, NULL, live, NULL);
		work(20000);
		pthread_join(t, NULL);
		ANDWEORC_PROGRESS("joined");
	}
}

static void first(void)
{
	work(50000);
}

static void once(void)
{
	for (;;) {
		pthread_once_t control = PTHREAD_ONCE_INIT;

		pthread_once(&control, first);
		ANDWEORC_PROGRESS("once");
	}
}

static void *send_signals(void *unused)
{
	for (;;) {
		work(300000);
		kill(getpid(), SIGUSR1);
	}
	return unused;
}

/* Gets them by a descriptor. */
static void get_signals(void)
{
	struct signalfd_siginfo got;
	struct pollfd from = { .events = POLLIN };
	pthread_t sender;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	from.fd = signalfd(-1, &set, 0);
	pthread_create(&sender, NULL, send_signals, NULL);
	while (poll(&from, 1, -1) == 1 && read(from.fd, &got, sizeof(got)) == sizeof(got))
		ANDWEORC_PROGRESS("signal");
}

/* Sleeps until moments that are `ns` apart.  Once it is late, it stays late. */
static void keep_to_moments(long ns)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	for (;;) {
		at.tv_nsec += ns;
		at.tv_sec += at.tv_nsec / 1000000000;
		at.tv_nsec %= 1000000000;
		work(500000);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		ANDWEORC_PROGRESS("moment");
	}
}

static long since(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - from->tv_sec) * 1000000000 + now.tv_nsec - from->tv_nsec;
}

/* Works for a part of each frame, and sleeps for the rest of it.  Each fourth frame is late. */
static void frames(long ns)
{
	static const double part[] = { 0.3, 0.5, 0.4, 1.3 };

	for (unsigned n = 0;; n++) {
		struct timespec from, rest = { 0 };

		clock_gettime(CLOCK_MONOTONIC, &from);
		while ((double)since(&from) < part[n % 4] * (double)ns)
			work(10000);
		rest.tv_nsec = ns - since(&from);
		if (rest.tv_nsec > 0)
			nanosleep(&rest, NULL);
		ANDWEORC_PROGRESS("frame");
	}
}

static void *receive(void *from)
{
	char message[256];

	while (recv(*(const int *)from, message, sizeof(message), 0) > 0) {
		work(1500000); /* several naps of the sender, on a fast machine too */
		ANDWEORC_PROGRESS("message");
	}
	return NULL;
}

static void send_without_waiting(void)
{
	const struct timespec moment = { .tv_nsec = 50000 };
	char message[256] = "";
	pthread_t receiver;
	int pair[2];

	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &(int){ 4608 }, sizeof(int));
	pthread_create(&receiver, NULL, receive, &pair[1]);
	for (;;)
		if (send(pair[0], message, sizeof(message), MSG_DONTWAIT) < 0)
			nanosleep(&moment, NULL);
}

int main(int argc, char **argv)
{
	void *(*routine)(void *) = argc > 1 && strcmp(argv[1], "tight") == 0 ? lock : take_turns;
	pthread_t other;

	if (argc > 1 && strcmp(argv[1], "own") == 0)
		routine = own;
	if (argc > 1 && strcmp(argv[1], "spawn") == 0)
		spawn();
	if (argc > 1 && strcmp(argv[1], "once") == 0)
		once();
	if (argc > 1 && strcmp(argv[1], "signals") == 0)
		get_signals();
	if (argc > 1 && strcmp(argv[1], "moments") == 0)
		keep_to_moments(20000000);
	if (argc > 1 && strcmp(argv[1], "late") == 0)
		keep_to_moments(1000);
	if (argc > 1 && strcmp(argv[1], "frames") == 0)
		frames(5000000);
	if (argc > 1 && strcmp(argv[1], "full") == 0)
		send_without_waiting();
	pthread_create(&other, NULL, routine, &turn);
	routine(NULL);
}

/*
 * Calls that wait, again and again, with work in between: which of them ended
 * with EINTR, or short?
 *
 *	eintr quiet N     without disturbance: none may
 *	eintr storm N     a thread sends signals whose handler does not restart calls: the test of the test
 *	eintr own         each call is interrupted once, by a signal of the program's own, and must say so
 */
#include <andweorc.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;
static long wait_ns = 30000;   /* of calls with a time limit */
static _Atomic int over;       /* callers that are done */

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static __attribute__((noinline)) void work(void)
{
	for (unsigned i = 0; i < 60000; i++)
		sink += i * i;
	ANDWEORC_PROGRESS("unit");
}

static struct timespec in(long ns, clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ns % 1000000000;
	t.tv_sec += ns / 1000000000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* The objects that a thread waits at; each thread has its own. */
struct place {
	int quiet[2];   /* a pipe without a writer */
	int echo[2];    /* a socket pair whose other end sends and takes when it likes */
	int epoll;
	int listener;
	sem_t sem;
	int sysv_sem, sysv_msg;
	aio_context_t aio;
	uint32_t word;
	pthread_t peer;
};

/* Each call: one round.  0: as it should be; EINTR: as it says; 1: short, or too early. */

static int told(long result, int wanted)
{
	if (result == -1)
		return errno == wanted ? 0 : errno == EINTR ? EINTR : 2;
	return result == 0 && wanted == 0 ? 0 : 1;
}

static int early(long long since, int err)
{
	return err ? err : now_ns() - since < wait_ns ? 1 : 0;
}

static int do_nanosleep(struct place *p)
{
	struct timespec t = { wait_ns / 1000000000, wait_ns % 1000000000 };
	long long since = now_ns();

	(void)p;
	return early(since, told(nanosleep(&t, NULL), 0));
}

static int do_clock_nanosleep(struct place *p)
{
	struct timespec t = { wait_ns / 1000000000, wait_ns % 1000000000 };
	long long since = now_ns();

	(void)p;
	return early(since, clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL));
}

static int do_clock_nanosleep_abs(struct place *p)
{
	long long since = now_ns();
	struct timespec t = in(wait_ns, CLOCK_MONOTONIC);

	(void)p;
	return early(since, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
}

static int do_usleep(struct place *p)
{
	long long since = now_ns();

	(void)p;
	return early(since, told(usleep((useconds_t)(wait_ns / 1000)), 0));
}

/* Milliseconds are too coarse for poll(2) proper. */
static int do_poll(struct place *p)
{
	struct pollfd f = { .fd = p->quiet[0], .events = POLLIN };

	return told(poll(&f, 1, wait_ns < 1000000 ? 1 : (int)(wait_ns / 1000000)), 0);
}

static int do_ppoll(struct place *p)
{
	struct pollfd f = { .fd = p->quiet[0], .events = POLLIN };
	struct timespec t = { wait_ns / 1000000000, wait_ns % 1000000000 };
	long long since = now_ns();

	return early(since, told(ppoll(&f, 1, &t, NULL), 0));
}

static int do_select(struct place *p)
{
	struct timeval t = { wait_ns / 1000000000, wait_ns % 1000000000 / 1000 };
	long long since = now_ns();
	fd_set set;

	FD_ZERO(&set);
	FD_SET(p->quiet[0], &set);
	return early(since, told(select(p->quiet[0] + 1, &set, NULL, NULL, &t), 0));
}

static int do_pselect(struct place *p)
{
	struct timespec t = { wait_ns / 1000000000, wait_ns % 1000000000 };
	long long since = now_ns();
	fd_set set;

	FD_ZERO(&set);
	FD_SET(p->quiet[0], &set);
	return early(since, told(pselect(p->quiet[0] + 1, &set, NULL, NULL, &t, NULL), 0));
}

static int do_epoll_wait(struct place *p)
{
	struct epoll_event e;

	return told(epoll_wait(p->epoll, &e, 1, wait_ns < 1000000 ? 1 : (int)(wait_ns / 1000000)), 0);
}

static int do_sem_timedwait(struct place *p)
{
	struct timespec t = in(wait_ns, CLOCK_REALTIME);

	return told(sem_timedwait(&p->sem, &t), ETIMEDOUT);
}

static int do_sigtimedwait(struct place *p)
{
	struct timespec t = { wait_ns / 1000000000, wait_ns % 1000000000 };
	sigset_t set;

	(void)p;
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	return told(sigtimedwait(&set, NULL, &t), EAGAIN);
}

static int do_futex(struct place *p)
{
	struct timespec t = { wait_ns / 1000000000, wait_ns % 1000000000 };

	return told(syscall(SYS_futex, &p->word, 128 /* private wait */, 0, &t, NULL, 0), ETIMEDOUT);
}

static int do_semtimedop(struct place *p)
{
	struct timespec t = { wait_ns / 1000000000, wait_ns % 1000000000 };
	struct sembuf op = { .sem_op = -1 };

	return told(semtimedop(p->sysv_sem, &op, 1, &t), EAGAIN);
}

static int do_io_getevents(struct place *p)
{
	struct timespec t = { wait_ns / 1000000000, wait_ns % 1000000000 };
	struct io_event e;

	return told(syscall(SYS_io_getevents, p->aio, 1l, 1l, &e, &t), 0);
}

static int limited(int fd)
{
	struct timeval t = { wait_ns / 1000000000, wait_ns % 1000000000 / 1000 };

	return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
}

static int do_recv_limited(struct place *p)
{
	static __thread int fd[2] = { -1, -1 };
	char c;

	(void)p;
	if (fd[0] < 0 && (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0 || limited(fd[0]) != 0))
		return 2;
	return told(recv(fd[0], &c, 1, 0), EAGAIN);
}

static int do_accept_limited(struct place *p)
{
	return told(accept(p->listener, NULL, NULL), EAGAIN);
}

static int do_cond_timedwait(struct place *p)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	struct timespec t = in(wait_ns, CLOCK_REALTIME);
	int err;

	(void)p;
	pthread_mutex_lock(&m);
	err = pthread_cond_timedwait(&c, &m, &t);
	pthread_mutex_unlock(&m);
	return err == ETIMEDOUT || err == 0 ? 0 : err;
}

/* ---- a peer's doing ends these ------------------------------------------------------- */

enum { BYTES = 600000 };

static char bulk[BYTES];

static int ask(struct place *p, char what)
{
	int err;

	do
		err = told(send(p->echo[0], &what, 1, MSG_NOSIGNAL) == 1 ? 0 : -1, 0);
	while (err == EINTR);
	return err;
}

static int do_read(struct place *p)
{
	char c;
	int err = ask(p, 'r');
	long n = err ? 0 : read(p->echo[0], &c, 1);

	return err ? err : n == 1 ? 0 : n < 0 ? errno : 1;
}

static int do_recv_all(struct place *p)
{
	static __thread char mine[BYTES];
	int err = ask(p, 'R');
	long n = err ? 0 : recv(p->echo[0], mine, BYTES, MSG_WAITALL);

	return err ? err : n == BYTES ? 0 : n < 0 ? errno : 1;
}

static int do_write(struct place *p)
{
	int err = ask(p, 'w');
	long n = err ? 0 : write(p->echo[0], bulk, BYTES);

	return err ? err : n == BYTES ? 0 : n < 0 ? errno : 1;
}

static int do_send(struct place *p)
{
	int err = ask(p, 'w');
	long n = err ? 0 : send(p->echo[0], bulk, BYTES, MSG_NOSIGNAL);

	return err ? err : n == BYTES ? 0 : n < 0 ? errno : 1;
}

static int do_msgrcv(struct place *p)
{
	struct {
		long type;
		char text[8];
	} message;
	int err = ask(p, 'm');
	long n = err ? 0 : msgrcv(p->sysv_msg, &message, sizeof(message.text), 0, 0);

	return err ? err : n == 8 ? 0 : n < 0 ? errno : 1;
}

static int do_semop(struct place *p)
{
	struct sembuf op = { .sem_op = -1 };
	int err = ask(p, 's');

	return err ? err : told(semop(p->sysv_sem, &op, 1), 0);
}

/* The other side: it waits a little, and does as it is asked.  Its own calls are not counted. */
static void *peer(void *arg)
{
	static __thread char mine[BYTES];
	struct place *p = arg;
	struct {
		long type;
		char text[8];
	} message = { 1, "message" };
	struct sembuf up = { .sem_op = 1 };
	sigset_t all;
	char what;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	while (recv(p->echo[1], &what, 1, 0) == 1) {
		long left = BYTES, n;

		usleep(20);
		switch (what) {
		case 'r':
			if (send(p->echo[1], "x", 1, MSG_NOSIGNAL) != 1)
				return NULL;
			break;
		case 'R':
			for (; left > 0; left -= n)
				if ((n = send(p->echo[1], bulk, (size_t)(left > 50000 ? 50000 : left), MSG_NOSIGNAL)) <= 0)
					return NULL;
			break;
		case 'w':
			for (; left > 0; left -= n)
				if ((n = recv(p->echo[1], mine, (size_t)left, 0)) <= 0)
					return NULL;
			break;
		case 'm':
			msgsnd(p->sysv_msg, &message, sizeof(message.text), 0);
			break;
		case 's':
			semop(p->sysv_sem, &up, 1);
			break;
		}
	}
	return NULL;
}

static const struct {
	const char *name;
	int (*fn)(struct place *);
	int peer;   /* needs one; `own` does not try these, where one would have to keep silent */
	int share;  /* of N, in quarters */
	int endures; /* EINTR never ends it, whatever signals come */
} call[] = {
	{ "nanosleep", do_nanosleep, 0, 4, 0 },
	{ "clock_nanosleep", do_clock_nanosleep, 0, 4, 0 },
	{ "clock_nanosleep until", do_clock_nanosleep_abs, 0, 4, 0 },
	{ "usleep", do_usleep, 0, 4, 0 },
	{ "poll", do_poll, 0, 1, 0 },
	{ "ppoll", do_ppoll, 0, 4, 0 },
	{ "select", do_select, 0, 4, 0 },
	{ "pselect", do_pselect, 0, 4, 0 },
	{ "epoll_wait", do_epoll_wait, 0, 1, 0 },
	{ "sem_timedwait", do_sem_timedwait, 0, 4, 0 },
	{ "sigtimedwait", do_sigtimedwait, 0, 4, 0 },
	{ "futex", do_futex, 0, 4, 0 },
	{ "semtimedop", do_semtimedop, 0, 4, 0 },
	{ "io_getevents", do_io_getevents, 0, 4, 0 },
	{ "recv with a limit", do_recv_limited, 0, 1, 0 },
	{ "accept with a limit", do_accept_limited, 0, 1, 0 },
	{ "pthread_cond_timedwait", do_cond_timedwait, 0, 4, 1 },
	{ "read", do_read, 1, 4, 0 },
	{ "recv of all", do_recv_all, 1, 1, 0 },
	{ "write", do_write, 1, 1, 0 },
	{ "send", do_send, 1, 1, 0 },
	{ "msgrcv", do_msgrcv, 1, 4, 0 },
	{ "semop", do_semop, 1, 4, 0 },
};

enum { CALLS = sizeof(call) / sizeof(call[0]), THREADS = 3 };

static void prepare(struct place *p)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };
	struct epoll_event e = { .events = EPOLLIN };

	memset(p, 0, sizeof(*p));
	p->listener = socket(AF_UNIX, SOCK_STREAM, 0);
	p->epoll = epoll_create1(0);
	p->sysv_sem = semget(IPC_PRIVATE, 1, 0600);
	p->sysv_msg = msgget(IPC_PRIVATE, 0600);
	if (pipe(p->quiet) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, p->echo) != 0 || p->listener < 0 ||
	    bind(p->listener, (struct sockaddr *)&any, sizeof(sa_family_t)) != 0 || listen(p->listener, 1) != 0 ||
	    limited(p->listener) != 0 || epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->quiet[0], &e) != 0 ||
	    sem_init(&p->sem, 0, 0) != 0 || p->sysv_sem < 0 || p->sysv_msg < 0 || syscall(SYS_io_setup, 4, &p->aio) != 0) {
		perror("prepare");
		exit(99);
	}
	if (pthread_create(&p->peer, NULL, peer, p) != 0)
		exit(99);
}

static void clear(struct place *p)
{
	shutdown(p->echo[0], SHUT_RDWR);
	pthread_join(p->peer, NULL);
	semctl(p->sysv_sem, 0, IPC_RMID);
	msgctl(p->sysv_msg, IPC_RMID, NULL);
}

static long rounds;

struct count {
	long bad[CALLS];
	int first[CALLS];
	struct place place;
	pthread_t thread;
};

static pthread_barrier_t all_here;

static void *caller(void *arg)
{
	struct count *c = arg;

	pthread_barrier_wait(&all_here);
	for (int k = 0; k < CALLS; k++) {
		for (long i = 0; i < rounds * call[k].share / 4; i++) {
			int err = call[k].fn(&c->place);

			if (err) {
				c->bad[k]++;
				if (!c->first[k])
					c->first[k] = err;
				if (call[k].peer && err != 2) { /* the conversation is no longer in step */
					clear(&c->place);
					prepare(&c->place);
				}
			}
			work();
		}
	}
	atomic_fetch_add(&over, 1);
	return NULL;
}

static void on_signal(int sig)
{
	(void)sig;
}

static struct count count[THREADS];

static void *stormer(void *arg)
{
	pthread_barrier_wait(&all_here);
	while (atomic_load(&over) < THREADS) {
		for (int i = 0; i < THREADS; i++)
			pthread_kill(count[i].thread, SIGUSR1);
		usleep(50);
	}
	return arg;
}

static int all(int storm)
{
	int interrupted = 0;
	pthread_t s;

	pthread_barrier_init(&all_here, NULL, storm ? THREADS + 1 : THREADS);
	for (int i = 0; i < THREADS; i++) {
		prepare(&count[i].place);
		if (pthread_create(&count[i].thread, NULL, caller, &count[i]) != 0)
			return 99;
	}
	if (storm && (pthread_create(&s, NULL, stormer, NULL) != 0 || pthread_join(s, NULL) != 0))
		return 99;
	for (int i = 0; i < THREADS; i++)
		pthread_join(count[i].thread, NULL);
	for (int k = 0; k < CALLS; k++) {
		long bad = 0;
		int first = 0;

		for (int i = 0; i < THREADS; i++) {
			bad += count[i].bad[k];
			first = first ? first : count[i].first[k];
		}
		if (storm) {
			interrupted += bad > 0;
			fprintf(stderr, "%s: %ld\n", call[k].name, bad);
		} else {
			printf("%s: %s\n", call[k].name, bad == 0 ? "never interrupted" : first == 1 ? "short" : strerror(first));
		}
	}
	for (int i = 0; i < THREADS; i++)
		clear(&count[i].place);
	if (storm)
		printf("interrupted: %d calls\n", interrupted);
	return 0;
}

/* ---- signals of the program's own -------------------------------------------------- */

static int own(void)
{
	/* Again and again: on a busy machine the first comes before the call does. */
	struct itimerval soon = { { 0, 30000 }, { 0, 3000 } };
	struct timespec request = { 20, 0 }, left = { 0, 0 };
	struct place p;

	wait_ns = 20000000000;
	prepare(&p);
	for (int k = 0; k < CALLS; k++) {
		int err;

		if (call[k].peer || call[k].endures)
			continue;
		work();
		setitimer(ITIMER_REAL, &soon, NULL);
		err = call[k].fn(&p);
		printf("%s: %s\n", call[k].name, err == 0 ? "no" : err == 1 ? "short" : strerror(err));
	}
	setitimer(ITIMER_REAL, &soon, NULL);
	if (nanosleep(&request, &left) != 0)
		printf("left of the sleep: %d s\n", left.tv_sec == 19 && left.tv_nsec > 500000000);
	setitimer(ITIMER_REAL, &soon, NULL);
	printf("read %d", (int)read(p.quiet[0], &left, 1));
	printf(" %s\n", strerror(errno));
	setitimer(ITIMER_REAL, &soon, NULL);
	printf("pause %d", pause());
	printf(" %s\n", strerror(errno));
	clear(&p);
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_signal };

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGALRM, &act, NULL);
	rounds = argc > 2 ? atol(argv[2]) : 100;
	if (argc > 1 && strcmp(argv[1], "quiet") == 0)
		return all(0);
	if (argc > 1 && strcmp(argv[1], "storm") == 0)
		return all(1);
	if (argc > 1 && strcmp(argv[1], "own") == 0)
		return own();
	puts("no such mode");
	return 98;
}

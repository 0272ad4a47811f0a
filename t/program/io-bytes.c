/*
 * io-bytes MODE: pipes, event counters, timers, queues, and waits for many of
 * them.  See sync.h.
 */
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <setjmp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

#include "sync.h"

static char *volatile nowhere = (char *)8;

static void open_pipe(int p[2], int flags)
{
	if (pipe2(p, O_CLOEXEC | flags) != 0)
		die("pipe2");
}

static void close_both(int p[2])
{
	close(p[0]);
	close(p[1]);
}

/* ---- one pipe there, one back ------------------------------------------------ */

struct wires {
	int there[2], back[2];
};

static void *echo(void *arg)
{
	struct wires *w = arg;
	char c;

	while (read(w->there[0], &c, 1) == 1) {
		work(20);
		if (write(w->back[1], &c, 1) != 1)
			break;
	}
	return NULL;
}

static unsigned ask(struct wires *w)
{
	unsigned sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		unsigned char c = (unsigned char)i;

		if (write(w->there[1], &c, 1) != 1 || read(w->back[0], &c, 1) != 1)
			die("wire");
		sum += c;
	}
	return sum;
}

static void threads(void)
{
	struct wires w;
	pthread_t t;

	open_pipe(w.there, 0);
	open_pipe(w.back, 0);
	t = start(echo, &w);
	say("sum %u\n", ask(&w));
	close(w.there[1]);
	pthread_join(t, NULL);
	close(w.there[0]);
	close_both(w.back);
}

static void processes(void)
{
	struct wires w;
	int status;
	pid_t pid;

	open_pipe(w.there, 0);
	open_pipe(w.back, 0);
	pid = fork();
	if (pid == 0) {
		close(w.there[1]);
		echo(&w);
		_exit(3);
	}
	close(w.there[0]);
	close(w.back[1]);
	say("sum %u\n", ask(&w));
	close(w.there[1]);
	say("end %s\n", outcome(read(w.back[0], &status, 1)));
	waitpid(pid, &status, 0);
	say("child %d\n", WEXITSTATUS(status));
	close(w.back[0]);
}

/* ---- a pipe that is full, and one that is empty -------------------------------- */

static int fd_of_drain;

static void *drain(void *arg)
{
	static char buf[1 << 16];
	size_t got = 0;
	ssize_t n;

	while (got < (size_t)(intptr_t)arg && (n = read(fd_of_drain, buf, sizeof(buf))) > 0) {
		got += (size_t)n;
		work(50);
	}
	return (void *)(intptr_t)got;
}

static void full(void)
{
	static char buf[1 << 18];
	struct iovec v[2] = { { buf, 1000 }, { buf + 1000, sizeof(buf) - 1000 } };
	size_t all = 3 * sizeof(buf);
	void *got;
	pthread_t t;
	int p[2];

	open_pipe(p, 0);
	fd_of_drain = p[0];
	t = start(drain, (void *)(intptr_t)all);
	say("write %s\n", outcome(write(p[1], buf, sizeof(buf))));
	say("writev %s\n", outcome(writev(p[1], v, 2)));
	say("vmsplice %s\n", vmsplice(p[1], v, 1, 0) == 1000 ? "1000" : "less");
	say("write %s\n", outcome(write(p[1], buf, sizeof(buf) - 1000)));
	pthread_join(t, &got);
	say("drained %ld\n", (long)(intptr_t)got);
	close_both(p);
}

static void failures(void)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC), p[2];
	char buf[8];

	errno = 0;
	open_pipe(p, O_NONBLOCK);
	say("empty %s\n", outcome(read(p[0], buf, 8)));
	fcntl(p[1], F_SETPIPE_SZ, 4096);
	for (int i = 0; i < 512; i++)
		if (write(p[1], buf, 8) != 8)
			die("write");
	say("full %s\n", outcome(write(p[1], buf, 8)));
	say("wrong end %s\n", outcome(write(p[0], buf, 8)));
	say("wrong end %s\n", outcome(read(p[1], buf, 8)));
	say("pread of a pipe %s\n", outcome(pread(p[0], buf, 8, 0)));
	close(p[0]);
	signal(SIGPIPE, SIG_IGN);
	say("no reader %s\n", outcome(write(p[1], buf, 8)));
	close(p[1]);
	say("closed %s\n", outcome(read(p[0], buf, 8)));
	say("none %s\n", outcome(read(-1, buf, 8)));
	say("no place %s\n", outcome(read(zero, nowhere, 8)));
	close(zero);
	errno = 77;
	open_pipe(p, 0);
	if (write(p[1], buf, 8) == 8 && read(p[0], buf, 8) == 8)
		say("errno stays %d\n", errno);
	close_both(p);
}

static void interrupted(void)
{
	char c;
	int p[2];
	pthread_t t;

	open_pipe(p, 0);
	hook(SIGUSR1);
	t = pester_me(SIGUSR1);
	say("read %s\n", outcome(read(p[0], &c, 1)));
	leave_me(t);
	say("handled %d\n", handled == SIGUSR1);
	close_both(p);
}

/* ---- ways out of a call that blocks --------------------------------------------- */

static int cleaned;
static int fd_of_wait;

static void clean(void *arg)
{
	cleaned += *(int *)arg;
	work(100);
}

static void *wait_for_ever(void *arg)
{
	int one = 1;
	char c;

	pthread_cleanup_push(clean, &one);
	if (read(fd_of_wait, &c, 1) == 1)
		puts("read something");
	pthread_cleanup_pop(0);
	return arg;
}

static void cancelled(void)
{
	void *value;
	pthread_t t;
	int p[2];

	open_pipe(p, 0);
	fd_of_wait = p[0];
	cleaned = 0;
	for (int i = 0; i < 4; i++) {
		t = start(wait_for_ever, NULL);
		nap(i * 200);
		pthread_cancel(t);
		pthread_join(t, &value);
		say("cancelled %d, cleaned %d\n", value == PTHREAD_CANCELED, cleaned);
	}
	close_both(p);
}

static sigjmp_buf out;
static volatile sig_atomic_t may_jump;

static void jump(int sig)
{
	if (may_jump) {
		may_jump = 0;
		siglongjmp(out, sig);
	}
}

static void jumped(void)
{
	struct sigaction act = { .sa_handler = jump };
	pthread_t t;
	int p[2];
	char c;

	open_pipe(p, 0);
	sigaction(SIGUSR2, &act, NULL);
	t = pester_me(SIGUSR2);
	if (sigsetjmp(out, 1) == 0) {
		may_jump = 1;
		if (read(p[0], &c, 1) == 1)
			puts("read something");
	} else {
		say("out\n");
	}
	leave_me(t);
	work(300);
	if (write(p[1], "x", 1) == 1 && read(p[0], &c, 1) == 1)
		say("and on: %c\n", c);
	close_both(p);
}

/* ---- other channels ---------------------------------------------------------------- */

static int counters[2];

static void *count_back(void *arg)
{
	eventfd_t n;

	for (int i = 0; i < ROUNDS; i++) {
		if (read(counters[0], &n, sizeof(n)) != sizeof(n))
			die("read");
		work(20);
		if (eventfd_write(counters[1], n + 1) != 0)
			die("eventfd_write");
	}
	return arg;
}

static void events(void)
{
	eventfd_t n, sum = 0;
	pthread_t t;
	int copy;

	counters[0] = eventfd(0, EFD_CLOEXEC);
	counters[1] = eventfd(0, EFD_CLOEXEC);
	copy = dup(counters[0]);
	t = start(count_back, NULL);
	for (eventfd_t i = 1; i <= ROUNDS; i++) {
		if (write(i % 2 ? copy : counters[0], &i, sizeof(i)) != sizeof(i))
			die("write");
		say("%s", eventfd_read(counters[1], &n) == 0 ? "" : "?");
		sum += n;
	}
	pthread_join(t, NULL);
	say("sum %llu\n", (unsigned long long)sum);
	n = UINT64_MAX - 1;
	say("most %s\n", outcome(write(copy, &n, sizeof(n))));
	say("too much %s\n", outcome((fcntl(copy, F_SETFL, O_NONBLOCK), write(copy, &n, sizeof(n)))));
	say("short %s\n", outcome(read(copy, &n, 4)));
	say("dup2 %d\n", dup2(counters[1], copy) == copy);
	say("dup3 %d\n", dup3(counters[0], copy, O_CLOEXEC) == copy);
	say("dup2 of none %s\n", outcome(dup2(-1, copy)));
	close(copy);
	close_both(counters);
}

static void timers(void)
{
	struct itimerspec in_1ms = { .it_value.tv_nsec = 1000000 };
	struct pollfd p = { .events = POLLIN };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	uint64_t n;

	p.fd = fd;
	timerfd_settime(fd, 0, &in_1ms, NULL);
	say("read %s", outcome(read(fd, &n, sizeof(n))));
	say(" %llu\n", (unsigned long long)n);
	timerfd_settime(fd, 0, &in_1ms, NULL);
	say("poll %s\n", outcome(poll(&p, 1, -1)));
	close(fd);
}

static mqd_t queue;

static void *receive(void *arg)
{
	unsigned priority, sum = 0;
	char buf[16];

	for (int i = 0; i < ROUNDS; i++) {
		if (mq_receive(queue, buf, sizeof(buf), &priority) != 3)
			die("mq_receive");
		sum += priority;
		work(20);
	}
	*(unsigned *)arg = sum;
	return NULL;
}

static void queues(void)
{
	struct mq_attr attr = { .mq_maxmsg = 2, .mq_msgsize = 16 };
	struct timespec soon;
	char name[32], buf[16];
	unsigned sum;
	pthread_t t;

	snprintf(name, sizeof(name), "/io-bytes-%d", (int)getpid());
	queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
	if (queue == (mqd_t)-1) {
		say("no queues\n");
		return;
	}
	mq_unlink(name);
	t = start(receive, &sum);
	for (unsigned i = 0; i < ROUNDS; i++)
		if (mq_send(queue, "abc", 3, i) != 0)
			die("mq_send");
	pthread_join(t, NULL);
	say("sum %u\n", sum);
	soon = in_us(CLOCK_REALTIME, 1500);
	say("none %s\n", outcome(mq_timedreceive(queue, buf, sizeof(buf), NULL, &soon)));
	say("too small %s\n", outcome(mq_receive(queue, buf, 2, NULL)));
	mq_close(queue);
}

/* ---- from one to the other ---------------------------------------------------------- */

static void copies(void)
{
	char name[] = "/tmp/io-bytes-XXXXXX", buf[200], back[200] = "";
	int file = mkstemp(name), to[2], more[2];
	loff_t at = 10;
	off_t off = 20;

	unlink(name);
	for (size_t i = 0; i < sizeof(buf); i++)
		buf[i] = (char)i;
	open_pipe(to, 0);
	open_pipe(more, 0);
	say("pwrite %s\n", outcome(pwrite(file, buf, 100, 5)));
	say("pwritev %s\n", outcome(pwritev(file, &(struct iovec){ buf, 50 }, 1, 100)));
	say("pwritev2 %s\n", outcome(pwritev2(file, &(struct iovec){ buf, 50 }, 1, 150, 0)));
	say("pread %s\n", outcome(pread(file, back, 100, 5)));
	say("same %d\n", memcmp(buf, back, 95) == 0);
	say("preadv %s\n", outcome(preadv(file, &(struct iovec){ back, 50 }, 1, 100)));
	say("preadv2 %s\n", outcome(preadv2(file, &(struct iovec){ back, 50 }, 1, 150, 0)));
	say("same %d\n", memcmp(buf, back, 50) == 0);
	say("splice %s", outcome(splice(file, &at, to[1], NULL, 30, 0)));
	say(" to %lld\n", (long long)at);
	say("tee %s\n", outcome(tee(to[0], more[1], 30, 0)));
	say("sendfile %s", outcome(sendfile(more[1], file, &off, 40)));
	say(" to %lld\n", (long long)off);
	say("read %s\n", outcome(read(to[0], back, 200)));
	say("readv %s\n", outcome(readv(more[0], &(struct iovec){ back, 200 }, 1)));
	at = 0;
	say("copy %s\n", outcome(copy_file_range(file, &at, file, &(loff_t){ 1000 }, 100, 0)));
	say("splice without a pipe %s\n", outcome(splice(file, NULL, file, NULL, 1, 0)));
	say("preadv2, no flag %s\n", outcome(preadv2(file, &(struct iovec){ back, 50 }, 1, 150, 1 << 30)));
	close_both(to);
	close_both(more);
	close(file);
}

/* ---- sizes that the compiler does not know, and _FORTIFY_SOURCE checks ----------------- */

static volatile size_t some = 5;
static volatile nfds_t few = 1;

static void *feed(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		work(20);
		if (send(*(int *)arg, "12345678901234567890", 20, 0) != 20)
			die("send");
	}
	return NULL;
}

static void sizes(void)
{
	struct pollfd ready[1] = { { .events = POLLIN } };
	char buf[8], line[8];
	size_t got = 0;
	pthread_t t;
	int p[2];
	FILE *f;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p) != 0)
		die("socketpair");
	ready[0].fd = p[0];
	t = start(feed, &p[1]);
	for (int i = 0; i < ROUNDS / 2; i++) {
		if (poll(ready, few, -1) != 1 || ppoll(ready, few, NULL, NULL) != 1)
			die("poll");
		got += (size_t)read(p[0], buf, some) + (size_t)recv(p[0], buf, some, 0) + (size_t)recvfrom(p[0], buf, some, 0, NULL, NULL);
	}
	f = fdopen(p[0], "r");
	while (got < 20 * ROUNDS - 10) {
		if (!fgets(line, (int)some, f))
			die("fgets");
		got += strlen(line) + fread(buf, 1, some - 1, f) + fread_unlocked(buf, 1, some - 3, f);
	}
	pthread_join(t, NULL);
	say("got %zu\n", got);
	fclose(f);
	close(p[1]);
	p[0] = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	say("pread %s\n", outcome(pread(p[0], buf, some, 0)));
	say("pread64 %s\n", outcome(pread64(p[0], buf, some, 0)));
	close(p[0]);
}

/* ---- one of many ----------------------------------------------------------------------- */

enum { MANY = 5 };

static int wire[MANY][2];

static void *write_some(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		work(30);
		if (write(wire[i % MANY][1], &i, sizeof(i)) != sizeof(i))
			die("write");
		nap(20);
	}
	return arg;
}

static void open_wires(void)
{
	for (int i = 0; i < MANY; i++)
		open_pipe(wire[i], 0);
}

static void close_wires(void)
{
	for (int i = 0; i < MANY; i++)
		close_both(wire[i]);
}

static int take(int fd)
{
	int n;

	if (read(fd, &n, sizeof(n)) != sizeof(n))
		die("read");
	return n;
}

static void polls(void)
{
	struct pollfd p[MANY + 1];
	struct timespec ms = { .tv_nsec = 1000000 };
	int sum = 0, got = 0;
	pthread_t t;

	open_wires();
	for (int i = 0; i < MANY; i++)
		p[i] = (struct pollfd){ .fd = wire[i][0], .events = POLLIN };
	p[MANY] = (struct pollfd){ .fd = -1, .events = POLLIN };
	t = start(write_some, NULL);
	while (got < ROUNDS) {
		if ((got % 2 ? poll(p, MANY + 1, 10000) : ppoll(p, MANY + 1, NULL, NULL)) < 1)
			die("poll");
		for (int i = 0; i < MANY; i++)
			if (p[i].revents & POLLIN)
				sum += take(p[i].fd), got++;
	}
	pthread_join(t, NULL);
	say("sum %d\n", sum);
	say("nothing %s\n", outcome(poll(p, MANY, 1)));
	say("no time %s\n", outcome(poll(p, MANY, 0)));
	say("sleep %s\n", outcome(poll(NULL, 0, 1)));
	say("sleep %s\n", outcome(ppoll(NULL, 0, &ms, NULL)));
	p[0].events = POLLOUT;
	p[0].fd = wire[0][1];
	say("room %s\n", outcome(poll(p, 1, -1)));
	p[0].fd = 1000;
	say("closed %s", outcome(poll(p, 1, -1)));
	say(" %d\n", p[0].revents == POLLNVAL);
	say("no place %s\n", outcome(poll((void *)nowhere, 1, 0)));
	ms.tv_nsec = -1;
	say("no time %s\n", outcome(ppoll(p, 1, &ms, NULL)));
	close_wires();
}

static void selects(void)
{
	struct timeval ms;
	struct timespec ns = { .tv_nsec = 1000000 };
	int sum = 0, got = 0, top;
	fd_set in, none;
	pthread_t t;

	open_wires();
	t = start(write_some, NULL);
	while (got < ROUNDS) {
		FD_ZERO(&in);
		top = 0;
		for (int i = 0; i < MANY; i++) {
			FD_SET(wire[i][0], &in);
			top = wire[i][0] > top ? wire[i][0] : top;
		}
		if ((got % 2 ? select(top + 1, &in, NULL, NULL, NULL) : pselect(top + 1, &in, NULL, NULL, NULL, NULL)) < 1)
			die("select");
		for (int i = 0; i < MANY; i++)
			if (FD_ISSET(wire[i][0], &in))
				sum += take(wire[i][0]), got++;
	}
	pthread_join(t, NULL);
	say("sum %d\n", sum);
	ms = (struct timeval){ .tv_usec = 1000 };
	say("nothing %s\n", outcome(select(top + 1, &in, NULL, NULL, &ms)));
	say("left %ld\n", (long)ms.tv_usec);
	ms = (struct timeval){ .tv_usec = 1000 };
	say("sleep %s\n", outcome(select(0, NULL, NULL, NULL, &ms)));
	say("sleep %s\n", outcome(pselect(0, NULL, NULL, NULL, &ns, NULL)));
	FD_ZERO(&none);
	FD_SET(wire[0][1], &none);
	say("room %s\n", outcome(select(wire[0][1] + 1, NULL, &none, NULL, NULL)));
	say("negative %s\n", outcome(select(-1, NULL, NULL, NULL, NULL)));
	close_wires();
}

static void epolls(void)
{
	struct epoll_event e[3], want = { .events = EPOLLIN };
	struct timespec ns = { .tv_nsec = 1000000 };
	int ep = epoll_create1(EPOLL_CLOEXEC), sum = 0, got = 0, n;
	pthread_t t;

	open_wires();
	for (uint64_t i = 0; i < MANY; i++) {
		want.data.u64 = i << 40;
		if (epoll_ctl(ep, EPOLL_CTL_ADD, wire[i][0], &want) != 0)
			die("epoll_ctl");
	}
	say("twice %s\n", outcome(epoll_ctl(ep, EPOLL_CTL_ADD, wire[0][0], &want)));
	t = start(write_some, NULL);
	while (got < ROUNDS) {
		n = got % 2 ? epoll_wait(ep, e, 3, -1) : epoll_pwait(ep, e, 3, 10000, NULL);
		if (n < 1)
			die("epoll_wait");
		while (n-- > 0)
			sum += take(wire[e[n].data.u64 >> 40][0]), got++;
	}
	pthread_join(t, NULL);
	say("sum %d\n", sum);
	say("nothing %s\n", outcome(epoll_wait(ep, e, 3, 1)));
	say("nothing %s\n", outcome(epoll_pwait2(ep, e, 3, &ns, NULL)));
	say("no time %s\n", outcome(epoll_wait(ep, e, 3, 0)));
	say("none %s\n", outcome(epoll_wait(ep, e, 0, 0)));
	say("no epoll %s\n", outcome(epoll_wait(wire[0][0], e, 1, 0)));
	say("no place %s\n", outcome(epoll_ctl(ep, EPOLL_CTL_MOD, wire[0][0], NULL)));
	say("delete %s\n", outcome(epoll_ctl(ep, EPOLL_CTL_DEL, wire[0][0], NULL)));
	close_wires();
	close(ep);
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{ "threads", threads },
		{ "processes", processes },
		{ "full", full },
		{ "failures", failures },
		{ "interrupted", interrupted },
		{ "cancelled", cancelled },
		{ "jumped", jumped },
		{ "events", events },
		{ "timers", timers },
		{ "queues", queues },
		{ "copies", copies },
		{ "sizes", sizes },
		{ "polls", polls },
		{ "selects", selects },
		{ "epolls", epolls },
		{ NULL, NULL },
	};

	return run_mode(argc, argv, modes);
}

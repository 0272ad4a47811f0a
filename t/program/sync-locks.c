/*
 * Semaphores, threads of C11, and further functions of pthread; see sync.h.
 */
#include "sync.h"

#include <fcntl.h>
#include <semaphore.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <threads.h>

/* ---- semaphores -------------------------------------------------------------------------------- */

static sem_t ping, pong;
static int exchanged;

static void *answer(void *arg)
{
	sem_t **s = arg;

	for (int i = 0; i < ROUNDS; i++) {
		while (sem_wait(s[0]) != 0)
			;
		exchanged++;
		sem_post(s[1]);
	}
	return NULL;
}

static void *post_later(void *arg)
{
	nap(300);
	sem_post(arg);
	return NULL;
}

static void *wait_cancelled(void *arg)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	while (!atomic_load(&pestering))
		sched_yield();
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	sem_wait(arg); /* it has a token, and yet */
	return NULL;
}

static void semaphores(void)
{
	sem_t *both[] = { &ping, &pong };
	struct timespec at, bad = { 0, -1 };
	pthread_t t;
	void *value;
	int n;

	sem_init(&ping, 0, 0);
	sem_init(&pong, 0, 0);
	exchanged = 0;
	t = start(answer, both);
	for (int i = 0; i < ROUNDS; i++) {
		sem_post(&ping);
		while (sem_wait(&pong) != 0)
			;
	}
	pthread_join(t, NULL);
	say("exchanged %d\n", exchanged);

	say("trywait %s\n", outcome(sem_trywait(&ping)));
	at = in_us(CLOCK_REALTIME, 200);
	say("timedwait %s\n", outcome(sem_timedwait(&ping, &at)));
	at = in_us(CLOCK_MONOTONIC, 200);
	say("clockwait %s\n", outcome(sem_clockwait(&ping, CLOCK_MONOTONIC, &at)));
	t = start(post_later, &ping);
	at = in_us(CLOCK_MONOTONIC, 10000000);
	say("clockwait %s\n", outcome(sem_clockwait(&ping, CLOCK_MONOTONIC, &at)));
	pthread_join(t, NULL);
	sem_post(&ping);
	say("a bad time %s", outcome(sem_timedwait(&ping, &bad)));
	say(" %s\n", outcome(sem_clockwait(&ping, CLOCK_PROCESS_CPUTIME_ID, &at)));
	errno = 0;
	say("wait %s %s\n", outcome(sem_wait(&ping)), named(errno));

	hook(SIGUSR1);
	t = pester_me(SIGUSR1);
	say("interrupted %s\n", outcome(sem_wait(&ping)));
	leave_me(t);
	t = pester_me(SIGUSR1);
	at = in_us(CLOCK_REALTIME, 10000000);
	say("interrupted %s\n", outcome(sem_timedwait(&ping, &at)));
	leave_me(t);

	sem_post(&ping);
	atomic_store(&pestering, 0);
	t = start(wait_cancelled, &ping);
	pthread_cancel(t);
	atomic_store(&pestering, 1);
	pthread_join(t, &value);
	sem_getvalue(&ping, &n);
	say("cancelled %d, left %d\n", value == PTHREAD_CANCELED, n);
}

static void semaphores_of_processes(void)
{
	sem_t *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), *both[] = { s, s + 1 };
	int n = 0, status;
	pid_t pid;

	sem_init(s, 1, 0);
	sem_init(s + 1, 1, 0);
	pid = fork();
	if (pid == 0) {
		answer(both);
		_exit(exchanged % 128);
	}
	for (int i = 0; i < ROUNDS; i++) {
		sem_post(s);
		n += sem_wait(s + 1) == 0;
	}
	waitpid(pid, &status, 0);
	say("exchanged %d, status %d\n", n, status);
	munmap(s, 4096);
}

/* A set of two semaphores of System V, of which the second answers the first; and a message queue. */
static int sysv_set, sysv_queue;

static int change(int number, int by, int flags)
{
	struct sembuf op = { .sem_num = (unsigned short)number, .sem_op = (short)by, .sem_flg = (short)flags };

	return semop(sysv_set, &op, 1);
}

static void answer_messages(void)
{
	struct { long type; char text[8]; } m;

	for (int i = 0; i < ROUNDS; i++) {
		change(0, -1, 0);
		change(1, 1, 0);
		msgrcv(sysv_queue, &m, sizeof(m.text), 1, 0);
		m.type = 2;
		msgsnd(sysv_queue, &m, sizeof(m.text), 0);
	}
}

static void *answer_in_thread(void *unused)
{
	answer_messages();
	return unused;
}

static int ask_messages(void)
{
	struct { long type; char text[8]; } m = { .text = "asked" };
	int n = 0;

	for (int i = 0; i < ROUNDS; i++) {
		change(0, 1, 0);
		n += change(1, -1, 0) == 0;
		m.type = 1;
		n += msgsnd(sysv_queue, &m, sizeof(m.text), 0) == 0;
		n += msgrcv(sysv_queue, &m, sizeof(m.text), 2, 0) == sizeof(m.text);
	}
	return n;
}

static void system_v(void)
{
	struct sembuf swap[] = { { .sem_num = 0, .sem_op = -1 }, { .sem_num = 1, .sem_op = 1 } };
	struct { long type; char text[8]; } m;
	struct timespec within = { 0, 200000 };
	pthread_t t;
	int status;
	pid_t pid;

	sysv_set = semget(IPC_PRIVATE, 2, 0600);
	sysv_queue = msgget(IPC_PRIVATE, 0600);
	t = start(answer_in_thread, NULL);
	say("exchanged %d\n", ask_messages());
	pthread_join(t, NULL);
	pid = fork();
	if (pid == 0) {
		answer_messages();
		_exit(0);
	}
	say("exchanged %d", ask_messages());
	waitpid(pid, &status, 0);
	say(", status %d\n", status);
	change(0, 1, 0);
	say("two at once %s, left", outcome(semop(sysv_set, swap, 2)));
	say(" %d %d\n", semctl(sysv_set, 0, GETVAL), semctl(sysv_set, 1, GETVAL));
	say("for 0 %s\n", outcome(change(0, 0, 0)));
	say("not now %s\n", outcome(change(0, -1, IPC_NOWAIT)));
	say("in time %s\n", outcome(semtimedop(sysv_set, swap, 1, &within)));
	say("no operations %s\n", outcome(semop(sysv_set, swap, 0)));
	say("nowhere %s\n", outcome(semop(sysv_set, NULL, 1)));
	say("no message %s\n", outcome(msgrcv(sysv_queue, &m, sizeof(m.text), 0, IPC_NOWAIT)));
	m.type = 0;
	say("no type %s\n", outcome(msgsnd(sysv_queue, &m, sizeof(m.text), 0)));
	semctl(sysv_set, 0, IPC_RMID);
	msgctl(sysv_queue, IPC_RMID, NULL);
	say("gone %s", outcome(change(0, 1, 0)));
	say(" %s\n", outcome(msgsnd(sysv_queue, swap, 1, 0)));
}

static void named_semaphores(void)
{
	char name[64], other[64];
	sem_t *a, *b, *again, *both[2];
	int n = 0, status;
	pid_t pid;

	snprintf(name, sizeof(name), "/andweorc-%d-a", (int)getpid());
	snprintf(other, sizeof(other), "andweorc-%d-b", (int)getpid());
	say("not there %s\n", outcome(sem_open(name, 0) == SEM_FAILED ? -1 : 0));
	a = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	b = sem_open(other, O_CREAT, 0600, 2);
	again = sem_open(name, 0);
	say("again %d\n", again == a);
	say("there %s\n", outcome(sem_open(name, O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED ? -1 : 0));
	sem_wait(b);
	sem_wait(b);
	say("empty %s\n", outcome(sem_trywait(b)));
	exchanged = 0;
	pid = fork();
	if (pid == 0) {
		sem_close(a);
		sem_close(again);
		both[0] = sem_open(name, 0);
		both[1] = sem_open(other, 0);
		answer(both);
		_exit(exchanged);
	}
	for (int i = 0; i < ROUNDS; i++) {
		sem_post(a);
		n += sem_wait(b) == 0;
	}
	waitpid(pid, &status, 0);
	say("exchanged %d, status %d\n", n, WEXITSTATUS(status));
	say("close %s", outcome(sem_close(a)));
	sem_post(again);
	say(" %s", outcome(sem_trywait(again)));
	say(" %s", outcome(sem_close(again)));
	say(" %s\n", outcome(sem_close(b)));
	say("unlink %s", outcome(sem_unlink(name)));
	say(" %s", outcome(sem_unlink(other)));
	say(" %s\n", outcome(sem_unlink(name)));
}

/* ---- C11 --------------------------------------------------------------------------------------- */

static const char *c11(int result)
{
	return result == thrd_success ? "success" : result == thrd_timedout ? "timedout" :
	       result == thrd_busy    ? "busy" :
	       result == thrd_error   ? "error" :
	       result == thrd_nomem   ? "nomem" :
					"?";
}

static mtx_t m;
static cnd_t c;
static int turn, once_runs;
static once_flag flag;
static tss_t storage;
static int destroyed;

static int take_turns(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		mtx_lock(&m);
		while (turn != 1)
			cnd_wait(&c, &m);
		turn = 0;
		cnd_signal(&c);
		mtx_unlock(&m);
	}
	return -3;
}

/* Holds the mutex from turn 2 on, and a little longer than until turn 3. */
static int hold(void *arg)
{
	mtx_lock(arg);
	mtx_lock(&m);
	turn = 2;
	cnd_broadcast(&c);
	while (turn != 3)
		cnd_wait(&c, &m);
	mtx_unlock(&m);
	nap(300);
	mtx_unlock(arg);
	thrd_exit(7);
}

static void count_once(void)
{
	nap(300);
	once_runs++;
}

static int call(void *arg)
{
	(void)arg;
	call_once(&flag, count_once);
	return once_runs;
}

static void destroy(void *arg)
{
	destroyed += (int)(intptr_t)arg;
}

static int store(void *arg)
{
	tss_set(storage, arg);
	return 0;
}

static void c11_threads(void)
{
	struct timespec at, short_time = { 0, 200000 };
	thrd_t t[4];
	mtx_t held, recursive, timed;
	int result, sum = 0;

	mtx_init(&m, mtx_plain);
	mtx_init(&held, mtx_timed);
	cnd_init(&c);
	turn = 0;
	say("create %s\n", c11(thrd_create(&t[0], take_turns, NULL)));
	for (int i = 0; i < ROUNDS; i++) {
		mtx_lock(&m);
		turn = 1;
		cnd_signal(&c);
		while (turn != 0)
			cnd_wait(&c, &m);
		mtx_unlock(&m);
	}
	say("join %s", c11(thrd_join(t[0], &result)));
	say(" %d\n", result);

	thrd_create(&t[0], hold, &held);
	mtx_lock(&m);
	while (turn != 2)
		cnd_wait(&c, &m);
	mtx_unlock(&m);
	say("trylock %s\n", c11(mtx_trylock(&held)));
	at = in_us(CLOCK_REALTIME, 100);
	say("timedlock %s\n", c11(mtx_timedlock(&held, &at)));
	mtx_lock(&m);
	turn = 3;
	cnd_signal(&c);
	mtx_unlock(&m);
	at = in_us(CLOCK_REALTIME, 10000000);
	say("timedlock %s\n", c11(mtx_timedlock(&held, &at)));
	mtx_unlock(&held);
	thrd_join(t[0], &result);
	say("exit %d\n", result);
	mtx_lock(&m);
	at = in_us(CLOCK_REALTIME, 100);
	say("timedwait %s\n", c11(cnd_timedwait(&c, &m, &at)));
	mtx_unlock(&m);

	mtx_init(&recursive, mtx_plain | mtx_recursive);
	say("recursive %s", c11(mtx_lock(&recursive)));
	say(" %s", c11(mtx_lock(&recursive)));
	say(" %s", c11(mtx_trylock(&recursive)));
	for (int i = 0; i < 3; i++)
		say(" %s", c11(mtx_unlock(&recursive)));
	mtx_init(&timed, mtx_timed);
	say("\nsleep %d", thrd_sleep(&short_time, NULL));
	short_time.tv_nsec = -1;
	say(" %d\n", thrd_sleep(&short_time, NULL) < -1);

	flag = (once_flag)ONCE_FLAG_INIT;
	once_runs = 0;
	for (int i = 0; i < 4; i++)
		thrd_create(&t[i], call, NULL);
	for (int i = 0; i < 4; i++) {
		thrd_join(t[i], &result);
		sum += result;
	}
	say("once %d %d\n", once_runs, sum);

	tss_create(&storage, destroy);
	destroyed = 0;
	thrd_create(&t[0], store, (void *)5);
	thrd_join(t[0], &result);
	say("destroyed %d\n", destroyed);
	tss_delete(storage);
}

/* ---- what else pthread has --------------------------------------------------------------------- */

static pthread_spinlock_t spin;
static int spun;

static void *spin_some(void *arg)
{
	for (int i = 0; i < 2000; i++) {
		pthread_spin_lock(&spin);
		spun++;
		pthread_spin_unlock(&spin);
	}
	return arg;
}

static volatile int by_turns; /* compilers take it that flockfile changes nothing of the program */

/* By the lock of a stream, which is tried, waited for, and taken twice. */
static void *say_some(void *arg)
{
	for (int i = 0; i < 500; i++) {
		while (ftrylockfile(stdin) != 0)
			sched_yield();
		flockfile(stdin);
		by_turns++;
		funlockfile(stdin);
		funlockfile(stdin);
		flockfile(stdin);
		by_turns++;
		funlockfile(stdin);
	}
	return arg;
}

static pthread_once_t outer, inner;
static int onces, inners;

static void run_inner(void)
{
	nap(200);
	inners++;
}

static void run_outer(void)
{
	nap(200);
	pthread_once(&inner, run_inner);
	onces++;
}

static void *once(void *arg)
{
	pthread_once(&outer, run_outer);
	return (void *)((intptr_t)onces + 10 * inners + (arg != NULL));
}

static void cancel_once(void)
{
	pthread_testcancel();
	while (atomic_load(&pestering)) {
		nap(100);
		pthread_testcancel();
	}
}

static void *once_cancelled(void *arg)
{
	pthread_once(arg, cancel_once);
	return NULL;
}

static atomic_int lingering;

/* Runs until it is told to end, and a little longer, so that the joining thread waits. */
static void *linger(void *arg)
{
	while (atomic_load(&lingering))
		nap(200);
	nap(1000);
	return arg;
}

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *lock_in_vain(void *arg)
{
	struct timespec at;

	(void)arg;
	at = in_us(CLOCK_MONOTONIC, 100);
	say("clockrdlock %s\n", named(pthread_rwlock_clockrdlock(&rw, CLOCK_MONOTONIC, &at)));
	at = in_us(CLOCK_MONOTONIC, 100);
	say("clockwrlock %s\n", named(pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &at)));
	at = in_us(CLOCK_REALTIME, 100);
	say("timedrdlock %s\n", named(pthread_rwlock_timedrdlock(&rw, &at)));
	at = in_us(CLOCK_MONOTONIC, 100);
	say("clocklock %s\n", named(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &at)));
	say("a bad clock %s\n", named(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &at)));
	return NULL;
}

static void *lock_rw(void *arg)
{
	struct timespec at = in_us(CLOCK_MONOTONIC, 10000000);
	int err = arg ? pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &at) : pthread_rwlock_clockrdlock(&rw, CLOCK_MONOTONIC, &at);

	pthread_rwlock_unlock(&rw);
	return (void *)(intptr_t)err;
}

static void locks(void)
{
	struct timespec at;
	pthread_t t[8];
	void *value;
	intptr_t sum = 0;

	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	spun = 0;
	for (int i = 0; i < 3; i++)
		t[i] = start(spin_some, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	say("spun %d\n", spun);
	pthread_spin_lock(&spin);
	say("spin_trylock %s", named(pthread_spin_trylock(&spin)));
	say(" %s", named(pthread_spin_unlock(&spin)));
	say(" %s\n", named(pthread_spin_trylock(&spin)));
	pthread_spin_unlock(&spin);

	by_turns = 0;
	for (int i = 0; i < 3; i++)
		t[i] = start(say_some, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	say("yielded %d %d %d\n", by_turns, sched_yield(), ftrylockfile(stderr));
	funlockfile(stderr);
	thrd_yield();

	outer = inner = PTHREAD_ONCE_INIT;
	onces = inners = 0;
	for (int i = 0; i < 8; i++)
		t[i] = start(once, NULL);
	for (int i = 0; i < 8; i++) {
		pthread_join(t[i], &value);
		sum += (intptr_t)value;
	}
	say("once %d %d %d\n", onces, inners, (int)sum);
	outer = PTHREAD_ONCE_INIT;
	atomic_store(&pestering, 1);
	t[0] = start(once_cancelled, &outer);
	nap(300);
	pthread_cancel(t[0]);
	pthread_join(t[0], &value);
	atomic_store(&pestering, 0);
	pthread_once(&outer, cancel_once);
	say("once cancelled %d\n", value == PTHREAD_CANCELED);

	atomic_store(&lingering, 1);
	t[0] = start(linger, (void *)9);
	at = in_us(CLOCK_MONOTONIC, 100);
	say("clockjoin %s\n", named(pthread_clockjoin_np(t[0], &value, CLOCK_MONOTONIC, &at)));
	at = in_us(CLOCK_REALTIME, 100);
	say("timedjoin %s\n", named(pthread_timedjoin_np(t[0], &value, &at)));
	atomic_store(&lingering, 0);
	at = in_us(CLOCK_MONOTONIC, 10000000);
	say("clockjoin %s", named(pthread_clockjoin_np(t[0], &value, CLOCK_MONOTONIC, &at)));
	say(" %d\n", (int)(intptr_t)value);

	pthread_rwlock_wrlock(&rw);
	pthread_mutex_lock(&mutex);
	t[0] = start(lock_in_vain, NULL);
	pthread_join(t[0], NULL);
	pthread_mutex_unlock(&mutex);
	t[0] = start(lock_rw, NULL);
	t[1] = start(lock_rw, t);
	nap(500);
	pthread_rwlock_unlock(&rw);
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], &value);
		say("rwlock %s\n", named((int)(intptr_t)value));
	}
	pthread_mutex_lock(&mutex);
	at = in_us(CLOCK_MONOTONIC, 100);
	say("clockwait %s\n", named(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &at)));
	pthread_mutex_unlock(&mutex);
}

/* ---- a lock of one's own ----------------------------------------------------------------------- */

static atomic_int own;
static int owned;

static void take_own(int nest)
{
	if (atomic_exchange(&own, 1) == 0)
		return;
	ANDWEORC_PRE_BLOCK();
	if (nest)
		ANDWEORC_PRE_BLOCK();
	while (atomic_exchange(&own, 1) != 0)
		sched_yield();
	if (nest)
		ANDWEORC_POST_BLOCK(0);
	ANDWEORC_POST_BLOCK(1);
}

static void *own_some(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		take_own(arg != NULL);
		owned++;
		if (i % 100 == 0)
			work(20);
		ANDWEORC_CATCH_UP();
		atomic_store(&own, 0);
	}
	return NULL;
}

static void own_locks(void)
{
	pthread_t t[2] = { start(own_some, NULL), start(own_some, t) };

	ANDWEORC_POST_BLOCK(1); /* of nothing */
	owned = 0;
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	say("done\n");
}

/* ---- streams --------------------------------------------------------------------------------------- */

static FILE *shared;

static void *print_some(void *arg)
{
	for (int i = 0; i < 500; i++) {
		fprintf(shared, "%s %d\n", (const char *)arg, i);
		fputs("a line\n", shared);
	}
	return NULL;
}

/* Fills a pipe, and is cancelled as it waits for room; libc leaves the stream without an owner. */
static void *print_for_ever(void *arg)
{
	for (;;)
		fprintf(arg, "%100d\n", 1);
	return NULL;
}

static void streams(void)
{
	char line[64];
	pthread_t t[2];
	int lines = 0, torn = 0, p[2];

	shared = tmpfile();
	t[0] = start(print_some, (char[]){ "first" });
	t[1] = start(print_some, (char[]){ "second" });
	print_some((char[]){ "main" });
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	rewind(shared);
	for (; fgets(line, sizeof(line), shared); lines++)
		torn += strncmp(line, "first ", 6) && strncmp(line, "second ", 7) && strncmp(line, "main ", 5) && strcmp(line, "a line\n");
	say("lines %d, torn %d\n", lines, torn);
	fclose(shared);

	if (pipe(p) != 0 || !(shared = fdopen(p[1], "w")))
		die("pipe");
	setvbuf(shared, NULL, _IONBF, 0);
	fputs("of the first thread\n", shared);
	for (int i = 0; i < 2; i++) {
		t[i] = start(print_for_ever, shared);
		nap(500);
	}
	pthread_cancel(t[0]);
	pthread_cancel(t[1]);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	say("not locked: %d\n", ftrylockfile(shared));
	funlockfile(shared);
	close(p[0]);
	signal(SIGPIPE, SIG_IGN);
	fclose(shared);
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{ "sem", semaphores },
		{ "sem-shared", semaphores_of_processes },
		{ "sem-named", named_semaphores },
		{ "sysv", system_v },
		{ "c11", c11_threads },
		{ "locks", locks },
		{ "own", own_locks },
		{ "streams", streams },
		{ NULL, NULL },
	};

	return run_mode(argc, argv, modes);
}

/*
 * handover: one thread asks, another one answers, and they hand over in the way that
 * WAY names; with "-fork" after the name the other one is a child.  Neither works
 * while the other does.
 *
 * Round: prepare 0.5, answer 0.8.  Shrunk by half: prepare 19.2 %, answer 30.8 %,
 * less what handing over takes.
 */
#include "workload.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

REGION(prepare, 0.5);
REGION(answer, 0.8);

/* Shared, in case the other one is a child.  [0] asks, [1] answers. */
struct meeting {
	sem_t sem[2];
	_Atomic uint32_t word[2], moved;
	atomic_int turn;
	pid_t pid[2];
	pthread_t thread[2];
};

static struct meeting *m;
static mtx_t mutex;
static cnd_t changed;
static const char *way;
static bool forks;
static sigset_t usr1;

static bool is(const char *name)
{
	return strncmp(way, name, strlen(name)) == 0 && (way[strlen(name)] == '-' || way[strlen(name)] == 0);
}

/* By name: each process has its own mapping. */
static sem_t *named(int who)
{
	static sem_t *s[2];
	char name[64];

	if (!s[who]) {
		snprintf(name, sizeof(name), "/handover-%d-%d", (int)m->pid[0], who);
		s[who] = sem_open(name, O_CREAT, 0600, 0);
		if (s[who] == SEM_FAILED)
			workload_die("cannot open semaphore", name);
	}
	return s[who];
}

static void open_names(void)
{
	if (is("named")) {
		named(0);
		named(1);
	}
}

static void unlink_names(void)
{
	char name[64];

	for (int who = 0; who < 2 && is("named"); who++) {
		snprintf(name, sizeof(name), "/handover-%d-%d", (int)m->pid[0], who);
		sem_unlink(name);
	}
}

static sem_t *semaphore(int who)
{
	return is("named") ? named(who) : &m->sem[who];
}

static void by_semaphore(int me, bool wait)
{
	if (!wait)
		sem_post(semaphore(!me));
	else
		while (sem_wait(semaphore(me)) != 0)
			continue;
}

static void by_futex(int me, bool wait)
{
	if (!wait) {
		atomic_store(&m->word[!me], 1);
		syscall(SYS_futex, &m->word[!me], FUTEX_WAKE, 1);
	} else {
		while (atomic_exchange(&m->word[me], 0) == 0)
			syscall(SYS_futex, &m->word[me], FUTEX_WAIT, 0, NULL);
	}
}

/* As old condition variables: a waiter is moved to another word, and woken there. */
static void by_moved_futex(int me, bool wait)
{
	if (wait) {
		by_futex(me, true);
		return;
	}
	atomic_store(&m->word[!me], 1);
	syscall(SYS_futex, &m->word[!me], FUTEX_REQUEUE, 0, 1L, &m->moved);
	syscall(SYS_futex, &m->moved, FUTEX_WAKE, 1);
}

static void by_c11(int me, bool wait)
{
	mtx_lock(&mutex);
	if (wait) {
		while (atomic_load(&m->turn) != me)
			cnd_wait(&changed, &mutex);
	} else {
		atomic_store(&m->turn, !me);
		cnd_broadcast(&changed);
	}
	mtx_unlock(&mutex);
}

/* Without a system call: seen because it is declared. */
static void by_flag(int me, bool wait)
{
	if (!wait) {
		ANDWEORC_CATCH_UP();
		atomic_store(&m->turn, !me);
		return;
	}
	ANDWEORC_PRE_BLOCK();
	while (atomic_load(&m->turn) != me)
		continue;
	ANDWEORC_POST_BLOCK(1);
}

static void nothing(int sig)
{
	(void)sig;
}

static void by_signal(int me, bool wait)
{
	sigset_t others;
	int sig;

	if (!wait) {
		atomic_store(&m->turn, !me);
		if (forks)
			kill(m->pid[!me], SIGUSR1);
		else
			pthread_kill(m->thread[!me], SIGUSR1);
	} else if (is("suspend")) {
		/* Blocked but while we wait, so that none is missed. */
		sigfillset(&others);
		sigdelset(&others, SIGUSR1);
		while (atomic_load(&m->turn) != me)
			sigsuspend(&others);
	} else {
		while (atomic_load(&m->turn) != me)
			sigwait(&usr1, &sig);
	}
}

static void (*hand_over)(int me, bool wait);

static void *run_answerer(void *arg)
{
	m->thread[1] = pthread_self();
	open_names();
	__atomic_store_n(&m->pid[1], getpid(), __ATOMIC_RELEASE);
	for (;;) {
		hand_over(1, true);
		answer();
		hand_over(1, false);
	}
	return arg;
}

static void *run_asker(void *arg)
{
	m->thread[0] = pthread_self();
	open_names();
	/* A signal needs a thread to be sent to. */
	while (__atomic_load_n(&m->pid[1], __ATOMIC_ACQUIRE) == 0)
		usleep(100);
	unlink_names();
	for (;;) {
		prepare();
		hand_over(0, false);
		hand_over(0, true);
		workload_visit();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&prepare_region, &answer_region, NULL};
	struct sigaction act = { .sa_handler = nothing };
	pid_t child;

	workload_start(argc, argv, regions, 1);
	way = getenv("WAY");
	way = way ? way : "semaphore";
	forks = strstr(way, "-fork") != NULL;
	hand_over = is("semaphore") || is("named") ? by_semaphore : is("futex") ? by_futex :
		    is("moved")                    ? by_moved_futex :
		    is("c11")                      ? by_c11 :
		    is("flag")                     ? by_flag :
		    is("signal") || is("suspend")  ? by_signal :
						     NULL;
	if (!hand_over)
		workload_die("no such way", way);
	m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sem_init(&m->sem[0], 1, 0);
	sem_init(&m->sem[1], 1, 0);
	mtx_init(&mutex, mtx_plain);
	cnd_init(&changed);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	sigaction(SIGUSR1, &act, NULL);
	m->pid[0] = getpid();
	if (!forks)
		workload_run_two(run_answerer, NULL, run_asker, NULL);
	workload_share();
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_answerer(NULL);
	}
	run_asker(NULL);
}

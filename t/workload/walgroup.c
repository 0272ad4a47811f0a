/*
 * walgroup: four processes with one log in shared memory, as a database has them.  Each executes
 * a transaction, appends it under a lock, and waits until it is written.  A process that finds
 * nobody writing is the leader, and writes all that has been appended so far.  One that comes meanwhile
 * sleeps on a semaphore of its own, until it is told that its record is written, or that it is to lead.  The device is
 * a file in the page cache and a sleep.
 */
#include "workload.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

REGION_FUNCTION(WORKLOAD_OPAQUE, execute, 0.6, (double factor),
		WORKLOAD_LOOP((uint64_t)(factor *(double)execute_region.iterations)));
REGION(append, 0.12);
REGION_FUNCTION(WORKLOAD_OPAQUE, checksum, 0.08, (double records),
		WORKLOAD_LOOP((uint64_t)(records *(double)checksum_region.iterations)));

enum { BACKENDS = 4, RECORD = 512, FILE_RECORDS = 2048 };

static struct log {
	pthread_mutex_t lock; /* of what follows */
	uint64_t appended, written;
	bool writing;
	int waiters, waiting[BACKENDS];

	struct backend {
		sem_t wake;
		uint64_t record;
		bool lead;
	} backend[BACKENDS];
	_Atomic bool over;
} * wal;

static int file;

static void make_log(void)
{
	char path[] = "/tmp/walgroup-XXXXXX";
	pthread_mutexattr_t mutex;

	wal = mmap(NULL, sizeof *wal, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	file = mkstemp(path);
	if (wal == MAP_FAILED || file < 0)
		workload_die("cannot make", "the log");
	unlink(path);
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&wal->lock, &mutex);
	for (int i = 0; i < BACKENDS; i++)
		sem_init(&wal->backend[i].wake, 1, 0);
}

static void write_records(uint64_t from, uint64_t to)
{
	static const char text[RECORD];
	struct timespec device = workload_timespec(0.5 * workload_scale);

	checksum((double)(to - from));
	for (uint64_t n = from; n < to; n++)
		if (pwrite(file, text, RECORD, (off_t)(n % FILE_RECORDS * RECORD)) != RECORD)
			workload_die("cannot write", "the log");
	nanosleep(&device, NULL);
}

/* Writes what has been appended, and tells the others.  With the lock, which it gives back. */
static void lead(void)
{
	uint64_t from = wal->written, to = wal->appended;
	int left = 0;

	wal->writing = true;
	pthread_mutex_unlock(&wal->lock);
	write_records(from, to);
	pthread_mutex_lock(&wal->lock);
	wal->written = to;
	wal->writing = false;
	for (int i = 0; i < wal->waiters; i++) {
		struct backend *b = &wal->backend[wal->waiting[i]];

		if (b->record > to && wal->writing) {
			wal->waiting[left++] = wal->waiting[i];
			continue;
		}
		/* The first one that is left leads. */
		b->lead = b->record > to;
		wal->writing = wal->writing || b->lead;
		sem_post(&b->wake);
	}
	wal->waiters = left;
	pthread_mutex_unlock(&wal->lock);
}

static void commit(int number)
{
	struct backend *me = &wal->backend[number];

	pthread_mutex_lock(&wal->lock);
	append();
	me->record = ++wal->appended;
	if (wal->writing) {
		wal->waiting[wal->waiters++] = number;
		pthread_mutex_unlock(&wal->lock);
		while (sem_wait(&me->wake))
			if (errno != EINTR)
				workload_die("cannot wait for", "a semaphore");
		if (!me->lead)
			return;
		pthread_mutex_lock(&wal->lock);
	}
	lead();
}

static void run_backend(int number)
{
	uint64_t state = 0xd1342543de82ef95u * (uint64_t)(number + 1);

	/* Also when the parent is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!wal->over) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		execute(0.5 + (double)(state >> 11) * 0x1p-53);
		commit(number);
		if (workload_count())
			wal->over = true;
	}
	exit(0);
}

int main(int argc, char **argv)
{
	struct region *regions[] = {&execute_region, &append_region, &checksum_region, NULL};

	workload_start(argc, argv, regions, 1);
	workload_share();
	make_log();
	for (int i = 0; i < BACKENDS; i++) {
		pid_t pid = fork();

		if (pid < 0)
			workload_die("cannot make", "a process");
		if (pid == 0)
			run_backend(i);
	}
	for (int i = 0; i < BACKENDS; i++)
		wait(NULL);
	return 0;
}

/*
 * world_queues: programs that hand work from thread to thread: queues, pools, results in order, and messages.
 */
#ifndef ANDWEORC_TEST_WORLD_QUEUES_H
#define ANDWEORC_TEST_WORLD_QUEUES_H

#include "world_locks.h"

enum { ROOM = 8 };

static struct bounded {
	struct mutex mutex;
	struct condition not_empty, not_full;
	int n;
	unsigned getting, putting; /* threads that wait */
	bool sparing;              /* signals only if a thread waits */
	bool late;                 /* the first burst begins while it is empty */
} queue;

static void wait_counted(struct condition *c, unsigned *waiting, uint32_t site)
{
	++*waiting;
	wait_for(c, &queue.mutex, site);
	--*waiting;
}

static void put(void)
{
	lock(&queue.mutex, 21);
	while (queue.n == ROOM)
		wait_counted(&queue.not_full, &queue.putting, 22);
	queue.n++;
	compute(4, 3 * US);
	if (!queue.sparing || queue.getting)
		signal_one(&queue.not_empty, 23);
	unlock(&queue.mutex, 24);
}

static void get(void)
{
	lock(&queue.mutex, 25);
	while (!queue.n)
		wait_counted(&queue.not_empty, &queue.getting, 26);
	queue.n--;
	compute(4, 3 * US);
	if (!queue.sparing || queue.putting)
		signal_one(&queue.not_full, 27);
	unlock(&queue.mutex, 28);
}

static void produce(void *unused)
{
	(void)unused;
	if (queue.late)
		compute(1, 310 * MS);
	for (;;) {
		compute(1, about(0.9 * MS));
		put();
	}
}

static void consume(void *unused)
{
	(void)unused;
	for (;;) {
		get();
		compute(2, about(0.7 * MS));
		compute(3, about(0.3 * MS));
		visit();
	}
}

static void start_queue(bool sparing, bool late)
{
	queue = (struct bounded){ .mutex.id = 10, .not_empty.id = 11, .not_full.id = 12, .sparing = sparing, .late = late };
	create(produce, NULL, 2);
	create(consume, NULL, 3);
	sleep_ns(1000 * S, 1);
}

static inline void bounded_queue(void *unused)
{
	(void)unused;
	start_queue(false, false);
}

static inline void sparing_queue(void *unused)
{
	(void)unused;
	start_queue(true, false);
}

static inline void late_queue(void *unused)
{
	(void)unused;
	start_queue(true, true);
}

/* A pool: rounds of tasks, taken by any free thread; the main thread waits for all. */
static struct tasks {
	struct mutex mutex;
	struct condition work, done;
	int next, left;
} tasks;

enum { POOL_TASKS = 7 };

static void pool_worker(void *unused)
{
	(void)unused;
	for (;;) {
		int task;

		lock(&tasks.mutex, 61);
		while (!tasks.next)
			wait_for(&tasks.work, &tasks.mutex, 62);
		task = tasks.next--;
		unlock(&tasks.mutex, 63);
		compute(task == POOL_TASKS ? 1 : 2, about(task == POOL_TASKS ? 1.5 * MS : 0.6 * MS));
		lock(&tasks.mutex, 64);
		if (!--tasks.left)
			signal_one(&tasks.done, 65);
		unlock(&tasks.mutex, 66);
	}
}

static void pool_round(void)
{
	lock(&tasks.mutex, 67);
	tasks.next = tasks.left = POOL_TASKS;
	signal_all(&tasks.work, 68);
	while (tasks.left)
		wait_for(&tasks.done, &tasks.mutex, 69);
	unlock(&tasks.mutex, 70);
	compute(3, about(0.3 * MS));
	visit();
}

static inline void pool(void *unused)
{
	(void)unused;
	tasks = (struct tasks){ .mutex.id = 10, .work.id = 11, .done.id = 12 };
	create(pool_worker, NULL, 2);
	create(pool_worker, NULL, 2);
	forever(pool_round);
}

/* The same with semaphores: a long task and six short ones, taken by any free thread. */
static struct semaphore ended;
static int handed;

static void sem_worker(void *unused)
{
	(void)unused;
	for (;;) {
		int task;

		grab(&items, 55);
		task = handed++ % POOL_TASKS;
		compute(task ? 2 : 1, about(task ? 0.6 * MS : 1.5 * MS));
		post(&ended, 56);
	}
}

static inline void sem_pool(void *unused)
{
	(void)unused;
	items = (struct semaphore){ .id = 10 };
	ended = (struct semaphore){ .id = 11 };
	handed = 0;
	create(sem_worker, NULL, 2);
	create(sem_worker, NULL, 2);
	for (;;) {
		for (int i = 0; i < POOL_TASKS; i++)
			post(&items, 57);
		for (int i = 0; i < POOL_TASKS; i++)
			grab(&ended, 58);
		compute(3, about(0.3 * MS));
		visit();
	}
}

/* Tasks that make tasks: a first one makes several, which any free thread takes; the last of them lets the next round begin. */
enum { CHILDREN = 6 };

static struct family {
	struct mutex mutex;
	struct condition more, over;
	int first, children, left; /* to be taken, and children that are not done */
} family;

static void make_children(void)
{
	compute(1, about(0.4 * MS));
	lock(&family.mutex, 81);
	family.children = family.left = CHILDREN;
	for (int i = 0; i < CHILDREN; i++)
		signal_one(&family.more, 82);
	unlock(&family.mutex, 83);
}

static void be_child(int number)
{
	compute(number == CHILDREN ? 2 : 3, about(number == CHILDREN ? 1.4 * MS : 0.5 * MS));
	lock(&family.mutex, 84);
	if (!--family.left)
		signal_one(&family.over, 85);
	unlock(&family.mutex, 86);
}

static void family_worker(void *unused)
{
	(void)unused;
	for (;;) {
		int child = 0;

		lock(&family.mutex, 87);
		while (!family.first && !family.children)
			wait_for(&family.more, &family.mutex, 88);
		if (family.first)
			family.first--;
		else
			child = family.children--;
		unlock(&family.mutex, 89);
		if (child)
			be_child(child);
		else
			make_children();
	}
}

static void family_round(void)
{
	compute(4, about(0.05 * MS));
	lock(&family.mutex, 90);
	family.first = family.left = 1;
	signal_one(&family.more, 91);
	while (family.left)
		wait_for(&family.over, &family.mutex, 92);
	unlock(&family.mutex, 93);
	visit();
}

static inline void tasks_of_tasks(void *unused)
{
	(void)unused;
	family = (struct family){ .mutex.id = 10, .more.id = 11, .over.id = 12 };
	create(family_worker, NULL, 2);
	create(family_worker, NULL, 2);
	create(family_worker, NULL, 2);
	forever(family_round);
}

/* A producer that sleeps for a moment while the consumer is far behind. */
static struct backlog {
	struct mutex mutex;
	struct condition more;
	int n;
	double pause;
} backlog;

enum { FAR_BEHIND = 6 };

static void consume_backlog(void *unused)
{
	(void)unused;
	for (;;) {
		lock(&backlog.mutex, 71);
		while (!backlog.n)
			wait_for(&backlog.more, &backlog.mutex, 72);
		backlog.n--;
		unlock(&backlog.mutex, 73);
		compute(2, about(1.2 * MS));
	}
}

static void produce_backlog(void)
{
	bool far;

	compute(1, about(0.5 * MS));
	lock(&backlog.mutex, 74);
	backlog.n++;
	far = backlog.n > FAR_BEHIND;
	signal_one(&backlog.more, 75);
	unlock(&backlog.mutex, 76);
	if (far)
		sleep_ns(backlog.pause, 77);
	visit();
}

static void produce_too(void *unused)
{
	(void)unused;
	for (;;)
		produce_backlog();
}

/* Two of them. */
static inline void stalling_producers(void *unused)
{
	(void)unused;
	backlog = (struct backlog){ .mutex.id = 10, .more.id = 11, .pause = 5 * MS };
	create(consume_backlog, NULL, 2);
	create(produce_too, NULL, 3);
	forever(produce_backlog);
}

/* One request in four misses a cache that has a lock: it sleeps after the lock, but whatever others do. */
static void look_up(void)
{
	bool misses;

	lock(&backlog.mutex, 171);
	compute(1, about(0.2 * MS));
	misses = uniform(&w.current->random) < 0.25;
	unlock(&backlog.mutex, 172);
	if (misses)
		sleep_ns(1.5 * MS, 173);
	compute(2, about(0.6 * MS));
}

static void answer_lookups(void *unused)
{
	(void)unused;
	for (;;)
		look_up();
}

static void answer_and_count(void)
{
	look_up();
	visit();
}

static inline void cache_misses(void *unused)
{
	(void)unused;
	backlog = (struct backlog){ .mutex.id = 10 };
	create(answer_lookups, NULL, 2);
	forever(answer_and_count);
}

static inline void stalling_producer(void *unused)
{
	(void)unused;
	backlog = (struct backlog){ .mutex.id = 10, .more.id = 11, .pause = 2 * MS };
	create(consume_backlog, NULL, 2);
	forever(produce_backlog);
}

/* A pool with a task at a time in a queue: all tasks are alike. */
static void stream_worker(void *unused)
{
	(void)unused;
	for (;;) {
		get();
		compute(2, about(1.2 * MS));
		compute(3, about(0.4 * MS));
		visit();
	}
}

static inline void stream_pool(void *unused)
{
	(void)unused;
	queue = (struct bounded){ .mutex.id = 10, .not_empty.id = 11, .not_full.id = 12 };
	create(stream_worker, NULL, 2);
	create(stream_worker, NULL, 2);
	for (;;) {
		compute(1, about(0.75 * MS));
		put();
	}
}

/* Signals come when the lock is free again; and producers are unlike: what follows their turn is their own. */
static void put_late(uint32_t lock_site)
{
	lock(&queue.mutex, lock_site);
	while (queue.n == ROOM)
		wait_for(&queue.not_full, &queue.mutex, 22);
	queue.n++;
	unlock(&queue.mutex, 24);
	signal_one(&queue.not_empty, 23);
}

static void get_late(void)
{
	lock(&queue.mutex, 25);
	while (!queue.n)
		wait_for(&queue.not_empty, &queue.mutex, 26);
	queue.n--;
	unlock(&queue.mutex, 28);
	signal_one(&queue.not_full, 27);
}

static void produce_slowly(void *unused)
{
	(void)unused;
	for (;;) {
		compute(1, about(3 * MS));
		put_late(21);
	}
}

static void produce_quickly(void *unused)
{
	(void)unused;
	for (;;) {
		compute(2, about(1 * MS));
		put_late(21);
	}
}

static inline void unlike_producers(void *unused)
{
	(void)unused;
	queue = (struct bounded){ .mutex.id = 10, .not_empty.id = 11, .not_full.id = 12 };
	create(produce_slowly, NULL, 2);
	create(produce_quickly, NULL, 3);
	for (;;) {
		get_late();
		compute(3, about(0.7 * MS));
		visit();
	}
}

/* Results are written in order: the condition of the writer is not a count. */
static struct ordered {
	struct mutex mutex;
	struct condition done, room;
	bool ready[64];
	unsigned taken, written;
} ordered;

static bool apart; /* one condition variable for each predicate */

static void order_worker(void *unused)
{
	(void)unused;
	for (;;) {
		unsigned n;

		lock(&ordered.mutex, 101);
		while (ordered.taken - ordered.written >= 6)
			wait_for(apart ? &ordered.room : &ordered.done, &ordered.mutex, 102);
		n = ordered.taken++;
		unlock(&ordered.mutex, 103);
		compute(1, about(1.5 * MS));
		compute(2, about(0.7 * MS));
		lock(&ordered.mutex, 104);
		ordered.ready[n % 64] = true;
		signal_all(&ordered.done, 105);
		unlock(&ordered.mutex, 106);
	}
}

static void order_writes(bool two)
{
	apart = two;
	ordered = (struct ordered){ .mutex.id = 10, .done.id = 11, .room.id = 12 };
	create(order_worker, NULL, 2);
	create(order_worker, NULL, 2);
	create(order_worker, NULL, 2);
	for (;;) {
		lock(&ordered.mutex, 107);
		while (!ordered.ready[ordered.written % 64])
			wait_for(&ordered.done, &ordered.mutex, 108);
		ordered.ready[ordered.written++ % 64] = false;
		signal_all(apart ? &ordered.room : &ordered.done, 109);
		unlock(&ordered.mutex, 110);
		compute(3, about(0.6 * MS));
		visit();
	}
}

static inline void order(void *unused)
{
	(void)unused;
	order_writes(false);
}

static inline void order_apart(void *unused)
{
	(void)unused;
	order_writes(true);
}

/*
 * As parallel compressors do: a reader puts pieces into two queues, of work and of results; threads of a pool do
 * the work; a writer takes the results in order.  Now and then it gets something that needs no work.
 */
enum { PIECES = 8, NO_WORK_EVERY = 40 };

static struct pieces {
	struct mutex idle_lock, work_lock, result_lock, done_lock;
	struct condition idle, work, result, done;
	unsigned nidle, nwork, nresults;
	unsigned read, queued, begun, written;
	unsigned work_of[PIECES]; /* the queue of pieces that need work */
	bool is_done[PIECES];
} pieces;

static void take_piece(struct mutex *m, struct condition *c, unsigned *n, uint32_t site)
{
	lock(m, site);
	while (!*n)
		wait_for(c, m, site + 1);
	--*n;
	unlock(m, site + 2);
}

static void put_piece(struct mutex *m, struct condition *c, unsigned *n, uint32_t site)
{
	lock(m, site);
	++*n;
	signal_one(c, site + 1);
	unlock(m, site + 2);
}

static void piece_reader(void *unused)
{
	(void)unused;
	for (;;) {
		unsigned at = pieces.read++ % PIECES;
		bool needs_work = pieces.read % NO_WORK_EVERY;

		take_piece(&pieces.idle_lock, &pieces.idle, &pieces.nidle, 201);
		compute(4, about(0.1 * MS));
		pieces.is_done[at] = !needs_work;
		if (needs_work) {
			pieces.work_of[pieces.queued++ % PIECES] = at;
			put_piece(&pieces.work_lock, &pieces.work, &pieces.nwork, 211);
		}
		put_piece(&pieces.result_lock, &pieces.result, &pieces.nresults, 221);
	}
}

static void piece_worker(void *unused)
{
	(void)unused;
	for (;;) {
		unsigned at;

		take_piece(&pieces.work_lock, &pieces.work, &pieces.nwork, 231);
		at = pieces.work_of[pieces.begun++ % PIECES];
		compute(1, about(at % 4 ? 0.6 * MS : 2.2 * MS));
		lock(&pieces.done_lock, 241);
		pieces.is_done[at] = true;
		signal_one(&pieces.done, 242);
		unlock(&pieces.done_lock, 243);
	}
}

static void piece_writer(void)
{
	unsigned at = pieces.written++ % PIECES;

	take_piece(&pieces.result_lock, &pieces.result, &pieces.nresults, 251);
	lock(&pieces.done_lock, 261);
	while (!pieces.is_done[at])
		wait_for(&pieces.done, &pieces.done_lock, 262);
	unlock(&pieces.done_lock, 263);
	if (pieces.written % NO_WORK_EVERY) {
		compute(2, about(0.4 * MS));
		compute(3, about(0.3 * MS));
		visit();
	}
	put_piece(&pieces.idle_lock, &pieces.idle, &pieces.nidle, 271);
}

static inline void pieces_in_order(void *unused)
{
	(void)unused;
	pieces = (struct pieces){
		.idle_lock.id = 10, .work_lock.id = 11, .result_lock.id = 12, .done_lock.id = 13,
		.idle.id = 14, .work.id = 15, .result.id = 16, .done.id = 17, .nidle = PIECES,
	};
	create(piece_reader, NULL, 2);
	create(piece_worker, NULL, 2);
	create(piece_worker, NULL, 2);
	forever(piece_writer);
}

/* Messages through a pipe: sometimes the reader takes two with one read. */
static void message_writer(void *unused)
{
	(void)unused;
	for (;;) {
		grab(&room, 320);
		compute(1, about(0.6 * MS));
		post(&items, 321);
	}
}

static void message_reader(void *unused)
{
	(void)unused;
	for (;;)
		for (int n = grab_all(&items, 322); n > 0; n--) {
			compute(2, about(0.4 * MS));
			post(&room, 323);
			visit();
		}
}

static inline void messages(void *unused)
{
	(void)unused;
	items = (struct semaphore){ .id = 10 };
	room = (struct semaphore){ .id = 11, .count = 4 };
	two_of(message_writer, message_reader);
}

/*
 * A sender with a window: it gets eight credits at a time.  The reader is a bit slower, so it finds several messages at
 * each read.  With faster code it finds fewer.
 */
static struct semaphore sent, credits;

enum { CREDITS = 8 };

static void window_sender(void *unused)
{
	int credit = 2 * CREDITS;

	(void)unused;
	for (;;) {
		while (credit == 0)
			credit += CREDITS * grab_all(&credits, 91);
		compute(1, about(0.3 * MS));
		credit--;
		post(&sent, 92);
	}
}

static inline void window_reader(void *unused)
{
	(void)unused;
	sent = (struct semaphore){ .id = 20 };
	credits = (struct semaphore){ .id = 21 };
	create(window_sender, NULL, 2);
	for (int read = 0;;) {
		for (int n = grab_all(&sent, 93); n > 0; n--) {
			compute(2, about(0.4 * MS));
			if (++read % CREDITS == 0)
				post(&credits, 94);
			visit();
		}
	}
}

#endif

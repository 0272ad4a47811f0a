/*
 * pzip: compresses a file on several cores with libzstd.
 *
 *     pzip [-v] [-j WORKERS] [-l LEVEL] [-r SECONDS] -o OUT FILE
 *     pzip -d [-v] -o OUT FILE                decompresses
 *     pzip -t [-v] FILE                       tests
 *
 * Written as such a program is first written, and one file so that it can be
 * copied.  A reader cuts the file into blocks, workers compress them in any
 * order, a writer checks them and puts them out in the order of the file:
 *
 *      idle --> reader --> todo ---> workers
 *       ^          |                    | is_packed
 *       |          `-----> order ---> writer --> OUT
 *       `--------------------------------'
 *
 * There is a fixed number of blocks, so every queue is bounded.
 *
 * Format, numbers little-endian: the magic; for each block its plain size, its
 * packed size and the CRC-32 of the plain bytes (u32 each) and a zstd frame;
 * then a header of zeros, the size of the file and its FNV-1a hash (u64 each).
 *
 * SPDX-License-Identifier: 0BSD
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <andweorc.h>

#define MAGIC "PZIP\1\r\n\032"
#define HASH_START 0xcbf29ce484222325u
#define HASH_PRIME 0x100000001b3u

enum { MAGIC_SIZE = 8, HEADER = 12, TRAILER = 16, BLOCK = 256 << 10, PACKED_MAX = ZSTD_COMPRESSBOUND(BLOCK), MAX_WORKERS = 64 };

struct block {
	size_t plain_size;  /* 0: no block, but the end of the file */
	size_t packed_size; /* with its header */
	bool is_packed;     /* under packed_lock */
	bool is_final;      /* nothing follows */
	unsigned char plain[BLOCK], check[BLOCK], packed[HEADER + PACKED_MAX];
};

/* A queue has room for all blocks: only who takes has to wait. */
struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct block **slot;
	size_t head, used;
	bool is_closed;
};

static int workers = 2, level = -4; /* negative: speed before size */
static double repeat_s;
static int in, out = -1;
static const char *in_path, *out_path;
static size_t blocks;
static struct queue idle, todo, order;
static pthread_mutex_t packed_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t packed_cond = PTHREAD_COND_INITIALIZER;
static uint64_t plain_total;                 /* bytes, all passes */
static double reader_s, workers_s, writer_s; /* CPU time */

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *fmt, ...)
{
	va_list ap;

	fputs("pzip: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		die("out of memory");
	return p;
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void put_number(unsigned char *p, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_number(const unsigned char *p, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

/* Reads until `size` bytes are there or the file ends. */
static size_t read_some(void *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = read(in, (char *)to + done, size - done);

		if (n < 0 && errno != EINTR)
			die("cannot read '%s': %s", in_path, strerror(errno));
		if (n == 0)
			break;
		if (n > 0)
			done += (size_t)n;
	}
	return done;
}

static void read_all(void *to, size_t size)
{
	if (read_some(to, size) != size)
		die("'%s' is cut short", in_path);
}

static void write_all(const void *from, size_t size)
{
	for (size_t done = 0; out >= 0 && done < size;) {
		ssize_t n = write(out, (const char *)from + done, size - done);

		if (n < 0 && errno != EINTR)
			die("cannot write '%s': %s", out_path, strerror(errno));
		if (n > 0)
			done += (size_t)n;
	}
}

/* FNV-1a: no table, one multiplication a byte. */
static uint64_t hash_bytes(uint64_t hash, const unsigned char *p, size_t size)
{
	for (const unsigned char *end = p + size; p < end; hash = (hash ^ *p++) * HASH_PRIME)
		;
	return hash;
}

static void queue_init(struct queue *q)
{
	*q = (struct queue){.slot = allocate(blocks, sizeof(*q->slot))};
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->filled, NULL);
}

static void queue_put(struct queue *q, struct block *b)
{
	pthread_mutex_lock(&q->lock);
	q->slot[(q->head + q->used++) % blocks] = b;
	pthread_cond_signal(&q->filled);
	pthread_mutex_unlock(&q->lock);
}

/* The oldest block; NULL when the queue is empty and closed. */
static struct block *queue_take(struct queue *q)
{
	struct block *b = NULL;

	pthread_mutex_lock(&q->lock);
	while (!q->used && !q->is_closed)
		pthread_cond_wait(&q->filled, &q->lock);
	if (q->used) {
		b = q->slot[q->head];
		q->head = (q->head + 1) % blocks;
		q->used--;
	}
	pthread_mutex_unlock(&q->lock);
	return b;
}

static void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->is_closed = true;
	pthread_cond_broadcast(&q->filled);
	pthread_mutex_unlock(&q->lock);
}

/* Cuts the file into blocks; with -r again and again, until the time is up. */
static void *reader(void *unused)
{
	double stop = seconds(CLOCK_MONOTONIC) + repeat_s;

	for (bool is_final = false; !is_final;) {
		struct block *b = queue_take(&idle);

		b->plain_size = read_some(b->plain, BLOCK);
		b->is_packed = b->plain_size == 0;
		b->is_final = is_final = b->plain_size == 0 && seconds(CLOCK_MONOTONIC) >= stop;
		if (b->plain_size)
			queue_put(&todo, b);
		else if (!is_final && lseek(in, 0, SEEK_SET) != 0)
			die("cannot read '%s' again: %s", in_path, strerror(errno));
		queue_put(&order, b);
	}
	queue_close(&todo);
	reader_s = seconds(CLOCK_THREAD_CPUTIME_ID);
	return unused;
}

static void *worker(void *unused)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();

	if (!zstd)
		die("out of memory");
	/* There are several workers and one writer: where cores are scarce they give way to it.  0 is this thread. */
	if (setpriority(PRIO_PROCESS, 0, 5) != 0)
		die("cannot lower the priority of a worker: %s", strerror(errno));
	for (struct block *b; (b = queue_take(&todo));) {
		size_t n = ZSTD_compressCCtx(zstd, b->packed + HEADER, PACKED_MAX, b->plain, b->plain_size, level);

		if (ZSTD_isError(n))
			die("cannot compress: %s", ZSTD_getErrorName(n));
		b->packed_size = HEADER + n;
		pthread_mutex_lock(&packed_lock);
		b->is_packed = true;
		pthread_cond_signal(&packed_cond); /* only the writer waits */
		pthread_mutex_unlock(&packed_lock);
	}
	ZSTD_freeCCtx(zstd);
	pthread_mutex_lock(&packed_lock);
	workers_s += seconds(CLOCK_THREAD_CPUTIME_ID);
	pthread_mutex_unlock(&packed_lock);
	return unused;
}

/* What cannot be read back must not get into the output. */
static void verify(ZSTD_DCtx *zstd, struct block *b, uint64_t offset)
{
	size_t n = ZSTD_decompressDCtx(zstd, b->check, BLOCK, b->packed + HEADER, b->packed_size - HEADER);

	if (n != b->plain_size)
		die("the block at byte %llu of '%s' does not decompress", (unsigned long long)offset, in_path);
	for (size_t i = 0; i < n; i++)
		if (b->check[i] != b->plain[i])
			die("byte %llu of '%s' comes back changed", (unsigned long long)(offset + i), in_path);
}

/* Ends the output.  With -r, the next pass overwrites it with the same. */
static void finish_pass(uint64_t size, uint64_t hash, bool is_final)
{
	static bool is_repeated;
	static uint64_t first_hash;
	unsigned char end[HEADER + TRAILER] = {0};

	if (is_repeated && hash != first_hash)
		die("'%s' changed while it was read", in_path);
	is_repeated = true;
	first_hash = hash;
	put_number(end + HEADER, size, 8);
	put_number(end + HEADER + 8, hash, 8);
	write_all(end, sizeof(end));
	if (!is_final && lseek(out, MAGIC_SIZE, SEEK_SET) < 0)
		die("cannot write '%s' again: %s", out_path, strerror(errno));
	plain_total += size;
}

static void *writer(void *unused)
{
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	uint64_t size = 0, hash = HASH_START;

	if (!zstd)
		die("out of memory");
	write_all(MAGIC, MAGIC_SIZE);
	for (bool is_final = false; !is_final;) {
		struct block *b = queue_take(&order);

		pthread_mutex_lock(&packed_lock);
		while (!b->is_packed)
			pthread_cond_wait(&packed_cond, &packed_lock);
		pthread_mutex_unlock(&packed_lock);
		if (b->plain_size) {
			verify(zstd, b, size);
			put_number(b->packed, b->plain_size, 4);
			put_number(b->packed + 4, b->packed_size - HEADER, 4);
			put_number(b->packed + 8, crc32(0, b->plain, (uInt)b->plain_size), 4);
			hash = hash_bytes(hash, b->plain, b->plain_size); /* runs through the whole file, so it is done here */
			size += b->plain_size;
			write_all(b->packed, b->packed_size);
			ANDWEORC_PROGRESS("block");
		} else {
			is_final = b->is_final;
			finish_pass(size, hash, is_final);
			size = 0;
			hash = HASH_START;
		}
		queue_put(&idle, b);
	}
	ZSTD_freeDCtx(zstd);
	writer_s = seconds(CLOCK_THREAD_CPUTIME_ID);
	return unused;
}

static void start(pthread_t *thread, void *(*function)(void *))
{
	int error = pthread_create(thread, NULL, function, NULL);

	if (error)
		die("cannot start a thread: %s", strerror(error));
}

static void compress_file(void)
{
	pthread_t read_thread, write_thread, work_thread[MAX_WORKERS];

	blocks = 3 * (size_t)workers + 2;
	queue_init(&idle);
	queue_init(&todo);
	queue_init(&order);
	for (size_t i = 0; i < blocks; i++)
		queue_put(&idle, allocate(1, sizeof(struct block)));
	start(&read_thread, reader);
	start(&write_thread, writer);
	for (int i = 0; i < workers; i++)
		start(&work_thread[i], worker);
	for (int i = 0; i < workers; i++)
		pthread_join(work_thread[i], NULL);
	pthread_join(read_thread, NULL);
	pthread_join(write_thread, NULL);
}

static void decompress_file(void)
{
	struct block *b = allocate(1, sizeof(*b));
	unsigned char trailer[TRAILER];
	uint64_t size = 0, hash = HASH_START;

	read_all(b->packed, MAGIC_SIZE);
	if (memcmp(b->packed, MAGIC, MAGIC_SIZE) != 0)
		die("'%s' is not a pzip file", in_path);
	for (;;) {
		read_all(b->packed, HEADER);
		b->plain_size = get_number(b->packed, 4);
		b->packed_size = get_number(b->packed + 4, 4);
		if (b->plain_size == 0)
			break;
		if (b->plain_size > BLOCK || b->packed_size > PACKED_MAX)
			die("'%s' is damaged: no block is that large", in_path);
		read_all(b->packed + HEADER, b->packed_size);
		if (ZSTD_decompress(b->plain, BLOCK, b->packed + HEADER, b->packed_size) != b->plain_size ||
		    crc32(0, b->plain, (uInt)b->plain_size) != get_number(b->packed + 8, 4))
			die("'%s' is damaged: block at byte %llu of the plain file", in_path, (unsigned long long)size);
		hash = hash_bytes(hash, b->plain, b->plain_size);
		size += b->plain_size;
		write_all(b->plain, b->plain_size);
	}
	read_all(trailer, TRAILER);
	if (get_number(trailer, 8) != size || get_number(trailer + 8, 8) != hash)
		die("'%s' is damaged: wrong size or hash", in_path);
	plain_total = size;
	free(b);
}

static double number(const char *text, double min, double max)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= min && value <= max))
		die("'%s' is not a number from %g to %g", text, min, max);
	return value;
}

int main(int argc, char **argv)
{
	static const char usage[] = "usage: pzip [-dtv] [-j WORKERS] [-l LEVEL] [-r SECONDS] [-o OUT] FILE\n";
	bool is_decompress = false, is_test = false, is_verbose = false;

	for (int c; (c = getopt(argc, argv, "dhj:l:o:r:tv")) != -1;) {
		switch (c) {
		case 'd':
			is_decompress = true;
			break;
		case 'j':
			workers = (int)number(optarg, 1, MAX_WORKERS);
			break;
		case 'l':
			level = (int)number(optarg, ZSTD_minCLevel(), ZSTD_maxCLevel());
			break;
		case 'o':
			out_path = optarg;
			break;
		case 'r':
			repeat_s = number(optarg, 0, 1e6);
			break;
		case 't':
			is_test = true;
			break;
		case 'v':
			is_verbose = true;
			break;
		default:
			fputs(usage, c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (optind + 1 != argc || is_test == (out_path != NULL)) {
		fputs(usage, stderr);
		return 2;
	}
	in_path = argv[optind];
	if ((in = open(in_path, O_RDONLY | O_CLOEXEC)) < 0)
		die("cannot open '%s': %s", in_path, strerror(errno));
	if (out_path && (out = open(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
		die("cannot create '%s': %s", out_path, strerror(errno));
	double start_s = seconds(CLOCK_MONOTONIC);

	if (is_decompress || is_test)
		decompress_file();
	else
		compress_file();
	if (out >= 0 && close(out) != 0)
		die("cannot write '%s': %s", out_path, strerror(errno));
	double wall_s = seconds(CLOCK_MONOTONIC) - start_s;

	if (is_verbose)
		fprintf(stderr, "pzip: %.1f MB in %.2f s, %.1f MB/s\n", (double)plain_total / 1e6, wall_s,
			(double)plain_total / 1e6 / wall_s);
	if (is_verbose && workers_s > 0)
		fprintf(stderr, "pzip: CPU time per second: reader %.2f, workers %.2f, writer %.2f\n", reader_s / wall_s,
			workers_s / wall_s, writer_s / wall_s);
	return 0;
}

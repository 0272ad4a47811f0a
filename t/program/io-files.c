/* io-files MODE: files opened, locked, written back and named; streams.  See sync.h. */
#include <aio.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "sync.h"

static char dir[64];

static const char *path(const char *name)
{
	static char buf[2][128];
	static int turn;

	turn = !turn;
	snprintf(buf[turn], sizeof(buf[turn]), "%s/%s", dir, name);
	return buf[turn];
}

static void make_dir(void)
{
	snprintf(dir, sizeof(dir), "/tmp/io-files-XXXXXX");
	if (!mkdtemp(dir))
		die("mkdtemp");
}

static int mode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? (int)(st.st_mode & 07777) : -1;
}

/* ---- opening ------------------------------------------------------------------------- */

/* The flags are not constant, so that _FORTIFY_SOURCE's functions are used where it is on. */
static volatile int readable = O_RDONLY | O_CLOEXEC;

static const char *volatile nowhere;

static void opens(void)
{
	int fd, at;

	make_dir();
	umask(0);
	fd = open(path("a"), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0641);
	say("open %o\n", (unsigned)mode_of(fd));
	close(fd);
	fd = open64(path("b"), O_WRONLY | O_CREAT | O_CLOEXEC, 0604);
	say("open64 %o\n", (unsigned)mode_of(fd));
	close(fd);
	at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = openat(at, "c", O_WRONLY | O_CREAT | O_CLOEXEC, 0711);
	say("openat %o\n", (unsigned)mode_of(fd));
	close(fd);
	fd = openat64(at, "d", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	say("openat64 %o\n", (unsigned)mode_of(fd));
	close(fd);
	fd = openat(at, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0222);
	say("without a name %o\n", fd < 0 ? 0222 : (unsigned)mode_of(fd));
	close(fd);
	fd = creat(path("e"), 0123);
	say("creat %o\n", (unsigned)mode_of(fd));
	close(fd);
	fd = open(path("a"), readable);
	say("again %o\n", (unsigned)mode_of(fd));
	close(fd);
	fd = openat(at, "c", readable);
	say("again %o\n", (unsigned)mode_of(fd));
	close(fd);
	say("none %s\n", outcome(open(path("none"), readable)));
	say("not twice %s\n", outcome(open(path("a"), O_CREAT | O_EXCL | O_CLOEXEC, 0600)));
	say("nowhere %s\n", outcome(open(nowhere, readable)));
	for (const char *c = "abcde"; *c; c++)
		unlinkat(at, (char[]){ *c, 0 }, 0);
	close(at);
	rmdir(dir);
}

static void *open_fifo(void *arg)
{
	int fd;

	work(100);
	fd = open(arg, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "fifo", 4) != 4)
		die("open");
	close(fd);
	return NULL;
}

static void fifo(void)
{
	char name[128], buf[8] = "";
	pthread_t t;
	int fd;

	make_dir();
	snprintf(name, sizeof(name), "%s", path("fifo"));
	if (mkfifo(name, 0600) != 0)
		die("mkfifo");
	say("nobody %s\n", outcome(open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC)));
	for (int i = 0; i < 5; i++) {
		t = start(open_fifo, name);
		fd = open(name, O_RDONLY | O_CLOEXEC);
		say("read %s", outcome(read(fd, buf, 8)));
		say(" %.4s", buf);
		pthread_join(t, NULL);
		say(" %s\n", outcome(read(fd, buf, 8)));
		close(fd);
	}
	unlink(name);
	rmdir(dir);
}

/* ---- locks and writing back ---------------------------------------------------------- */

static char locked_name[128];

static void *lock_some(void *arg)
{
	int fd = open(locked_name, O_RDWR | O_CLOEXEC);
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct flock unlock = { .l_type = F_UNLCK, .l_whence = SEEK_SET };
	int *owner = arg;

	for (int i = 0; i < ROUNDS; i++) {
		if (i % 2 ? flock(fd, LOCK_EX) != 0 : fcntl(fd, F_OFD_SETLKW, &lock) != 0)
			die("lock");
		work(20);
		if (i % 2)
			owner[0]++;
		else
			owner[1]++;
		if (i % 2 ? flock(fd, LOCK_UN) != 0 : fcntl(fd, F_OFD_SETLK, &unlock) != 0)
			die("unlock");
	}
	close(fd);
	return NULL;
}

static void locks(void)
{
	int n[2] = { 0, 0 }, fd, other, status;
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	pthread_t t[2];
	pid_t pid;

	make_dir();
	snprintf(locked_name, sizeof(locked_name), "%s", path("lock"));
	fd = open(locked_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	other = open(locked_name, O_RDWR | O_CLOEXEC);
	t[0] = start(lock_some, n);
	t[1] = start(lock_some, n);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	say("%d %d\n", n[0], n[1]);
	say("flock %s\n", outcome(flock(fd, LOCK_EX | LOCK_NB)));
	say("taken %s\n", outcome(flock(other, LOCK_EX | LOCK_NB)));
	say("unlock %s\n", outcome(flock(fd, LOCK_UN)));
	say("setlk %s\n", outcome(fcntl(fd, F_SETLK, &lock)));
	say("lockf %s\n", outcome(lockf(fd, F_LOCK, 10)));
	pid = fork();
	if (pid == 0) {
		lock.l_pid = 0;
		_exit(fcntl(fd, F_SETLK, &lock) == -1 && (errno == EAGAIN || errno == EACCES) && lockf(fd, F_TEST, 0) == -1 ? 5 : 6);
	}
	waitpid(pid, &status, 0);
	say("child %d\n", WEXITSTATUS(status));
	say("test %s\n", outcome(lockf(fd, F_TEST, 0)));
	say("lockf %s\n", outcome(lockf(fd, F_ULOCK, 0)));
	lock.l_type = F_UNLCK;
	say("setlkw %s\n", outcome(fcntl(fd, F_SETLKW, &lock)));
	lock.l_type = 77;
	say("no type %s\n", outcome(fcntl(fd, F_SETLK, &lock)));
	say("nowhere %s\n", outcome(fcntl(fd, F_SETLK, NULL)));
	say("getfd %s\n", outcome(fcntl(fd, F_GETFD)));
	say("setfd %s\n", outcome(fcntl(fd, F_SETFD, 0)));
	say("getfd %s\n", outcome(fcntl(fd, F_GETFD)));
	close(other);
	other = fcntl(fd, F_DUPFD_CLOEXEC, 100);
	say("dupfd %d\n", other >= 100);
	close(other);
	say("no command %s\n", outcome(fcntl(fd, 9999, 0)));
	unlink(locked_name);
	close(fd);
	rmdir(dir);
}

static void writes_back(void)
{
	char *map;
	int fd;

	make_dir();
	fd = open(path("a"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	say("write %s\n", outcome(write(fd, dir, 40)));
	say("fsync %s\n", outcome(fsync(fd)));
	say("fdatasync %s\n", outcome(fdatasync(fd)));
	say("sync_file_range %s\n", outcome(sync_file_range(fd, 0, 40, SYNC_FILE_RANGE_WRITE)));
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	map[0] = 'x';
	say("msync %s\n", outcome(msync(map, 4096, MS_SYNC)));
	munmap(map, 4096);
	say("none %s\n", outcome(fsync(1000)));
	unlink(path("a"));
	close(fd);
	rmdir(dir);
}

static const char *finished_with(struct aiocb *block)
{
	static char buf[64];
	int err = aio_error(block);

	snprintf(buf, sizeof(buf), "%s, %zd", named(err), aio_return(block));
	return buf;
}

static void asynchronous(void)
{
	char data[64] = "data", back[64] = "";
	struct aiocb block = { .aio_buf = data, .aio_nbytes = 40 }, other = { .aio_buf = back, .aio_nbytes = 40, .aio_lio_opcode = LIO_READ };
	const struct aiocb *both[] = { &block, &other };
	struct aiocb *submitted[] = { NULL, &other };
	struct timespec soon = { 0, 1000000 };
	int wire[2];

	make_dir();
	block.aio_fildes = other.aio_fildes = open(path("a"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	for (int i = 0; i < 4; i++) {
		block.aio_offset = i * 40;
		say("write %s", outcome(aio_write(&block)));
		say(" suspend %s", outcome(aio_suspend(both, 1, NULL)));
		say(" %s\n", finished_with(&block));
	}
	say("fsync %s", outcome(aio_fsync(O_SYNC, &block)));
	say(" suspend %s\n", outcome(aio_suspend(both, 1, NULL)));
	say("list %s", outcome(lio_listio(LIO_WAIT, submitted, 2, NULL)));
	say(" %s", finished_with(&other));
	say(" %s\n", back);
	close(block.aio_fildes);
	if (pipe2(wire, O_CLOEXEC) != 0)
		die("pipe2");
	other.aio_fildes = wire[0];
	say("read %s", outcome(aio_read(&other)));
	say(" nothing %s", outcome(aio_suspend(both + 1, 1, &soon)));
	say(" write %s", outcome(write(wire[1], data, 8)));
	say(" suspend %s", outcome(aio_suspend(both + 1, 1, NULL)));
	say(" %s\n", finished_with(&other));
	close(wire[0]);
	close(wire[1]);
	unlink(path("a"));
	rmdir(dir);
}

static void names(void)
{
	int at, fd;

	make_dir();
	at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(open(path("a"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	say("rename %s\n", outcome(rename(path("a"), path("b"))));
	say("renameat %s\n", outcome(renameat(at, "b", at, "c")));
	say("renameat2 %s\n", outcome(renameat2(at, "c", at, "d", RENAME_NOREPLACE)));
	say("link %s\n", outcome(link(path("d"), path("e"))));
	say("linkat %s\n", outcome(linkat(at, "d", at, "f", 0)));
	say("symlink %s\n", outcome(symlink("d", path("g"))));
	say("symlinkat %s\n", outcome(symlinkat("d", at, "h")));
	say("mkdir %s\n", outcome(mkdir(path("i"), 0700)));
	say("mkdirat %s\n", outcome(mkdirat(at, "j", 0700)));
	say("rmdir %s\n", outcome(rmdir(path("i"))));
	say("not a directory %s\n", outcome(rmdir(path("d"))));
	say("remove %s\n", outcome(remove(path("j"))));
	say("unlink %s\n", outcome(unlink(path("e"))));
	say("again %s\n", outcome(unlink(path("e"))));
	say("unlinkat %s\n", outcome(unlinkat(at, "f", 0)));
	unlink(path("g"));
	unlink(path("h"));
	fd = open(path("d"), O_RDWR | O_CLOEXEC);
	say("ftruncate %s\n", outcome(ftruncate(fd, 10)));
	say("ftruncate64 %s\n", outcome(ftruncate64(fd, 20)));
	say("truncate %s\n", outcome(truncate(path("d"), 30)));
	say("truncate64 %s\n", outcome(truncate64(path("d"), 40)));
	say("fallocate %s\n", outcome(fallocate(fd, 0, 0, 100)));
	say("fallocate64 %s\n", outcome(fallocate64(fd, 0, 0, 200)));
	say("posix_fallocate %d %d\n", posix_fallocate(fd, 0, 300), posix_fallocate64(fd, 0, 400));
	say("none %s %d\n", outcome(ftruncate(1000, 1)), posix_fallocate(1000, 0, 1));
	say("size %d\n", (int)lseek(fd, 0, SEEK_END));
	close(fd);
	close(at);
	unlink(path("d"));
	say("empty %s\n", outcome(rmdir(dir)));
}

/* ---- streams --------------------------------------------------------------------------- */

static FILE *near_end, *far_end;

static void open_streams(void)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) != 0)
		die("pipe2");
	near_end = fdopen(p[0], "r");
	far_end = fdopen(p[1], "w");
}

__attribute__((format(printf, 2, 3))) static int print(FILE *f, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vfprintf(f, format, ap);
	va_end(ap);
	return n;
}

/* All ways to write. */
static void *tell(void *arg)
{
	static char page[5000];
	FILE *f = far_end;

	memset(page, 'p', sizeof(page) - 2);
	page[sizeof(page) - 2] = '\n';
	setvbuf(f, NULL, (int)(intptr_t)arg, (int)(intptr_t)arg == _IONBF ? 0 : 1024);
	for (int i = 0; i < 20; i++) {
		work(20);
		fprintf(f, "number %d\n", i);
		fputs("a line\n", f);
		fputc('c', f);
		putc('\n', f);
		putc_unlocked('u', f);
		putc_unlocked('\n', f);
		fwrite("some bytes\n", 1, 11, f);
		fwrite_unlocked("some more\n", 5, 2, f);
		print(f, "%s %d\n", "printed", i);
		if (i % 8 == 0)
			fputs(page, f);
		if (i % 5 == 0)
			fflush(f);
		if (i % 7 == 0)
			dprintf(fileno(f), "past the buffer\n");
	}
	fclose(f);
	return NULL;
}

static unsigned hash;

static void take(const char *text, size_t n)
{
	while (n-- > 0)
		hash = hash * 31 + (unsigned char)*text++;
}

/* All ways to read, of which each has its turn. */
static int listen_to(FILE *f, int turn)
{
	char small[16];
	char *line = NULL;
	size_t room = 0, got;
	ssize_t n = 0;
	int c = 0;

	switch (turn % 8) {
	case 0:
		n = fgets(small, (int)(sizeof(small) - (size_t)(turn & 3)), f) ? (ssize_t)strlen(small) : 0;
		take(small, (size_t)n);
		break;
	case 1:
		n = getline(&line, &room, f);
		take(line, n > 0 ? (size_t)n : 0);
		break;
	case 2:
		n = getdelim(&line, &room, 'e', f);
		take(line, n > 0 ? (size_t)n : 0);
		break;
	case 3:
		got = fread(small, 1, sizeof(small) - (size_t)(turn & 3), f);
		n = (ssize_t)got;
		take(small, got);
		break;
	case 4:
		got = fread_unlocked(small, 3, 5, f);
		n = (ssize_t)got;
		take(small, 3 * got);
		break;
	case 5:
		c = fgetc(f);
		n = c != EOF;
		break;
	case 6:
		c = getc_unlocked(f);
		n = c != EOF;
		break;
	case 7:
		c = getc(f);
		n = c != EOF && ungetc(c, f) == c && getc(f) == c;
		break;
	}
	if (c)
		take((char[]){ (char)c }, n > 0);
	free(line);
	return n > 0;
}

static void streams_of(int buffering)
{
	int turn = 0, tries = 0;
	pthread_t t;

	open_streams();
	hash = 0;
	t = start(tell, (void *)(intptr_t)buffering);
	while (tries < 8)
		tries = listen_to(near_end, turn++) ? 0 : tries + 1;
	pthread_join(t, NULL);
	/* How the bytes come in pieces does not show: what is told past the buffer comes early, but not always equally so. */
	say("%d ends %d %d\n", buffering, feof(near_end) != 0, ferror(near_end));
	if (buffering == _IONBF)
		say("hash %08x\n", hash);
	fclose(near_end);
}

static void streams(void)
{
	streams_of(_IOFBF);
	streams_of(_IOLBF);
	streams_of(_IONBF);
}

/* Lines between a parent and its child. */
static void lines(void)
{
	int there[2], back[2], status, n;
	unsigned sum = 0;
	FILE *in, *out;
	char line[32];
	pid_t pid;

	if (pipe2(there, O_CLOEXEC) != 0 || pipe2(back, O_CLOEXEC) != 0)
		die("pipe2");
	pid = fork();
	in = fdopen(pid ? back[0] : there[0], "r");
	out = fdopen(pid ? there[1] : back[1], "w");
	close(pid ? back[1] : there[1]);
	close(pid ? there[0] : back[0]);
	if (pid == 0) {
		while (fgets(line, sizeof(line), in)) {
			work(20);
			fprintf(out, "%d\n", atoi(line) + 1);
			fflush(out);
		}
		fclose(out);
		_exit(0);
	}
	for (int i = 0; i < ROUNDS; i++) {
		fprintf(out, "%d\n", i);
		fflush(out);
		if (!fgets(line, sizeof(line), in))
			die("fgets");
		n = atoi(line);
		sum += (unsigned)n;
	}
	fclose(out);
	say("end %d\n", fgets(line, sizeof(line), in) == NULL);
	waitpid(pid, &status, 0);
	say("sum %u, child %d\n", sum, WEXITSTATUS(status));
	fclose(in);
}

static void fragile_streams(void)
{
	char buf[64] = "text in memory\nmore\n", line[64];
	FILE *f = fmemopen(buf, sizeof(buf), "r+");
	char *grown = NULL;
	size_t n = 0;

	say("memory %s", fgets(line, sizeof(line), f));
	say("%c\n", getc(f));
	fprintf(f, "%d", 5);
	say("flush %d\n", fflush(f));
	fclose(f);
	f = open_memstream(&grown, &n);
	for (int i = 0; i < 500; i++)
		fprintf(f, "%d,", i);
	fputc('x', f);
	say("close %d\n", fclose(f));
	say("grown %zu %s\n", n, grown + n - 5);
	free(grown);
	f = fopen("/dev/full", "w");
	say("fprintf %d\n", fprintf(f, "hello"));
	say("fflush %s\n", outcome(fflush(f)));
	fclose(f);
	f = fopen("/dev/full", "w");
	setvbuf(f, NULL, _IONBF, 0);
	say("unbuffered %s\n", outcome(fputs("x", f)));
	say("unbuffered %s\n", outcome(fprintf(f, "x")));
	say("unbuffered %s\n", outcome(putc('x', f)));
	fclose(f);
	f = fopen("/dev/null", "r");
	say("empty %s\n", outcome(getc(f)));
	say("not for writing %s\n", outcome(fputc('x', f)));
	fclose(f);
	say("all %d\n", fflush(NULL));
	errno = 77;
	f = fopen("/dev/zero", "r");
	say("zero %zu\n", fread(line, 1, sizeof(line), f));
	say("errno stays %d\n", errno);
	fclose(f);
}

/* Standard output is what the caller compares: written here in all ways, once. */
static void standard(void)
{
	static int done, c;

	if (!done++) {
		printf("printf %d\n", 1);
		puts("puts");
		putchar('p');
		putchar('\n');
		fputs("fputs\n", stdout);
		print(stdout, "vprintf\n");
		fflush(stdout);
		setvbuf(stdout, NULL, _IONBF, 0);
		printf("printf %s\n", "again");
		puts("puts again");
		fwrite("fwrite\n", 1, 7, stdout);
		dprintf(1, "dprintf %d\n", 2);
		c = getchar();
	}
	say("getchar %d\n", c);
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{ "opens", opens },
		{ "fifo", fifo },
		{ "locks", locks },
		{ "writes-back", writes_back },
		{ "asynchronous", asynchronous },
		{ "names", names },
		{ "streams", streams },
		{ "lines", lines },
		{ "fragile-streams", fragile_streams },
		{ "standard", standard },
		{ NULL, NULL },
	};

	return run_mode(argc, argv, modes);
}

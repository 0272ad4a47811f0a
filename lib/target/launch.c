#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cli.h"
#include "base/clock.h"
#include "base/msg.h"
#include "base/path.h"
#include "base/text.h"
#include "format.h"
#include "target/launch.h"
#include "target/rawcalls.h"
#include "target/shared.h"

enum {
	THREADS_LEAST = 128, /* fewest slots of threads for a useful recording */
	ARENA_SHARE = 4,     /* the arena may take this part of a limited address space */
};

static rlim_t limit_of(int resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

/* The number of slots of threads for which there is address space. */
static uint32_t affordable(void)
{
	rlim_t limit = limit_of(RLIMIT_AS);
	uint32_t n = ARENA_THREADS;

	while (limit != RLIM_INFINITY && n > THREADS_LEAST && arena_bytes(n) > limit / ARENA_SHARE)
		n /= 2;
	return n;
}

static unsigned long long mb(uint64_t bytes)
{
	return bytes >> 20;
}

/* The limit that is too low, as text, if that is known; the caller frees it. */
static char *blame(int resource, const char *ulimit)
{
	rlim_t limit = limit_of(resource);

	return limit == RLIM_INFINITY ? xstrdup("")
				      : xasprintf("; the limit is %llu kB (%s)", (unsigned long long)limit / 1024, ulimit);
}

/* The file is sparse, so the limit on file sizes is raised for it, if that is allowed. */
static int set_size(int fd, uint64_t bytes)
{
	struct rlimit before, during;
	int result, err;

	if (getrlimit(RLIMIT_FSIZE, &before) != 0 || before.rlim_cur >= bytes)
		return ftruncate(fd, (off_t)bytes);
	during = (struct rlimit){ bytes, before.rlim_max < bytes ? bytes : before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &during);
	result = ftruncate(fd, (off_t)bytes);
	err = errno;
	setrlimit(RLIMIT_FSIZE, &before);
	errno = err;
	return result;
}

/* A file for an arena with *threads slots, or fewer; -1 after a message. */
static int arena_file(uint32_t *threads)
{
	/* Seals the size: if another process shrank the file, an access would kill us. */
	int fd = memfd_create(AW_ARENA_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	char *why;

	while (fd >= 0 && set_size(fd, arena_bytes(*threads)) != 0) {
		if (errno == EFBIG && *threads > THREADS_LEAST) {
			*threads /= 2;
			continue;
		}
		why = errno == EFBIG ? blame(RLIMIT_FSIZE, "ulimit -f") : xstrdup("");
		msg_error("cannot create shared memory of %llu MB: %s%s", mb(arena_bytes(*threads)), strerror(errno), why);
		free(why);
		close(fd);
		return -1;
	}
	if (fd < 0)
		msg_error("cannot create shared memory: %s", strerror(errno));
	else
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	return fd;
}

struct arena *launch_arena(unsigned run, int *fd)
{
	struct arena *a;
	uint32_t threads = affordable();
	int memfd = arena_file(&threads);
	char *why;

	if (memfd < 0)
		return NULL;
	a = mmap(NULL, arena_bytes(threads), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memfd, 0);
	if (a == MAP_FAILED) {
		why = blame(RLIMIT_AS, "ulimit -v");
		msg_error("cannot map shared memory of %llu MB: %s%s", mb(arena_bytes(threads)), strerror(errno), why);
		free(why);
		close(memfd);
		return NULL;
	}
	shared_slots = a->threads_most = threads;
	a->magic = ARENA_MAGIC;
	a->size_check = (uint32_t)sizeof(*a);
	a->run = run;
	/* The recorder may be killed before the conductor runs. */
	atomic_store(&a->expires_ns, now_ns() + ARENA_ALIVE_NS);
	*fd = memfd;
	return a;
}

void launch_release(struct arena *a, int fd)
{
	munmap(a, arena_bytes(shared_slots));
	close(fd);
}

enum { TERMINAL = 2 }; /* the first of these signals are from the terminal */

static struct {
	int sig;
	void (*for_us)(int);
	void (*before)(int);
} left[] = { { SIGINT, SIG_IGN, SIG_DFL }, { SIGQUIT, SIG_IGN, SIG_DFL }, { SIGPIPE, SIG_IGN, SIG_DFL },
	     { SIGXFSZ, SIG_IGN, SIG_DFL },
	     /* If SIGCHLD is ignored, children cannot be waited for. */
	     { SIGCHLD, SIG_DFL, SIG_DFL },
	     /* Start and stop experiments. */
	     { SIGUSR1, SIG_DFL, SIG_DFL }, { SIGUSR2, SIG_DFL, SIG_DFL } };

void launch_leave_signals(void (*interrupted)(int), void (*control)(int))
{
	struct sigaction now;

	for (size_t i = 0; i < TERMINAL; i++) {
		sigaction(left[i].sig, NULL, &now);
		left[i].before = now.sa_handler;
		left[i].for_us = now.sa_handler == SIG_IGN ? SIG_IGN : interrupted;
	}
	for (size_t i = TERMINAL; i < sizeof(left) / sizeof(left[0]); i++) {
		if (left[i].sig == SIGUSR1 || left[i].sig == SIGUSR2)
			left[i].for_us = control;
		left[i].before = signal(left[i].sig, left[i].for_us);
	}
}

/* Blocks the signals until parent and child are ready for them. */
static void hold_signals(sigset_t *held, sigset_t *before)
{
	sigemptyset(held);
	for (size_t i = 0; i < TERMINAL; i++)
		sigaddset(held, left[i].sig);
	sigprocmask(SIG_BLOCK, held, before);
}

/*
 * Passes on signals that came in the meantime.  The command has not received those from
 * before the fork, and must not receive others twice.
 */
static void hand_over_signals(pid_t pid, const sigset_t *held, const sigset_t *before)
{
	const struct timespec at_once = { 0, 0 };
	int sig;

	while ((sig = sigtimedwait(held, NULL, &at_once)) > 0) {
		kill(pid, sig);
		for (size_t i = 0; i < TERMINAL; i++)
			if (left[i].sig == sig && left[i].for_us != SIG_IGN)
				left[i].for_us(sig);
	}
	for (size_t i = 0; i < TERMINAL; i++)
		signal(left[i].sig, left[i].for_us);
	sigprocmask(SIG_SETMASK, before, NULL);
}

/*
 * The pipes: the child waits for the end of `go` before it unblocks signals, and writes to
 * `report` why it could not start the command.
 */
static _Noreturn void become(char *const argv[], const char *runtime, const char *arena, const int output[2], const int go[2],
			     int report, const sigset_t *mask)
{
	const char *old = getenv("LD_PRELOAD");
	char *preload = old && *old ? xasprintf("%s:%s", runtime, old) : xstrdup(runtime);
	char nothing;
	int err;

	setenv("LD_PRELOAD", preload, 1);
	setenv(AW_ENV_ARENA, arena, 1);
	close(go[1]);
	while (read(go[0], &nothing, 1) < 0 && errno == EINTR)
		;
	/* Standard output first: its new descriptor may be our standard error. */
	dup2(output[0], STDOUT_FILENO);
	dup2(output[1], STDERR_FILENO);
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		signal(left[i].sig, left[i].before);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	err = errno;
	while (write(report, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	_exit(EXIT_RECORD);
}

void launch_arena_name(const struct arena *arena, int arena_fd, pid_t lender, char name[LAUNCH_NAME])
{
	snprintf(name, LAUNCH_NAME, "/proc/%ld/fd/%d#%u", (long)lender, arena_fd, arena->run);
}

pid_t launch(char *const argv[], const char *runtime, const struct arena *arena, int arena_fd, const int output[2],
	     int *status)
{
	int report[2], go[2], err = 0;
	sigset_t held, before;
	char name[LAUNCH_NAME];
	ssize_t n;
	pid_t pid;

	*status = EXIT_RECORD;
	if (pipe2(report, O_CLOEXEC) != 0) {
		msg_error("cannot start '%s': %s", argv[0], strerror(errno));
		return -1;
	}
	if (pipe2(go, O_CLOEXEC) != 0) {
		msg_error("cannot start '%s': %s", argv[0], strerror(errno));
		close(report[0]);
		close(report[1]);
		return -1;
	}
	launch_arena_name(arena, arena_fd, getpid(), name);
	fflush(NULL);
	hold_signals(&held, &before);
	pid = fork();
	if (pid == 0)
		become(argv, runtime, name, output, go, report[1], &before);
	if (pid > 0)
		hand_over_signals(pid, &held, &before);
	else
		sigprocmask(SIG_SETMASK, &before, NULL);
	close(go[0]);
	close(go[1]);
	close(report[1]);
	if (pid < 0) {
		msg_error("cannot start '%s': %s", argv[0], strerror(errno));
		close(report[0]);
		return -1;
	}
	/* The other end is closed by a successful exec. */
	do
		n = read(report[0], &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n != sizeof(err))
		return pid;
	*status = err == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	msg_error("cannot run '%s': %s", argv[0], strerror(err));
	return -1;
}

/* Kokkos 4, and those before.  Had they different values, Kokkos would refuse to start. */
void launch_as_tool_of_kokkos(const char *runtime)
{
	setenv("KOKKOS_TOOLS_LIBS", runtime, 1);
	setenv("KOKKOS_PROFILE_LIBRARY", runtime, 1);
}

char *launch_find(const char *command)
{
	const char *path = getenv("PATH"), *colon;

	if (strchr(command, '/'))
		return xstrdup(command);
	for (path = path ? path : "/usr/local/bin:/usr/bin:/bin"; *path; path = *colon ? colon + 1 : colon) {
		char *full;

		colon = strchrnul(path, ':');
		full = xasprintf("%.*s/%s", (int)(colon - path), path, command);
		if (access(full, X_OK) == 0)
			return full;
		free(full);
	}
	return NULL;
}

void launch_examine(const char *command, struct arena *arena)
{
	char *path = launch_find(command);

	if (path)
		rawcalls_find(path, &arena->rawcalls);
	free(path);
}

bool launch_interpreter(int fd, char path[LAUNCH_INTERPRETER])
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	memset(path, 0, LAUNCH_INTERPRETER);
	if (pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) || memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (pread(fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + i * sizeof(ph))) != sizeof(ph))
			return false;
		if (ph.p_type == PT_INTERP)
			return pread(fd, path, ph.p_filesz < LAUNCH_INTERPRETER ? ph.p_filesz : LAUNCH_INTERPRETER - 1, (off_t)ph.p_offset) > 0;
	}
	return true;
}

static bool is_of_musl(const char *interpreter)
{
	return text_begins(path_name(interpreter), "ld-musl");
}

static bool has_section(int fd, const char *name)
{
	Elf64_Ehdr eh;
	Elf64_Shdr sh, names;
	char found[32] = "";

	if (pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) || memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    pread(fd, &names, sizeof(names), (off_t)(eh.e_shoff + eh.e_shstrndx * sizeof(names))) != sizeof(names))
		return false;
	for (unsigned i = 0; i < eh.e_shnum; i++) {
		if (pread(fd, &sh, sizeof(sh), (off_t)(eh.e_shoff + i * sizeof(sh))) != sizeof(sh) ||
		    pread(fd, found, sizeof(found) - 1, (off_t)(names.sh_offset + sh.sh_name)) <= 0)
			return false;
		if (strcmp(found, name) == 0)
			return true;
	}
	return false;
}

const char *launch_obstacle(const char *command)
{
	char *path = launch_find(command);
	char interpreter[LAUNCH_INTERPRETER];
	const char *why = NULL;
	struct stat st;
	int fd;

	if (!path)
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0) {
		if ((st.st_mode & (S_ISUID | S_ISGID)) && geteuid() != 0)
			why = "it is set-user-id, and the loader preloads nothing into such programs; run a copy without that bit";
		else if (!launch_interpreter(fd, interpreter))
			why = NULL;
		else if (is_of_musl(interpreter))
			why = "its libc is musl, and the runtime is made for glibc; build it with that";
		else if (!*interpreter && !has_section(fd, AW_STATIC_SECTION))
			why = "it is statically linked, so nothing can be preloaded into it; link it dynamically, or with "
			      "libandweorc.a, see andweorc-record(1)";
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return why;
}

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cli.h"
#include "base/msg.h"
#include "format.h"
#include "recorder/launch.h"

struct arena *launch_arena(unsigned run, int *fd)
{
	struct arena *a;
	int memfd = memfd_create(AW_ARENA_NAME, MFD_CLOEXEC);

	if (memfd < 0 || ftruncate(memfd, sizeof(*a)) != 0) {
		msg_error("cannot create shared memory: %s", strerror(errno));
		if (memfd >= 0)
			close(memfd);
		return NULL;
	}
	a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memfd, 0);
	if (a == MAP_FAILED) {
		msg_error("cannot map shared memory: %s", strerror(errno));
		close(memfd);
		return NULL;
	}
	a->magic = ARENA_MAGIC;
	a->size_check = (uint32_t)sizeof(*a);
	a->run = run;
	atomic_store(&a->expires_ns, INT64_MAX); /* until the conductor is at work */
	*fd = memfd;
	return a;
}

void launch_release(struct arena *a, int fd)
{
	munmap(a, sizeof(*a));
	close(fd);
}

static struct {
	int sig;
	void (*for_us)(int);
	void (*before)(int);
} left[] = { { SIGINT, SIG_IGN, SIG_DFL }, { SIGQUIT, SIG_IGN, SIG_DFL }, { SIGPIPE, SIG_IGN, SIG_DFL },
	     /* Who ignores it has no children that could be waited for. */
	     { SIGCHLD, SIG_DFL, SIG_DFL } };

void launch_leave_signals(void)
{
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		left[i].before = signal(left[i].sig, left[i].for_us);
}

static _Noreturn void become(char *const argv[], const char *runtime, const char *arena, const int output[2], int report)
{
	const char *old = getenv("LD_PRELOAD");
	char *preload = old && *old ? xasprintf("%s:%s", runtime, old) : xstrdup(runtime);
	int err;

	setenv("LD_PRELOAD", preload, 1);
	setenv(AW_ENV_ARENA, arena, 1);
	/* Standard output first: it may be our standard error. */
	dup2(output[0], STDOUT_FILENO);
	dup2(output[1], STDERR_FILENO);
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		signal(left[i].sig, left[i].before);
	execvp(argv[0], argv);
	err = errno;
	while (write(report, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	_exit(EXIT_RECORD);
}

pid_t launch(char *const argv[], const char *runtime, const struct arena *arena, int arena_fd, const int output[2],
	     int *status)
{
	int report[2], err = 0;
	char name[64];
	ssize_t n;
	pid_t pid;

	*status = EXIT_RECORD;
	if (pipe2(report, O_CLOEXEC) != 0) {
		msg_error("cannot start '%s': %s", argv[0], strerror(errno));
		return -1;
	}
	snprintf(name, sizeof(name), "/proc/%ld/fd/%d#%u", (long)getpid(), arena_fd, arena->run);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become(argv, runtime, name, output, report[1]);
	close(report[1]);
	if (pid < 0) {
		msg_error("cannot start '%s': %s", argv[0], strerror(errno));
		close(report[0]);
		return -1;
	}
	/* The other end closes when exec has succeeded. */
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

static char *find_command(const char *command)
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

static bool is_static(int fd)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) || memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (pread(fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + i * sizeof(ph))) != sizeof(ph))
			return false;
		if (ph.p_type == PT_INTERP)
			return false;
	}
	return true;
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
	char *path = find_command(command);
	const char *why = NULL;
	struct stat st;
	int fd;

	if (!path)
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0) {
		if ((st.st_mode & (S_ISUID | S_ISGID)) && geteuid() != 0)
			why = "it is set-user-id, and the loader preloads nothing into such programs; run a copy without that bit";
		else if (is_static(fd) && !has_section(fd, AW_STATIC_SECTION))
			why = "it is statically linked, so nothing can be preloaded into it; link it dynamically, or with "
			      "libandweorc.a, see andweorc-record(1)";
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return why;
}

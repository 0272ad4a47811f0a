#include "target/attachable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/text.h"
#include "format.h"
#include "runtime/arena.h"
#include "target/procmaps.h"
#include "target/procstatus.h"

enum { LOOK_NS = 50 * 1000 * 1000 };

/* ---- its files ---------------------------------------------------------------------------- */

/* What is mapped. */
struct mapped_files {
	bool glibc, old_glibc, linker, musl;
	uint64_t arena; /* address of a recorder's arena; 0: none */
};

static void look_at(struct mapped_files *m, const struct procmaps_line *l)
{
	const char *name = path_name(l->path);

	m->glibc = m->glibc || text_begins(name, "libc.so.6");
	m->old_glibc = m->old_glibc || text_begins(name, "libc-2.");
	m->linker = m->linker || text_begins(name, "ld-linux") || text_begins(name, "ld-2.");
	/* Debian has musl as .../x86_64-linux-musl/libc.so; glibc is libc.so.6. */
	m->musl = m->musl || text_begins(name, "ld-musl") || text_begins(name, "libc.musl") || (text_begins(name, "libc.so") && name[7] != '.');
	if (!m->arena && l->offset == 0 && text_begins(l->path, "/memfd:" AW_ARENA_NAME))
		m->arena = l->lo;
}

static bool read_maps(pid_t pid, struct mapped_files *m)
{
	FILE *f = procmaps_open(pid);
	struct procmaps_line l;

	*m = (struct mapped_files){ 0 };
	if (!f)
		return false;
	while (procmaps_next(f, &l))
		if (l.path[0] == '/')
			look_at(m, &l);
	fclose(f);
	return true;
}

bool attachable_has_arena(pid_t pid)
{
	struct mapped_files m;

	return read_maps(pid, &m) && m.arena != 0;
}

/* The time until which the recorder of that arena has promised to live; 0: unknown, as for an arena of another build. */
static int64_t promise(int memory, uint64_t arena)
{
	uint32_t magic = 0;
	int64_t expires = 0;

	if (pread(memory, &magic, sizeof(magic), (off_t)(arena + offsetof(struct arena, magic))) != sizeof(magic) || magic != ARENA_MAGIC ||
	    pread(memory, &expires, sizeof(expires), (off_t)(arena + offsetof(struct arena, expires_ns))) != sizeof(expires))
		return 0;
	return expires;
}

/* Does a recorder conduct the arena?  A live one renews its promise; a killed one's promise ends. */
static bool is_looked_after(pid_t pid, uint64_t arena)
{
	struct timespec nap = { .tv_nsec = LOOK_NS };
	int64_t first, now = 0;
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/%ld/mem", (long)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	first = now = promise(fd, arena);
	while (now == first && now > now_ns()) {
		nanosleep(&nap, NULL);
		now = promise(fd, arena);
	}
	close(fd);
	return now > now_ns();
}

/* Why the runtime is not for a program of that kind; NULL: it is. */
static const char *of_another_kind(pid_t pid)
{
	char name[64];
	Elf64_Ehdr eh;
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "/proc/%ld/exe", (long)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	n = pread(fd, &eh, sizeof(eh), 0);
	close(fd);
	if (n != sizeof(eh) || memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	if (eh.e_ident[EI_CLASS] != ELFCLASS64)
		return "it is a 32-bit program, and the runtime is made for 64 bits";
#if defined(__x86_64__)
	if (eh.e_machine != EM_X86_64)
		return "it is a program for another processor";
#endif
	return NULL;
}

static char *of_its_files(pid_t pid)
{
	const char *why = of_another_kind(pid);
	struct mapped_files m;

	if (why)
		return xstrdup(why);
	if (!read_maps(pid, &m))
		return xasprintf("what it has mapped cannot be read: %s", strerror(errno));
	if (m.musl)
		return xstrdup("its libc is musl, and the runtime is made for glibc");
	if (!m.linker)
		return xstrdup("it is statically linked, so nothing can be loaded into it");
	if (!m.glibc)
		return xstrdup(m.old_glibc ? "its glibc is older than 2.34" : "it has not loaded glibc");
	if (m.arena && is_looked_after(pid, m.arena))
		return xstrdup("it is being recorded already");
	return NULL;
}

/* ---- does it see the same files? ----------------------------------------------------------- */

static char *of_its_place(pid_t pid, const char *runtime)
{
	char *seen = xasprintf("/proc/%ld/root%s", (long)pid, runtime), *why = NULL;
	struct stat there, here;

	if (stat(runtime, &here) != 0)
		why = xasprintf("'%s' cannot be read: %s", runtime, strerror(errno));
	else if (stat(seen, &there) != 0 || there.st_dev != here.st_dev || there.st_ino != here.st_ino)
		why = xasprintf("it does not see '%s', as it has another root or another mount namespace; run the recorder in its container",
				runtime);
	free(seen);
	return why;
}

/* ---- may it be traced? --------------------------------------------------------------------- */

static char *name_of(pid_t pid)
{
	char name[64] = "";

	procstatus_text(pid, "comm", name, sizeof(name));
	name[strcspn(name, "\n")] = '\0';
	return xstrdup(name);
}

static char *of_its_tracer(pid_t tracer)
{
	char *name = name_of(tracer);
	char *why = xasprintf("it is being traced already, by process %ld (%s)", (long)tracer, name);

	free(name);
	return why;
}

static char *of_its_status(pid_t pid)
{
	struct procstatus s, own;

	if (!procstatus_read(pid, &s))
		return xstrdup("there is no such process");
	if (s.state == 'Z' || s.state == 'X')
		return xstrdup("it has ended already");
	if (s.thread_of != pid)
		return xasprintf("that is a thread of process %ld", (long)s.thread_of);
	if (s.tracer)
		return of_its_tracer(s.tracer);
	if (s.state == 'T' || s.state == 't')
		return xstrdup("it is stopped; continue it first (kill -CONT)");
	if (s.nested)
		return xstrdup("it is in a pid namespace of its own; run the recorder in its container");
	if (s.uid != geteuid() && geteuid() != 0)
		return xasprintf("it belongs to user %ld; run the recorder as that user, or as root", (long)s.uid);
	/* As many filters as the recorder has: those of their container, which the recorder lives with. */
	if (s.seccomp && !(procstatus_read(getpid(), &own) && own.filters > 0 && own.filters == s.filters))
		return xstrdup("a seccomp filter is on, which may kill it for calls that sampling takes");
	return NULL;
}

/* Its environment names an arena. */
static bool was_started_by_recorder(pid_t pid)
{
	static const char name[] = AW_ENV_ARENA "=";
	char *path = xasprintf("/proc/%ld/environ", (long)pid), *variable = NULL;
	FILE *f = fopen(path, "re");
	size_t size = 0;
	bool is = false;

	while (f && !is && getdelim(&variable, &size, '\0', f) > 0)
		is = text_begins(variable, name);
	if (f)
		fclose(f);
	free(variable);
	free(path);
	return is;
}

char *attachable_obstacle(pid_t pid, const char *runtime)
{
	char *why;

	if (pid == getpid())
		return xstrdup("that is the recorder itself");
	why = of_its_status(pid);
	if (!why)
		why = of_its_files(pid);
	if (!why)
		why = of_its_place(pid, runtime);
	if (!why && was_started_by_recorder(pid))
		why = xstrdup("it was started with the runtime, by a recorder");
	return why;
}

/* The level of Yama; -1: there is none. */
static long yama(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	long level = -1;

	if (f) {
		if (fscanf(f, "%ld", &level) != 1)
			level = -1;
		fclose(f);
	}
	return level;
}

char *attachable_refusal(pid_t pid)
{
	int err = errno;
	struct procstatus s;
	long level = yama();

	if (err == ESRCH)
		return xstrdup("it has ended");
	if (procstatus_read(pid, &s) && s.tracer)
		return of_its_tracer(s.tracer);
	if (err == EPERM && level > 0)
		return xasprintf("it may not be traced: kernel.yama.ptrace_scope is %ld; to allow it: sudo sysctl -w kernel.yama.ptrace_scope=0%s", level,
				 level == 3 ? ", after a reboot" : "");
	if (err == EPERM)
		return xstrdup("it may not be traced: it is another user's, or has privileges; a container needs --cap-add SYS_PTRACE");
	return xasprintf("it cannot be traced: %s", strerror(err));
}

char *attachable_command(pid_t pid)
{
	struct buf command = BUF_INIT;
	char name[64];
	FILE *f;
	int c;

	snprintf(name, sizeof(name), "/proc/%ld/cmdline", (long)pid);
	f = fopen(name, "re");
	while (f && (c = getc(f)) != EOF)
		buf_addc(&command, c ? (char)c : ' ');
	if (f)
		fclose(f);
	while (command.len > 0 && command.s[command.len - 1] == ' ')
		command.s[--command.len] = '\0';
	buf_adds(&command, "");
	return buf_detach(&command);
}

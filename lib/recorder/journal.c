#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cli.h"
#include "base/msg.h"
#include "format.h"
#include "format/record.h"
#include "recorder/journal.h"
#include "regions/jit.h"

/*
 * Locks the file, so that the lines of two recordings are not mixed in it.  Not by
 * flock(2), which a user may hold already with `flock LOG andweorc-record -o LOG`. On
 * file systems without locks, this does nothing.
 */
static bool is_anothers(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	bool is = fcntl(fd, F_OFD_SETLK, &whole) != 0 && (errno == EAGAIN || errno == EACCES);

	errno = is ? EBUSY : errno;
	return is;
}

/* The file is truncated only after it is locked. */
static int create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	struct stat st;

	if (fd < 0)
		return -1;
	/* A pipe or a terminal cannot be truncated, and may be shared. */
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return fd;
	if (!is_anothers(fd) && ftruncate(fd, 0) == 0)
		return fd;
	close(fd);
	return -1;
}

bool journal_open(struct journal *j, const char *path)
{
	memset(j, 0, sizeof(*j));
	j->name = path ? path : "standard output";
	/* A log on standard output is ours alone: the command's output goes elsewhere. */
	j->fd = path ? create(path) : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (j->fd < 0 && errno == EBUSY) {
		msg_error("cannot write '%s': another andweorc-record does", j->name);
		return false;
	}
	if (j->fd < 0) {
		msg_error("cannot create '%s': %s", j->name, strerror(errno));
		return false;
	}
	return true;
}

static void failed(struct journal *j)
{
	if (!j->failed)
		msg_error("cannot write '%s': %s", j->name, strerror(errno));
	j->failed = true;
}

void journal_flush(struct journal *j)
{
	const char *p = j->line.s;
	size_t left = j->line.len;

	while (left > 0 && !j->failed) {
		ssize_t n = write(j->fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			failed(j);
		else {
			p += n;
			left -= (size_t)n;
		}
	}
	buf_clear(&j->line);
}

void journal_hold(struct journal *j, size_t mark, size_t number)
{
	j->held = xgrow(j->held, j->nheld, &j->held_cap, sizeof(*j->held));
	j->held[j->nheld++] = (struct held){ buf_detach(&j->line), mark, number };
}

void journal_let_go(struct journal *j, size_t index, const char *verdict)
{
	struct held *h = &j->held[index];

	buf_add(&j->line, h->text, h->mark);
	buf_adds(&j->line, verdict);
	buf_adds(&j->line, h->text + h->mark);
	journal_flush(j);
	free(h->text);
	h->text = NULL;
}

void journal_held_none(struct journal *j)
{
	free(j->held);
	j->held = NULL;
	j->nheld = j->held_cap = 0;
}

bool journal_close(struct journal *j)
{
	if (close(j->fd) != 0)
		failed(j);
	buf_release(&j->line);
	return !j->failed;
}

void journal_header(struct journal *j)
{
	record_begin(&j->line, AW_HEADER);
	record_u64(&j->line, "version", AW_FORMAT_VERSION);
	record_str(&j->line, "tool", "record");
	record_str(&j->line, "tool_version", ANDWEORC_VERSION);
	record_end(&j->line);
	journal_flush(j);
}

static char *joined(char *const argv[])
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; argv[i]; i++) {
		if (i)
			buf_addc(&b, ' ');
		buf_adds(&b, argv[i]);
	}
	return buf_detach(&b);
}

static void add_text(struct buf *line, const char *key, const char *value)
{
	if (value && *value)
		record_str(line, key, value);
}

static void add_cpu_model(struct buf *line)
{
	char text[256];
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f && fgets(text, sizeof(text), f)) {
		char *colon = strchr(text, ':');

		if (strncmp(text, "model name", 10) != 0 || !colon || !colon[1])
			continue;
		text[strcspn(text, "\n")] = '\0';
		record_str(line, "cpu_model", colon + 2);
		break;
	}
	if (f)
		fclose(f);
}

void journal_run(struct journal *j, unsigned run, const struct arena *arena, char *const argv[], uint64_t seed,
		 enum region_scope mode, const struct journal_origin *origin)
{
	uint32_t sampler = atomic_load_explicit(&arena->sampler, memory_order_acquire);
	struct utsname u;
	struct timespec t;
	char *command = joined(argv);

	clock_gettime(CLOCK_REALTIME, &t);
	record_begin(&j->line, AW_RUN);
	record_u64(&j->line, "id", run);
	record_str(&j->line, "command", command);
	/* a workflow's commit is not that of each side */
	add_text(&j->line, "commit", origin->commit || origin->side ? origin->commit : getenv("GITHUB_SHA"));
	add_text(&j->line, "block", origin->block);
	add_text(&j->line, "side", origin->side);
	if (uname(&u) == 0) {
		record_str(&j->line, "host", u.nodename);
		record_str(&j->line, "kernel", u.release);
	}
	record_i64(&j->line, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	add_cpu_model(&j->line);
	record_str(&j->line, "sampler", sampler == SAMPLER_PERF ? "perf" : sampler == SAMPLER_TIMER ? "timer" : "none");
	record_u64(&j->line, "kernel_sampled", atomic_load_explicit(&arena->kernel_sampled, memory_order_relaxed));
	record_u64(&j->line, "period_ns", arena->period_ns);
	record_u64(&j->line, "seed", seed);
	add_text(&j->line, "design", origin->design);
	if (origin->given) {
		record_str(&j->line, "given", origin->given);
		record_u64(&j->line, "given_pct", origin->given_pct);
	}
	if (origin->wait_ns > 0)
		record_i64(&j->line, "wait_ns", origin->wait_ns);
	if (origin->until_points > 0)
		record_real(&j->line, "until_points", origin->until_points);
	record_str(&j->line, "mode", mode == REGION_LINE ? "line" : "function");
	if (origin->named)
		record_u64(&j->line, "named", 1);
	add_text(&j->line, "scope", origin->scope);
	record_i64(&j->line, "started_ns", t.tv_sec * 1000000000ll + t.tv_nsec);
	record_end(&j->line);
	journal_flush(j);
	free(command);
}

void journal_status(char s[JOURNAL_STATUS], int status)
{
	if (WIFSIGNALED(status))
		snprintf(s, JOURNAL_STATUS, "signal:%d", WTERMSIG(status));
	else
		snprintf(s, JOURNAL_STATUS, "exit:%d", WEXITSTATUS(status));
}

void journal_process(struct journal *j, unsigned run, uint32_t id, pid_t pid, pid_t parent, const char *command)
{
	record_begin(&j->line, AW_PROCESS);
	record_u64(&j->line, "run", run);
	record_u64(&j->line, "id", id);
	/* A process of another pid namespace, which we cannot see: its pid there.  The program may have written any number. */
	record_u64(&j->line, "pid", (uint64_t)llabs((long long)pid));
	record_u64(&j->line, "parent", (uint64_t)llabs((long long)parent));
	if (*command)
		record_str(&j->line, "command", command);
	record_end(&j->line);
	journal_flush(j);
}

void journal_process_end(struct journal *j, unsigned run, uint32_t id, const char *status, uint64_t visits)
{
	record_begin(&j->line, AW_PROCESS);
	record_u64(&j->line, "run", run);
	record_u64(&j->line, "id", id);
	if (*status)
		record_str(&j->line, "status", status);
	record_u64(&j->line, "visits", visits);
	record_end(&j->line);
	journal_flush(j);
}

void journal_module(struct journal *j, unsigned run, struct mapping *mod)
{
	const char *id = mapping_image(mod) ? image_build_id(mod->image) : "";

	record_begin(&j->line, AW_MODULE);
	record_u64(&j->line, "run", run);
	record_u64(&j->line, "id", mod->id);
	if (*id)
		record_str(&j->line, "build_id", id);
	record_str(&j->line, "path", mod->path);
	record_end(&j->line);
	journal_flush(j);
	mod->logged = true;
}

static void write_region(struct journal *j, struct region *g)
{
	static const char *const scope[] = { "line", "function", "class", "function" };
	struct buf ranges = BUF_INIT;

	for (size_t i = 0; i < g->nranges; i++)
		buf_addf(&ranges, "%s0x%llx-0x%llx", i ? "," : "", (unsigned long long)g->ranges[i].lo,
			 (unsigned long long)g->ranges[i].hi);
	record_begin(&j->line, AW_REGION);
	record_u64(&j->line, "id", g->id);
	record_str(&j->line, "scope", scope[g->scope]);
	if (g->scope != REGION_CLASS) {
		record_u64(&j->line, "module", g->module);
		record_str(&j->line, "ranges", ranges.s ? ranges.s : "");
	}
	if (g->file && g->scope != REGION_FUNCTION) {
		record_str(&j->line, "file", g->file);
		record_u64(&j->line, "line", g->line);
	}
	if (g->function && !g->nameless)
		record_str(&j->line, "symbol", g->function);
	if (g->scope == REGION_PATH && !g->file)
		record_str(&j->line, "leaf", regions_path_leaf(g));
	record_end(&j->line);
	journal_flush(j);
	buf_release(&ranges);
	g->logged_ranges = g->nranges;
	g->logged = true;
}

void journal_know(struct journal *j, struct region *g)
{
	if (!g->logged || g->logged_ranges != g->nranges)
		write_region(j, g);
}

static void add_place(struct buf *line, uint64_t place)
{
	record_u64(line, "module", arena_module_of(place));
	record_hex(line, "offset", arena_offset_of(place));
}

static void add_jit_name(struct buf *line, const struct jit *jit, uint64_t place)
{
	add_text(line, "function", jit_name(jit, arena_module_of(place), arena_offset_of(place)));
}

/* Writes those that are not in the log yet. */
static void write_calls(struct journal *j, struct callers *c, const struct jit *jit)
{
	for (; c->nlogged < c->ncalls; c->nlogged++) {
		const struct caller *call = &c->call[c->nlogged];

		record_begin(&j->line, AW_CALL);
		record_u64(&j->line, "id", c->nlogged + 1);
		add_place(&j->line, call->place);
		if (call->by)
			record_u64(&j->line, "caller", call->by);
		if (call->more)
			record_u64(&j->line, "more", 1);
		add_jit_name(&j->line, jit, call->place);
		record_end(&j->line);
		journal_flush(j);
	}
}

static void write_count(struct journal *j, unsigned run, const struct caller_count *c, enum arena_class class, const struct jit *jit)
{
	static const char *const names[CLASSES] = { NULL, "lock", "io", "sleep", "runqueue" };

	record_begin(&j->line, AW_SAMPLE);
	record_u64(&j->line, "run", run);
	add_place(&j->line, c->place);
	record_u64(&j->line, "count", c->count[class]);
	record_str(&j->line, "state", class == CLASS_CPU ? "cpu" : "blocked");
	if (class != CLASS_CPU)
		record_str(&j->line, "class", names[class]);
	if (c->by)
		record_u64(&j->line, "caller", c->by);
	add_jit_name(&j->line, jit, c->place);
	record_end(&j->line);
	journal_flush(j);
}

void journal_samples(struct journal *j, unsigned run, struct regions *regions)
{
	struct callers *callers = &regions->callers;
	struct jit jit;

	for (size_t i = 0; i < regions->n; i++) {
		struct region *g = regions->v[i];

		/* Without experiments, a region that was asked for may have been in no burst. */
		if (g->named && g->samples + g->blocked > 0)
			journal_know(j, g);
		if (!g->logged)
			continue;
		record_begin(&j->line, AW_SHARE);
		record_u64(&j->line, "run", run);
		record_u64(&j->line, "region", g->id);
		record_u64(&j->line, "samples", g->samples);
		record_u64(&j->line, "total", regions->samples);
		record_u64(&j->line, "blocked", g->blocked);
		record_u64(&j->line, "blocked_total", regions->blocked);
		record_end(&j->line);
		journal_flush(j);
	}
	jit_read(&jit, regions);
	write_calls(j, callers, &jit);
	for (size_t i = 0; i < callers->ncounts; i++)
		for (int class = 0; class < CLASSES; class++)
			if (callers->count[i].count[class])
				write_count(j, run, &callers->count[i], (enum arena_class)class, &jit);
	jit_release(&jit);
}

void journal_warning(struct journal *j, unsigned run, const char *what, const char *text)
{
	record_begin(&j->line, AW_WARNING);
	record_u64(&j->line, "run", run);
	record_str(&j->line, "what", what);
	record_str(&j->line, "text", text);
	record_end(&j->line);
	journal_flush(j);
}

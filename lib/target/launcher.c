#include "target/launcher.h"

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/num.h"

/* Takes a number from the first of these variables that has one; false: none has. */
static bool number_in(const char *const *variables, uint64_t *n)
{
	for (; *variables; variables++) {
		const char *value = getenv(*variables);

		if (value && num_u64(value, n))
			return true;
	}
	return false;
}

/* Open MPI, MPICH and its derivatives, PMIx, Slurm, GNU parallel: the launcher nearest to the program first. */
static bool rank_number(uint64_t *n)
{
	static const char *const variables[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "PARALLEL_SEQ", NULL };

	return number_in(variables, n);
}

unsigned launcher_ranks(void)
{
	static const char *const variables[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", NULL };
	uint64_t n;

	return number_in(variables, &n) && n > 1 && n <= UINT32_MAX ? (unsigned)n : 1;
}

char *launcher_log_name(const char *pattern)
{
	struct buf name = BUF_INIT;
	char host[256] = "";
	uint64_t n;

	for (const char *p = pattern; *p; p++) {
		if (p[0] != '%' || !p[1] || !strchr("rph%", p[1])) {
			buf_addc(&name, *p);
			continue;
		}
		switch (*++p) {
		case 'r':
			if (!rank_number(&n)) {
				buf_release(&name);
				return NULL;
			}
			buf_addf(&name, "%llu", (unsigned long long)n);
			break;
		case 'p':
			buf_addf(&name, "%ld", (long)getpid());
			break;
		case 'h':
			gethostname(host, sizeof(host) - 1);
			buf_adds(&name, host);
			break;
		default:
			buf_addc(&name, '%');
		}
	}
	return buf_detach(&name);
}

/* The index of the first word from `command` on that matches; argc: none; -1: not a regular expression. */
static int find_word(int argc, char **argv, int command, const char *pattern)
{
	regex_t regex;
	int i = command;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return -1;
	while (i < argc && regexec(&regex, argv[i], 0, NULL, 0) != 0)
		i++;
	regfree(&regex);
	return i;
}

/* The path of this program, valid for launchers, too. */
static char *ourselves(const char *as_called)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return xstrdup(as_called);
	path[n] = '\0';
	return xstrdup(path);
}

char **launcher_command(int argc, char **argv, int command, const char *regex, const char **why)
{
	int at = find_word(argc, argv, command, regex), n = 0;
	char **v;

	*why = at < 0 ? "it is no regular expression" : at == argc ? "no word of the command matches" : NULL;
	if (*why || at == command)
		return NULL;
	v = xcalloc((size_t)argc + 3, sizeof(*v));
	for (int i = command; i < at; i++)
		v[n++] = argv[i];
	v[n++] = ourselves(argv[0]);
	/* Keeps -l, which tells the recorder that the launcher starts that it is in its place. */
	for (int i = 1; i < command; i++)
		if (i + 1 < command || strcmp(argv[i], "--") != 0)
			v[n++] = argv[i];
	v[n++] = xstrdup("--");
	for (int i = at; i < argc; i++)
		v[n++] = argv[i];
	return v;
}

/*
 * andweorc-resolve: adds function, file and line to the addresses in a log.
 *
 *     sample  run=1 module=1 offset=0x1234 count=17 state=cpu
 * becomes
 *     sample  run=1 module=1 offset=0x1234 count=17 state=cpu function=work file=/src/a.c line=12
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cli.h"
#include "base/msg.h"
#include "format.h"
#include "resolve/coz_read.h"
#include "resolve/pending.h"
#include "resolve/resolve.h"

static const char USAGE[] =
	"usage: andweorc-resolve [--debug-dir DIR]... [--path-map OLD=NEW]... [LOG...]\n"
	"\n"
	"Adds function, file and line to the regions and samples of logs by andweorc-record.\n"
	"Writes them all, in order, to standard output.  Without LOG, or with -, reads\n"
	"standard input.  A profile of Coz, known by its first line, becomes a log.\n"
	"\n"
	"      --debug-dir DIR     look for separate debug files in DIR before /usr/lib/debug\n"
	"      --path-map OLD=NEW  read programs, libraries and sources under OLD from under NEW\n"
	"  -h, --help              say this\n"
	"  -V, --version           say the version\n";

enum { OPT_DEBUG_DIR = 256, OPT_PATH_MAP };

/* Room for many lines, so that a write is not made for each. */
#define OUTPUT_CHUNK ((size_t)1 << 18)

struct filter {
	struct resolve resolve;
	struct pending pending;
	struct buf out;
};

static void write_out(struct filter *f)
{
	fwrite(f->out.s, 1, f->out.len, stdout);
	buf_clear(&f->out);
}

static void put_record(struct filter *f, struct record *rec)
{
	resolve_record(&f->resolve, rec, &f->out);
	write_out(f);
}

/* Writes records that need not wait any more; with `all`, also those that have waited in vain. */
static void let_go(struct filter *f, bool all)
{
	struct record *rec;

	while ((rec = pending_first(&f->pending)) && (all || resolve_is_ready(&f->resolve, rec))) {
		if (!strcmp(rec->type, AW_MODULE)) { /* learned when it came */
			record_copy(&f->out, rec);
			record_end(&f->out);
			write_out(f);
		} else {
			put_record(f, rec);
		}
		pending_drop(&f->pending);
	}
}

static void take_record(struct filter *f, struct record *rec)
{
	if (!strcmp(rec->type, AW_HEADER))
		let_go(f, true);
	if (pending_is_empty(&f->pending) && resolve_is_ready(&f->resolve, rec)) {
		put_record(f, rec);
		return;
	}
	pending_add(&f->pending, rec);
	if (!strcmp(rec->type, AW_MODULE) && modules_add(&f->resolve.modules, rec))
		let_go(f, false);
	if (pending_is_full(&f->pending))
		let_go(f, true);
}

static void resolve_log(struct filter *f, const char *path)
{
	struct reader *reader;
	struct record rec;

	if (coz_is_profile(path)) {
		coz_read(path, stdout);
		return;
	}
	reader = reader_open(path);
	if (!reader)
		return;
	reader_filter(reader, stdout);
	while (!ferror(stdout) && reader_next(reader, &rec))
		take_record(f, &rec);
	let_go(f, true);
	reader_close(reader);
	modules_forget_ids(&f->resolve.modules);
}

static void parse_options(struct filter *f, int argc, char **argv)
{
	static const struct option LONG[] = {
		{ "debug-dir", required_argument, NULL, OPT_DEBUG_DIR },
		{ "path-map", required_argument, NULL, OPT_PATH_MAP },
		CLI_LONGS,
	};
	int c;

	while ((c = cli_option(argc, argv, ":hV", LONG, USAGE, EXIT_TROUBLE)) != -1) {
		switch (c) {
		case OPT_DEBUG_DIR:
			modules_add_debug_dir(&f->resolve.modules, optarg);
			break;
		case OPT_PATH_MAP:
			if (!modules_add_path_map(&f->resolve.modules, optarg))
				cli_usage_error(EXIT_TROUBLE, "bad path map '%s': it is OLD=NEW", optarg);
			break;
		}
	}
}

int main(int argc, char **argv)
{
	struct filter f = { 0 };

	cli_init(argv[0]);
	resolve_init(&f.resolve);
	pending_init(&f.pending);
	buf_init(&f.out);
	parse_options(&f, argc, argv);
	setvbuf(stdout, NULL, _IOFBF, OUTPUT_CHUNK);
	if (optind == argc)
		resolve_log(&f, "-");
	for (int i = optind; i < argc; i++)
		resolve_log(&f, argv[i]);
	pending_release(&f.pending);
	buf_release(&f.out);
	resolve_release(&f.resolve);
	return cli_finish(EXIT_OK);
}

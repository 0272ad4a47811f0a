#include "format/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "format.h"

/*
 * `key` is a text, `key:u` an unsigned number, `key:i` a signed one, `key:r` a real one.  `!`
 * stands before a key that the record needs.  Analyses have records of types that logs have,
 * too, with other keys: those of both are here.
 */
static const char *const TABLE[][2] = {
	{ AW_HEADER, "!version:u tool tool_version resolved:u" },

	/* what a recording was */
	{ AW_RUN, "!id:u command commit block side host kernel cpus:u cpu_model sampler kernel_sampled:u period_ns:u started_ns:u "
		  "wait_ns:u seed:u design until_points:r mode named:u scope given given_pct:u "
		  "status processes:u cpu_ns:u blocked_ns:u lock_ns:u io_ns:u sleep_ns:u runqueue_ns:u bursts:u events:u "
		  "experiments:u disturbed:u" },
	{ AW_PROCESS, "!run:u !id:u pid:u parent:u command status visits:u" },
	{ AW_WARNING, "run:u what text count:u" },
	{ AW_END, "!run:u status ended_by wall_ns:u stopped_ns:u experiments:u disturbed:u samples:u lost:u threads:u "
		  "threads_refused:u processes_refused:u" },

	/* code, and the time that was spent there */
	{ AW_MODULE, "run:u !id:u build_id !path" },
	{ AW_REGION, "!id:u scope module:u ranges file line:u leaf symbol function also function_line:u line_hash context_hash "
		     "function_hash" },
	{ AW_SHARE, "!run:u !region:u !samples:u !total:u blocked:u blocked_total:u" },
	{ AW_SAMPLE, "!run:u !module:u !offset:u !count:u state class caller:u function file line:u inlined_by" },
	{ AW_CALL, "!id:u !module:u !offset:u caller:u more:u function file line:u inlined_by" },

	/* experiments */
	{ AW_PLAN, "!run:u block:u region:u role windows:u point slope:r slope_lo:r slope_hi:r max_useful_pct:r treated:u stop" },
	{ AW_EXPERIMENT, "!id:u !run:u block:u region !speedup_pct:r given given_pct:u start_ns:u done_us:u wall_ns:u delay_ns:u samples:u "
			 "region_samples:u sampled_ns:u own_ns:u credit_ns:u steal_ns:u waited_ns:u queued_ns:u foreign_ns:u disturbed:u" },
	{ AW_VISITS, "!experiment:u !point kind !count:u virtual_ns:i begins:u in_flight_ns:u" },
	{ AW_LATENCY, "!experiment:u !point !count:u !virtual_ns:i crossing:u buckets" },

	/* events for replay */
	{ AW_BURST, "!run:u !id:u start_ns:u !length_ns:u !cpus:u whole:u others_ns:u" },
	{ AW_STACK, "!run:u !id:u !regions" },
	{ AW_PLACE, "!run:u !id:u module:u offset:u function file line:u inlined_by" },
	{ AW_EVENTS, "!run:u !burst:u !thread:u !data" },

	/* an analysis; a log has `point`, too */
	{ AW_POINT, "run:u id:u name point kind measure period_ns:r period_lo:r period_hi:r p50_ns:r p95_ns:r p99_ns:r "
		    "visits:r windows:u baselines:u begins:u measured:u cost_ns:u given_up disturbed:u "
		    "unvisited:u slow:u downweighted:u weight:r replay replay_check:r replay_period_ns:r drift_pct:r" },
	{ AW_BASELINE, "!point !run:u period_ns:r period_se:r df:r visits:r windows:u" },
	{ AW_COVERAGE, "!cpu_pct:r at_least:u" },
	{ AW_UNTRIED, "!name cpu_pct:r" },
	{ AW_IMPACT, "!point !region scope function symbol module also file line:u function_line:u line_hash context_hash function_hash "
		     "share_pct:r cpu_pct:r blocked_pct:r slope:r slope_lo:r slope_hi:r slope_se:r cost_ns:r cost_lo:r cost_hi:r cost_se:r "
		     "cost_more_ns:r r2:r p50_slope:r p50_lo:r p50_hi:r p95_slope:r p95_lo:r p95_hi:r p99_slope:r p99_lo:r p99_hi:r "
		     "p:r q:r n:u runs:u basis replay measured_slope:r measured_lo:r measured_hi:r replay_slope:r replay_lo:r replay_hi:r "
		     "!verdict need max_useful_pct:r max_useful_lo:r max_useful_hi:r lag1:r period_ns:r visits:r disturbed:u unvisited:u "
		     "slow:u downweighted:u weight:r note doubt" },
	{ AW_CURVE, "!point !region !speedup_pct:r program_pct:r lo:r hi:r p50_pct:r p50_lo:r p50_hi:r p95_pct:r p95_lo:r p95_hi:r "
		    "p99_pct:r p99_lo:r p99_hi:r n:u" },
	{ AW_REPLICATE, "!point !region !run:u slope:r slope_se:r cost_ns:r cost_se:r df:r rise_slope:r rise_slope_se:r rise_cost_ns:r "
			"rise_cost_se:r info:r windows:u baselines:u" },
	{ AW_REPLAY, "!point !region !speedup_pct:r !gain_pct:r !gain_se:r trust:r unseen_pct:r simulated:r monitor:r staying:r "
		     "simulated_check:r monitor_check:r staying_check:r" },
	{ AW_WHY, "!region !who !wait_pct:r !at until" },
};

enum { TYPES = sizeof TABLE / sizeof TABLE[0], KEYS_MOST = 64 };

static struct schema schemas[TYPES];

static struct schema_key key_of(char *word)
{
	struct schema_key k = { .name = word };
	char *colon = strchr(word, ':');

	if (*word == '!') {
		k.name++;
		k.needed = true;
	}
	if (colon) {
		*colon = '\0';
		k.kind = colon[1] == 'u' ? SCHEMA_UNSIGNED : colon[1] == 'i' ? SCHEMA_SIGNED : SCHEMA_REAL;
	}
	return k;
}

static struct schema read_type(const char *type, const char *words)
{
	char *text = xstrdup(words), *rest = text, *word;
	struct schema_key *key = xcalloc(KEYS_MOST, sizeof *key);
	struct schema s = { .type = type, .key = key };

	while ((word = strsep(&rest, " ")) && s.n < KEYS_MOST) {
		key[s.n] = key_of(word);
		s.needed += key[s.n++].needed;
	}
	return s;
}

/* It stays until the program ends. */
static void make_table(void)
{
	if (schemas[0].type)
		return;
	for (size_t i = 0; i < TYPES; i++)
		schemas[i] = read_type(TABLE[i][0], TABLE[i][1]);
}

const struct schema *schema_all(size_t *n)
{
	make_table();
	*n = TYPES;
	return schemas;
}

const struct schema *schema_of(const char *type)
{
	make_table();
	for (size_t i = 0; i < TYPES; i++)
		if (type[0] == schemas[i].type[0] && !strcmp(type, schemas[i].type))
			return &schemas[i];
	return NULL;
}

static const struct schema_key *key_between(const struct schema *s, const char *name, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (name[0] == s->key[i].name[0] && !strcmp(name, s->key[i].name))
			return &s->key[i];
	return NULL;
}

const struct schema_key *schema_key(const struct schema *s, const char *name, size_t from)
{
	size_t start = from < s->n ? from : 0;
	const struct schema_key *k = key_between(s, name, start, s->n);

	return k ? k : key_between(s, name, 0, start);
}

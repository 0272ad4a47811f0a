#include "estimate/unit.h"

/* The least content of a run with a slope of its own; shorter runs are joined with their neighbours. */
enum { RUN_WINDOWS = 8, RUN_BASELINES = 2, RUN_TREATED = 3 };

void causal_unit_add(struct causal_unit *into, const struct causal_unit *from)
{
	into->ratio.num += from->ratio.num;
	into->ratio.den += from->ratio.den;
	into->ratio.n0 += from->ratio.n0;
	into->ratio.d0 += from->ratio.d0;
	into->windows += from->windows;
	into->baselines += from->baselines;
}

bool causal_unit_is_strong(const struct causal_unit *u)
{
	return u->windows >= RUN_WINDOWS && u->baselines >= RUN_BASELINES && u->windows - u->baselines >= RUN_TREATED;
}

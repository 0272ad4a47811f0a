/* observation: the data of a window about a point, in the form of the estimator, and whether it is used. */
#include "profile/profile.h"

bool profile_is_whole(const struct profile *p, size_t point)
{
	return p->point[point].kinds == KIND_RUN;
}

bool profile_is_latency(unsigned kinds, unsigned measures)
{
	return kinds == KIND_LATENCY && measures && !(measures & MEASURE_ENDS);
}

struct causal_obs profile_obs(const struct profile *p, const struct profile_visits *v)
{
	const struct profile_window *w = &p->window[v->window];
	bool whole = profile_is_whole(p, v->point);

	return (struct causal_obs){
		.run = whole ? p->run[w->run].session : w->run,
		.block = w->block,
		.start_ns = whole ? (double)w->run : (double)w->start_ns,
		.position = w->done_us,
		.whole = whole,
		.s = w->s,
		.count = (double)v->count * v->weight,
		.time_ns = v->virtual_ns * v->weight,
	};
}

bool profile_use(const struct profile *p, const struct profile_visits *v, struct profile_set_aside *count)
{
	if (p->window[v->window].disturbed) {
		count->disturbed++;
		return false;
	}
	count->slow += v->slow;
	if (v->weight < 1) {
		count->downweighted++;
		count->dropped += !(v->weight > 0);
		count->weight += v->weight;
	}
	return v->weight > 0;
}

void profile_activity_add(struct profile_activity *a, const struct profile_window *w)
{
	if (!(w->s > 0) || !w->samples)
		return;
	a->windows++;
	a->samples += w->samples;
	a->hits += w->region_samples;
	a->squares += (double)w->region_samples * w->region_samples / w->samples;
}

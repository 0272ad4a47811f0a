/* deeds: how often threads do what, to count their rounds. */
#include "replay/replay_parts.h"

#include <stdlib.h>

/* Of all steps of a kind at the same place, or of all visits of a point. */
static uint64_t deed_of(uint32_t thread, const struct step *s)
{
	return keys_mix(keys_mix(thread, s->kind), s->kind == BURST_VISIT ? s->object : s->site);
}

void deeds_count(struct deeds *d, uint32_t thread, const struct step *s)
{
	size_t deed = idmap_number(&d->deed, deed_of(thread, s)), who = idmap_number(&d->thread, thread);

	d->done = idmap_room(&d->deed, d->done, &d->done_cap, sizeof(*d->done));
	d->rounds = idmap_room(&d->thread, d->rounds, &d->rounds_cap, sizeof(*d->rounds));
	if (++d->done[deed] > d->rounds[who])
		d->rounds[who] = d->done[deed];
}

double deeds_done(const struct deeds *d, uint32_t thread, const struct step *s)
{
	size_t deed = idmap_find(&d->deed, deed_of(thread, s));

	return deed == IDMAP_NONE ? 0 : (double)d->done[deed];
}

double deeds_rounds(const struct deeds *d, uint32_t thread)
{
	size_t who = idmap_find(&d->thread, thread);

	return who == IDMAP_NONE ? 0 : (double)d->rounds[who];
}

void deeds_release(struct deeds *d)
{
	free(d->done);
	free(d->rounds);
	idmap_release(&d->deed);
	idmap_release(&d->thread);
}

/*
 * warning: joins warnings of many runs.  A recorder writes its warnings in each run,
 * mostly in the same words with other numbers ("12 samples were lost"), or with more names.
 */
#include "profile/profile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"

/* Is the word a number, perhaps in brackets or before a comma?  "a.c:12" is a name. */
static bool is_number(const char *word, size_t len)
{
	bool digits = false;

	while (len && strchr("([", *word)) {
		word++;
		len--;
	}
	while (len && strchr(".,;:)]%", word[len - 1]))
		len--;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)word[i]) && word[i] != '.')
			return false;
		digits = true;
	}
	return digits;
}

/* Does the text list names that become more from run to run?  The longest list then stands for all. */
static bool is_growing_list(const char *what)
{
	return !strcmp(what, "no-lines");
}

char *profile_warning_key(const char *what, const char *text)
{
	struct buf b = BUF_INIT;

	if (is_growing_list(what))
		return xstrdup(what);
	buf_addf(&b, "%s\t", what);
	while (*text) {
		size_t len = strcspn(text, " ");

		if (is_number(text, len))
			buf_addc(&b, '#');
		else
			buf_add(&b, text, len);
		text += len;
		for (; *text == ' '; text++)
			buf_addc(&b, ' ');
	}
	return buf_detach(&b);
}

static struct profile_warning *warning_at(struct profile *p, const char *what, const char *text)
{
	char *key = profile_warning_key(what, text);
	void **place = map_at(&p->warning_at, key);

	free(key);
	if (!*place) {
		p->warning = xgrow(p->warning, p->nwarnings, &p->cap_warnings, sizeof *p->warning);
		p->warning[p->nwarnings++] = (struct profile_warning){
			.what = xstrdup(what), .text = xstrdup(text), .last = PROFILE_NONE
		};
		*place = (void *)(uintptr_t)p->nwarnings;
	}
	return &p->warning[(uintptr_t)*place - 1];
}

void profile_warn(struct profile *p, const char *what, const char *text, size_t run, size_t records, bool varies)
{
	struct profile_warning *w = warning_at(p, what, text);
	bool grows = is_growing_list(what);
	int by = grows ? (strlen(text) > strlen(w->text)) : strverscmp(text, w->text);

	w->general = w->general || run == PROFILE_NONE;
	w->times += run == PROFILE_NONE ? records : run != w->last;
	w->last = run;
	w->varies = !grows && (w->varies || by || varies);
	/* keeps the greatest numbers, so that the order of runs does not matter */
	if (by > 0) {
		free(w->text);
		w->text = xstrdup(text);
	}
}

/* From this share of the runs on, a warning concerns the result: one busy minute in an hour does not. */
static const double PART_THAT_COUNTS = 0.1;

bool profile_is_warned(const struct profile *p, const char *what)
{
	bool general = false;
	double runs = 0;

	for (size_t i = 0; i < p->nwarnings; i++) {
		if (strcmp(p->warning[i].what, what) != 0)
			continue;
		general = general || p->warning[i].general;
		runs += (double)p->warning[i].times;
	}
	return general || (runs > 0 && runs >= PART_THAT_COUNTS * (double)p->nruns);
}

/*
 * Many programs have a thread that does something at fixed times, and nothing waits for it.  Experiments with them are right.
 * Five of ten programs by somebody who had not seen the profiler had the warning; the visits of one of them wait for the clock.
 *
 * By replay, this part of a change of the clock is gained: -0.05 to 0.02 where nothing waits for it (backoff, framerows, linger, occ,
 * renderer), 0.29 to 1.0 where visits do (clocked, singleflight, ticker).
 */
static const double CLOCK_MATTERS = 0.1;
static const char clock_warning[] = "absolute-timer";

static bool may_wait(const struct profile_point *point)
{
	return !(point->clocked < CLOCK_MATTERS);
}

bool profile_waits_for_clock(const struct profile *p, size_t point)
{
	return profile_is_warned(p, clock_warning) && may_wait(&p->point[point]);
}

static bool is_moot(const struct profile *p, const struct profile_warning *w)
{
	if (strcmp(w->what, clock_warning) != 0)
		return false;
	for (size_t i = 0; i < p->npoints; i++)
		if (may_wait(&p->point[i]))
			return false;
	return true;
}

void profile_drop_clock_warning(struct profile *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->nwarnings; i++) {
		if (is_moot(p, &p->warning[i])) {
			free(p->warning[i].what);
			free(p->warning[i].text);
		} else {
			p->warning[kept++] = p->warning[i];
		}
	}
	p->nwarnings = kept;
}

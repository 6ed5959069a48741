/* SPDX-License-Identifier: Apache-2.0 */
/* Collects slow events with the same text and shows them as one line. */
#include "latency/window/slowgroup.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/units.h"
#include "base/vec.h"

struct group {
	char *tracker, *comm, *reason; /* owned */
	char *whole[SLOWGROUP_WHOLE];  /* texts of the first ones after the one that was shown; owned */
	uint64_t n, min, max, last;    /* of the events after it; last: when the last one ended */
};

struct slowgroups {
	VEC(struct group) v;
	uint64_t began; /* when the first ended, CLOCK_REALTIME */
};

int slowgroups_new(struct slowgroups **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

static void forget(struct slowgroups *g)
{
	for (size_t i = 0; i < g->v.n; i++) {
		struct group *x = &g->v.v[i];

		for (size_t k = 0; k < SLOWGROUP_WHOLE; k++)
			free(x->whole[k]);
		free(x->tracker);
		free(x->comm);
		free(x->reason);
	}
	g->v.n = 0;
}

void slowgroups_free(struct slowgroups *g)
{
	if (!g)
		return;
	forget(g);
	vec_free(&g->v);
	free(g);
}

bool slowgroups_due(const struct slowgroups *g, uint64_t wall)
{
	return g->v.n && wall >= g->began + SLOWGROUP_NS;
}

static int begin(struct slowgroups *g, const struct slowgroup_event *e)
{
	struct group x = { .tracker = strdup(e->tracker), .comm = strdup(e->comm), .reason = strdup(e->reason) };

	if (!g->v.n)
		g->began = e->wall;
	if (x.tracker && x.comm && x.reason && vec_try_push(&g->v, x) == 0)
		return 0;
	free(x.tracker);
	free(x.comm);
	free(x.reason);
	return -ENOMEM;
}

int slowgroups_add(struct slowgroups *g, const struct slowgroup_event *e, struct strb *text, bool *ret_kept)
{
	struct group *x = NULL;

	*ret_kept = false;
	for (size_t i = 0; i < g->v.n && !x; i++)
		if (!strcmp(g->v.v[i].tracker, e->tracker) && !strcmp(g->v.v[i].comm, e->comm) &&
		    !strcmp(g->v.v[i].reason, e->reason))
			x = &g->v.v[i];
	if (!x)
		return g->v.n < SLOWGROUP_GROUPS ? begin(g, e) : 0;
	if (x->n < SLOWGROUP_WHOLE) {
		x->whole[x->n] = strb_take(text);
		if (!x->whole[x->n])
			return -ENOMEM;
	} else {
		strb_free(text);
	}
	x->min = !x->n || e->delay < x->min ? e->delay : x->min;
	x->max = e->delay > x->max ? e->delay : x->max;
	x->last = e->wall > x->last ? e->wall : x->last;
	x->n++;
	*ret_kept = true;
	return 0;
}

void slowgroup_head(struct strb *b, uint64_t wall, const char *tracker)
{
	time_t s = (time_t)(wall / NSEC_PER_SEC);
	char clock[16];
	struct tm tm;

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&s, &tm));
	strb_printf(b, "%s.%03u %s: ", clock, (unsigned)(wall / 1000000 % 1000), tracker);
}

/* "11:02:03.456 wakeup: cc1 waited 58 times more, 10.1 ms to 12.3 ms, for a CPU, taken by make" */
static char *sentence(const struct group *x)
{
	char min[UNITS_LEN], max[UNITS_LEN];
	struct strb b = { 0 };

	slowgroup_head(&b, x->last, x->tracker);
	units_ns(x->min, min);
	units_ns(x->max, max);
	strb_printf(&b, "%s waited %llu times more, %s", x->comm, (unsigned long long)x->n, min);
	if (strcmp(min, max) != 0)
		strb_printf(&b, " to %s", max);
	strb_printf(&b, ",%s", x->reason);
	return strb_take(&b);
}

void slowgroups_print(struct slowgroups *g, struct strb *b, void (*wrap)(void *ctx, struct strb *to, char *text),
		      void *ctx)
{
	for (size_t i = 0; i < g->v.n; i++) {
		const struct group *x = &g->v.v[i];
		char *text = x->n > SLOWGROUP_WHOLE ? sentence(x) : NULL;

		if (text)
			wrap(ctx, b, text);
		else if (x->n > SLOWGROUP_WHOLE)
			b->failed = true;
		for (uint64_t k = 0; k < x->n && x->n <= SLOWGROUP_WHOLE; k++)
			strb_adds(b, x->whole[k]);
		free(text);
	}
	forget(g);
}

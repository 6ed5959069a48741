/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency FILE`: prints the slow events of recordings as `dwell latency` printed them during the run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/form/recsym.h"
#include "view/summary/latencyprint.h"
#include "view/summary/slowshow.h"

/* An event waits for the row after it: what the flight recorder saw. */
struct replay {
	struct slowshow *l;
	struct row held;
	void *data;
	size_t room;
	bool holds;
};

static int replay_held(struct replay *r)
{
	bool text; /* there is no view for it here */
	int e = r->holds ? slowshow_event(r->l, &r->held, &text) : 0;

	r->holds = r->l->has_flight = false;
	return e;
}

static int replay_row(struct replay *r, const struct row *row)
{
	int e;

	if (row->kind == ROW_FLIGHT)
		slowshow_flight(r->l, row);
	e = replay_held(r);
	if (e < 0 || row->kind != ROW_EVENT)
		return e;
	if (row->len > r->room) {
		void *p = realloc(r->data, row->len);

		if (!p)
			return -ENOMEM;
		r->data = p;
		r->room = row->len;
	}
	r->held = *row;
	r->held.data = memcpy(r->data, row->data, row->len);
	r->holds = true;
	return 0;
}

/* One recording: its own clock, names and trackers. */
static int replay_one(struct slowshow *l, struct recread *r, uint64_t to_wall, struct err *err)
{
	struct replay x = { .l = l };
	struct step step = { .more = true };
	struct row row;
	int e;

	l->to_wall = (int64_t)to_wall;
	e = recsym_new(r, &l->sym, err);
	if (e == 0)
		e = slowshow_begin(l, recread_schema(r));
	while (e == 0 && step.more) {
		step = recread_next(r, &row, err);
		e = step.more ? replay_row(&x, &row) : step.error;
	}
	if (e == 0)
		e = replay_held(&x);
	slowshow_put_groups(l, UINT64_MAX);
	free(x.data);
	slowshow_end(l);
	sym_free(take_ptr(l->sym));
	return e;
}

/* The groups of all recordings as one table, after the events. */
static void put_groups(const struct slowshow *l, const struct latencygroups *g)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	if (l->json) {
		jsonw_object(&w, NULL);
		jsonw_str(&w, "type", "latency-groups");
		jsonw_u64(&w, "version", 1);
		latencyprint_groups_json(g, l->by, &w);
		jsonw_end_object(&w);
		jsonw_line(&w);
		fputs(strb_str(&b), l->out);
	} else {
		latencyprint_groups(g, l->by, l->out);
	}
	strb_free(&b);
}

static int replay_all(struct slowshow *l, const struct recset *set, struct err *err)
{
	int e = 0;

	for (size_t i = 0; i < set->n && e == 0; i++)
		e = replay_one(l, set->v[i].r, set->v[i].shift + set->wall_off, err);
	if (e < 0)
		return err->msg[0] ? e : err_set(err, e, "%s", strerror(-e));
	slowshow_put_worst(l);
	return 0;
}

int slowshow_replay(struct slowshow *l, const struct recset *set, struct err *err)
{
	_cleanup_(latencygroups_clear) struct latencygroups g = { 0 };
	int e = l->by ? latencygroups_read(&g, set, l->by, err) : 0; /* what is refused is refused first */

	if (e == 0)
		e = replay_all(l, set, err);
	if (e < 0)
		return e;
	if (l->by && set->n) {
		latencygroups_sort(&g, recread_schema(set->v[0].r));
		put_groups(l, &g);
	}
	if (!l->json && !l->met)
		fputs("no slow events\n", l->out);
	if (!l->json && l->idle_left_out)
		fprintf(l->out, "not shown: %llu sleeps and waits for something to do (--idle)\n",
			(unsigned long long)l->idle_left_out);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency FILE…`: the slow events of recordings, told as they were when it was recorded. */
#include <string.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/latency_live.h"
#include "latency/recset.h"
#include "cmd/why.h"
#include "view/form/recsym.h"

/* An event waits for the row behind it: what the flight recorder saw. */
struct replay {
	struct live *l;
	struct row held;
	void *data;
	size_t room;
	bool holds;
};

static int replay_held(struct replay *r)
{
	int e = r->holds ? live_event(r->l, &r->held) : 0;

	r->holds = r->l->has_flight = false;
	return e < 0 ? e : 0;
}

static int replay_row(struct replay *r, const struct row *row)
{
	int e;

	if (row->kind == ROW_FLIGHT)
		live_flight(r->l, row);
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
static int replay_one(struct live *l, struct recread *r, uint64_t to_wall, struct err *err)
{
	struct replay x = { .l = l };
	struct row row;
	int e;

	l->schema = recread_schema(r);
	l->to_wall = (int64_t)to_wall;
	e = recsym_new(r, &l->sym, err);
	if (e == 0)
		e = chains_new(&l->chains);
	if (e == 0)
		e = latencysum_new(l->schema, &l->sum);
	while (e == 0 && (e = recread_next(r, &row, err)) > 0)
		e = replay_row(&x, &row);
	if (e == 0)
		e = replay_held(&x);
	live_put_groups(l, UINT64_MAX);
	free(x.data);
	latencysum_free(l->sum);
	l->sum = NULL;
	chains_free(l->chains);
	l->chains = NULL;
	sym_free(l->sym);
	l->sym = NULL;
	return e;
}

static int replay_all(struct live *l, const struct recset *set)
{
	struct err err = { 0 };
	int e = 0;

	l->out = stdout;
	for (size_t i = 0; i < set->n && e == 0; i++)
		e = replay_one(l, set->v[i].r, set->v[i].shift + set->wall_off, &err);
	if (e < 0)
		return cmd_fail("%s", err.msg[0] ? err.msg : strerror(-e));
	live_put_worst(l);
	if (!l->json && l->idle_left_out)
		printf("not shown: %llu sleeps and waits for something to do (--idle)\n",
		       (unsigned long long)l->idle_left_out);
	return cmd_written(0);
}

int live_replay(struct live *l)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct recset set;
	struct err err = { 0 };
	struct dopts opts;
	struct why why;
	int e;

	dopts_init(&opts, a);
	e = why_open(&why, &opts);
	l->causes = e ? NULL : why_causes(&why);
	if (e == 0 && !l->causes)
		e = EXIT_ERROR;
	if (e == 0) {
		e = recset_open(&set, l->recordings, l->nrecordings, cmd_left_out, &err);
		e = e < 0 ? cmd_fail("%s", err.msg) : replay_all(l, &set);
		recset_close(&set);
	}
	why_done(&why);
	arena_free(a);
	return e;
}

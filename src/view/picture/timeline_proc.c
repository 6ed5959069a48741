/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of processes out of a recording: parents, execs, and ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "view/form/amount.h"
#include "view/picture/timeline_int.h"

#define MAX_EXECS 64u /* of one process that are told apart */

struct exec {
	uint64_t at;
	char *name;
};

struct process {
	uint32_t tgid, parent; /* parent: index, or UINT32_MAX */
	uint32_t before;       /* index of the one that had this id before, or UINT32_MAX */
	uint64_t from, to;     /* to 0: it lives */
	bool alive;	       /* when the recording began */
	bool seen;	       /* it did something, or has a descendant that did */
	bool wanted;	       /* recorded as one of those that were asked for */
	uint32_t code;	       /* as wait(2) gives it */
	bool has_code;
	VEC(struct exec) execs; /* [0]: what it was at first */
};

struct by_id {
	UT_hash_handle hh;
	uint32_t tgid, index; /* index: of the latest with this id */
};

struct procs {
	struct tl_reader *r;
	VEC(struct process) v;
	struct by_id *ids;
	bool any_wanted;
};

void tl_exit_text(char *buf, size_t size, uint32_t code)
{
	int status = (int)code;

	if (WIFSIGNALED(status))
		snprintf(buf, size, "signal %d%s", WTERMSIG(status), WCOREDUMP(status) ? ", core" : "");
	else if (code)
		snprintf(buf, size, "exit %d", WEXITSTATUS(status));
	else
		snprintf(buf, size, "%s", "");
}

/* The latest process with this id. */
static uint32_t index_of(const struct procs *p, uint32_t tgid)
{
	struct by_id *x = NULL;

	HASH_FIND(hh, p->ids, &tgid, sizeof(tgid), x);
	return x ? x->index : UINT32_MAX;
}

static int set_index(struct procs *p, uint32_t tgid, uint32_t index)
{
	struct by_id *x = NULL;

	HASH_FIND(hh, p->ids, &tgid, sizeof(tgid), x);
	if (x) {
		x->index = index;
		return 0;
	}
	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	*x = (struct by_id){ .tgid = tgid, .index = index };
	HASH_ADD(hh, p->ids, tgid, sizeof(x->tgid), x);
	if (x->hh.tbl)
		return 0;
	free(x);
	return -ENOMEM;
}

static const char *name_of(const struct process *p)
{
	return p->execs.n ? p->execs.v[p->execs.n - 1].name : "?";
}

static int add_exec(struct process *p, uint64_t at, const char *name)
{
	struct exec e = { at, strdup(name) };

	if (!e.name || (p->execs.n < MAX_EXECS ? vec_try_push(&p->execs, e) : -EINVAL) < 0) {
		bool memory = !e.name || p->execs.n < MAX_EXECS;

		free(e.name);
		return memory ? -ENOMEM : 0;
	}
	return 0;
}

static int add_process(struct procs *p, const struct rec_proc_row *row)
{
	bool alive = row->p.kind == PROC_ALIVE;
	uint32_t parent = index_of(p, row->p.parent);
	struct process new = { .tgid = row->p.tgid,
			       .parent = parent,
			       .before = index_of(p, row->p.tgid),
			       .from = alive ? p->r->range.from : row->ts,
			       .alive = alive,
			       .seen = !alive };

	if (p->v.n >= TL_MAX_PROCS) {
		p->r->t->left_out_rows++;
		return 0;
	}
	if (vec_try_push(&p->v, new) < 0 || set_index(p, new.tgid, (uint32_t)p->v.n - 1) < 0)
		return -ENOMEM;
	/* what is forked is what forked it, until it execs */
	return add_exec(&p->v.v[p->v.n - 1], new.from,
			alive		       ? row->name
			: parent != UINT32_MAX ? name_of(&p->v.v[parent])
					       : "?");
}

static int on_proc(void *ctx, const struct rec_proc_row *row)
{
	struct procs *p = ctx;
	uint32_t i = index_of(p, row->p.tgid);

	p->r->last = row->ts > p->r->last ? row->ts : p->r->last;
	switch (row->p.kind) {
	case PROC_ALIVE:
	case PROC_FORK: return add_process(p, row);
	case PROC_EXEC:
		if (i == UINT32_MAX)
			return 0;
		p->v.v[i].seen = true;
		return add_exec(&p->v.v[i], row->ts, row->name);
	case PROC_EXIT:
		if (i != UINT32_MAX && !p->v.v[i].to) {
			p->v.v[i].to = row->ts;
			p->v.v[i].seen = true;
		}
		return 0;
	default: return 0;
	}
}

/* Exit codes, and which processes the recording is of. */
static int on_life(void *ctx, const struct rec_slow_row *s)
{
	const char *tracker = recread_schema(((struct procs *)ctx)->r->f)->trackers[s->fixed.tracker].name;
	uint64_t end = s->fixed.start + s->fixed.delay;
	struct procs *p = ctx;

	if (strcmp(tracker, "life") != 0 && strcmp(tracker, "state") != 0)
		return 0;
	for (uint32_t i = index_of(p, s->fixed.pid); i != UINT32_MAX; i = p->v.v[i].before) {
		struct process *x = &p->v.v[i];

		if ((x->to && end > x->to + 1000000000u) || end < x->from)
			continue;
		x->wanted = p->any_wanted = true;
		if (tracker[0] == 'l' && s->fixed.tid == s->fixed.pid) {
			x->code = (uint32_t)tl_attr_int(s, TL_ATTR_CODE, 0);
			x->has_code = true;
		}
	}
	return p->r->error;
}

/* Chooses the processes that did something, with the ancestors that lead to them. */
static void choose(struct procs *p)
{
	const struct tl_opts *o = p->r->opts;

	for (size_t i = p->v.n; i-- > 0;) {
		struct process *x = &p->v.v[i];

		if (o->pid)
			x->seen = x->tgid == o->pid;
		else if (o->all)
			x->seen = true;
		else if (p->any_wanted)
			x->seen = x->wanted;
	}
	for (size_t i = 0; o->pid && i < p->v.n; i++) /* descendants: parents stand before their children */
		if (p->v.v[i].parent != UINT32_MAX && p->v.v[p->v.v[i].parent].seen)
			p->v.v[i].seen = true;
	for (size_t i = p->v.n; i-- > 0;)
		if (p->v.v[i].seen && p->v.v[i].parent != UINT32_MAX)
			p->v.v[p->v.v[i].parent].seen = true;
}

static void add_bars(struct tl_reader *r, struct tl_row *row, const struct process *x)
{
	char length[AMOUNT_MAX], how[48];
	uint64_t end = x->to ? x->to : r->last;

	tl_exit_text(how, sizeof(how), x->code);
	amount_str(length, end - x->from, "ns");
	for (size_t i = 0; i < x->execs.n; i++) {
		uint64_t to = i + 1 < x->execs.n ? x->execs.v[i + 1].at : end;
		uint32_t text;

		strb_reset(&r->key);
		strb_printf(&r->key, "%s, process %u, %s%s", x->execs.v[i].name, x->tgid,
			    x->alive ? "there before" : "lived ", x->alive ? "" : length);
		if (i + 1 < x->execs.n)
			strb_printf(&r->key, ", then exec of %s", x->execs.v[i + 1].name);
		else if (how[0])
			strb_printf(&r->key, ", %s", how);
		else if (!x->to)
			strb_adds(&r->key, ", goes on");
		text = tl_known_text(r, strb_str(&r->key));
		if (!text)
			text = tl_add_text(r, strb_str(&r->key), strb_str(&r->key), NULL);
		tl_add_item(r, row,
			    (struct tl_item){ .from = x->execs.v[i].at,
					      .to = to,
					      .kind = TL_LIFE,
					      .text = text,
					      .flags = !x->to && i + 1 == x->execs.n ? TL_OPEN : 0 });
	}
}

static int add_rows(struct procs *p, const struct tl_proc *tree, const uint32_t *which, size_t n)
{
	struct tl_reader *r = p->r;
	size_t same = 0; /* how many are in the row until now: they follow each other */

	for (size_t i = 0; i < n && !r->error; i++) {
		const struct process *x = &p->v.v[which[i]];
		struct tl_row *row;
		char key[32], how[48];

		snprintf(key, sizeof(key), "p%010u", tree[i].order);
		row = tl_row_of(r, key, TL_GROUP_PROCESSES);
		if (!row)
			continue;
		same = i && tree[i - 1].order == tree[i].order ? same + 1 : 1;
		tl_exit_text(how, sizeof(how), x->code);
		row->depth = tree[i].depth;
		row->pid = row->tid = x->tgid;
		if (same > 1)
			tl_label(r, row, "%s (%zu times)", name_of(x), same);
		else
			tl_label(r, row, "%s %u%s%s", name_of(x), x->tgid, how[0] ? " " : "", how);
		add_bars(r, row, x);
	}
	return r->error;
}

/* By row, and in a row by time. */
static int by_key(const void *a, const void *b, void *arg)
{
	const struct tl_proc *t = arg, *x = &t[*(const uint32_t *)a], *y = &t[*(const uint32_t *)b];

	return x->order != y->order ? (x->order < y->order ? -1 : 1) : x->from < y->from ? -1 : x->from > y->from;
}

/* Rows stand in the order in which they were made: that of the tree. */
static int lay_out(struct procs *p)
{
	size_t n = 0, all = p->v.n;
	_cleanup_free_ struct tl_proc *tree = calloc(all + 1, sizeof(*tree)),
				      *sorted = calloc(all + 1, sizeof(*sorted));
	_cleanup_free_ uint32_t *which = calloc(all + 1, sizeof(*which)), *place = calloc(all + 1, sizeof(*place)),
				*order = calloc(all + 1, sizeof(*order));

	if (!tree || !sorted || !which || !place || !order)
		return -ENOMEM;
	for (size_t i = 0; i < all; i++) {
		struct process *x = &p->v.v[i];

		if (!x->seen)
			continue;
		place[i] = (uint32_t)n;
		tree[n] = (struct tl_proc){ .parent = x->parent == UINT32_MAX ? UINT32_MAX : place[x->parent],
					    .from = x->from,
					    .to = x->to ? x->to : UINT64_MAX,
					    .name = name_of(x) };
		which[n++] = (uint32_t)i;
	}
	if (tl_tree(tree, n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), by_key, tree);
	for (size_t i = 0; i < n; i++) {
		sorted[i] = tree[order[i]];
		place[i] = which[order[i]];
	}
	return add_rows(p, sorted, place, n);
}

static void procs_done(struct procs *p)
{
	struct by_id *x, *next;

	for (size_t i = 0; i < p->v.n; i++) {
		for (size_t k = 0; k < p->v.v[i].execs.n; k++)
			free(p->v.v[i].execs.v[k].name);
		vec_free(&p->v.v[i].execs);
	}
	vec_free(&p->v);
	HASH_ITER (hh, p->ids, x, next) {
		HASH_DEL(p->ids, x);
		free(x);
	}
}

int tl_read_processes(struct tl_reader *r, struct err *err)
{
	struct rec_slow_query q = { .range = REC_ALL_TIME, .tracker = -1, .which = SLOW_ONLY };
	struct procs p = { .r = r };
	int e = recread_procs(r->f, (struct rec_range){ 0, r->range.to }, on_proc, &p, err);

	if (e == 0)
		e = recread_slow(r->f, &q, on_life, &p, err);
	if (e == 0 && p.v.n == 0)
		e = err_set(err, -EINVAL,
			    "it has no processes: they are recorded where the kernel's perf events are available");
	if (e == 0) {
		choose(&p);
		e = lay_out(&p);
	}
	procs_done(&p);
	return e;
}

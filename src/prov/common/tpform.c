/* SPDX-License-Identifier: Apache-2.0 */
/* Adapts tracepoints whose parameters have changed: programs see them as the newest kernels have them. Where an
 * older kernel passes less, or passes it elsewhere, a D expression computes the parameter from what it does pass.
 * Source: include/trace/events of the kernels named below. */
#include <string.h>
#include "base/cleanup.h"
#include "prov/prov_int.h"

#define FORM_MAX_ARGS 4

struct form {
	const char *tp;
	const char *gone;		/* a parameter that only the older form has, or NULL */
	struct probe_arg added;		/* one that only the newer form has; no name: none */
	const char *now[FORM_MAX_ARGS]; /* the parameters as they are now */
};

static const struct form forms[] = {
	/* Linux 5.18. Before, the state is read when the thread is about to leave. A thread that wakes it up at that
	 * moment may have set TASK_WAKING, but the state is not 0 before it has left. Source: kernel/sched/core.c,
	 * try_to_wake_up(). */
	{ .tp = "sched_switch",
	  .added = { .ctype = "unsigned int", .name = "prev_state", .expr = "task_state[prev]" },
	  .now = { "preempt", "prev", "next", "prev_state" } },
	/* Linux 5.11 */
	{ .tp = "block_rq_issue", .gone = "q", .now = { "rq" } },
	{ .tp = "block_rq_insert", .gone = "q", .now = { "rq" } },
	{ .tp = "block_rq_merge", .gone = "q", .now = { "rq" } },
	{ .tp = "block_rq_requeue", .gone = "q", .now = { "rq" } },
	{ .tp = "block_bio_queue", .gone = "q", .now = { "bio" } },
	{ .tp = "block_getrq", .gone = "q", .now = { "bio" } },
	{ .tp = "block_split", .gone = "q", .now = { "bio", "new_sector" } },
	{ .tp = "block_bio_remap", .gone = "q", .now = { "bio", "dev", "from" } },
	{ .tp = "block_rq_remap", .gone = "q", .now = { "rq", "dev", "from" } },
	/* after Linux 6.12 */
	{ .tp = "mmap_lock_start_locking", .gone = "memcg_path", .now = { "mm", "write" } },
	{ .tp = "mmap_lock_acquire_returned", .gone = "memcg_path", .now = { "mm", "write", "success" } },
	{ .tp = "mmap_lock_released", .gone = "memcg_path", .now = { "mm", "write" } },
};

static const struct probe_arg *find(const struct probe_arg *v, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (v[i].name && !strcmp(v[i].name, name))
			return &v[i];
	return NULL;
}

/* The form that the tracepoint would have on newer kernels; NULL: it has it. */
static const struct form *newer(const struct tp *tp, const struct probe *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const struct form *f = &forms[i];

		if (strcmp(f->tp, tp->name) != 0)
			continue;
		if (f->added.name ? !find(p->args, p->nargs, f->added.name) : find(p->args, p->nargs, f->gone) != NULL)
			return f;
	}
	return NULL;
}

void tpform_args(struct arena *a, const struct tp *tp, struct probe *p)
{
	const struct form *f = newer(tp, p);
	struct probe_arg *raw, *now;
	unsigned nraw = p->nargs, n = 0;

	if (!f)
		return;
	raw = arena_new_arr(a, struct probe_arg, nraw + 1);
	now = arena_new_arr(a, struct probe_arg, FORM_MAX_ARGS);
	memcpy(raw, p->args, nraw * sizeof(*raw));
	if (f->added.name)
		raw[nraw++] = f->added;
	for (; n < FORM_MAX_ARGS && f->now[n]; n++) {
		const struct probe_arg *r = find(raw, nraw, f->now[n]);

		if (!r)
			return; /* a form between the two that are known: as it is */
		now[n] = *r;
		if (r != &raw[n] || r->expr)
			now[n].expr = r->name;
	}
	p->raw = raw;
	p->nraw = nraw;
	p->args = now;
	p->nargs = n;
}

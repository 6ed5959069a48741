/* SPDX-License-Identifier: Apache-2.0 */
/* Provider iter: walks over all threads of the machine, at a period. iter:::task fires once per thread. The built-in
 * variables are that thread's, args[0] is its task_struct. iter:::done fires when the walk is over, in dwell's own
 * thread. The period is option iterrate, or in the name: task-500ms. The first walk is made when tracing begins. */
#include <errno.h>
#include "base/cleanup.h"
#include "load/probe_caps.h"
#include "prov/kernel/timer.h"

#define PERIOD_MIN_NS 1000000ull
#define ID_VALUES 500
#define WALK_FUNC "bpf_iter_task" /* what programs are attached to. Source: kernel/bpf/task_iter.c */

enum { KIND_TASK, KIND_DONE };

static const char *const listed[] = { "task", "done", NULL };

static const struct timer_family family = {
	.prov = "iter",
	.kinds = { [KIND_TASK] = "task-", [KIND_DONE] = "done-" },
	.plain = true,
	.min_ns = PERIOD_MIN_NS,
	.too_fast = "threads are walked at most 1000 times per second: the interval must be 1 millisecond or "
		    "more",
	.too_long = "the interval of the iter probe is too long",
	.bad_number = "task- and done- take a positive number and one of the units hz, ns, us, ms, s, m, h, d",
	.listed = listed,
	.id_base = PROV_ID_ITER,
	.id_count = PROV_N_ITER,
	.id_values = ID_VALUES,
};
_Static_assert(PROV_N_ITER > TIMER_MAX_KINDS + ID_VALUES * NUM_UNITS * TIMER_MAX_KINDS,
	       "the packed ids fill the range");

static const char no_walks[] = "the kernel does not let BPF programs walk its threads (bpf_iter, Linux 5.8), or "
			       "has no type information (CONFIG_DEBUG_INFO_BTF=y)";

static const char needs_own[] =
	"walks over threads (iter) need the kernel's own type information, not of a file (-x btf)";

static bool find_walk(struct prov_env *env, struct tref *ret)
{
	return env->ts && typesrc_attaches(env->ts) &&
	       typesrc_find(env->ts, "vmlinux", WALK_FUNC, TKM(TK_FUNC), ret) >= 0;
}

/* Listed with the reason where the kernel has no such walks. */
static void mark(struct prov_env *env, struct probe *p)
{
	struct tref ref;

	if (!find_walk(env, &ref))
		p->unavailable = env->ts && !typesrc_attaches(env->ts) ? needs_own : no_walks;
}

static int iter_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		      const char **reason)
{
	size_t first = out->n;
	int r = timer_match(env, a, d, &family, out, reason);

	for (size_t i = first; i < out->n; i++)
		mark(env, out->v[i]);
	return r;
}

static int iter_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	int r = timer_by_id(env, a, id, &family, ret);

	if (r == 0)
		mark(env, *ret);
	return r;
}

static int iter_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	static const struct probe_arg thread = { .ctype = "struct task_struct *", .name = "task" };
	const struct timer *t = p->priv;

	(void)env;
	(void)a;
	p->args_known = true;
	if (t->kind == KIND_TASK) {
		p->args = &thread;
		p->nargs = 1;
	}
	return 0;
}

static int iter_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
		      const char **reason)
{
	const struct timer *t = p->priv;

	(void)a;
	if (p->unavailable) {
		*reason = p->unavailable;
		return -ENOTSUP;
	}
	*ret = (struct entry){ .cpu = -1, .period_ns = t->period_ns };
	if (t->kind == KIND_DONE) {
		ret->kind = ENTRY_TEST_RUN;
		ret->target = ENTRY_WALK_DONE;
		return 0;
	}
	ret->kind = ENTRY_ITER_TASK;
	ret->target = "task";
	ret->nargs = 1;
	ret->args[0] = (struct arg_loc){ .kind = ARG_THREAD };
	ret->reads_thread = caps_try_iter_user(env->ts);
	return find_walk(env, &ret->btf_type) ? 0 : -ENOTSUP;
}

const struct provider prov_iter = {
	.name = "iter",
	.id_base = PROV_ID_ITER,
	.id_count = PROV_N_ITER,
	.match = iter_match,
	.by_id = iter_by_id,
	.args = iter_args,
	.entry = iter_entry,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Provider sched: off-cpu when a thread leaves a CPU, on-cpu when one begins to run.
 * off-cpu is the tracepoint sched_switch, which runs in the thread that leaves.
 * on-cpu is the bare tracepoint sched_exit_tp, which runs at the end of schedule() in the thread that
 * begins (Linux 6.16; a thread's very first run does not pass there). Kernels without it: sched_switch,
 * still in the thread that leaves, so that there is no user stack.
 * Source: kernel/sched/core.c, __schedule(); DTrace guide, "sched Provider". */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "prov/prov_int.h"

static const char *const names[] = {"off-cpu", "on-cpu"};
#define OFF_CPU 0

#define TP_SWITCH "sched_switch"  /* (bool preempt, prev, next, unsigned prev_state) */
#define TP_EXIT	  "sched_exit_tp" /* (bool is_switch[, …]) */
#define SWITCH_NEXT_OFF 16
#define OFF_CPU_NARGS	2 /* args[0] lwpsinfo_t, args[1] psinfo_t, both of the next thread */

static struct probe *make(struct arena *a, size_t i)
{
	struct probe *p = arena_new_obj(a, struct probe);

	p->id = (uint32_t)(PROV_ID_SCHED + i);
	p->prov = "sched";
	p->mod = "vmlinux";
	p->func = "";
	p->name = names[i];
	return p;
}

static int sched_match(struct prov_env *env, struct arena *a, const struct pdesc *d,
		       struct probe_list *out, const char **why)
{
	(void)env;
	(void)why;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (prov_match_names(d, "sched", "vmlinux", "", names[i]))
			prov_list_add(a, out, make(a, i));
	return 0;
}

static int sched_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	(void)env;
	if (id - PROV_ID_SCHED >= ARRAY_SIZE(names))
		return -ENOENT;
	*ret = make(a, id - PROV_ID_SCHED);
	return 0;
}

static int sched_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	static const struct probe_arg off_args[OFF_CPU_NARGS] = {
		{.ctype = "struct task_struct *", .name = "next"},
		{.ctype = "struct task_struct *", .name = "next"},
	};

	(void)env;
	(void)a;
	p->args_known = true;
	if (p->id == PROV_ID_SCHED + OFF_CPU) {
		p->args = off_args;
		p->nargs = OFF_CPU_NARGS;
	}
	return 0;
}

static void set_kind(struct prov_env *env, struct entry *e, const char *target, struct tref ref)
{
	e->kind = ref.id && env->caps->tp_btf ? ENTRY_TP_BTF : ENTRY_RAW_TP;
	e->target = target;
	if (e->kind == ENTRY_TP_BTF)
		e->btf_type = ref;
}

static int sched_entry(struct prov_env *env, struct arena *a, const struct probe *p,
		       struct entry *ret, const char **why)
{
	struct entry e = {.cpu = -1};
	struct tref ref = {0};

	(void)a;
	(void)why;
	if (p->id != PROV_ID_SCHED + OFF_CPU && tptab_find_builtin(env, TP_EXIT, &ref) >= 0) {
		set_kind(env, &e, TP_EXIT, ref);
		e.current_is_next = true;
		/* schedule() also ends without a switch: is_switch tells. */
		e.has_selector = true;
		e.sel = (struct arg_loc){.kind = ARG_CTX, .off = 0, .size = 1};
		e.sel_value = 1;
	} else {
		tptab_find_builtin(env, TP_SWITCH, &ref);
		set_kind(env, &e, TP_SWITCH, ref);
		e.no_user_stack = p->id != PROV_ID_SCHED + OFF_CPU;
	}
	if (p->id == PROV_ID_SCHED + OFF_CPU) {
		e.nargs = OFF_CPU_NARGS;
		e.args[0] = e.args[1] =
			(struct arg_loc){.kind = ARG_CTX, .off = SWITCH_NEXT_OFF, .size = 8};
	}
	*ret = e;
	return 0;
}

const struct provider prov_sched = {
	.name = "sched",
	.id_base = PROV_ID_SCHED,
	.id_count = PROV_N_SCHED,
	.match = sched_match,
	.by_id = sched_by_id,
	.args = sched_args,
	.entry = sched_entry,
};

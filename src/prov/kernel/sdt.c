/* SPDX-License-Identifier: Apache-2.0 */
/* Provider sdt: every tracepoint of the kernel as sdt:GROUP::NAME, entered as a typed tracepoint.
 * Source: the names are those of Oracle's DTrace for Linux; arguments are the tracepoint's own. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "prov/prov_int.h"
#include "prov/kernel/tp.h"

/* Shipped tools ask for tracepoints of kvm, a module that many machines do not load. */
static bool is_missing_kvm(struct prov_env *env, struct arena *a, const struct pdesc *d)
{
	struct pdesc all = { .mod = d->mod };
	struct probe_list found = { 0 };
	const char *reason = NULL;

	return d->mod && !strcmp(d->mod, "kvm") && prov_tp_match(env, a, &all, &prov_sdt, &found, &reason) == 0 &&
	       found.n == 0;
}

static int sdt_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		     const char **reason)
{
	size_t before = out->n;
	int r = prov_tp_match(env, a, d, &prov_sdt, out, reason);

	if (r == 0 && out->n == before && !*reason && is_missing_kvm(env, a, d))
		*reason = "KVM is not in this kernel: modprobe kvm_intel, or kvm_amd, loads it";
	return r;
}

static int sdt_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	return prov_tp_by_id(env, a, id, &prov_sdt, ret);
}

/* Tracepoints that fire in interrupts only: whichever thread is on the CPU has no part in it. */
static bool is_of_interrupt(const char *name)
{
	static const char *const names[] = { "hrtimer_expire_entry", "hrtimer_expire_exit", "timer_expire_entry",
					     "timer_expire_exit",    "irq_handler_entry",   "irq_handler_exit",
					     "softirq_entry",	     "softirq_exit" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static int sdt_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
		     const char **reason)
{
	const struct tp *tp = p->priv;

	(void)a;
	(void)reason;
	*ret = (struct entry){
		.kind = env->caps->tp_btf ? ENTRY_TP_BTF : ENTRY_RAW_TP,
		.target = tp->name,
		.btf_type = tp->ref,
		.cpu = -1,
		.of_interrupt = is_of_interrupt(tp->name),
	};
	return tptab_arg_locs(env, tp->ref, ret);
}

const struct provider prov_sdt = {
	.name = "sdt",
	.id_base = PROV_ID_SDT,
	.id_count = PROV_N_SDT,
	.match = sdt_match,
	.by_id = sdt_by_id,
	.args = prov_tp_args,
	.entry = sdt_entry,
};

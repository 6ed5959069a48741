/* SPDX-License-Identifier: Apache-2.0 */
/* Provider rawtp: the same tracepoints as sdt, entered as raw tracepoints, which every kernel since
 * 4.17 has; pointers are followed by probe reads. Source: names as in Oracle's DTrace for Linux. */
#include <errno.h>
#include "prov/prov_int.h"
#include "prov/kernel/tp.h"

static int rawtp_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		       const char **reason)
{
	return prov_tp_match(env, a, d, &prov_rawtp, out, reason);
}

static int rawtp_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	return prov_tp_by_id(env, a, id, &prov_rawtp, ret);
}

static int rawtp_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
		       const char **reason)
{
	const struct tp *tp = p->priv;

	(void)a;
	(void)reason;
	*ret = (struct entry){ .kind = ENTRY_RAW_TP, .target = tp->name, .cpu = -1 };
	return tptab_arg_locs(env, tp->ref, ret);
}

const struct provider prov_rawtp = {
	.name = "rawtp",
	.id_base = PROV_ID_RAWTP,
	.id_count = PROV_N_RAWTP,
	.match = rawtp_match,
	.by_id = rawtp_by_id,
	.args = prov_tp_args,
	.entry = rawtp_entry,
};

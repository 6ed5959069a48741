/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the probes of the providers that list every tracepoint (sdt, rawtp). */
#include "prov/kernel/tp.h"
#include <errno.h>

struct add {
	struct arena *a;
	const struct provider *pv;
	struct probe_list *out;
};

static struct probe *make(struct arena *a, const struct provider *pv, const struct tp *tp)
{
	struct probe *p = arena_new_obj(a, struct probe);

	p->id = pv->id_base + tp->slot;
	p->prov = pv->name;
	p->mod = tp->group;
	p->func = "";
	p->name = tp->name;
	p->priv = tp;
	return p;
}

static void add_tp(void *arg, const struct tp *tp)
{
	struct add *x = arg;

	prov_list_add(x->a, x->out, make(x->a, x->pv, tp));
}

int prov_tp_match(struct prov_env *env, struct arena *a, const struct pdesc *d, const struct provider *pv,
		  struct probe_list *out, const char **reason)
{
	struct add x = { a, pv, out };

	if (!pdesc_glob(d->prov, pv->name))
		return 0;
	return tptab_match(env, d, add_tp, &x, reason);
}

int prov_tp_by_id(struct prov_env *env, struct arena *a, uint32_t id, const struct provider *pv, struct probe **ret)
{
	const struct tp *tp = tptab_by_slot(env, id - pv->id_base);

	if (!tp)
		return -ENOENT;
	*ret = make(a, pv, tp);
	return 0;
}

int prov_tp_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	return tptab_args(env, a, p->priv, p);
}

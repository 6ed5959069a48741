/* SPDX-License-Identifier: Apache-2.0 */
/* Provider dtrace: BEGIN and END are run once by test-run in dwell's own thread, ERROR is called
 * from the place of a fault. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "prov/prov_int.h"

static const char *const names[] = { "BEGIN", "END", "ERROR" };
#define ERROR_INDEX 2
#define ERROR_NARGS 6 /* arg1 id of the probe, arg2 clause, arg3 offset, arg4 fault, arg5 value; arg0 is 0 */

static struct probe *make(struct arena *a, size_t i)
{
	struct probe *p = arena_new_obj(a, struct probe);

	p->id = (uint32_t)(PROV_ID_DTRACE + i);
	p->prov = "dtrace";
	p->mod = p->func = "";
	p->name = names[i];
	return p;
}

static int dtrace_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
			const char **reason)
{
	(void)env;
	(void)reason;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (prov_match_names(d, "dtrace", "", "", names[i]))
			prov_list_add(a, out, make(a, i));
	return 0;
}

static int dtrace_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	(void)env;
	if (id < PROV_ID_DTRACE || id - PROV_ID_DTRACE >= ARRAY_SIZE(names))
		return -ENOENT;
	*ret = make(a, id - PROV_ID_DTRACE);
	return 0;
}

/* Source: DTrace guide, "dtrace Provider": the arguments of ERROR are integers. */
static int dtrace_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	(void)env;
	(void)a;
	p->args_known = true;
	return 0;
}

static int dtrace_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
			const char **reason)
{
	(void)env;
	(void)a;
	(void)reason;
	*ret = (struct entry){ .kind = ENTRY_TEST_RUN, .target = p->name, .cpu = -1 };
	if (strcmp(p->name, names[ERROR_INDEX]) != 0)
		return 0;
	ret->kind = ENTRY_NONE;
	ret->nargs = ERROR_NARGS;
	for (uint32_t i = 1; i < ERROR_NARGS; i++)
		ret->args[i] = (struct arg_loc){ .kind = ARG_ERROR, .off = i };
	return 0;
}

const struct provider prov_dtrace = {
	.name = "dtrace",
	.id_base = PROV_ID_DTRACE,
	.id_count = PROV_N_DTRACE,
	.match = dtrace_match,
	.by_id = dtrace_by_id,
	.args = dtrace_args,
	.entry = dtrace_entry,
};

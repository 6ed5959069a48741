/* SPDX-License-Identifier: Apache-2.0 */
/* The core of the stable providers: finds the row that serves a probe on this kernel and describes the
 * probe as derived from its tracepoint (lang/probeinfo.h). */
#include "prov/stable/stable.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"

#define MODULE "vmlinux" /* what Oracle's port calls the module of these probes */
#define NEED_FUNC "func:"

static int find_tp(struct prov_env *env, const struct stable_row *row, struct tref *ret)
{
	return row->in_module ? tptab_find(env, row->tp, ret) : tptab_find_builtin(env, row->tp, ret);
}

/* Types and names of the tracepoint's parameters, with what is made of them on older kernels: raw and nraw. */
static int read_raw(struct prov_env *env, struct arena *a, const struct stable_row *row, struct probe *tmp)
{
	struct tp tp = { .name = row->tp };
	int r = find_tp(env, row, &tp.ref);

	if (r >= 0)
		r = tptab_args(env, a, &tp, tmp);
	if (r >= 0 && !tmp->raw) {
		tmp->raw = tmp->args;
		tmp->nraw = tmp->nargs;
	}
	return r;
}

static bool has_need(struct prov_env *env, struct arena *a, const struct stable_row *row)
{
	struct probe tmp = { 0 };
	struct tref ref;

	if (!strncmp(row->need, NEED_FUNC, strlen(NEED_FUNC)))
		return typesrc_find(env->ts, NULL, row->need + strlen(NEED_FUNC), TKM(TK_FUNC), &ref) >= 0;
	if (read_raw(env, a, row, &tmp) < 0)
		return false;
	for (unsigned i = 0; i < tmp.nraw; i++)
		if (tmp.raw[i].name && !strcmp(tmp.raw[i].name, row->need))
			return true;
	return false;
}

/* Why this kernel cannot serve the row; NULL: it can. */
static const char *unusable(struct prov_env *env, struct arena *a, const struct stable_row *row)
{
	struct tref ref;

	if (!row->tp)
		return row->reason;
	if (!env->ts)
		return row->bare ? NULL : prov_no_types(env);
	if (find_tp(env, row, &ref) < 0)
		return row->reason ? row->reason : arena_printf(a, "this kernel has no tracepoint %s", row->tp);
	if (row->need && !has_need(env, a, row))
		return arena_printf(a, "tracepoint %s of this kernel has no %s", row->tp, row->need);
	return NULL;
}

static struct probe *make(struct arena *a, const struct stable *s, const struct stable_row *row)
{
	struct probe *p = arena_new_obj(a, struct probe);

	p->id = s->id_base + (uint32_t)(row - s->rows);
	p->prov = s->name;
	p->mod = MODULE;
	p->func = "";
	p->name = row->name;
	p->cond = row->cond;
	p->before = row->before;
	p->after = row->after;
	p->priv = row;
	return p;
}

static void mark_derived(struct prov_env *env, struct probe *p)
{
	p->derived = env->ts != NULL;
	if (!p->derived)
		p->cond = NULL;
}

static bool is_first_of_name(const struct stable *s, size_t i)
{
	return i == 0 || strcmp(s->rows[i].name, s->rows[i - 1].name) != 0;
}

/* The rows of one name, from i on. Adds the probe; or, known by name only, the first row with its reason. */
static void add_name(struct prov_env *env, struct arena *a, const struct stable *s, size_t i, struct probe_list *out)
{
	const char *first_reason = NULL;
	bool have = false;
	struct probe *p;

	for (size_t k = i; k < s->n && (k == i || !is_first_of_name(s, k)); k++) {
		const char *reason;

		if (have && !s->rows[k].also)
			continue;
		reason = unusable(env, a, &s->rows[k]);
		first_reason = first_reason ? first_reason : reason;
		if (reason)
			continue;
		p = make(a, s, &s->rows[k]);
		mark_derived(env, p);
		p->also = have;
		have = true;
		prov_list_add(a, out, p);
	}
	if (have)
		return;
	p = make(a, s, &s->rows[i]);
	p->unavailable = first_reason;
	prov_list_add(a, out, p);
}

int stable_match(struct prov_env *env, struct arena *a, const struct pdesc *d, const struct stable *s,
		 struct probe_list *out)
{
	for (size_t i = 0; i < s->n; i++)
		if (is_first_of_name(s, i) && prov_match_names(d, s->name, MODULE, "", s->rows[i].name))
			add_name(env, a, s, i, out);
	return 0;
}

int stable_by_id(struct prov_env *env, struct arena *a, uint32_t id, const struct stable *s, struct probe **ret)
{
	size_t i = id - s->id_base;

	if (i >= s->n)
		return -ENOENT;
	*ret = make(a, s, &s->rows[i]);
	(*ret)->unavailable = unusable(env, a, &s->rows[i]);
	if (!(*ret)->unavailable)
		mark_derived(env, *ret);
	return 0;
}

static unsigned count_args(const struct stable_row *row)
{
	unsigned n = 0;

	while (n < STABLE_MAX_ARGS && row->args[n].type)
		n++;
	return n;
}

int stable_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	const struct stable_row *row = p->priv;
	unsigned n = count_args(row);
	struct probe_arg *args = arena_new_arr(a, struct probe_arg, n ? n : 1);
	struct probe tmp = { 0 };
	int r;

	for (unsigned i = 0; i < n; i++)
		args[i] = (struct probe_arg){
			.ctype = row->args[i].type,
			.name = row->args[i].name,
			.expr = row->args[i].expr,
			.user_string = row->args[i].user_string,
		};
	p->args = args;
	p->nargs = n;
	p->xargs = row->nxargs ? row->xargs : NULL;
	p->nxargs = row->nxargs;
	p->args_known = true;
	if (!p->derived)
		return 0;
	r = read_raw(env, a, row, &tmp);
	p->raw = tmp.raw;
	p->nraw = tmp.nraw;
	return r;
}

int stable_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret, const char **reason)
{
	const struct stable_row *row = p->priv;
	struct entry e = {
		.target = row->tp,
		.cpu = -1,
		.current_is_next = row->is_next,
		.no_user_stack = row->no_ustack,
	};

	(void)a;
	if (p->unavailable) {
		*reason = p->unavailable;
		return -ENOTSUP;
	}
	e.kind = ENTRY_RAW_TP;
	if (env->caps->tp_btf && find_tp(env, row, &e.btf_type) >= 0)
		e.kind = ENTRY_TP_BTF;
	e.nargs = p->derived ? count_args(row) : 0;
	for (unsigned i = 0; i < e.nargs; i++)
		e.args[i] = (struct arg_loc){ .kind = ARG_DERIVED, .off = i };
	*ret = e;
	return 0;
}

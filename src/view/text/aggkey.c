/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of aggregations that are addresses shown as names. All addresses of one function (or module) are one key, as in
 * DTrace, and so are all stacks that waited for one thing. So the address is replaced by that of the function's start,
 * or by the first one seen in the module. */
#include <string.h>
#include "base/cleanup.h"
#include "view/text/int.h"

/* A module that a key named, and the address that stands for it. */
struct agg_module {
	struct agg_module *next;
	const char *name; /* lives with sym */
	uint32_t tgid;	  /* 0: the kernel */
	uint64_t start;
	uint64_t addr;
};

static bool is_name(enum field_kind kind)
{
	return kind == FLD_SYM || kind == FLD_FUNC || kind == FLD_MOD || kind == FLD_USYM || kind == FLD_UFUNC ||
	       kind == FLD_UMOD || kind == FLD_WHY;
}

static bool has_names(const struct aggdesc *d)
{
	for (size_t i = 0; i < d->nkeys; i++)
		if (is_name(d->keys[i].kind))
			return true;
	return false;
}

static uint64_t module_addr(struct text_view *v, const struct symbol *s, const struct rec_uaddr *u)
{
	struct agg_module *m = v->agg_modules;

	for (; m; m = m->next)
		if (m->tgid == u->tgid && m->start == u->start && !strcmp(m->name, s->module))
			return m->addr;
	m = calloc(1, sizeof(*m));
	if (!m)
		return u->addr;
	*m = (struct agg_module){ v->agg_modules, s->module, u->tgid, u->start, u->addr };
	v->agg_modules = m;
	return m->addr;
}

void text_aggkey_free(struct text_view *v)
{
	for (struct agg_module *m = v->agg_modules, *next; m; m = next) {
		next = m->next;
		free(m);
	}
}

static void merge_field(struct text_view *v, const struct recfield *f, uint8_t *p)
{
	enum field_kind kind = f->kind;
	bool kernel = kind == FLD_SYM || kind == FLD_FUNC || kind == FLD_MOD;
	struct rec_uaddr u = { 0 };
	struct symbol s = { 0 };
	bool found;

	if (kind == FLD_WHY) {
		const struct why_words *w = text_why(v, f, p);

		memcpy(p, w->frames, w->size);
		return;
	}
	memcpy(kernel ? (void *)&u.addr : (void *)&u, p, kernel ? sizeof(u.addr) : sizeof(u));
	found = kernel ? sym_kernel(v->sym, u.addr, &s) : sym_user(v->sym, u.tgid, u.start, u.addr, &s);
	if (kind == FLD_MOD || kind == FLD_UMOD) {
		if (s.module && s.module[0])
			u.addr = module_addr(v, &s, &u);
	} else if (found && s.name && s.offset <= u.addr) {
		u.addr -= s.offset;
	}
	memcpy(p, kernel ? (void *)&u.addr : (void *)&u, kernel ? sizeof(u.addr) : sizeof(u));
}

int text_agg_apply(struct text_view *v, const struct row *row)
{
	const struct aggdesc *d = row->id < v->schema->naggs ? v->schema->aggs[row->id] : NULL;
	_cleanup_free_ uint8_t *key = NULL;
	struct row merged = *row;

	if (!d || !v->sym || v->opts.noresolve || !row->data || row->len < d->key_size || !has_names(d))
		return aggstate_apply(v->aggs, row);
	key = malloc(row->len);
	if (!key)
		return -ENOMEM;
	memcpy(key, row->data, row->len);
	for (size_t i = 0; i < d->nkeys; i++)
		if (is_name(d->keys[i].kind))
			merge_field(v, &d->keys[i], key + d->keys[i].off);
	merged.data = key;
	return aggstate_apply(v->aggs, &merged);
}

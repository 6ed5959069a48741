/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the static probes of one file: groups notes by name, function and arguments. */
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "prov/user/sdtargs.h"
#include "prov/user/uproc.h"
#include "sym/elf/elfsym.h"

static void read_notes(struct prov_env *env, struct uproc_obj *o)
{
	struct uobj_file file;

	if (o->notes_tried)
		return;
	o->notes_tried = true;
	if (uobj_open(o->o, &file) < 0)
		return;
	stapsdt_read(env->cache->arena, &file.elf, &o->notes, &o->nnotes);
	uobj_close(&file);
}

bool usdt_has(struct prov_env *env, struct uproc_obj *o, const char *prov)
{
	read_notes(env, o);
	for (size_t i = 0; i < o->nnotes; i++)
		if (pdesc_glob(prov, o->notes[i].prov))
			return true;
	return false;
}

const char *usdt_name(struct arena *a, const char *c)
{
	char *s = arena_strdup(a, c), *to = s;

	for (const char *p = s; *p; p++) {
		if (p[0] == '_' && p[1] == '_') {
			*to++ = '-';
			p++;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
	return s;
}

struct note_in { /* a note and where it is */
	const struct stapsdt *n;
	const char *func;
	size_t order;
};

static int compare(const void *a, const void *b)
{
	const struct note_in *x = a, *y = b;
	int r = strcmp(x->n->prov, y->n->prov);

	r = r ? r : strcmp(x->n->name, y->n->name);
	r = r ? r : strcmp(x->func, y->func);
	r = r ? r : strcmp(x->n->args, y->n->args);
	return r ? r : x->order < y->order ? -1 : x->order > y->order;
}

static bool same_probe(const struct note_in *a, const struct note_in *b)
{
	/* Two notes differ if their arguments are found relative to the probe's address ("rip"). */
	return !strcmp(a->n->prov, b->n->prov) && !strcmp(a->n->name, b->n->name) && !strcmp(a->func, b->func) &&
	       !strcmp(a->n->args, b->n->args) && !strstr(a->n->args, "rip");
}

static void put_together(struct arena *a, struct uproc_obj *o, struct note_in *v)
{
	o->usdt = arena_new_arr(a, struct usdt, o->nnotes + 1);
	for (size_t i = 0, j; i < o->nnotes; i = j) {
		struct usdt *u = &o->usdt[o->nusdt++];

		for (j = i + 1; j < o->nnotes && same_probe(&v[i], &v[j]);)
			j++;
		*u = (struct usdt){ .prov = usdt_name(a, v[i].n->prov),
				    .name = usdt_name(a, v[i].n->name),
				    .func = v[i].func,
				    .args = v[i].n->args,
				    .n = j - i };
		u->v = arena_new_arr(a, const struct stapsdt *, u->n);
		for (size_t k = 0; k < u->n; k++)
			u->v[k] = v[i + k].n;
	}
}

void usdt_load(struct prov_env *env, const struct uproc *p, struct uproc_obj *o)
{
	const struct ufuncs *fs;
	struct note_in *v;

	read_notes(env, o);
	if (o->usdt_tried || !o->nnotes)
		return;
	o->usdt_tried = true;
	fs = uproc_funcs(env, p, o);
	v = arena_new_arr(env->cache->arena, struct note_in, o->nnotes);
	for (size_t i = 0; i < o->nnotes; i++) {
		const struct ufunc *f = fs ? ufuncs_at(fs, o->notes[i].off) : NULL;

		v[i] = (struct note_in){ &o->notes[i], f ? f->name : "", i };
	}
	qsort(v, o->nnotes, sizeof(*v), compare);
	put_together(env->cache->arena, o, v);
}

/* -- arguments -- */

static int find_symbol(void *ctx, const char *name, size_t len, uint64_t *ret)
{
	const struct uobj *o = ctx;
	struct uobj_file file;
	int r;

	if (uobj_open(o, &file) < 0)
		return -ENOENT;
	r = elfsym_find(&file.elf, name, len, false, ret);
	uobj_close(&file);
	return r;
}

unsigned usdt_args(struct prov_env *env, const struct upoint *at, struct sdtarg *ret)
{
	struct sdtargs_env e = {
		.machine = at->machine,
		.addr = at->usdt->v[0]->addr,
		.symbol = find_symbol,
		.ctx = (void *)at->obj,
	};

	(void)env;
	return sdtargs_parse(&e, at->usdt->args, ret);
}

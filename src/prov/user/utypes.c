/* SPDX-License-Identifier: Apache-2.0 */
/* Gives types to the arguments of functions in processes. It takes the parameters from the debug information of the
 * file, and their places from the calling convention. Source: as in regargs.c; DWARF through sym/dwarf/dwarf.h. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "prov/user/uproc.h"
#include "sym/dwarf/dwarf.h"

#define NATIVE UREGS_NARGS /* integer registers, then words of the stack */
#define MAX_CHAIN 32
#define WORD 8

struct utypes {
	uint32_t obj; /* in the type source */
	struct dwarf_func *funcs;
	size_t n;
	bool by_name; /* from BTF, which knows no addresses */
};

/* Without DWARF: the BTF that programs may have, as the kernel has it. */
static const struct utypes *load_btf(struct prov_env *env, const struct uproc *p, const struct uproc_obj *o)
{
	struct utypes u = { .by_name = true };
	_cleanup_free_ char *btf = NULL;
	size_t n;

	if (uobj_btf(o->o, p->pid, &btf, &n) < 0 || typesrc_add_user(env->ts, o->o->name, btf, n, &u.obj, NULL) < 0)
		return NULL;
	return arena_memdup(env->cache->arena, &u, sizeof(u));
}

static const struct utypes *load(struct prov_env *env, const struct uproc *p, struct uproc_obj *o)
{
	struct arena *a = env->cache->arena;
	struct dwarf_types t = { 0 };
	struct utypes u = { 0 };
	int r;

	if (o->types_tried)
		return o->types;
	o->types_tried = true;
	r = env->ts ? uobj_types(o->o, p->pid, &t) : -ENODATA;
	if (r == 0)
		r = typesrc_add_user(env->ts, o->o->name, t.btf, t.len, &u.obj, NULL);
	if (r == 0) {
		u.n = t.nfuncs;
		u.funcs = arena_memdup(a, t.funcs, t.nfuncs * sizeof(*t.funcs));
		o->types = arena_memdup(a, &u, sizeof(u));
	} else if (r == -ENODATA && env->ts) {
		o->types = load_btf(env, p, o);
	}
	dwarf_types_done(&t);
	return o->types;
}

static int compare(const void *key, const void *elem)
{
	uint64_t addr = *(const uint64_t *)key;
	const struct dwarf_func *f = elem;

	return addr < f->addr ? -1 : addr > f->addr;
}

/* Without names for types and qualifiers. False: void or unknown. */
static bool resolve(struct prov_env *env, struct tref ref, struct tinfo *ret)
{
	for (unsigned i = 0; i < MAX_CHAIN && ref.id; i++) {
		if (typesrc_get(env->ts, ref, ret) < 0)
			return false;
		if (ret->kind != TK_TYPEDEF && ret->kind != TK_CONST && ret->kind != TK_VOLATILE &&
		    ret->kind != TK_RESTRICT)
			return true;
		ref = ret->target;
	}
	return false;
}

/* Where the convention has come to. */
struct convention {
	unsigned regs;	/* for integers */
	unsigned next;	/* of them */
	unsigned stack; /* words of the stack that are taken */
	bool lost;	/* after a parameter of unknown type: nobody knows how much that takes */
};

static bool is_word(const struct tinfo *t)
{
	return t->kind == TK_PTR || ((t->kind == TK_INT || t->kind == TK_ENUM) && t->size <= WORD);
}

static bool is_float(struct prov_env *env, struct tref ref, const struct tinfo *t)
{
	struct tmember m;
	struct tinfo in;

	(void)ref;
	if (t->kind == TK_FLOAT)
		return true;
	return t->kind == TK_STRUCT && t->nmembers && typesrc_member(env->ts, ref, 0, &m) == 0 &&
	       resolve(env, m.type, &in) && in.kind == TK_FLOAT;
}

/* The native argument that holds a parameter; NATIVE: none does. Moves on. */
static unsigned place(struct prov_env *env, uint16_t machine, struct convention *c, struct tref ref)
{
	struct tinfo t;
	unsigned words;

	c->lost |= !resolve(env, ref, &t);
	if (c->lost)
		return NATIVE;
	if (is_word(&t)) {
		unsigned at = c->next < c->regs ? c->next++ : c->regs + c->stack++;

		return at < NATIVE ? at : NATIVE;
	}
	words = (unsigned)((t.size + WORD - 1) / WORD);
	if (is_float(env, ref, &t))
		return NATIVE; /* in registers that are not for us */
	if (machine == EM_AARCH64 && words > 2)
		words = 1; /* by its address */
	if (words <= 2 && c->next + words <= c->regs)
		c->next += words;
	else
		c->stack += words;
	return NATIVE;
}

static int entry_args(struct prov_env *env, struct arena *a, const struct upoint *at, struct tref proto,
		      struct probe *p)
{
	struct convention c = { .regs = at->machine == EM_386 ? 0 : at->machine == EM_AARCH64 ? 8 : 6 };
	struct probe_arg *args;
	struct probe_xarg *x;
	struct tinfo t;
	bool direct = true;
	int r = typesrc_get(env->ts, proto, &t);

	if (r < 0 || t.kind != TK_FUNC_PROTO)
		return r < 0 ? r : -ENOENT;
	args = arena_new_arr(a, struct probe_arg, NATIVE + 1);
	x = arena_new_arr(a, struct probe_xarg, t.nmembers + 1);
	for (unsigned i = 0; i < t.nmembers; i++) {
		struct tmember m;

		if (typesrc_member(env->ts, proto, i, &m) < 0)
			return -ENOENT;
		x[i].native = place(env, at->machine, &c, m.type);
		x[i].name = m.name && *m.name ? m.name : NULL;
		direct &= x[i].native == i;
		if (x[i].native < NATIVE)
			args[x[i].native] = (struct probe_arg){ .ref = m.type, .name = x[i].name };
	}
	p->args = args;
	p->nargs = direct ? t.nmembers : NATIVE + 1;
	if (!direct) {
		p->xargs = x;
		p->nxargs = t.nmembers;
	}
	return 0;
}

static int return_args(struct prov_env *env, struct arena *a, struct tref proto, struct probe *p)
{
	struct probe_arg *args = arena_new_arr(a, struct probe_arg, 2);
	struct tinfo t, v;

	if (typesrc_get(env->ts, proto, &t) < 0 || t.kind != TK_FUNC_PROTO)
		return -ENOENT;
	args[0] = (struct probe_arg){ .ctype = "int", .name = "offset" };
	args[1] = (struct probe_arg){ .ref = t.target };
	p->args = args;
	p->nargs = resolve(env, t.target, &v) && is_word(&v) ? 2 : 1;
	return 0;
}

struct named {
	const char *name;
	struct tref ref;
};

static int same_name(void *arg, struct tref ref, const char *name)
{
	struct named *n = arg;

	n->ref = ref;
	return !strcmp(name, n->name);
}

/* The prototype of the function that a probe is in. */
static bool find_proto(struct prov_env *env, const struct utypes *u, const struct upoint *at, const char *func,
		       struct tref *ret)
{
	struct named n = { .name = func };
	const struct dwarf_func *f;
	struct tinfo t;

	if (u->by_name) {
		if (typesrc_each_in(env->ts, u->obj, TK_FUNC, func, same_name, &n) != 1 ||
		    typesrc_get(env->ts, n.ref, &t) < 0)
			return false;
		*ret = t.target;
		return true;
	}
	f = bsearch(&at->addr, u->funcs, u->n, sizeof(*f), compare);
	if (f)
		*ret = (struct tref){ .obj = u->obj, .id = f->proto };
	return f != NULL;
}

int utypes_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	const struct upoint *at = p->priv;
	const struct utypes *u = load(env, at->proc, at->file);
	struct tref proto;

	if (!u || !find_proto(env, u, at, p->func, &proto))
		return -ENODATA;
	return at->kind == UP_RETURN ? return_args(env, a, proto, p) : entry_args(env, a, at, proto, p);
}

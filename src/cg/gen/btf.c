/* SPDX-License-Identifier: Apache-2.0 */
/* Typed kernel pointers: which loads through them the verifier accepts. It follows structs to the
 * member at the offset; unions, bit fields and reads across members are left to probe reads.
 * Source: kernel/bpf/btf.c btf_struct_walk(). */
#include "cg/gen/load.h"

/* Through typedefs and const/volatile/restrict. False on type tags (user, per-CPU, RCU memory). */
static bool strip(struct cg *c, struct tref *ref, struct tinfo *t)
{
	for (unsigned i = 0; i < BTF_MAX_CHAIN; i++) {
		if (typesrc_get(c->env->ts, *ref, t) < 0)
			return false;
		switch (t->kind) {
		case TK_TYPEDEF:
		case TK_CONST:
		case TK_VOLATILE:
		case TK_RESTRICT: *ref = t->target; break;
		case TK_TYPE_TAG:
			if (strcmp(t->name, "rcu"))
				return false;
			*ref = t->target;
			break;
		default: return true;
		}
	}
	return false;
}

bool btf_pointee(struct cg *c, struct tref ptr, struct tref *ret)
{
	struct tinfo t;

	if (!strip(c, &ptr, &t) || t.kind != TK_PTR)
		return false;
	ptr = t.target;
	if (!strip(c, &ptr, &t) || t.kind != TK_STRUCT)
		return false;
	*ret = ptr;
	return true;
}

/* The member of struct s that contains byte off; *off becomes relative to it. */
static bool member_at(struct cg *c, struct tref s, const struct tinfo *st, uint64_t *off, struct tref *ret)
{
	struct tmember m;

	for (uint32_t i = 0; i < st->nmembers; i++) {
		struct tinfo t;
		struct tref ref;
		uint64_t start, size;

		if (typesrc_member(c->env->ts, s, i, &m) < 0)
			return false;
		start = m.bit_off / 8;
		if (start > *off || m.bit_size)
			continue;
		ref = m.type;
		if (!strip(c, &ref, &t))
			continue;
		size = t.kind == TK_PTR ? 8 : t.size;
		if (t.kind == TK_ARRAY) { /* one level; of what has a size */
			struct tref er = t.target;
			struct tinfo et;

			if (!strip(c, &er, &et))
				continue;
			uint64_t es = et.kind == TK_PTR ? 8 : et.size;

			if (!es || *off - start >= es * t.nelems)
				continue;
			*off = (*off - start) % es;
			*ret = er;
			return true;
		}
		if (*off - start >= size)
			continue;
		*off -= start;
		*ret = ref;
		return true;
	}
	return false;
}

bool btf_direct(struct cg *c, struct tref s, int64_t at, unsigned size, struct tref *target)
{
	uint64_t off = (uint64_t)at;
	struct tinfo t;

	target->id = 0;
	if (at < 0 || at > INT16_MAX || !cg_typed_args(c))
		return false;
	for (unsigned i = 0; i < BTF_MAX_CHAIN; i++) {
		if (!strip(c, &s, &t))
			return false;
		switch (t.kind) {
		case TK_STRUCT:
			if (!member_at(c, s, &t, &off, &s))
				return false;
			break;
		case TK_INT:
		case TK_ENUM: return off + size <= t.size;
		case TK_PTR:
			if (off || size != 8)
				return false;
			if (btf_pointee(c, s, target))
				return true;
			/* The verifier might still see more in it (a union, a tag): read it safely. */
			s = t.target;
			return s.id == 0 ||
			       (strip(c, &s, &t) && (t.kind == TK_INT || t.kind == TK_PTR || t.kind == TK_FUNC_PROTO));
		default: return false;
		}
	}
	return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Follows paths of members to places in memory, and reads what is there. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "core/native/ctype.h"

#define MAX_PATH 1024u /* bytes of a path */

/* Looks for a member; in structs and unions without a name, too. bits: where t begins in the outermost one. */
static bool find_member(const struct ctype *t, const char *name, uint64_t bits, unsigned depth, struct tmember *ret,
			uint64_t *ret_bits)
{
	struct ctype r;
	struct tinfo info;

	if (depth == CTYPE_MAX_NEST || !ctype_resolve(t, &r, &info) ||
	    (info.kind != TK_STRUCT && info.kind != TK_UNION))
		return false;
	for (uint32_t i = 0; i < info.nmembers; i++) {
		struct tmember m;

		if (typesrc_member(r.ts, r.ref, i, &m) < 0)
			return false;
		if (!strcmp(m.name, name)) {
			*ret = m;
			*ret_bits = bits + m.bit_off;
			return true;
		}
		if (!*m.name &&
		    find_member(&(struct ctype){ r.ts, m.type, 0 }, name, bits + m.bit_off, depth + 1, ret, ret_bits))
			return true;
	}
	return false;
}

void cplace_member(const struct ctype *t, uint64_t addr, const struct tmember *m, uint64_t bits, struct cplace *ret)
{
	const bool field = m->bit_size != 0;

	*ret = (struct cplace){ .type = { t->ts, m->type, 0 },
				.addr = addr + (field ? bits / 64 * 8 : bits / 8),
				.bit_off = field ? (unsigned)(bits % 64) : 0,
				.bit_size = m->bit_size };
}

static int cannot(struct shell *s, const struct cplace *p, const char *what)
{
	struct strb name = { 0 };
	int r;

	ctype_name(&p->type, &name);
	r = err_set(&s->err, -EINVAL, what, strb_str(&name));
	strb_free(&name);
	return r;
}

static int no_member(struct shell *s, const struct cplace *p, const char *name)
{
	struct strb type = { 0 };
	int r;

	ctype_name(&p->type, &type);
	r = err_set(&s->err, -ENOENT, "'%s' has no member '%s'", strb_str(&type), name);
	strb_free(&type);
	return r;
}

/* To what a pointer points. */
static int follow_pointer(struct shell *s, struct cplace *p, enum cplace_pointers pointers)
{
	struct cplace to = { 0 };
	int r;

	if (pointers == CPLACE_REFUSE)
		return cannot(s, p, "'%s' is a pointer: what it points to has no offset here");
	r = pointers == CPLACE_READ ? cplace_value(s, p, &to.addr) : 0;
	if (r < 0)
		return r;
	if (!ctype_target(&p->type, &to.type))
		return cannot(s, p, "'%s' cannot be followed");
	*p = to;
	return 0;
}

static bool is_pointer(const struct ctype *t)
{
	struct ctype r;
	struct tinfo info;

	return ctype_resolve(t, &r, &info) && info.kind == TK_PTR;
}

static int follow_name(struct shell *s, struct cplace *p, const char *name, enum cplace_pointers pointers)
{
	struct ctype r;
	struct tinfo info;
	struct tmember m;
	uint64_t bits;
	int e = is_pointer(&p->type) ? follow_pointer(s, p, pointers) : 0;

	if (e < 0)
		return e;
	if (!ctype_resolve(&p->type, &r, &info) || (info.kind != TK_STRUCT && info.kind != TK_UNION))
		return cannot(s, p,
			      info.kind == TK_FWD
				      ? "'%s' is declared, and not defined, in the files that were looked at"
				      : "'%s' has no members");
	if (!find_member(&r, name, 0, 0, &m, &bits))
		return no_member(s, p, name);
	cplace_member(&r, p->addr, &m, bits, p);
	return 0;
}

static int follow_index(struct shell *s, struct cplace *p, uint64_t i, enum cplace_pointers pointers)
{
	struct ctype to;
	uint64_t size;
	int r;

	if (is_pointer(&p->type)) {
		r = follow_pointer(s, p, pointers);
		if (r < 0)
			return r;
		to = p->type;
	} else if (!ctype_target(&p->type, &to)) {
		return cannot(s, p, "'%s' is no array");
	}
	size = ctype_size(&to);
	if (!size || __builtin_mul_overflow(size, i, &size))
		return cannot(s, p, "'%s': there is no such element");
	*p = (struct cplace){ .type = to, .addr = p->addr + size };
	return 0;
}

int cplace_follow(struct shell *s, struct cplace *p, const char *path, enum cplace_pointers pointers)
{
	char part[MAX_PATH];
	int r = 0;

	if (strlen(path) >= sizeof(part))
		return err_set(&s->err, -ENAMETOOLONG, "a path of members has more than %u bytes", MAX_PATH);
	while (*path && r == 0) {
		size_t n;

		path += !strncmp(path, "->", 2) ? 2 : *path == '.';
		if (*path == '[') {
			uint64_t i;

			n = strcspn(path, "]");
			memcpy(part, path + 1, n - 1);
			part[n - 1] = '\0';
			if (!path[n] || !shell_number(part, &i))
				return err_set(&s->err, -EINVAL, "'%s' is no index: [NUMBER], hexadecimal or after 0t",
					       path);
			path += n + 1;
			r = follow_index(s, p, i, pointers);
			continue;
		}
		for (n = 0; isalnum((unsigned char)path[n]) || path[n] == '_' || path[n] == '$'; n++)
			;
		if (!n)
			return err_set(&s->err, -EINVAL, "'%s' is no path of members, as a.b[0].c or a->b", path);
		memcpy(part, path, n);
		part[n] = '\0';
		path += n;
		r = follow_name(s, p, part, pointers);
	}
	return r;
}

int cplace_value(struct shell *s, const struct cplace *p, uint64_t *ret)
{
	uint64_t size = p->bit_size ? 8 : ctype_size(&p->type), v = 0;
	struct ctype r;
	struct tinfo info;
	unsigned bits;

	if (!ctype_resolve(&p->type, &r, &info) || size > 8 || !size)
		return cannot(s, p, "'%s' has no number as its value");
	/* of a bit field no more than its bytes: those after it may be in no memory */
	if (p->bit_size)
		size = (p->bit_off + p->bit_size + 7) / 8;
	if (size > 8)
		return cannot(s, p, "a bit field of '%s' spans more than eight bytes");
	if (core_read(s->core, p->addr, &v, (size_t)size) < 0)
		return err_set(&s->err, -EFAULT, "%" PRIx64 " cannot be read", p->addr);
	bits = p->bit_size ? p->bit_size : (unsigned)size * 8;
	v >>= p->bit_off;
	if (bits < 64) {
		v &= (1ull << bits) - 1;
		if (info.is_signed && v >> (bits - 1))
			v |= ~0ull << bits;
	}
	*ret = v;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lays values out: bytes of variables, fields of records and keys, offsets in structs of the kernel. */
#include "cg/gen/layout.h"

uint32_t lay_str_bound(const struct cg *c, const struct dtype *ty)
{
	uint32_t most = (uint32_t)opts_strcap(c->opts);

	/* -x rawbytes shows all that a string has room for */
	return ty->strbound && ty->strbound < most && !c->opts->rawbytes ? ty->strbound : most;
}

/* Bytes of a variable of this type. Strings have a byte after the text that tells NULL from "". */
uint32_t lay_storage(const struct cg *c, const struct dtype *ty)
{
	ty = dtype_resolve(c->p->types, ty);
	switch (ty->kind) {
	case DK_STRING: return ROUND_UP((uint32_t)opts_strcap(c->opts) + 1, 8);
	case DK_INT:
	case DK_ENUM:
	case DK_FLOAT:
	case DK_ARRAY:
	case DK_STRUCT:
	case DK_UNION: return ty->size > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)(ty->size ? ty->size : 8);
	default: return 8;
	}
}

uint32_t lay_align(uint32_t size)
{
	return size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
}

static uint32_t frames_of(const struct cg *c, const struct dtype *ty)
{
	int64_t n = ty->nframes;

	if (!n)
		n = ty->kind == DK_STACK ? c->opts->stackframes : c->opts->ustackframes;
	if (n > c->opts->maxframes)
		n = c->opts->maxframes;
	return n < 1 ? 1 : (uint32_t)n;
}

/* The field that holds a value of this type; offset not set. */
struct recfield lay_field_of(struct cg *c, const struct dtype *type)
{
	const struct dtype *ty = dtype_resolve(c->p->types, type);
	struct recfield f = { .ctype = dtype_name(c->p->types, type) };

	switch (ty->kind) {
	case DK_STRING:
		f.kind = FLD_STRING;
		f.size = lay_str_bound(c, ty);
		break;
	case DK_STACK:
		f.kind = FLD_STACK;
		f.nframes = frames_of(c, ty);
		f.size = f.nframes * 8;
		break;
	case DK_USTACK:
		f.kind = FLD_USTACK;
		f.nframes = frames_of(c, ty);
		f.strframes = ty->strframes;
		f.size = sizeof(struct rec_ustack_hdr) + f.nframes * 8;
		break;
	case DK_SYM:
		f.kind = (enum field_kind)ty->symfield;
		if (f.kind == FLD_WHY) {
			f.nframes = ty->nframes;
			f.size = f.nframes * 8;
			break;
		}
		f.size = f.kind <= FLD_MOD ? 8 : sizeof(struct rec_uaddr);
		break;
	case DK_ARRAY:
	case DK_STRUCT:
	case DK_UNION:
	case DK_FLOAT:
		f.kind = FLD_BYTES;
		f.size = lay_storage(c, ty);
		f.is_char = ty->kind == DK_ARRAY && dtype_resolve(c->p->types, ty->base)->is_char;
		break;
	case DK_INT:
	case DK_ENUM:
		f.kind = FLD_INT;
		f.size = (uint32_t)ty->size;
		f.is_signed = ty->is_signed;
		f.is_char = ty->is_char;
		break;
	default: f.kind = FLD_INT; f.size = 8;
	}
	if (f.kind == FLD_INT && f.size != 1 && f.size != 2 && f.size != 4 && f.size != 8)
		f.size = 8;
	return f;
}

/* Places f at the next offset. */
void lay_place_field(struct recfield *f, uint64_t *off)
{
	uint32_t align = f->kind == FLD_INT ? lay_align(f->size) : 8;

	*off = ROUND_UP(*off, align);
	f->off = *off > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)*off;
	*off += f->size;
}

/* prefix: bytes before the first field (thread id and start of self-> arrays). */
int lay_make_key(struct cg *c, const struct dtype **types, unsigned n, uint32_t prefix, const char *what,
		 struct span at, struct lay_key *ret)
{
	uint64_t off = prefix;
	unsigned limit = c->long_strings ? CG_MAX_LONG_KEY : CG_MAX_KEY_SIZE;

	ret->fields = arena_new_arr(c->a, struct recfield, n + 1);
	ret->nfields = n;
	for (unsigned i = 0; i < n; i++) {
		ret->fields[i] = lay_field_of(c, types[i]);
		lay_place_field(&ret->fields[i], &off);
	}
	off = ROUND_UP(off, 8);
	if (off > limit) {
		struct diag *g = diag_error(c->d, at, TAG_LIMIT, "key of %s is too large: %llu bytes, limit %u", what,
					    (unsigned long long)off, limit);

		diag_hint(c->d, g, "strings count with their bound: a smaller -x strsize makes keys smaller");
		return -EINVAL;
	}
	ret->size = (uint32_t)off;
	return 0;
}

bool lay_offset(struct cg *c, const char *tag, const char *path, uint32_t *ret_off, uint32_t *ret_size)
{
	const struct dtype *ty = dtype_lookup(c->p->types, DK_STRUCT, NULL, tag);
	uint32_t off = 0, size = 0;

	while (ty && *path) {
		size_t n = strcspn(path, ".");
		char *name = arena_strndup(c->a, path, n);
		struct dmember m;

		ty = dtype_resolve(c->p->types, ty);
		if (!dtype_member(c->p->types, ty, name, &m))
			return false;
		off += m.bit_off / 8;
		ty = dtype_resolve(c->p->types, m.type);
		size = (uint32_t)ty->size;
		path += n + (path[n] == '.');
	}
	if (!ty)
		return false;
	*ret_off = off;
	*ret_size = size;
	return true;
}

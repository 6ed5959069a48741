/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one BTF blob in place. Every offset, count and id is checked before use, since the data may
 * come from a fixture, a recording or a fuzzer. */
#include "types/btf_int.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BTF_HDR_MIN 24 /* the fields of version 1 */

enum { KIND_COUNT = BTF_KIND_ENUM64 + 1 };

/* The size of the data after the 12 bytes of every record: fixed bytes and bytes per vlen. */
static const struct kind_desc {
	enum tkind kind;
	uint8_t fixed, each;
} kinds[KIND_COUNT] = {
	[BTF_KIND_INT] = { TK_INT, 4, 0 },
	[BTF_KIND_PTR] = { TK_PTR, 0, 0 },
	[BTF_KIND_ARRAY] = { TK_ARRAY, sizeof(struct btf_array), 0 },
	[BTF_KIND_STRUCT] = { TK_STRUCT, 0, sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { TK_UNION, 0, sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { TK_ENUM, 0, sizeof(struct btf_enum) },
	[BTF_KIND_FWD] = { TK_FWD, 0, 0 },
	[BTF_KIND_TYPEDEF] = { TK_TYPEDEF, 0, 0 },
	[BTF_KIND_VOLATILE] = { TK_VOLATILE, 0, 0 },
	[BTF_KIND_CONST] = { TK_CONST, 0, 0 },
	[BTF_KIND_RESTRICT] = { TK_RESTRICT, 0, 0 },
	[BTF_KIND_FUNC] = { TK_FUNC, 0, 0 },
	[BTF_KIND_FUNC_PROTO] = { TK_FUNC_PROTO, 0, sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { TK_VAR, sizeof(struct btf_var), 0 },
	[BTF_KIND_DATASEC] = { TK_DATASEC, 0, sizeof(struct btf_var_secinfo) },
	[BTF_KIND_FLOAT] = { TK_FLOAT, 0, 0 },
	[BTF_KIND_DECL_TAG] = { TK_DECL_TAG, sizeof(struct btf_decl_tag), 0 },
	[BTF_KIND_TYPE_TAG] = { TK_TYPE_TAG, 0, 0 },
	[BTF_KIND_ENUM64] = { TK_ENUM, 0, sizeof(struct btf_enum64) },
};

/* A section [off, off + len) after the header lies inside the blob. */
static bool section_ok(uint32_t hdr_len, uint32_t off, uint32_t len, size_t total)
{
	return (uint64_t)hdr_len + off + len <= total;
}

static int check_strings(const struct btf_blob *b, struct err *err)
{
	if (b->str_len == 0 && b->base)
		return 0;
	if (b->str_len == 0 || b->strs[b->str_len - 1] != '\0')
		return err_set(err, -EBADMSG, "BTF: the strings do not end with NUL");
	if (!b->base && b->strs[0] != '\0')
		return err_set(err, -EBADMSG, "BTF: the first string is not empty");
	if (b->base && b->base->str_len > UINT32_MAX - b->str_len)
		return err_set(err, -EBADMSG, "BTF: too many strings");
	return 0;
}

int btf_blob_init(struct btf_blob *b, const void *data, size_t len, const struct btf_blob *base, struct err *err)
{
	struct btf_header h;

	if (len < BTF_HDR_MIN)
		return err_set(err, -EBADMSG, "BTF: %zu bytes are too few for a header", len);
	memcpy(&h, data, BTF_HDR_MIN);
	if (h.magic != BTF_MAGIC)
		return err_set(err, -EBADMSG, "BTF: wrong magic 0x%04x", h.magic);
	if (h.version != BTF_VERSION)
		return err_set(err, -EBADMSG, "BTF: unknown version %u", h.version);
	if (h.hdr_len < BTF_HDR_MIN || h.hdr_len > len)
		return err_set(err, -EBADMSG, "BTF: wrong header length %u", h.hdr_len);
	/* Records are read in place, as the kernel's own readers do. */
	if ((h.type_off | h.hdr_len) & 3 || (uintptr_t)data & 3)
		return err_set(err, -EBADMSG, "BTF: the types are not aligned");
	if (!section_ok(h.hdr_len, h.type_off, h.type_len, len))
		return err_set(err, -EBADMSG, "BTF: the types end after the data");
	if (!section_ok(h.hdr_len, h.str_off, h.str_len, len))
		return err_set(err, -EBADMSG, "BTF: the strings end after the data");
	*b = (struct btf_blob){
		.data = data,
		.len = len,
		.base = base,
		.types = (const uint8_t *)data + h.hdr_len + h.type_off,
		.type_len = h.type_len,
		.strs = (const char *)data + h.hdr_len + h.str_off,
		.str_len = h.str_len,
		.first_id = base ? base->end_id : 1,
	};
	b->end_id = b->first_id;
	return check_strings(b, err);
}

void btf_blob_done(struct btf_blob *b)
{
	free(b->offs);
	free(b->names[0].tab);
	free(b->names[1].tab);
	b->offs = b->names[0].tab = b->names[1].tab = NULL;
}

enum tkind btf_blob_kind(const struct btf_type *t)
{
	uint32_t k = BTF_INFO_KIND(t->info);

	return k < KIND_COUNT ? kinds[k].kind : TK_VOID;
}

/* Bytes of the record at off, 0 when it is unknown or does not fit. */
static uint32_t record_size(const struct btf_blob *b, uint32_t off)
{
	const struct btf_type *t;
	uint64_t size;
	uint32_t k;

	if (b->type_len - off < sizeof(*t))
		return 0;
	t = (const struct btf_type *)(b->types + off);
	k = BTF_INFO_KIND(t->info);
	if (k == BTF_KIND_UNKN || k >= KIND_COUNT)
		return 0;
	size = sizeof(*t) + kinds[k].fixed + (uint64_t)kinds[k].each * BTF_INFO_VLEN(t->info);
	return size <= b->type_len - off ? (uint32_t)size : 0;
}

int btf_blob_index(struct btf_blob *b)
{
	uint32_t max = b->type_len / sizeof(struct btf_type), n = 0, off = 0;
	uint32_t *offs, *shrunk;

	if (b->offs)
		return 0;
	if (b->first_id > BTF_BLOB_MAX_TYPES || max > BTF_BLOB_MAX_TYPES - b->first_id)
		return -EBADMSG;
	/* Pages that stay unused are never touched, so the upper bound costs address space only. */
	offs = malloc(((size_t)max + 1) * sizeof(*offs));
	if (!offs)
		return -ENOMEM;
	while (off < b->type_len) {
		uint32_t size = record_size(b, off);

		if (!size) {
			free(offs);
			return -EBADMSG;
		}
		offs[n++] = off;
		off += size;
	}
	shrunk = realloc(offs, ((size_t)n + 1) * sizeof(*offs));
	b->offs = shrunk ? shrunk : offs;
	b->end_id = b->first_id + n;
	return 0;
}

const struct btf_type *btf_blob_type(const struct btf_blob *b, uint32_t id)
{
	if (!b->offs || id < b->first_id || id >= b->end_id)
		return NULL;
	return (const struct btf_type *)(b->types + b->offs[id - b->first_id]);
}

const char *btf_blob_str(const struct btf_blob *b, uint32_t off)
{
	if (b->base) {
		if (off < b->base->str_len)
			return b->base->strs + off;
		off -= b->base->str_len;
	}
	return off < b->str_len ? b->strs + off : NULL;
}

/* Eight bytes a step: all names of a kernel are hashed at once, byte by byte takes 3 ms. */
static uint32_t hash_name(const char *s)
{
	size_t len = strlen(s);
	uint64_t h = len, w;

	for (; len >= sizeof(w); s += sizeof(w), len -= sizeof(w)) {
		memcpy(&w, s, sizeof(w));
		h = (h ^ w) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 32;
	}
	w = 0;
	memcpy(&w, s, len);
	h = (h ^ w) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(h ^ h >> 32);
}

static int make_names(struct btf_blob *b, bool funcs)
{
	uint32_t n = 0, size = 16;
	uint32_t *tab;

	for (uint32_t id = b->first_id; id < b->end_id; id++) {
		const struct btf_type *t = btf_blob_type(b, id);

		n += t->name_off && (btf_blob_kind(t) == TK_FUNC) == funcs;
	}
	while (size < n + n / 2)
		size *= 2;
	tab = calloc(size, sizeof(*tab));
	if (!tab)
		return -ENOMEM;
	/* In id order: equal names keep their order along the probe sequence. */
	for (uint32_t id = b->first_id; id < b->end_id; id++) {
		const struct btf_type *t = btf_blob_type(b, id);
		const char *s;
		uint32_t i;

		if (!t->name_off || (btf_blob_kind(t) == TK_FUNC) != funcs)
			continue;
		s = btf_blob_str(b, t->name_off);
		if (!s)
			continue;
		for (i = hash_name(s) & (size - 1); tab[i]; i = (i + 1) & (size - 1))
			;
		tab[i] = id;
	}
	b->names[funcs] = (struct btf_names){ tab, size - 1 };
	return 0;
}

static int find_in_names(const struct btf_blob *b, const struct btf_names *n, const char *name, uint32_t mask,
			 uint32_t *ret, uint32_t *first_fwd)
{
	for (uint32_t i = hash_name(name) & n->mask; n->tab[i]; i = (i + 1) & n->mask) {
		const struct btf_type *t = btf_blob_type(b, n->tab[i]);
		enum tkind k = btf_blob_kind(t);

		if (!(mask & TKM(k)) || strcmp(btf_blob_str(b, t->name_off), name) != 0)
			continue;
		if (k != TK_FWD) {
			*ret = n->tab[i];
			return 0;
		}
		if (!*first_fwd)
			*first_fwd = n->tab[i];
	}
	return -ENOENT;
}

int btf_blob_find(struct btf_blob *b, const char *name, uint32_t mask, uint32_t *ret, uint32_t *first_fwd)
{
	const uint32_t wanted[2] = { mask & ~TKM(TK_FUNC), mask & TKM(TK_FUNC) };
	int r = btf_blob_index(b);

	for (int i = 0; r >= 0 && i < 2; i++) {
		if (!wanted[i])
			continue;
		if (!b->names[i].tab)
			r = make_names(b, i == 1);
		if (r >= 0 && find_in_names(b, &b->names[i], name, wanted[i], ret, first_fwd) == 0)
			return 0;
	}
	return r < 0 ? r : -ENOENT;
}

static bool id_ok(const struct btf_blob *b, uint32_t id)
{
	return id < b->end_id;
}

static void decode_int(const struct btf_type *t, struct tinfo *ret)
{
	uint32_t enc = BTF_INT_ENCODING(*(const uint32_t *)(t + 1));

	ret->size = t->size;
	ret->is_signed = enc & BTF_INT_SIGNED;
	ret->is_bool = (enc & BTF_INT_BOOL) || !strcmp(ret->name, "_Bool");
	/* pahole does not set BTF_INT_CHAR, so the name decides. */
	ret->is_char = (enc & BTF_INT_CHAR) || (t->size == 1 && strstr(ret->name, "char"));
}

int btf_blob_info(const struct btf_blob *b, uint32_t id, struct tinfo *ret)
{
	const struct btf_type *t = btf_blob_type(b, id);
	struct tinfo ti = { 0 };

	if (!t)
		return -ENOENT;
	ti.kind = btf_blob_kind(t);
	ti.name = btf_blob_str(b, t->name_off);
	if (!ti.name)
		return -EBADMSG;
	switch (ti.kind) {
	case TK_INT: decode_int(t, &ti); break;
	case TK_STRUCT:
	case TK_UNION:
	case TK_ENUM:
		ti.nmembers = BTF_INFO_VLEN(t->info);
		ti.is_signed = ti.kind == TK_ENUM && BTF_INFO_KFLAG(t->info);
		/* fallthrough */
	case TK_FLOAT:
	case TK_DATASEC: ti.size = t->size; break;
	case TK_ARRAY: {
		const struct btf_array *a = (const struct btf_array *)(t + 1);

		ti.target.id = a->type;
		ti.nelems = a->nelems;
		break;
	}
	case TK_FWD: ti.fwd_union = BTF_INFO_KFLAG(t->info); break;
	case TK_FUNC_PROTO:
		ti.nmembers = BTF_INFO_VLEN(t->info);
		/* fallthrough */
	default: ti.target.id = t->type;
	}
	if (!id_ok(b, ti.target.id))
		return -EBADMSG;
	*ret = ti;
	return 0;
}

/* Old encoding: the bit field's place is in its integer type. */
static void apply_int_bits(const struct btf_blob *b, struct tmember *m)
{
	const struct btf_blob *o = b->base && m->type.id < b->first_id ? b->base : b;
	const struct btf_type *t = btf_blob_type(o, m->type.id);
	uint32_t enc;

	if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_INT)
		return;
	enc = *(const uint32_t *)(t + 1);
	if (BTF_INT_BITS(enc) < (uint64_t)t->size * 8 && BTF_INT_BITS(enc)) {
		m->bit_size = BTF_INT_BITS(enc);
		m->bit_off += BTF_INT_OFFSET(enc);
	}
}

static void decode_field(const struct btf_blob *b, const struct btf_type *t, const struct btf_member *f,
			 struct tmember *m)
{
	m->type.id = f->type;
	m->bit_off = f->offset;
	if (BTF_INFO_KFLAG(t->info)) {
		m->bit_off = BTF_MEMBER_BIT_OFFSET(f->offset);
		m->bit_size = BTF_MEMBER_BITFIELD_SIZE(f->offset);
	} else {
		apply_int_bits(b, m);
	}
}

int btf_blob_member(const struct btf_blob *b, uint32_t id, uint32_t i, struct tmember *ret)
{
	const struct btf_type *t = btf_blob_type(b, id);
	struct tmember m = { 0 };
	uint32_t name;

	if (!t || i >= BTF_INFO_VLEN(t->info))
		return -ENOENT;
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		decode_field(b, t, (const struct btf_member *)(t + 1) + i, &m);
		name = ((const struct btf_member *)(t + 1))[i].name_off;
		break;
	case BTF_KIND_FUNC_PROTO:
		m.type.id = ((const struct btf_param *)(t + 1))[i].type;
		name = ((const struct btf_param *)(t + 1))[i].name_off;
		break;
	case BTF_KIND_ENUM: {
		const struct btf_enum *e = (const struct btf_enum *)(t + 1) + i;

		m.value = BTF_INFO_KFLAG(t->info) ? e->val : (int64_t)(uint32_t)e->val;
		name = e->name_off;
		break;
	}
	case BTF_KIND_ENUM64: {
		const struct btf_enum64 *e = (const struct btf_enum64 *)(t + 1) + i;

		m.value = (int64_t)((uint64_t)e->val_hi32 << 32 | e->val_lo32);
		name = e->name_off;
		break;
	}
	default: return -ENOENT;
	}
	m.name = btf_blob_str(b, name);
	if (!m.name || !id_ok(b, m.type.id))
		return -EBADMSG;
	*ret = m;
	return 0;
}

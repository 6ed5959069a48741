/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the offsets of members in the JVM's structures out of the tables that libjvm keeps for debuggers. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "runtime/hotspot/int.h"

#define NEED true
#define MAY false

struct wanted {
	const char *type, *field; /* field NULL: the type's size */
	size_t member;		  /* place in struct hs_layout */
	bool need, is_static;
};

static const struct wanted wanted[] = {
#define FIELD(member, type, field, need) { type, field, offsetof(struct hs_layout, member), need, false },
#define STATIC(member, type, field, need) { type, field, offsetof(struct hs_layout, member), need, true },
#define SIZE(member, type) { type, NULL, offsetof(struct hs_layout, size_##member), NEED, false },
#define ALIAS FIELD
#include "runtime/hotspot/field.def"
#undef ALIAS
#undef SIZE
#undef STATIC
#undef FIELD
};

static const char *const symbols[HS_SYMBOLS] = {
#define SYMBOL(name, symbol) [HS_SYMBOL_##name] = symbol,
#include "runtime/hotspot/symbols.def"
#undef SYMBOL
};

enum hs_symbol hs_symbol_of(const char *name, size_t len)
{
	unsigned i = 0;

	while (i < HS_SYMBOLS && (strlen(symbols[i]) != len || memcmp(symbols[i], name, len) != 0))
		i++;
	return (enum hs_symbol)i;
}

int hs_number(const struct rt_mem *m, uint64_t at, uint64_t place, unsigned bytes, uint64_t *ret)
{
	uint64_t v = 0;
	int r = m->read(m->ctx, at + place, &v, bytes);

	*ret = v; /* little-endian, as all machines that are walked */
	return r;
}

static int word(const struct rt_mem *m, uint64_t at, uint64_t *ret)
{
	return hs_number(m, at, 0, 8, ret);
}

/* -- tables -- */

#define MAX_TEXT 48	/* of the names that are wanted, with NUL */
#define MAX_STRIDE 256u /* of an entry */

struct table {
	const struct rt_mem *m;
	struct hs_layout *l;
	uint64_t place[HS_SYMBOLS]; /* of a member in an entry */
	uint8_t entry[MAX_STRIDE];
	uint64_t last; /* the type's name that was read last, for there are many in a row */
	char type[MAX_TEXT], field[MAX_TEXT];
};

/* A text, cut; near the end of its memory what there is. */
static int read_text(const struct rt_mem *m, uint64_t at, char buf[MAX_TEXT])
{
	memset(buf, 0, MAX_TEXT);
	for (size_t n = 0; n < MAX_TEXT - 1; n += 16 - (at + n) % 16) {
		const size_t room = MAX_TEXT - 1 - n, step = 16 - (at + n) % 16, take = room < step ? room : step;
		int r = m->read(m->ctx, at + n, buf + n, take);

		if (r < 0)
			return r;
		if (memchr(buf + n, '\0', take))
			return 0;
	}
	return 0;
}

static uint64_t entry_word(const struct table *t, enum hs_symbol member)
{
	uint64_t v;

	memcpy(&v, t->entry + t->place[member], sizeof(v));
	return v;
}

static unsigned width_of(const char *type)
{
	static const char *const two[] = { "u2", "uint16_t", "int16_t", "jushort", "short" };
	static const char *const four[] = { "int", "u4", "uint32_t", "jint", "unsigned int" };

	for (size_t i = 0; i < ARRAY_SIZE(two); i++)
		if (!strcmp(type, two[i]))
			return 2;
	for (size_t i = 0; i < ARRAY_SIZE(four); i++)
		if (!strcmp(type, four[i]))
			return 4;
	return 8;
}

static int take_width(const struct table *t, const struct wanted *w)
{
	uint8_t *to = w->member == offsetof(struct hs_layout, blob_complete) ? &t->l->complete_bytes
		      : w->member == offsetof(struct hs_layout, blob_code)   ? &t->l->code_bytes
									     : NULL;
	char type[MAX_TEXT];
	int r = to ? read_text(t->m, entry_word(t, HS_SYMBOL_STRUCT_OF), type) : 0;

	if (to && r == 0)
		*to = (uint8_t)width_of(type);
	return r;
}

static bool has_type(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!strcmp(wanted[i].type, type))
			return true;
	return false;
}

static int take(const struct table *t, const struct wanted *w, uint64_t v)
{
	memcpy((char *)t->l + w->member, &v, sizeof(v));
	return take_width(t, w);
}

static int take_field(struct table *t)
{
	int r = read_text(t->m, entry_word(t, HS_SYMBOL_STRUCT_FIELD), t->field);
	uint32_t is_static;

	memcpy(&is_static, t->entry + t->place[HS_SYMBOL_STRUCT_STATIC], sizeof(is_static));
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(wanted); i++) {
		const struct wanted *w = &wanted[i];

		if (w->field && !strcmp(w->type, t->type) && !strcmp(w->field, t->field) &&
		    w->is_static == (is_static != 0))
			r = take(t, w, entry_word(t, is_static ? HS_SYMBOL_STRUCT_ADDRESS : HS_SYMBOL_STRUCT_OFFSET));
	}
	return r;
}

static int take_size(struct table *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!wanted[i].field && !strcmp(wanted[i].type, t->type)) {
			const uint64_t v = entry_word(t, HS_SYMBOL_TYPE_SIZE);

			memcpy((char *)t->l + wanted[i].member, &v, sizeof(v));
		}
	return 0;
}

/* All entries of a table, up to the one without a name. */
static int each(struct table *t, uint64_t at, enum hs_symbol name, uint64_t stride, int (*fn)(struct table *t))
{
	t->last = 0;
	for (unsigned i = 0; i < HS_MAX_ENTRIES; i++, at += stride) {
		int r = t->m->read(t->m->ctx, at, t->entry, stride);
		uint64_t type;

		if (r < 0)
			return r;
		type = entry_word(t, name);
		if (!type)
			return 0;
		if (type != t->last && (r = read_text(t->m, type, t->type)) < 0)
			return r;
		t->last = type;
		if (has_type(t->type) && (r = fn(t)) < 0)
			return r;
	}
	return -EBADMSG;
}

/* The places of members in entries of the tables. */
static int read_places(struct table *t, const uint64_t at[HS_SYMBOLS])
{
	for (unsigned i = 0; i < HS_SYMBOLS; i++) {
		int r;

		if (!at[i]) {
			t->l->missing = symbols[i];
			return -EBADMSG;
		}
		r = word(t->m, at[i], &t->place[i]);
		if (r < 0)
			return r;
	}
	if (!t->place[HS_SYMBOL_STRUCTS] || !t->place[HS_SYMBOL_TYPES])
		return -EAGAIN; /* the dynamic linker is not done yet */
	for (unsigned i = 0; i < HS_SYMBOLS; i++) {
		const bool stride = i == HS_SYMBOL_STRUCT_STRIDE || i == HS_SYMBOL_TYPE_STRIDE;

		if (i == HS_SYMBOL_STRUCTS || i == HS_SYMBOL_TYPES)
			continue;
		if (t->place[i] > MAX_STRIDE - (stride ? 0 : 8) || (stride && t->place[i] < 16)) {
			t->l->missing = symbols[i];
			return -EBADMSG;
		}
	}
	return 0;
}

/* -- the layout -- */

static int check(struct hs_layout *l)
{
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct wanted *w = &wanted[i];
		uint64_t v;

		memcpy(&v, (const char *)l + w->member, sizeof(v));
		if (v == HS_NONE && !w->need)
			continue;
		if (v != HS_NONE && (w->is_static ? v != 0 : v <= HS_MAX_PLACE))
			continue;
		l->missing = w->field ? w->field : w->type;
		return -EBADMSG;
	}
	if (l->complete_bytes == 8 || (l->code_bytes != 8 && l->code_bytes != 4) || l->size_pc_desc < 8 ||
	    l->blob_complete + l->size_block + 8 > HS_BLOB_BYTES || l->code_id + l->size_block + 8 > HS_BLOB_BYTES ||
	    l->blob_name + l->size_block + 8 > HS_BLOB_LEAST || l->blob_frame + l->size_block + 8 > HS_BLOB_LEAST) {
		l->missing = "CodeBlob";
		return -EBADMSG;
	}
	return 0;
}

int hs_layout_read(const struct rt_mem *m, const uint64_t at[HS_SYMBOLS], struct hs_layout *ret)
{
	struct table t = { .m = m, .l = ret };
	uint64_t version;
	int r;

	*ret = (struct hs_layout){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		memset((char *)ret + wanted[i].member, 0xff, sizeof(uint64_t));
	r = read_places(&t, at);
	if (r == 0)
		r = each(&t, t.place[HS_SYMBOL_STRUCTS], HS_SYMBOL_STRUCT_TYPE, t.place[HS_SYMBOL_STRUCT_STRIDE],
			 take_field);
	if (r == 0)
		r = each(&t, t.place[HS_SYMBOL_TYPES], HS_SYMBOL_TYPE_NAME, t.place[HS_SYMBOL_TYPE_STRIDE], take_size);
	if (r == 0)
		r = check(ret);
	if (r == 0)
		r = hs_number(m, ret->version, 0, 4, &version);
	if (r < 0)
		return r;
	ret->java = (uint32_t)version;
	if (ret->java < HS_OLDEST) {
		ret->missing = "a version that is known";
		return -EBADMSG;
	}
	return 0;
}

/* -- the heaps -- */

static int read_heap(const struct hs_layout *l, const struct rt_mem *m, uint64_t heap, struct hs_heap *ret,
		     uint64_t *shift)
{
	uint64_t high;
	int r = word(m, heap + l->heap_memory + l->space_low, &ret->low);

	if (r == 0)
		r = word(m, heap + l->heap_memory + l->space_high, &high);
	if (r == 0)
		r = word(m, heap + l->heap_map + l->space_low, &ret->map);
	if (r == 0)
		r = hs_number(m, heap + l->heap_shift, 0, 4, shift);
	if (r < 0)
		return r;
	if (!ret->low || !ret->map || high <= ret->low || *shift > HS_MAX_SHIFT)
		return -EAGAIN;
	ret->len = high - ret->low;
	return 0;
}

static int read_heaps(const struct hs_layout *l, const struct rt_mem *m, struct hs_proc *p)
{
	uint64_t array, data, heap, n, shift = 0;
	int r = word(m, l->heaps, &array);

	if (r == 0)
		r = array ? hs_number(m, array, l->array_len, 4, &n) : -EAGAIN;
	if (r == 0)
		r = n && n <= HS_MAX_HEAPS ? word(m, array + l->array_data, &data) : n ? -EBADMSG : -EAGAIN;
	for (uint64_t i = 0; r == 0 && i < n; i++) {
		r = word(m, data + 8 * i, &heap);
		if (r == 0)
			r = heap ? read_heap(l, m, heap, &p->heaps[i], &shift) : -EAGAIN;
		if (r == 0 && i && shift != p->shift)
			r = -EAGAIN; /* not made yet */
		p->shift = shift;
	}
	return r;
}

int hs_layout_walk(const struct hs_layout *l, const struct rt_mem *m, struct hs_proc *ret)
{
	struct hs_proc p = {
		.block = l->size_block,
		.used = l->block_used,
		.name = l->size_block + l->blob_name,
		.frame_size = l->size_block + l->blob_frame,
		.complete = l->size_block + l->blob_complete,
		.complete_bytes = l->complete_bytes,
		.code = l->size_block + l->blob_code,
		.code_bytes = l->code_bytes,
		.id = l->size_block + l->code_id,
		.const_method = l->method_const,
		.code_size = l->const_code_size,
		.bytecodes = l->size_const_method,
	};
	uint64_t high, queue;
	int r = word(m, l->low, &p.low);

	if (r == 0)
		r = word(m, l->high, &high);
	if (r == 0 && (!p.low || high <= p.low || high == UINT64_MAX))
		r = -EAGAIN;
	if (r == 0)
		r = read_heaps(l, m, &p);
	if (r == 0)
		r = word(m, l->interpreter, &queue);
	if (r == 0 && queue) {
		r = word(m, queue + l->queue_buffer, &p.interp);
		if (r == 0)
			r = hs_number(m, queue, l->queue_limit, 4, &p.interp_len);
	}
	if (r < 0)
		return r;
	p.len = high - p.low;
	*ret = p;
	return 0;
}

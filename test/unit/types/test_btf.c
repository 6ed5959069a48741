/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of BTF record, split BTF, and hostile data. */
#include "../unit.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "btfbuild.h"
#include "types/btf_int.h"

static struct btfbuild bb, bb2;

static void int_type(struct btfbuild *b, const char *name, uint32_t size, uint32_t enc, uint32_t off, uint32_t bits)
{
	bb_type(b, name, BTF_KIND_INT, false, 0, size);
	bb_word(b, enc << 24 | off << 16 | bits);
}

static void member(struct btfbuild *b, const char *name, uint32_t type, uint32_t off)
{
	bb_word(b, bb_str(b, name));
	bb_word(b, type);
	bb_word(b, off);
}

/* Ids as in the comments. */
static void all_kinds(struct btfbuild *b)
{
	memset(b, 0, sizeof(*b));
	int_type(b, "int", 4, BTF_INT_SIGNED, 0, 32); /* 1 */
	int_type(b, "unsigned char", 1, 0, 0, 8);     /* 2 */
	int_type(b, "_Bool", 1, BTF_INT_BOOL, 0, 8);  /* 3 */
	bb_type(b, "", BTF_KIND_PTR, false, 0, 0);    /* 4: void * */
	bb_type(b, "", BTF_KIND_ARRAY, false, 0, 0);  /* 5: int[7] */
	bb_word(b, 1), bb_word(b, 1), bb_word(b, 7);
	bb_type(b, "bits", BTF_KIND_STRUCT, true, 2, 8); /* 6 */
	member(b, "a", 1, 3u << 24 | 5);
	member(b, "", 7, 32);
	bb_type(b, "", BTF_KIND_UNION, false, 2, 4); /* 7 */
	member(b, "x", 1, 0);
	member(b, "y", 14, 0);
	bb_type(b, "color", BTF_KIND_ENUM, true, 2, 4); /* 8: signed */
	bb_word(b, bb_str(b, "RED")), bb_word(b, (uint32_t)-1);
	bb_word(b, bb_str(b, "BLUE")), bb_word(b, 2);
	bb_type(b, "flags", BTF_KIND_ENUM, false, 1, 4); /* 9: unsigned */
	bb_word(b, bb_str(b, "TOP")), bb_word(b, 0x80000000u);
	bb_type(b, "wide", BTF_KIND_ENUM64, false, 1, 8); /* 10 */
	bb_word(b, bb_str(b, "HUGE")), bb_word(b, 1), bb_word(b, 0x80000000u);
	bb_type(b, "gone", BTF_KIND_FWD, true, 0, 0);	  /* 11: union */
	bb_type(b, "", BTF_KIND_FUNC_PROTO, false, 2, 1); /* 12: int (int n, ...) */
	bb_word(b, bb_str(b, "n")), bb_word(b, 1);
	bb_word(b, 0), bb_word(b, 0);
	bb_type(b, "f", BTF_KIND_FUNC, false, 1, 12); /* 13 */
	int_type(b, "old", 4, 0, 4, 3);		      /* 14: old bit field */
	bb_type(b, "v", BTF_KIND_VAR, false, 0, 1);   /* 15 */
	bb_word(b, 1);
	bb_type(b, ".data", BTF_KIND_DATASEC, false, 1, 4); /* 16 */
	bb_word(b, 15), bb_word(b, 0), bb_word(b, 4);
	bb_type(b, "double", BTF_KIND_FLOAT, false, 0, 8);  /* 17 */
	bb_type(b, "rcu", BTF_KIND_TYPE_TAG, false, 0, 6);  /* 18 */
	bb_type(b, "note", BTF_KIND_DECL_TAG, false, 0, 6); /* 19 */
	bb_word(b, (uint32_t)-1);
	bb_type(b, "t", BTF_KIND_TYPEDEF, false, 0, 21);  /* 20 */
	bb_type(b, "", BTF_KIND_CONST, false, 0, 22);	  /* 21 */
	bb_type(b, "", BTF_KIND_VOLATILE, false, 0, 23);  /* 22 */
	bb_type(b, "", BTF_KIND_RESTRICT, false, 0, 4);	  /* 23 */
	bb_type(b, "gone", BTF_KIND_UNION, false, 0, 16); /* 24 */
}

static struct typesrc *open_ok(struct btfbuild *b)
{
	struct err err = { 0 };
	struct typesrc *ts;
	size_t len;
	const uint8_t *p = bb_finish(b, &len);

	if (typesrc_open_mem("vmlinux", p, len, &ts, &err) < 0)
		fail_msg("%s", err.msg);
	return ts;
}

static const struct {
	uint32_t id;
	struct tinfo want;
} kinds[] = {
	{ 1, { .kind = TK_INT, .name = "int", .size = 4, .is_signed = true } },
	{ 2, { .kind = TK_INT, .name = "unsigned char", .size = 1, .is_char = true } },
	{ 3, { .kind = TK_INT, .name = "_Bool", .size = 1, .is_bool = true } },
	{ 4, { .kind = TK_PTR, .name = "" } },
	{ 5, { .kind = TK_ARRAY, .name = "", .target.id = 1, .nelems = 7 } },
	{ 6, { .kind = TK_STRUCT, .name = "bits", .size = 8, .nmembers = 2 } },
	{ 7, { .kind = TK_UNION, .name = "", .size = 4, .nmembers = 2 } },
	{ 8, { .kind = TK_ENUM, .name = "color", .size = 4, .nmembers = 2, .is_signed = true } },
	{ 9, { .kind = TK_ENUM, .name = "flags", .size = 4, .nmembers = 1 } },
	{ 10, { .kind = TK_ENUM, .name = "wide", .size = 8, .nmembers = 1 } },
	{ 11, { .kind = TK_FWD, .name = "gone", .fwd_union = true } },
	{ 12, { .kind = TK_FUNC_PROTO, .name = "", .target.id = 1, .nmembers = 2 } },
	{ 13, { .kind = TK_FUNC, .name = "f", .target.id = 12 } },
	{ 15, { .kind = TK_VAR, .name = "v", .target.id = 1 } },
	{ 16, { .kind = TK_DATASEC, .name = ".data", .size = 4 } },
	{ 17, { .kind = TK_FLOAT, .name = "double", .size = 8 } },
	{ 18, { .kind = TK_TYPE_TAG, .name = "rcu", .target.id = 6 } },
	{ 19, { .kind = TK_DECL_TAG, .name = "note", .target.id = 6 } },
	{ 20, { .kind = TK_TYPEDEF, .name = "t", .target.id = 21 } },
	{ 21, { .kind = TK_CONST, .name = "", .target.id = 22 } },
	{ 22, { .kind = TK_VOLATILE, .name = "", .target.id = 23 } },
	{ 23, { .kind = TK_RESTRICT, .name = "", .target.id = 4 } },
	{ 0, { .kind = TK_VOID, .name = "void" } },
};

static void kinds_decode(void **state)
{
	struct typesrc *ts;

	(void)state;
	all_kinds(&bb);
	ts = open_ok(&bb);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct tinfo *w = &kinds[i].want;
		struct tinfo t;

		assert_int_equal(typesrc_get(ts, (struct tref){ 0, kinds[i].id }, &t), 0);
		assert_int_equal(t.kind, w->kind);
		assert_string_equal(t.name, w->name);
		assert_int_equal(t.size, w->size);
		assert_int_equal(t.target.id, w->target.id);
		assert_int_equal(t.nelems, w->nelems);
		assert_int_equal(t.nmembers, w->nmembers);
		assert_int_equal(t.is_signed, w->is_signed);
		assert_int_equal(t.is_bool, w->is_bool);
		assert_int_equal(t.is_char, w->is_char);
		assert_int_equal(t.fwd_union, w->fwd_union);
	}
	typesrc_free(ts);
}

static const struct {
	uint32_t id, i;
	struct tmember want;
} members[] = {
	{ 6, 0, { .name = "a", .type.id = 1, .bit_off = 5, .bit_size = 3 } },
	{ 6, 1, { .name = "", .type.id = 7, .bit_off = 32 } },
	{ 7, 1, { .name = "y", .type.id = 14, .bit_off = 4, .bit_size = 3 } },
	{ 8, 0, { .name = "RED", .value = -1 } },
	{ 8, 1, { .name = "BLUE", .value = 2 } },
	{ 9, 0, { .name = "TOP", .value = 0x80000000ll } },
	{ 10, 0, { .name = "HUGE", .value = (int64_t)0x8000000000000001ull } },
	{ 12, 0, { .name = "n", .type.id = 1 } },
	{ 12, 1, { .name = "" } },
};

static void members_decode(void **state)
{
	struct typesrc *ts;
	struct tmember m;

	(void)state;
	all_kinds(&bb);
	ts = open_ok(&bb);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		const struct tmember *w = &members[i].want;

		assert_int_equal(typesrc_member(ts, (struct tref){ 0, members[i].id }, members[i].i, &m), 0);
		assert_string_equal(m.name, w->name);
		assert_int_equal(m.type.id, w->type.id);
		assert_int_equal(m.bit_off, w->bit_off);
		assert_int_equal(m.bit_size, w->bit_size);
		assert_true(m.value == w->value);
	}
	assert_int_equal(typesrc_member(ts, (struct tref){ 0, 6 }, 2, &m), -ENOENT);
	assert_int_equal(typesrc_member(ts, (struct tref){ 0, 1 }, 0, &m), -ENOENT);
	assert_int_equal(typesrc_member(ts, (struct tref){ 0, 0 }, 0, &m), -ENOENT);
	assert_int_equal(typesrc_member(ts, (struct tref){ 0, 99 }, 0, &m), -ENOENT);
	assert_int_equal(typesrc_member(ts, (struct tref){ 9, 1 }, 0, &m), -ENOENT);
	typesrc_free(ts);
}

static void finding_by_name(void **state)
{
	struct typesrc *ts;
	struct tref r;

	(void)state;
	all_kinds(&bb);
	ts = open_ok(&bb);
	assert_int_equal(typesrc_find(ts, NULL, "int", TKM(TK_INT), &r), 0);
	assert_int_equal(r.id, 1);
	assert_int_equal(typesrc_find(ts, NULL, "int", TKM(TK_STRUCT), &r), -ENOENT);
	assert_int_equal(typesrc_find(ts, NULL, "nothing", ~0u, &r), -ENOENT);
	assert_int_equal(typesrc_find(ts, NULL, "", ~0u, &r), -ENOENT);
	/* The complete type is preferred to the forward declaration before it. */
	assert_int_equal(typesrc_find(ts, NULL, "gone", TKM(TK_FWD) | TKM(TK_UNION), &r), 0);
	assert_int_equal(r.id, 24);
	assert_int_equal(typesrc_find(ts, NULL, "gone", TKM(TK_FWD) | TKM(TK_STRUCT), &r), 0);
	assert_int_equal(r.id, 11);
	assert_int_equal(typesrc_find(ts, "other", "int", TKM(TK_INT), &r), -ENOENT);
	assert_int_equal(typesrc_find_var(ts, NULL, "v", &r), 0);
	assert_int_equal(r.id, 15);
	typesrc_free(ts);
}

static void split_btf(void **state)
{
	struct err err = { 0 };
	struct typesrc *ts;
	struct tmember m;
	struct tinfo t;
	struct tref r;
	const uint8_t *p;
	size_t len;

	(void)state;
	all_kinds(&bb);
	ts = open_ok(&bb);
	memset(&bb2, 0, sizeof(bb2));
	bb2.str_base = bb.str_len;
	bb_type(&bb2, "mod_struct", BTF_KIND_STRUCT, false, 1, 8); /* 25 */
	bb_word(&bb2, bb_str(&bb2, "m"));
	bb_word(&bb2, 26);
	bb_word(&bb2, 0);
	bb_type(&bb2, "", BTF_KIND_PTR, false, 0, 6); /* 26: struct bits * */
	p = bb_finish(&bb2, &len);
	assert_int_equal(typesrc_add_mem(ts, "mod", p, len, &err), 0);
	assert_int_equal(typesrc_nobjs(ts), 2);
	assert_string_equal(typesrc_obj_name(ts, 1), "mod");
	assert_int_equal(typesrc_find(ts, NULL, "mod_struct", TKM(TK_STRUCT), &r), 0);
	assert_int_equal(r.obj, 1);
	assert_int_equal(r.id, 25);
	assert_int_equal(typesrc_find(ts, "vmlinux", "mod_struct", TKM(TK_STRUCT), &r), -ENOENT);
	assert_int_equal(typesrc_member(ts, r, 0, &m), 0);
	assert_int_equal(m.type.obj, 1);
	assert_int_equal(typesrc_get(ts, m.type, &t), 0);
	/* From here on the types are vmlinux's. */
	assert_int_equal(t.target.obj, 0);
	assert_int_equal(t.target.id, 6);
	assert_int_equal(typesrc_get(ts, t.target, &t), 0);
	assert_string_equal(t.name, "bits");
	typesrc_free(ts);
}

/* A blob must be refused; nothing may be read outside of it (the sanitizer sees). */
static void refuse(const uint8_t *p, size_t len, const char *what)
{
	_cleanup_free_ uint8_t *copy = malloc(len ? len : 1);
	struct typesrc *ts;
	struct err err = { 0 };
	int r;

	if (len)
		memcpy(copy, p, len);
	r = typesrc_open_mem("vmlinux", copy, len, &ts, &err);
	if (r != -EBADMSG)
		fail_msg("%s: got %d", what, r);
	assert_true(err.msg[0] != '\0');
}

static const struct {
	const char *what;
	size_t off;
	uint32_t value;
	unsigned size;
} header_damage[] = {
	{ "magic", 0, 0x9feb, 2 },	   { "version", 2, 2, 1 },
	{ "hdr_len small", 4, 8, 4 },	   { "hdr_len large", 4, 0xfffffff0, 4 },
	{ "type_off", 8, 0xfffffff0, 4 },  { "type_off unaligned", 8, 2, 4 },
	{ "type_len", 12, 0xffffffff, 4 }, { "str_off", 16, 0x7fffffff, 4 },
	{ "str_len", 20, 0xffffffff, 4 },  { "str_len 0", 20, 0, 4 },
	{ "str end", 20, 5, 4 },	   { "type_len cut", 12, 30, 4 },
};

static void damaged_headers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(header_damage); i++) {
		size_t len;
		uint8_t *p;

		all_kinds(&bb);
		p = (uint8_t *)bb_finish(&bb, &len);
		memcpy(p + header_damage[i].off, &header_damage[i].value, header_damage[i].size);
		refuse(p, len, header_damage[i].what);
	}
}

static void every_truncation(void **state)
{
	size_t len;
	const uint8_t *p;

	(void)state;
	all_kinds(&bb);
	p = bb_finish(&bb, &len);
	for (size_t n = 0; n < len; n++)
		refuse(p, n, "truncated");
}

static void one(struct btfbuild *b, uint32_t kind, uint32_t vlen, uint32_t type)
{
	memset(b, 0, sizeof(*b));
	bb_type(b, "x", kind, false, vlen, type);
}

static void refuse_built(struct btfbuild *b, const char *what)
{
	size_t len;
	const uint8_t *p = bb_finish(b, &len);

	refuse(p, len, what);
}

static void damaged_records(void **state)
{
	(void)state;
	one(&bb, 31, 0, 0);
	refuse_built(&bb, "unknown kind");
	one(&bb, 0, 0, 0);
	refuse_built(&bb, "kind 0");
	one(&bb, BTF_KIND_STRUCT, 65535, 4);
	refuse_built(&bb, "more members than data");
	one(&bb, BTF_KIND_PTR, 0, 2);
	refuse_built(&bb, "reference outside");
	one(&bb, BTF_KIND_STRUCT, 1, 4);
	bb_word(&bb, 0), bb_word(&bb, 77), bb_word(&bb, 0);
	refuse_built(&bb, "member type outside");
	one(&bb, BTF_KIND_STRUCT, 1, 4);
	bb_word(&bb, 0x7fffffff), bb_word(&bb, 0), bb_word(&bb, 0);
	refuse_built(&bb, "member name outside");
	memset(&bb, 0, sizeof(bb));
	bb_type(&bb, "", BTF_KIND_PTR, false, 0, 0);
	bb.types[0] = 0xffffffff;
	refuse_built(&bb, "name outside");
}

static void loops(void **state)
{
	static const uint32_t mods[] = { BTF_KIND_PTR,	    BTF_KIND_TYPEDEF,  BTF_KIND_CONST,	   BTF_KIND_VOLATILE,
					 BTF_KIND_RESTRICT, BTF_KIND_TYPE_TAG, BTF_KIND_FUNC_PROTO };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mods); i++) {
		one(&bb, mods[i], 0, 1);
		refuse_built(&bb, "points to itself");
		one(&bb, mods[i], 0, 2);
		bb_type(&bb, "y", BTF_KIND_TYPEDEF, false, 0, 1);
		refuse_built(&bb, "loop of two");
	}
	one(&bb, BTF_KIND_STRUCT, 1, 4);
	bb_word(&bb, 0), bb_word(&bb, 1), bb_word(&bb, 0);
	refuse_built(&bb, "struct in itself");
	one(&bb, BTF_KIND_STRUCT, 1, 4);
	bb_word(&bb, 0), bb_word(&bb, 2), bb_word(&bb, 0);
	bb_type(&bb, "", BTF_KIND_ARRAY, false, 0, 0);
	bb_word(&bb, 1), bb_word(&bb, 1), bb_word(&bb, 1);
	refuse_built(&bb, "struct in an array in itself");
	/* A list node is no loop. */
	one(&bb, BTF_KIND_STRUCT, 1, 8);
	bb_word(&bb, 0), bb_word(&bb, 2), bb_word(&bb, 0);
	bb_type(&bb, "", BTF_KIND_PTR, false, 0, 1);
	typesrc_free(open_ok(&bb));
}

/* n pointers, each to the next. */
static void chain(uint32_t n, bool backwards)
{
	memset(&bb, 0, sizeof(bb));
	for (uint32_t i = 1; i <= n; i++)
		bb_type(&bb, "", BTF_KIND_PTR, false, 0, backwards ? i - 1 : i < n ? i + 1 : 0);
}

static void nesting_limit(void **state)
{
	(void)state;
	for (int back = 0; back < 2; back++) {
		chain(BTF_BLOB_MAX_NEST, back);
		typesrc_free(open_ok(&bb));
		chain(BTF_BLOB_MAX_NEST + 1, back);
		refuse_built(&bb, "one too deep");
		chain(2000, back);
		refuse_built(&bb, "much too deep");
	}
}

/* Every single bit flip: refused, or everything in it can be read. */
static void bit_flips(void **state)
{
	size_t len;
	const uint8_t *p;

	(void)state;
	all_kinds(&bb);
	p = bb_finish(&bb, &len);
	for (size_t bit = 0; bit < len * 8; bit++) {
		_cleanup_free_ uint8_t *copy = malloc(len);
		struct typesrc *ts;
		struct tinfo t;
		struct tmember m;

		memcpy(copy, p, len);
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (typesrc_open_mem("vmlinux", copy, len, &ts, NULL) < 0)
			continue;
		for (uint32_t id = 0; typesrc_get(ts, (struct tref){ 0, id }, &t) != -ENOENT; id++)
			for (uint32_t i = 0; typesrc_member(ts, (struct tref){ 0, id }, i, &m) == 0; i++)
				assert_true(strlen(m.name) < len);
		typesrc_free(ts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_decode),	   cmocka_unit_test(members_decode),
		cmocka_unit_test(finding_by_name), cmocka_unit_test(split_btf),
		cmocka_unit_test(damaged_headers), cmocka_unit_test(every_truncation),
		cmocka_unit_test(damaged_records), cmocka_unit_test(loops),
		cmocka_unit_test(nesting_limit),   cmocka_unit_test(bit_flips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

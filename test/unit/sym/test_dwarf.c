/* SPDX-License-Identifier: Apache-2.0 */
/* Debug information made by hand: limits, loops and damage. Output of compilers is tested live. */
#include <errno.h>
#include <linux/btf.h>
#include <string.h>
#include "base/cleanup.h"
#include "elfmake.h"
#include "sym/dwarf/dwarf.h"
#include "unit.h"

/* Abbreviations: 1 unit; 2 function (low_pc, type); 3 parameter (type); 4 int; 5 pointer (type); 6 struct
 * (size) with children; 7 member (type, place); 8 namespace with children; 9 typedef (type). */
static const uint8_t abbrevs[] = {
	1,    0x11, 1, 0,    0,	   2,	 0x2e, 1,    0x11, 0x01, 0x49, 0x13, 0, 0,    3,    0x05, 0,
	0x49, 0x13, 0, 0,    4,	   0x24, 0,    0x0b, 0x0b, 0x3e, 0x0b, 0,    0, 5,    0x0f, 0,	  0x49,
	0x13, 0,    0, 6,    0x13, 1,	 0x0b, 0x0b, 0,	   0,	 7,    0x0d, 0, 0x49, 0x13, 0x38, 0x0b,
	0,    0,    8, 0x39, 1,	   0,	 0,    9,    0x16, 0,	 0x49, 0x13, 0, 0,    0,
};

static void u8(struct strb *b, unsigned v)
{
	strb_addc(b, (char)v);
}

static void u32(struct strb *b, uint32_t v)
{
	strb_add(b, &v, sizeof(v));
}

static void begin(struct strb *b)
{
	const uint16_t version = 4;

	u32(b, 0);
	strb_add(b, &version, sizeof(version));
	u32(b, 0);
	u8(b, 8);
	u8(b, 1); /* the unit */
}

static void func(struct strb *b, uint64_t addr, uint32_t type)
{
	u8(b, 2);
	strb_add(b, &addr, sizeof(addr));
	u32(b, type);
}

static int read_types(struct strb *info, struct dwarf_types *ret)
{
	uint32_t len = (uint32_t)info->n - 4;
	struct strb file = { 0 };
	struct elf e;
	int r;

	memcpy(info->s, &len, sizeof(len));
	const struct elfmake_section v[] = {
		{ ".debug_info", SHT_PROGBITS, 0, info->s, info->n },
		{ ".debug_abbrev", SHT_PROGBITS, 0, abbrevs, sizeof(abbrevs) },
	};

	elfmake(&file, v, 2);
	assert_int_equal(elfmake_open(&file, &e), 0);
	r = dwarf_read_types(&e, NULL, NULL, ret);
	elf_close(&e);
	strb_free(&file);
	strb_free(info);
	return r;
}

/* The record of a type id. */
static const struct btf_type *record(const struct dwarf_types *t, uint32_t id)
{
	const struct btf_header *h = (const struct btf_header *)t->btf;
	const uint8_t *p = t->btf + h->hdr_len;

	for (uint32_t i = 1; i < id; i++) {
		const struct btf_type *b = (const struct btf_type *)p;
		unsigned vlen = BTF_INFO_VLEN(b->info);

		p += sizeof(*b);
		switch (BTF_INFO_KIND(b->info)) {
		case BTF_KIND_INT: p += 4; break;
		case BTF_KIND_STRUCT: p += vlen * sizeof(struct btf_member); break;
		case BTF_KIND_FUNC_PROTO: p += vlen * sizeof(struct btf_param); break;
		default: break;
		}
	}
	return (const struct btf_type *)p;
}

static void parameters(void **state)
{
	for (unsigned n = DWARF_MAX_PARAMS - 1; n <= DWARF_MAX_PARAMS + 1; n++) {
		struct strb b = { 0 };
		struct dwarf_types t;

		begin(&b);
		uint32_t type = (uint32_t)b.n;

		u8(&b, 4);
		u8(&b, 4);
		u8(&b, 5);
		func(&b, 0x1234, type);
		for (unsigned i = 0; i < n; i++) {
			u8(&b, 3);
			u32(&b, type);
		}
		u8(&b, 0);
		u8(&b, 0);
		assert_int_equal(read_types(&b, &t), 0);
		assert_int_equal(t.nfuncs, 1);
		assert_int_equal(t.funcs[0].addr, 0x1234);
		assert_int_equal(BTF_INFO_VLEN(record(&t, t.funcs[0].proto)->info),
				 n < DWARF_MAX_PARAMS ? n : DWARF_MAX_PARAMS);
		dwarf_types_done(&t);
	}
	(void)state;
}

/* struct { self *next; }: refers to itself, and to itself as a value, which ends somewhere. */
static void loops(void **state)
{
	struct strb b = { 0 };
	struct dwarf_types t;

	(void)state;
	begin(&b);
	uint32_t self = (uint32_t)b.n, ptr = self + 2 + 6 + 6 + 1;

	u8(&b, 6);
	u8(&b, 8);
	for (unsigned i = 0; i < 2; i++) {
		u8(&b, 7);
		u32(&b, i ? self : ptr);
		u8(&b, 0);
	}
	u8(&b, 0);
	assert_int_equal(b.n, ptr);
	u8(&b, 5);
	u32(&b, self);
	uint32_t td = (uint32_t)b.n;

	u8(&b, 9);
	u32(&b, td); /* a name of itself */
	func(&b, 1, ptr);
	u8(&b, 0);
	func(&b, 2, td);
	u8(&b, 0);
	func(&b, 3, 0x7fffffff); /* nowhere */
	u8(&b, 0);
	u8(&b, 0);
	assert_int_equal(read_types(&b, &t), 0);
	assert_int_equal(t.nfuncs, 3);
	assert_int_equal(BTF_INFO_KIND(record(&t, record(&t, t.funcs[0].proto)->type)->info), BTF_KIND_PTR);
	dwarf_types_done(&t);
}

/* Nesting inside of a struct that has to be stepped over. */
static void depth(void **state)
{
	for (unsigned n = DWARF_MAX_DEPTH - 1; n <= DWARF_MAX_DEPTH + 1; n++) {
		struct strb b = { 0 };
		struct dwarf_types t = { 0 };

		begin(&b);
		uint32_t outer = (uint32_t)b.n;

		u8(&b, 6);
		u8(&b, 8);
		for (unsigned i = 0; i < n; i++)
			u8(&b, 8);
		for (unsigned i = 0; i < n; i++)
			u8(&b, 0);
		u8(&b, 0);
		func(&b, 1, outer);
		u8(&b, 0);
		u8(&b, 0);
		assert_int_equal(read_types(&b, &t), n <= DWARF_MAX_DEPTH ? 0 : -EFBIG);
		dwarf_types_done(&t);
	}
	(void)state;
}

static void damaged(void **state)
{
	struct strb b = { 0 };
	struct dwarf_types t;

	(void)state;
	begin(&b);
	u8(&b, 77); /* no such abbreviation */
	assert_int_equal(read_types(&b, &t), -EBADMSG);
	begin(&b);
	u8(&b, 2); /* cut in its address */
	u8(&b, 1);
	assert_int_equal(read_types(&b, &t), -EBADMSG);
	strb_fill(&b, '\0', 4);
	assert_int_equal(read_types(&b, &t), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters),
		cmocka_unit_test(loops),
		cmocka_unit_test(depth),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions: where they begin, their classes, where calls go; bytes assembled by GNU as 2.40. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "sym/elf/insn.h"

#define ADDR 0xffffffff81000000ull

static const struct {
	uint8_t bytes[8], len;
	unsigned classes;
	const char *mnemonic;
	int reg;
	int64_t target; /* 0: none */
} rows[] = {
	{ { 0xe8, 0x10, 0, 0, 0 }, 5, INSN_CALL, "call", INSN_NO_REG, 0x15 },
	{ { 0x8b, 0x07 }, 2, INSN_LOAD, "mov", INSN_NO_REG, 0 },
	{ { 0x89, 0x07 }, 2, INSN_STORE, "mov", INSN_NO_REG, 0 },
	{ { 0x48, 0x8d, 0x07 }, 3, 0, "lea", INSN_NO_REG, 0 },
	{ { 0xf0, 0x48, 0x0f, 0xb1, 0x0a }, 5, INSN_LOCK | INSN_LOAD | INSN_STORE, "cmpxchg", INSN_NO_REG, 0 },
	{ { 0x87, 0x07 }, 2, INSN_LOCK | INSN_LOAD | INSN_STORE, "xchg", INSN_NO_REG, 0 },
	{ { 0x48, 0x87, 0xc3 }, 3, 0, "xchg", INSN_NO_REG, 0 },
	{ { 0xff, 0xd0 }, 2, INSN_CALL, "call", 10, 0 },
	{ { 0x41, 0xff, 0xe3 }, 3, INSN_BRANCH, "jmp", 6, 0 },
	{ { 0xff, 0x17 }, 2, INSN_CALL | INSN_LOAD, "call", INSN_NO_REG, 0 },
	{ { 0x74, 0x02 }, 2, INSN_BRANCH, "jz", INSN_NO_REG, 33 },
	{ { 0xf3, 0x48, 0x0f, 0xb8, 0xc7 }, 5, 0, "popcnt", INSN_NO_REG, 0 },
	{ { 0x0f, 0x1f, 0x40, 0x00 }, 4, INSN_FILL, "nop", INSN_NO_REG, 0 },
	{ { 0x55 }, 1, 0, "push", INSN_NO_REG, 0 },
	{ { 0xf3, 0xa4 }, 2, INSN_LOAD | INSN_STORE, "movsb", INSN_NO_REG, 0 },
	{ { 0xc3 }, 1, INSN_RET, "ret", INSN_NO_REG, 0 },
	{ { 0xcc }, 1, INSN_FILL, "int3", INSN_NO_REG, 0 },
};

static size_t code_of(uint8_t *buf)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); n += rows[i++].len)
		memcpy(buf + n, rows[i].bytes, rows[i].len);
	return n;
}

static void operands(void **state)
{
	static const struct {
		uint8_t code[8];
		size_t len;
		unsigned bytes;
	} all[] = {
		{ { 0x89, 0x47, 0x08 }, 3, 4 },	       /* mov [rdi+8], eax */
		{ { 0xc6, 0x07, 0x01 }, 3, 1 },	       /* mov byte [rdi], 1 */
		{ { 0x0f, 0x29, 0x07 }, 3, 16 },       /* movaps [rdi], xmm0 */
		{ { 0xc5, 0xfc, 0x29, 0x07 }, 4, 32 }, /* vmovaps [rdi], ymm0 */
		{ { 0x50 }, 1, 8 },		       /* push rax */
		{ { 0x48, 0x8d, 0x47, 0x08 }, 4, 0 },  /* lea rax, [rdi+8] */
		{ { 0x01, 0xc8 }, 2, 0 },	       /* add eax, ecx */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		_cleanup_free_ struct insn *v = NULL;
		const char *reason = NULL;
		size_t n = 0;

		if (insn_list(EM_X86_64, 0, all[i].code, all[i].len, &v, &n, &reason) == -ENOSYS)
			skip();
		assert_int_equal(n, 1);
		assert_int_equal(v[0].bytes, all[i].bytes);
	}
}

static void classes(void **state)
{
	_cleanup_free_ struct insn *v = NULL;
	_cleanup_free_ uint32_t *offs = NULL;
	uint8_t code[8 * ARRAY_SIZE(rows)];
	size_t len = code_of(code), n, noffs, at = 0;
	const char *reason = NULL;

	(void)state;
	if (insn_list(EM_X86_64, ADDR, code, len, &v, &n, &reason) == -ENOSYS) {
		print_message("%s\n", reason);
		skip();
	}
	assert_int_equal(n, ARRAY_SIZE(rows));
	assert_int_equal(insn_offsets(EM_X86_64, code, len, &offs, &noffs, &reason), 0);
	assert_int_equal(noffs, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(v[i].off, at);
		assert_int_equal(offs[i], at);
		assert_int_equal(v[i].len, rows[i].len);
		assert_string_equal(v[i].mnemonic, rows[i].mnemonic);
		assert_int_equal(v[i].classes, rows[i].classes);
		assert_int_equal(v[i].reg, rows[i].reg);
		assert_int_equal(v[i].has_target, rows[i].target != 0);
		if (rows[i].target)
			assert_int_equal(v[i].target, rows[i].target);
		at += rows[i].len;
	}
	assert_string_equal(v[0].text, "call 0xFFFFFFFF81000015");
	assert_string_equal(v[1].text, "mov eax, [rdi]");
}

/* An instruction that cannot be decoded, because the function's end cuts it off, ends the list. */
static void cut(void **state)
{
	static const uint8_t code[] = { 0x55, 0xe8, 0, 0 };
	_cleanup_free_ struct insn *v = NULL;
	const char *reason = NULL;
	size_t n;

	(void)state;
	if (insn_list(EM_X86_64, ADDR, code, sizeof(code), &v, &n, &reason) == -ENOSYS)
		skip();
	assert_int_equal(n, 1);
	assert_int_equal(insn_list(EM_AARCH64, ADDR, code, sizeof(code), &v, &n, &reason), -ENOSYS);
	assert_non_null(strstr(reason, "x86-64 only"));
}

static void names(void **state)
{
	(void)state;
	assert_int_equal(insn_class_by_name("lock"), INSN_LOCK);
	assert_int_equal(insn_class_by_name("ret"), INSN_RET);
	assert_int_equal(insn_class_by_name("loc"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes),
		cmocka_unit_test(operands),
		cmocka_unit_test(cut),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

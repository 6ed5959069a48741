/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of static probes: every form of x86 and arm64, and what is not read. */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "prov/user/sdtargs.h"
#include "unit.h"

#define PROBE_ADDR 0x1000

static int symbol(void *ctx, const char *name, size_t len, uint64_t *ret)
{
	(void)ctx;
	if (len != 3 || memcmp(name, "sym", 3) != 0)
		return -ENOENT;
	*ret = 0x4000;
	return 0;
}

struct want {
	const char *text;
	struct arg_loc loc;
};

static void check(const struct want *v, size_t n, uint16_t machine)
{
	struct sdtargs_env env = { .machine = machine, .addr = PROBE_ADDR, .symbol = symbol };

	for (size_t i = 0; i < n; i++) {
		const struct arg_loc *l = &v[i].loc;
		struct sdtarg a[SDTARGS_MAX];

		assert_int_equal(sdtargs_parse(&env, v[i].text, a), 1);
		if (a[0].loc.kind != l->kind || a[0].loc.off != l->off || a[0].loc.size != l->size ||
		    a[0].loc.is_signed != l->is_signed || a[0].loc.value != l->value || a[0].loc.index != l->index ||
		    a[0].loc.scale != l->scale || a[0].loc.shift != l->shift)
			fail_msg("%s is not read as expected", v[i].text);
	}
}

static void x86_forms(void **state)
{
	static const struct want v[] = {
		{ "8@%rax", { .kind = ARG_CTX_REGS, .off = 80, .size = 8 } },
		{ "-4@%eax", { .kind = ARG_CTX_REGS, .off = 80, .size = 4, .is_signed = true } },
		{ "1@%ah", { .kind = ARG_CTX_REGS, .off = 80, .size = 1, .shift = 8 } },
		{ "-4@%r15d", { .kind = ARG_CTX_REGS, .off = 0, .size = 4, .is_signed = true } },
		{ "2@%r8w", { .kind = ARG_CTX_REGS, .off = 72, .size = 2 } },
		{ "%rdi", { .kind = ARG_CTX_REGS, .off = 112, .size = 8 } },
		{ "-4@$-5", { .kind = ARG_CONST, .value = (uint64_t)-5 } },
		{ "4@$-1", { .kind = ARG_CONST, .value = 0xffffffff } },
		{ "8@$0x10", { .kind = ARG_CONST, .value = 16 } },
		{ "8@-8(%rbp)", { .kind = ARG_USER_MEM, .off = 32, .size = 8, .value = (uint64_t)-8 } },
		{ "-2@(%rsp)", { .kind = ARG_USER_MEM, .off = 152, .size = 2, .is_signed = true } },
		{ "4@16(%rax,%rbx,8)",
		  { .kind = ARG_USER_MEM, .off = 80, .size = 4, .value = 16, .index = 40, .scale = 8 } },
		{ "4@(%rax,%r12)", { .kind = ARG_USER_MEM, .off = 80, .size = 4, .index = 24, .scale = 1 } },
		{ "8@sym(%rip)", { .kind = ARG_USER_MEM, .off = 128, .size = 8, .value = 0x3000 } },
		{ "8@8+sym(%rip)", { .kind = ARG_USER_MEM, .off = 128, .size = 8, .value = 0x3008 } },
		{ "8@sym-4(%rip)", { .kind = ARG_USER_MEM, .off = 128, .size = 8, .value = 0x2ffc } },
		{ "8@sym", { .kind = ARG_USER_MEM, .off = 128, .size = 8, .value = 0x3000 } },
	};

	(void)state;
	check(v, ARRAY_SIZE(v), EM_X86_64);
}

static void arm_forms(void **state)
{
	static const struct want v[] = {
		{ "8@x0", { .kind = ARG_CTX_REGS, .off = 0, .size = 8 } },
		{ "-4@w19", { .kind = ARG_CTX_REGS, .off = 152, .size = 4, .is_signed = true } },
		{ "8@sp", { .kind = ARG_CTX_REGS, .off = 248, .size = 8 } },
		{ "-4@5", { .kind = ARG_CONST, .value = 5 } },
		{ "8@[x1]", { .kind = ARG_USER_MEM, .off = 8, .size = 8 } },
		{ "4@[sp, 12]", { .kind = ARG_USER_MEM, .off = 248, .size = 4, .value = 12 } },
		{ "4@[sp, -12]", { .kind = ARG_USER_MEM, .off = 248, .size = 4, .value = (uint64_t)-12 } },
		{ "8@[x1, x2]", { .kind = ARG_USER_MEM, .off = 8, .size = 8, .index = 16, .scale = 1 } },
		{ "8@[x1, x2, lsl 3]", { .kind = ARG_USER_MEM, .off = 8, .size = 8, .index = 16, .scale = 8 } },
	};

	(void)state;
	check(v, ARRAY_SIZE(v), EM_AARCH64);
}

static void what_is_not_read(void **state)
{
	static const char *const x86[] = {
		"8f@%xmm0", "8@%nosuch", "8@(%rax", "8@4(%rax,%rbx,3)", "8@other(%rip)",   "8@0x1234",
		"8@",	    "8@$",	 "8@()",    "8@%rax)",		"8@sym+sym(%rip)", "8@(,%rbx,8)"
	};
	static const char *const arm[] = { "8@x31", "8@[x0", "8@[x0, x1, lsl 4]", "8@d0", "8@[]" };
	const struct sdtargs_env e86 = { .machine = EM_X86_64, .symbol = symbol }, earm = { .machine = EM_AARCH64 };
	struct sdtarg a[SDTARGS_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(x86); i++) {
		assert_int_equal(sdtargs_parse(&e86, x86[i], a), 1);
		assert_int_equal(a[0].loc.kind, ARG_NONE);
	}
	for (size_t i = 0; i < ARRAY_SIZE(arm); i++) {
		assert_int_equal(sdtargs_parse(&earm, arm[i], a), 1);
		assert_int_equal(a[0].loc.kind, ARG_NONE);
	}
}

/* As gcc wrote them into Debian's libstdc++.so.6.0.30 and python3.11 for arm64, and clang for optimised structs. */
static void arm_lists(void)
{
	const struct sdtargs_env env = { .machine = EM_AARCH64 };
	struct sdtarg a[SDTARGS_MAX];

	assert_int_equal(sdtargs_parse(&env, "8@x22 8@x0 -4@x25", a), 3);
	assert_int_equal(a[0].loc.off, 22 * 8);
	assert_int_equal(a[2].loc.kind, ARG_CTX_REGS);
	assert_int_equal(a[2].loc.off, 25 * 8);
	assert_int_equal(a[2].loc.size, 4);
	assert_true(a[2].loc.is_signed);
	assert_int_equal(sdtargs_parse(&env, "8@x0 8@[x1]", a), 2);
	assert_int_equal(a[1].loc.kind, ARG_USER_MEM);
	assert_int_equal(sdtargs_parse(&env, "-4@[sp, 152]", a), 1);
	assert_int_equal(a[0].loc.value, 152);
	assert_int_equal(sdtargs_parse(&env, "-4@[x14] -4@0 -4@-1 -8@78187493530", a), 4);
	assert_int_equal(a[2].loc.value, (uint64_t)-1);
	assert_int_equal(a[3].loc.value, 78187493530);
}

static void lists(void **state)
{
	const struct sdtargs_env env = { .machine = EM_X86_64, .symbol = symbol };
	struct sdtarg a[SDTARGS_MAX];

	(void)state;
	assert_int_equal(sdtargs_parse(&env, "", a), 0);
	assert_int_equal(sdtargs_parse(&env, "  ", a), 0);
	assert_int_equal(sdtargs_parse(&env, " 8@%rax  -4@8(%rbp, %rax, 4) 1@$7", a), 3);
	assert_int_equal(a[0].size, 8);
	assert_int_equal(a[2].loc.value, 7);
	arm_lists();
	/* 12 are taken, the 13th is left out */
	assert_int_equal(sdtargs_parse(&env, "1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1", a),
			 SDTARGS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_forms),
		cmocka_unit_test(arm_forms),
		cmocka_unit_test(what_is_not_read),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

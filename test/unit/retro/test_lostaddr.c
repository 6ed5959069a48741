/* SPDX-License-Identifier: Apache-2.0 */
/* Operands in memory out of bytes of instructions, as an assembler made them. */
#include <stdlib.h>
#include "base/cleanup.h"
#include "retro/lost.h"
#include "unit.h"

#define RIP 0x400000u
#define RAX 0x1000u
#define RBX 0x20000u
#define RDI 0x300000u
#define R12 0x5000000u
#define FS 0x70000000u

static const struct user_regs_struct regs = {
	.rip = RIP, .rax = RAX, .rbx = RBX, .rdi = RDI, .r12 = R12, .fs_base = FS
};

static void test_operands(void **state)
{
	static const struct {
		const char *text;
		uint8_t code[16];
		bool has;
		uint64_t at;
	} rows[] = {
		{ "mov [rax], rbx", { 0x48, 0x89, 0x18 }, true, RAX },
		{ "mov [rbx+8], rax", { 0x48, 0x89, 0x43, 0x08 }, true, RBX + 8 },
		{ "mov [rbx-8], rax", { 0x48, 0x89, 0x43, 0xf8 }, true, RBX - 8 },
		{ "mov [rbx+0x12345], rax", { 0x48, 0x89, 0x83, 0x45, 0x23, 0x01, 0x00 }, true, RBX + 0x12345 },
		{ "mov [r12+rax*8+16], rdi", { 0x49, 0x89, 0x7c, 0xc4, 0x10 }, true, R12 + 8 * RAX + 16 },
		{ "mov [r12], rax", { 0x49, 0x89, 0x04, 0x24 }, true, R12 },
		{ "mov [rax*2+0x100], rbx", { 0x48, 0x89, 0x1c, 0x45, 0x00, 0x01, 0x00, 0x00 }, true, 2 * RAX + 0x100 },
		{ "mov fs:[0x28], rax", { 0x64, 0x48, 0x89, 0x04, 0x25, 0x28, 0x00, 0x00, 0x00 }, true, FS + 0x28 },
		{ "mov [rip+0x10], rax", { 0x48, 0x89, 0x05, 0x10, 0x00, 0x00, 0x00 }, true, RIP + 7 + 0x10 },
		{ "lock xadd [rbx], rax", { 0xf0, 0x48, 0x0f, 0xc1, 0x03 }, true, RBX },
		{ "movups [rdi+0x10], xmm0", { 0x0f, 0x11, 0x47, 0x10 }, true, RDI + 0x10 },
		{ "movbe [rbx], rax", { 0x48, 0x0f, 0x38, 0xf1, 0x03 }, true, RBX },
		{ "stosq", { 0x48, 0xab }, true, RDI },
		{ "rep movsb", { 0xf3, 0xa4 }, true, RDI },
		{ "vmovdqu [rdi+0x20], ymm0", { 0xc5, 0xfe, 0x7f, 0x47, 0x20 }, true, RDI + 0x20 },
		{ "vmovdqu64 [rdi+0x20], ymm16", { 0x62, 0xe1, 0xfe, 0x28, 0x7f, 0x47, 0x01 }, true, RDI + 0x20 },
		{ "vmovdqu64 [rdi-0x40], zmm16", { 0x62, 0xe1, 0xfe, 0x48, 0x7f, 0x47, 0xff }, true, RDI - 0x40 },
		{ "vmovsd [rdi+8], xmm16", { 0x62, 0xe1, 0xff, 0x08, 0x11, 0x47, 0x01 }, true, RDI + 8 },
		{ "mov rax, rbx", { 0x48, 0x89, 0xd8 }, false, 0 },
		{ "push rax", { 0x50 }, false, 0 },
		{ "syscall", { 0x0f, 0x05 }, false, 0 },
		{ "fxsave [rax], of all registers", { 0x0f, 0xae, 0x00 }, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t at = 0;
		const bool has = lost_operand(rows[i].code, sizeof(rows[i].code), &regs, &at);

		if (has != rows[i].has || at != rows[i].at)
			fail_msg("%s: %s at 0x%llx, not 0x%llx", rows[i].text, has ? "an operand" : "none",
				 (unsigned long long)at, (unsigned long long)rows[i].at);
	}
}

/* At the end of a mapping there are fewer bytes than an instruction may have: no operand is told. */
static void test_too_few_bytes(void **state)
{
	static const uint8_t code[15] = { 0x48, 0x89, 0x18 }, prefixes[16] = { [0 ... 15] = 0x66 };
	uint64_t at;

	(void)state;
	assert_false(lost_operand(code, sizeof(code), &regs, &at));
	assert_false(lost_operand(prefixes, sizeof(prefixes), &regs, &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_too_few_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

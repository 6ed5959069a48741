/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the address of an instruction's memory operand out of its bytes and the registers, before it is executed.
 * Source: Intel's Software Developer's Manual, volume 2, chapter 2 (ModR/M, SIB, REX, VEX, EVEX). */
#include <string.h>
#include "retro/lost.h"

struct bytes {
	const uint8_t *p, *end;
	uint8_t rex;  /* bits R, X, B */
	uint8_t unit; /* a displacement of one byte counts these bytes */
	uint64_t segment;
};

static uint64_t register_of(const struct user_regs_struct *r, unsigned n)
{
	const uint64_t v[16] = { r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
				 r->r8,	 r->r9,	 r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 };

	return v[n & 15u];
}

static void prefixes(struct bytes *b, const struct user_regs_struct *r)
{
	for (; b->p < b->end; b->p++) {
		const uint8_t c = *b->p;

		if (c == 0x64)
			b->segment = r->fs_base;
		else if (c == 0x65)
			b->segment = r->gs_base;
		else if (c != 0x66 && c != 0x67 && c != 0xf0 && c != 0xf2 && c != 0xf3 && c != 0x2e && c != 0x36 &&
			 c != 0x3e && c != 0x26)
			break;
	}
	if (b->p < b->end && (*b->p & 0xf0) == 0x40)
		b->rex = *b->p++;
}

/* One-byte instructions with ModR/M. */
static bool has_modrm(uint8_t c)
{
	if (c < 0x40)
		return (c & 7) < 4;
	return c == 0x62 || c == 0x63 || c == 0x69 || c == 0x6b || (c >= 0x80 && c <= 0x8f) || c == 0xc0 || c == 0xc1 ||
	       c == 0xc6 || c == 0xc7 || (c >= 0xd0 && c <= 0xd3) || (c >= 0xd8 && c <= 0xdf) || c == 0xf6 ||
	       c == 0xf7 || c == 0xfe || c == 0xff;
}

/* Two-byte instructions without it. */
static bool is_bare(uint8_t c)
{
	return (c >= 0x05 && c <= 0x0b) || (c >= 0x30 && c <= 0x37) || c == 0x77 || (c >= 0x80 && c <= 0x8f) ||
	       (c >= 0xa0 && c <= 0xa2) || (c >= 0xa8 && c <= 0xaa) || (c >= 0xc8 && c <= 0xcf);
}

/* The unit of short displacements of an EVEX instruction, p at its first byte: of moves of vectors their length. Others
 * are not told: the address is too near to the base register then. */
static uint8_t unit_of(const uint8_t *p)
{
	const uint8_t prefix = p[2] & 3, opcode = p[4], length = (uint8_t)(16u << (p[3] >> 5 & 3));

	if ((p[1] & 7) != 1 || (p[3] & 0x10))
		return 1;
	if (opcode == 0x11 && prefix >= 2) /* vmovss, vmovsd */
		return prefix == 2 ? 4 : 8;
	return opcode == 0x11 || opcode == 0x29 || opcode == 0x2b || opcode == 0x7f || opcode == 0xe7 ? length : 1;
}

/* To the ModR/M byte. */
static bool opcode(struct bytes *b)
{
	const size_t left = (size_t)(b->end - b->p);
	uint8_t c = left ? b->p[0] : 0;

	if (left < 6)
		return false;
	if (c == 0xc5 || c == 0xc4 || c == 0x62) { /* VEX, EVEX: inverted bits */
		const uint8_t x = (uint8_t)~b->p[1];

		b->rex = c == 0xc5 ? (uint8_t)(x >> 7 << 2) : (uint8_t)(x >> 5);
		b->unit = c == 0x62 ? unit_of(b->p) : 1;
		b->p += c == 0xc5 ? 3 : c == 0xc4 ? 4 : 5;
		return true;
	}
	b->p++;
	if (c != 0x0f)
		return has_modrm(c);
	c = *b->p++;
	if (c == 0xae || c == 0xc7) /* saves all registers, among them what is left in some */
		return false;
	if (c == 0x38 || c == 0x3a)
		b->p++;
	return !is_bare(c);
}

static int32_t displacement(const struct bytes *b, const uint8_t *p, size_t n)
{
	int32_t x = 0;

	if (p + n > b->end)
		return 0;
	memcpy(&x, p, n);
	return n == 1 ? (int8_t)x : x;
}

/* Relative to the next instruction it is not decoded: a global variable of the program, whose length of immediate
 * operand decides. Then the address is up to 4 bytes too low, which does no harm where whole words are looked at. */
static uint64_t address(const struct bytes *b, const struct user_regs_struct *r)
{
	const uint8_t *p = b->p, modrm = *p++;
	const unsigned mod = modrm >> 6, rm = modrm & 7;
	uint64_t at = 0;

	if (mod == 0 && rm == 5)
		return r->rip + (uint64_t)(p + 4 - (b->end - 16)) + (uint64_t)(int64_t)displacement(b, p, 4);
	if (rm == 4) {
		const uint8_t sib = *p++;
		const unsigned index = (sib >> 3 & 7u) | (b->rex & 2u) << 2, base = sib & 7u;

		if (index != 4)
			at += register_of(r, index) << (sib >> 6);
		if (mod == 0 && base == 5)
			return at + b->segment + (uint64_t)(int64_t)displacement(b, p, 4);
		at += register_of(r, base | (b->rex & 1u) << 3);
	} else {
		at += register_of(r, rm | (b->rex & 1u) << 3);
	}
	at += b->segment;
	if (mod == 1)
		at += (uint64_t)((int64_t)displacement(b, p, 1) * b->unit);
	else if (mod == 2)
		at += (uint64_t)(int64_t)displacement(b, p, 4);
	return at;
}

bool lost_operand(const uint8_t *code, size_t n, const struct user_regs_struct *regs, uint64_t *ret)
{
	struct bytes b = { .p = code, .end = code + n, .unit = 1 };

	if (n < 16)
		return false;
	b.end = code + 16;
	prefixes(&b, regs);
	if (b.p < b.end && (*b.p == 0xa4 || *b.p == 0xa5 || *b.p == 0xaa || *b.p == 0xab)) { /* movs, stos */
		*ret = regs->rdi;
		return true;
	}
	if (!opcode(&b) || b.p + 2 > b.end || *b.p >> 6 == 3)
		return false;
	*ret = address(&b, regs);
	return true;
}

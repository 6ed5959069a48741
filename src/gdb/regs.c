/* SPDX-License-Identifier: Apache-2.0 */
/* Lays registers out as gdb's description of the machine has them: one table for both. Sources: GDB manual, "Target
 * Descriptions", i386 features; Intel SDM volume 1, table 10-2 (the legacy area of XSAVE). */
#include "gdb/regs.h"
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"

enum from { USER, LEGACY, TAGS };
struct reg {
	const char *name, *type;
	uint8_t size, from;
	uint16_t at;
	const char *feature; /* it begins with this register */
};
#define U(name, member, size, type) \
	{ \
		name, type, size, USER, offsetof(struct user_regs_struct, member), NULL \
	}
#define ST(i) \
	{ \
		"st" #i, "i387_ext", 10, LEGACY, 32 + 16 * i, NULL \
	}
#define XMM(i) \
	{ \
		"xmm" #i, "uint128", 16, LEGACY, 160 + 16 * i, NULL \
	}
#define X87(name, at) \
	{ \
		name, "int", 4, LEGACY, at, NULL \
	}

static const struct reg regs[] = {
	{ "rax", "int64", 8, USER, offsetof(struct user_regs_struct, rax), "core" },
	U("rbx", rbx, 8, "int64"),
	U("rcx", rcx, 8, "int64"),
	U("rdx", rdx, 8, "int64"),
	U("rsi", rsi, 8, "int64"),
	U("rdi", rdi, 8, "int64"),
	U("rbp", rbp, 8, "data_ptr"),
	U("rsp", rsp, 8, "data_ptr"),
	U("r8", r8, 8, "int64"),
	U("r9", r9, 8, "int64"),
	U("r10", r10, 8, "int64"),
	U("r11", r11, 8, "int64"),
	U("r12", r12, 8, "int64"),
	U("r13", r13, 8, "int64"),
	U("r14", r14, 8, "int64"),
	U("r15", r15, 8, "int64"),
	U("rip", rip, 8, "code_ptr"),
	U("eflags", eflags, 4, "int"),
	U("cs", cs, 4, "int"),
	U("ss", ss, 4, "int"),
	U("ds", ds, 4, "int"),
	U("es", es, 4, "int"),
	U("fs", fs, 4, "int"),
	U("gs", gs, 4, "int"),
	ST(0),
	ST(1),
	ST(2),
	ST(3),
	ST(4),
	ST(5),
	ST(6),
	ST(7),
	X87("fctrl", 0),
	X87("fstat", 2),
	{ "ftag", "int", 4, TAGS, 4, NULL },
	X87("fiseg", 12),
	X87("fioff", 8),
	X87("foseg", 20),
	X87("fooff", 16),
	X87("fop", 6),
	{ "xmm0", "uint128", 16, LEGACY, 160, "sse" },
	XMM(1),
	XMM(2),
	XMM(3),
	XMM(4),
	XMM(5),
	XMM(6),
	XMM(7),
	XMM(8),
	XMM(9),
	XMM(10),
	XMM(11),
	XMM(12),
	XMM(13),
	XMM(14),
	XMM(15),
	{ "mxcsr", "int", 4, LEGACY, 24, NULL },
	{ "orig_rax", "int64", 8, USER, offsetof(struct user_regs_struct, orig_rax), "linux" },
	{ "fs_base", "int64", 8, USER, offsetof(struct user_regs_struct, fs_base), "segments" },
	{ "gs_base", "int64", 8, USER, offsetof(struct user_regs_struct, gs_base), NULL },
};

/* Two bits a register: used or empty. The processor keeps one. */
static uint32_t tags(uint8_t used)
{
	uint32_t x = 0;

	for (unsigned i = 0; i < 8; i++)
		x |= used >> i & 1 ? 0 : 3u << 2 * i;
	return x;
}

static void put(const struct reg *g, const struct user_regs_struct *r, const uint8_t *v, uint8_t *to)
{
	uint32_t word;

	memset(to, 0, g->size);
	if (g->from == USER) {
		memcpy(to, (const uint8_t *)r + g->at, g->size);
	} else if (g->from == TAGS) {
		word = tags(v[g->at]);
		memcpy(to, &word, sizeof(word));
	} else if (g->size != 4 || g->at == 8 || g->at == 16 || g->at == 24) {
		memcpy(to, v + g->at, g->size);
	} else {
		memcpy(to, v + g->at, 2);
	}
}

size_t regs_all(const struct user_regs_struct *r, const uint8_t *vectors, uint8_t ret[REGS_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(regs); n += regs[i++].size)
		put(&regs[i], r, vectors, ret + n);
	return n;
}

size_t regs_size(unsigned n, size_t *ret_at)
{
	*ret_at = 0;
	for (size_t i = 0; i < ARRAY_SIZE(regs); *ret_at += regs[i++].size)
		if (i == n)
			return regs[i].size;
	return 0;
}

const char *regs_xml(void)
{
	static char text[8192];
	size_t n;

	if (text[0])
		return text;
	n = (size_t)snprintf(
		text, sizeof(text),
		"<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target><architecture>i386:x86-64"
		"</architecture><osabi>GNU/Linux</osabi>");
	for (size_t i = 0; i < ARRAY_SIZE(regs) && n < sizeof(text); i++) {
		if (regs[i].feature)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s<feature name=\"org.gnu.gdb.i386.%s\">",
					      i ? "</feature>" : "", regs[i].feature);
		n += (size_t)snprintf(text + n, n < sizeof(text) ? sizeof(text) - n : 0,
				      "<reg name=\"%s\" bitsize=\"%u\" type=\"%s\"/>", regs[i].name, regs[i].size * 8u,
				      regs[i].type);
	}
	if (n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, "</feature></target>");
	return text;
}

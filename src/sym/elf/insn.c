/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes instructions one after another. The x86 decoder is a large library that few programs need, so it is
 * opened late. */
#include "sym/elf/insn.h"
#include <Zydis/Zydis.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/solib.h"
#include "base/vec.h"

#define ARM64_STEP 4u

/* The name that goes with the header which this was compiled with. */
static const char library[] = "libZydis.so.4.0";
_Static_assert(ZYDIS_VERSION_MAJOR(ZYDIS_VERSION) == 4 && ZYDIS_VERSION_MINOR(ZYDIS_VERSION) == 0,
	       "name the library after its header's version");

struct x86 {
	void *lib;
	__typeof__(&ZydisDecoderInit) init;
	__typeof__(&ZydisDecoderDecodeInstruction) decode;
	__typeof__(&ZydisDecoderDecodeFull) full;
	__typeof__(&ZydisMnemonicGetString) mnemonic;
	__typeof__(&ZydisFormatterInit) style;
	__typeof__(&ZydisFormatterFormatInstruction) format;
	ZydisFormatter fmt;
	ZydisDecoder dec;
};

static int x86_open(struct x86 *x, uint16_t machine, const char **reason)
{
	bool wide = machine == EM_X86_64;

	x->lib = solib_open(library);
	if (!x->lib) {
		*reason = solib_advice("no instruction decoder: install Debian's package libzydis4.0");
		return -ENOSYS;
	}
	*(void **)&x->init = solib_sym(x->lib, "ZydisDecoderInit");
	*(void **)&x->decode = solib_sym(x->lib, "ZydisDecoderDecodeInstruction");
	*(void **)&x->full = solib_sym(x->lib, "ZydisDecoderDecodeFull");
	*(void **)&x->mnemonic = solib_sym(x->lib, "ZydisMnemonicGetString");
	*(void **)&x->style = solib_sym(x->lib, "ZydisFormatterInit");
	*(void **)&x->format = solib_sym(x->lib, "ZydisFormatterFormatInstruction");
	if (!x->init || !x->decode || !x->full || !x->mnemonic || !x->style || !x->format ||
	    ZYAN_FAILED(x->style(&x->fmt, ZYDIS_FORMATTER_STYLE_INTEL)) ||
	    ZYAN_FAILED(x->init(&x->dec, wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
				wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32))) {
		*reason = "the instruction decoder libZydis is of an unknown version";
		solib_close(x->lib);
		return -ENOSYS;
	}
	return 0;
}

int insn_offsets(uint16_t machine, const uint8_t *code, size_t len, uint32_t **ret, size_t *ret_n, const char **reason)
{
	VEC(uint32_t) v = { 0 };
	struct x86 x = { 0 };
	size_t at = 0;
	int r = 0;

	if (machine == EM_X86_64 || machine == EM_386)
		r = x86_open(&x, machine, reason);
	else if (machine != EM_AARCH64) {
		*reason = "no decoder for the instructions of this machine";
		r = -ENOSYS;
	}
	while (r == 0 && at < len) {
		ZydisDecodedInstruction insn = { .length = ARM64_STEP };

		if (x.lib && ZYAN_FAILED(x.decode(&x.dec, NULL, code + at, len - at, &insn)))
			break;
		r = vec_try_push(&v, (uint32_t)at);
		at += insn.length;
	}
	if (x.lib)
		solib_close(x.lib);
	if (r < 0) {
		vec_free(&v);
		return r;
	}
	*ret = v.v;
	*ret_n = v.n;
	return 0;
}

static const struct {
	const char *name;
	unsigned bit;
} classes[] = {
	{ "call", INSN_CALL }, { "ret", INSN_RET },	{ "branch", INSN_BRANCH },
	{ "load", INSN_LOAD }, { "store", INSN_STORE }, { "lock", INSN_LOCK },
};

unsigned insn_class_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(classes[i].name, name))
			return classes[i].bit;
	return 0;
}

/* The class of an instruction by its category. */
static unsigned class_of(const ZydisDecodedInstruction *i)
{
	switch (i->meta.category) {
	case ZYDIS_CATEGORY_CALL: return INSN_CALL;
	case ZYDIS_CATEGORY_RET: return INSN_RET;
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR: return INSN_BRANCH;
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP: return INSN_FILL;
	default: return i->mnemonic == ZYDIS_MNEMONIC_INT3 ? INSN_FILL : 0;
	}
}

/* ... and by its operands. An address that is only computed (lea) is no access; the stack's own words are left out. */
static unsigned access_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
	unsigned r = 0;

	if (i->meta.category == ZYDIS_CATEGORY_PUSH || i->meta.category == ZYDIS_CATEGORY_POP)
		return 0;
	for (unsigned k = 0; k < i->operand_count; k++) {
		bool stack = i->meta.category == ZYDIS_CATEGORY_CALL || i->meta.category == ZYDIS_CATEGORY_RET;

		if (o[k].type != ZYDIS_OPERAND_TYPE_MEMORY || o[k].mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
		    (stack && o[k].visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN))
			continue;
		if (o[k].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			r |= INSN_LOAD;
		if (o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			r |= INSN_STORE;
		if (i->mnemonic == ZYDIS_MNEMONIC_XCHG)
			r |= INSN_LOCK;
	}
	return r;
}

static uint16_t bytes_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
	unsigned bits = 0;

	for (unsigned k = 0; k < i->operand_count; k++)
		if (o[k].type == ZYDIS_OPERAND_TYPE_MEMORY && o[k].mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
		    o[k].size > bits)
			bits = o[k].size;
	return (uint16_t)(bits / 8);
}

/* A register's word in struct pt_regs. */
static int pt_word(ZydisRegister reg)
{
	static const uint8_t words[] = { 10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0 }; /* rax rcx … r15 */

	return reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15 ? words[reg - ZYDIS_REGISTER_RAX] : INSN_NO_REG;
}

static void describe(struct x86 *x, uint64_t addr, const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
		     struct insn *ret)
{
	const char *name = x->mnemonic(i->mnemonic);
	bool goes = false;

	ret->len = i->length;
	ret->bytes = bytes_of(i, o);
	ret->reg = INSN_NO_REG;
	ret->classes = (uint8_t)class_of(i);
	goes = ret->classes & (INSN_CALL | INSN_BRANCH);
	if (!(ret->classes & INSN_FILL))
		ret->classes |= (uint8_t)access_of(i, o);
	if (i->attributes & ZYDIS_ATTRIB_HAS_LOCK)
		ret->classes |= INSN_LOCK;
	if (goes && i->operand_count && o[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && o[0].imm.is_relative) {
		ret->has_target = true;
		ret->target = (int64_t)ret->off + i->length + o[0].imm.value.s;
	} else if (goes && i->operand_count && o[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		ret->reg = pt_word(o[0].reg.value);
	}
	strncpy(ret->mnemonic, name ? name : "?", INSN_MNEMONIC - 1);
	if (ZYAN_FAILED(
		    x->format(&x->fmt, i, o, i->operand_count_visible, ret->text, INSN_TEXT, addr + ret->off, NULL)))
		memcpy(ret->text, ret->mnemonic, sizeof(ret->mnemonic));
}

int insn_list(uint16_t machine, uint64_t addr, const uint8_t *code, size_t len, struct insn **ret, size_t *ret_n,
	      const char **reason)
{
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	VEC(struct insn) v = { 0 };
	ZydisDecodedInstruction i;
	struct x86 x = { 0 };
	size_t at = 0;
	int r;

	if (machine != EM_X86_64) {
		*reason = "dwell tells the instructions of x86-64 only";
		return -ENOSYS;
	}
	r = x86_open(&x, machine, reason);
	while (r == 0 && at < len && !ZYAN_FAILED(x.full(&x.dec, code + at, len - at, &i, o))) {
		struct insn n = { .off = (uint32_t)at };

		describe(&x, addr, &i, o, &n);
		r = vec_try_push(&v, n);
		at += i.length;
	}
	if (x.lib && r != -ENOSYS)
		solib_close(x.lib);
	if (r < 0) {
		vec_free(&v);
		return r;
	}
	*ret = v.v;
	*ret_n = v.n;
	return 0;
}

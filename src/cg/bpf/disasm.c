/* SPDX-License-Identifier: Apache-2.0 */
/* Disassembles BPF, see disasm.h. Accepts any input: prints what it does not know as numbers. */
#include "cg/bpf/asm.h"
#include "cg/bpf/disasm.h"
#include "base/cleanup.h"

static const char *const helper_names[] = {
#define FN(x) [BPF_FUNC_##x] = "bpf_" #x
	__BPF_FUNC_MAPPER(FN)
#undef FN
};

static const char *const alu_ops[16] = {
	[BPF_ADD >> 4] = "+=", [BPF_SUB >> 4] = "-=", [BPF_MUL >> 4] = "*=",  [BPF_DIV >> 4] = "/=",
	[BPF_OR >> 4] = "|=",  [BPF_AND >> 4] = "&=", [BPF_LSH >> 4] = "<<=", [BPF_RSH >> 4] = ">>=",
	[BPF_MOD >> 4] = "%=", [BPF_XOR >> 4] = "^=", [BPF_MOV >> 4] = "=",   [BPF_ARSH >> 4] = "s>>=",
};

static const char *const jmp_ops[16] = {
	[BPF_JEQ >> 4] = "==", [BPF_JGT >> 4] = ">",   [BPF_JGE >> 4] = ">=",	[BPF_JSET >> 4] = "&",
	[BPF_JNE >> 4] = "!=", [BPF_JSGT >> 4] = "s>", [BPF_JSGE >> 4] = "s>=", [BPF_JLT >> 4] = "<",
	[BPF_JLE >> 4] = "<=", [BPF_JSLT >> 4] = "s<", [BPF_JSLE >> 4] = "s<=",
};

/* "bpf_ktime_get_ns", or NULL. */
static const char *disasm_helper_name(int32_t id)
{
	return id > 0 && (size_t)id < ARRAY_SIZE(helper_names) ? helper_names[id] : NULL;
}

static unsigned size_bits(uint8_t code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B: return 8;
	case BPF_H: return 16;
	case BPF_W: return 32;
	}
	return 64;
}

static void put_unknown(struct strb *out, const struct bpf_insn *i)
{
	strb_printf(out, "code 0x%02x dst %u src %u off %d imm %d", i->code, i->dst_reg, i->src_reg, i->off, i->imm);
}

static void put_alu(struct strb *out, const struct bpf_insn *i)
{
	char c = BPF_CLASS(i->code) == BPF_ALU64 ? 'r' : 'w';
	const char *op = alu_ops[BPF_OP(i->code) >> 4];

	if (BPF_OP(i->code) == BPF_END)
		strb_printf(out, "r%u = %s%d r%u", i->dst_reg, BPF_SRC(i->code) == BPF_TO_BE ? "be" : "le", i->imm,
			    i->dst_reg);
	else if (BPF_OP(i->code) == BPF_NEG)
		strb_printf(out, "%c%u = -%c%u", c, i->dst_reg, c, i->dst_reg);
	else if (!op)
		put_unknown(out, i);
	else if (BPF_SRC(i->code) == BPF_X)
		strb_printf(out, "%c%u %s %c%u", c, i->dst_reg, op, c, i->src_reg);
	else
		strb_printf(out, "%c%u %s %d", c, i->dst_reg, op, i->imm);
}

static void put_atomic(struct strb *out, const struct bpf_insn *i)
{
	unsigned bits = size_bits(i->code);

	if (i->imm == BPF_ADD)
		strb_printf(out, "lock *(u%u *)(r%u %+d) += r%u", bits, i->dst_reg, i->off, i->src_reg);
	else if (i->imm == (BPF_ADD | BPF_FETCH))
		strb_printf(out, "r%u = atomic%s_fetch_add((u%u *)(r%u %+d), r%u)", i->src_reg, bits == 64 ? "64" : "",
			    bits, i->dst_reg, i->off, i->src_reg);
	else if (i->imm == BPF_CMPXCHG)
		strb_printf(out, "r0 = atomic%s_cmpxchg((u%u *)(r%u %+d), r0, r%u)", bits == 64 ? "64" : "", bits,
			    i->dst_reg, i->off, i->src_reg);
	else
		put_unknown(out, i);
}

static void put_memory(struct strb *out, const struct bpf_insn *i)
{
	unsigned bits = size_bits(i->code);

	if (BPF_CLASS(i->code) == BPF_STX && BPF_MODE(i->code) == BPF_ATOMIC)
		put_atomic(out, i);
	else if (BPF_MODE(i->code) != BPF_MEM)
		put_unknown(out, i);
	else if (BPF_CLASS(i->code) == BPF_LDX)
		strb_printf(out, "r%u = *(u%u *)(r%u %+d)", i->dst_reg, bits, i->src_reg, i->off);
	else if (BPF_CLASS(i->code) == BPF_STX)
		strb_printf(out, "*(u%u *)(r%u %+d) = r%u", bits, i->dst_reg, i->off, i->src_reg);
	else
		strb_printf(out, "*(u%u *)(r%u %+d) = %d", bits, i->dst_reg, i->off, i->imm);
}

static const char *func_at(const struct img_prog *p, int64_t off)
{
	uint32_t k;

	for (k = 0; k < p->nfuncs; k++) {
		if (p->funcs[k].off == off)
			return p->funcs[k].name;
	}
	return NULL;
}

static void put_call(struct strb *out, const struct img_prog *p, uint32_t at)
{
	const struct bpf_insn *i = &p->insns[at];
	const char *name;

	if (i->src_reg == BPF_PSEUDO_CALL) {
		name = func_at(p, (int64_t)at + 1 + i->imm);
		strb_printf(out, "call pc%+d", i->imm);
		if (name)
			strb_printf(out, " <%s>", name);
		return;
	}
	if (i->src_reg == BPF_PSEUDO_KFUNC_CALL) {
		strb_printf(out, "call kernel#%d", i->imm);
		return;
	}
	name = disasm_helper_name(i->imm);
	strb_printf(out, "call %s#%d", name ? name : "helper", i->imm);
}

static void put_jump(struct strb *out, const struct img_prog *p, uint32_t at)
{
	const struct bpf_insn *i = &p->insns[at];
	char c = BPF_CLASS(i->code) == BPF_JMP ? 'r' : 'w';
	const char *op = jmp_ops[BPF_OP(i->code) >> 4];

	if (i->code == (BPF_JMP | BPF_EXIT))
		strb_adds(out, "exit");
	else if (i->code == (BPF_JMP | BPF_CALL))
		put_call(out, p, at);
	else if (i->code == (BPF_JMP | BPF_JA))
		strb_printf(out, "goto pc%+d", i->off);
	else if (i->code == ASM_MAY_GOTO)
		strb_printf(out, "may_goto pc%+d", i->off);
	else if (!op)
		put_unknown(out, i);
	else if (BPF_SRC(i->code) == BPF_X)
		strb_printf(out, "if %c%u %s %c%u goto pc%+d", c, i->dst_reg, op, c, i->src_reg, i->off);
	else
		strb_printf(out, "if %c%u %s %d goto pc%+d", c, i->dst_reg, op, i->imm, i->off);
}

static void put_map(struct strb *out, const struct image *img, int32_t idx)
{
	if (img && idx >= 0 && (uint32_t)idx < img->nmaps)
		strb_printf(out, "map[%.16s]", img->maps[idx].name);
	else
		strb_printf(out, "map[%d]", idx);
}

static void put_ld64(struct strb *out, const struct image *img, const struct img_prog *p, uint32_t at)
{
	const struct bpf_insn *i = &p->insns[at];
	uint32_t hi = at + 1 < p->ninsns ? (uint32_t)i[1].imm : 0;
	const char *name;

	strb_printf(out, "r%u = ", i->dst_reg);
	switch (i->src_reg) {
	case 0: strb_printf(out, "0x%llx", (unsigned long long)hi << 32 | (uint32_t)i->imm); break;
	case BPF_PSEUDO_MAP_FD:
	case BPF_PSEUDO_MAP_IDX: put_map(out, img, i->imm); break;
	case BPF_PSEUDO_MAP_VALUE:
	case BPF_PSEUDO_MAP_IDX_VALUE:
		put_map(out, img, i->imm);
		strb_printf(out, "[0]+%u", hi);
		break;
	case BPF_PSEUDO_FUNC:
		name = func_at(p, (int64_t)at + 1 + i->imm);
		strb_printf(out, "func %s", name ? name : "?");
		break;
	default: put_unknown(out, i);
	}
}

unsigned disasm_insn(struct strb *out, const struct image *img, const struct img_prog *p, uint32_t at)
{
	const struct bpf_insn *i = &p->insns[at];

	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64: put_alu(out, i); break;
	case BPF_LDX:
	case BPF_ST:
	case BPF_STX: put_memory(out, i); break;
	case BPF_JMP:
	case BPF_JMP32: put_jump(out, p, at); break;
	default:
		if (i->code != (BPF_LD | BPF_IMM | BPF_DW)) {
			put_unknown(out, i);
			break;
		}
		put_ld64(out, img, p, at);
		return 2;
	}
	return 1;
}

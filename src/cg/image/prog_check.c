/* SPDX-License-Identifier: Apache-2.0 */
/* Checks one generated program, without a kernel, for what the verifier would refuse with certainty. Trusts
 * nothing in the program. */
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "cg/bpf/asm.h"
#include "cg/image/check.h"

#define MAX_INSNS 1000000 /* Source: kernel, BPF_COMPLEXITY_LIMIT_INSNS */
#define MAX_STACK 512	  /* Source: kernel, MAX_BPF_STACK */
#define MAX_FRAMES 8	  /* Source: kernel, MAX_CALL_FRAMES */
#define MAX_FUNCS 256	  /* Source: kernel, BPF_MAX_SUBPROGS */
#define FRAME_ROUND 32

struct pcheck {
	const struct image *img;
	const struct img_prog *p;
	struct err *err;
	uint16_t *known; /* by instruction: registers with a value before it; 0: not seen */
	uint32_t *todo;
	uint32_t ntodo;
	uint8_t *second;   /* by instruction: second half of an LD_IMM64 */
	int32_t *fn_start; /* by instruction: function + 1 that starts here */
	uint32_t *depth;   /* by function: bytes of stack */
	int32_t *chain;	   /* by function: with what it calls; -1 unknown, -2 busy */
	uint32_t *height;
	uint8_t *map_used; /* by map */
};

#define BAD(c, at, ...) bad((c), (at), __VA_ARGS__)

static int __attribute__((format(printf, 3, 4))) bad(struct pcheck *c, uint32_t at, const char *fmt, ...)
{
	char msg[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return err_set(c->err, -EBADMSG, "program %.16s, instruction %u: %s", c->p->name, at, msg);
}

static uint32_t fn_end(const struct pcheck *c, uint32_t fn)
{
	return fn + 1 < c->p->nfuncs ? c->p->funcs[fn + 1].off : c->p->ninsns;
}

static int check_tables(struct pcheck *c)
{
	const struct img_prog *p = c->p;
	uint32_t k;

	if (!p->insns || !p->ninsns || p->ninsns > MAX_INSNS)
		return BAD(c, 0, "%u instructions", p->ninsns);
	if (!p->nfuncs || p->nfuncs > MAX_FUNCS || p->funcs[0].off != 0 || p->funcs[0].nargs != 1)
		return BAD(c, 0, "function table does not start with main");
	if (strnlen(p->name, sizeof(p->name)) == sizeof(p->name))
		return BAD(c, 0, "name without end");
	for (k = 0; k < p->nfuncs; k++) {
		const struct img_func *f = &p->funcs[k];

		if (f->off >= p->ninsns || (k && f->off <= f[-1].off) || f->nargs > 5 || !f->name)
			return BAD(c, f->off, "function table, entry %u", k);
	}
	for (k = 0; k < p->nlines; k++) {
		const struct img_line *l = &p->lines[k];

		if (l->off >= p->ninsns || (k && l->off <= l[-1].off))
			return BAD(c, l->off, "line table, entry %u", k);
		if (l->at.src && (l->at.off > l->at.src->len || l->at.len > l->at.src->len - l->at.off))
			return BAD(c, l->off, "line outside its text");
	}
	for (k = 0; k < p->ncomments; k++) {
		const struct img_comment *m = &p->comments[k];

		if (m->off > p->ninsns || (k && m->off < m[-1].off) || !m->text)
			return BAD(c, m->off, "comment table, entry %u", k);
	}
	return 0;
}

static int check_ld64(struct pcheck *c, uint32_t at)
{
	const struct bpf_insn *i = &c->p->insns[at];
	uint32_t hi;
	int64_t to;

	if (at + 1 >= c->p->ninsns || i[1].code || i[1].dst_reg || i[1].src_reg || i[1].off || i->off)
		return BAD(c, at, "64-bit constant without second half");
	hi = (uint32_t)i[1].imm;
	c->second[at + 1] = 1;
	switch (i->src_reg) {
	case 0: return 0;
	case BPF_PSEUDO_MAP_IDX:
	case BPF_PSEUDO_MAP_IDX_VALUE:
		if (i->imm < 0 || (uint32_t)i->imm >= c->img->nmaps)
			return BAD(c, at, "no such map: %d", i->imm);
		c->map_used[i->imm] = 1;
		if (i->src_reg == BPF_PSEUDO_MAP_IDX)
			return hi ? BAD(c, at, "map reference with an offset") : 0;
		if (c->img->maps[i->imm].type != BPF_MAP_TYPE_ARRAY || c->img->maps[i->imm].max_entries != 1 ||
		    hi >= c->img->maps[i->imm].value_size)
			return BAD(c, at, "no value at %u in map %d", hi, i->imm);
		return 0;
	case BPF_PSEUDO_FUNC:
		to = (int64_t)at + 1 + i->imm;
		if (hi || to <= 0 || to >= c->p->ninsns || !c->fn_start[to])
			return BAD(c, at, "address of no function");
		return 0;
	}
	return BAD(c, at, "constant of unknown kind %u", i->src_reg);
}

static int check_alu(struct pcheck *c, uint32_t at)
{
	const struct bpf_insn *i = &c->p->insns[at];
	unsigned op = BPF_OP(i->code), bits = BPF_CLASS(i->code) == BPF_ALU64 ? 64 : 32;

	if (i->off)
		return BAD(c, at, "arithmetic with an offset");
	if (op == BPF_END)
		return bits == 32 && (i->imm == 16 || i->imm == 32 || i->imm == 64)
			       ? 0
			       : BAD(c, at, "byte swap of %d bits", i->imm);
	if (op > BPF_ARSH)
		return BAD(c, at, "unknown operation 0x%x", i->code);
	if (BPF_SRC(i->code) == BPF_X)
		return i->imm || op == BPF_NEG ? BAD(c, at, "operand and constant") : 0;
	if (i->src_reg)
		return BAD(c, at, "constant and register");
	if ((op == BPF_DIV || op == BPF_MOD) && i->imm == 0)
		return BAD(c, at, "division by the constant 0");
	if ((op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) && (i->imm < 0 || (unsigned)i->imm >= bits))
		return BAD(c, at, "shift by %d", i->imm);
	return 0;
}

static int size_of(uint8_t code)
{
	static const uint8_t sizes[] = { [BPF_W >> 3] = 4, [BPF_H >> 3] = 2, [BPF_B >> 3] = 1, [BPF_DW >> 3] = 8 };

	return sizes[BPF_SIZE(code) >> 3];
}

static void use_stack(struct pcheck *c, uint32_t fn, int32_t off)
{
	if (off < 0 && off >= -MAX_STACK && (uint32_t)-off > c->depth[fn])
		c->depth[fn] = (uint32_t)-off;
}

static int check_memory(struct pcheck *c, uint32_t fn, uint32_t at)
{
	const struct bpf_insn *i = &c->p->insns[at];
	int size = size_of(i->code), base = i->dst_reg;

	if (BPF_MODE(i->code) == BPF_ATOMIC) {
		if (BPF_CLASS(i->code) != BPF_STX || size < 4 ||
		    (i->imm != BPF_ADD && i->imm != (BPF_ADD | BPF_FETCH) && i->imm != BPF_CMPXCHG))
			return BAD(c, at, "unknown atomic operation");
	} else if (BPF_MODE(i->code) != BPF_MEM) {
		return BAD(c, at, "unknown access 0x%x", i->code);
	}
	if (BPF_CLASS(i->code) == BPF_LDX)
		base = i->src_reg;
	if (base != BPF_REG_10)
		return 0;
	if (i->off >= 0 || i->off + size > 0 || i->off < -MAX_STACK || i->off % size)
		return BAD(c, at, "stack access at %d", i->off);
	use_stack(c, fn, i->off);
	return 0;
}

static int check_jump(struct pcheck *c, uint32_t fn, uint32_t at)
{
	const struct bpf_insn *i = &c->p->insns[at];
	int64_t to;

	if (i->code == (BPF_JMP | BPF_EXIT))
		return 0;
	if (i->code == (BPF_JMP | BPF_CALL)) {
		if (i->src_reg == 0 || i->src_reg == BPF_PSEUDO_KFUNC_CALL)
			return i->imm > 0 ? 0 : BAD(c, at, "no such helper: %d", i->imm);
		to = (int64_t)at + 1 + i->imm;
		if (i->src_reg != BPF_PSEUDO_CALL || to <= 0 || to >= c->p->ninsns || !c->fn_start[to])
			return BAD(c, at, "call of no function");
		return 0;
	}
	if (i->code == ASM_MAY_GOTO && (i->dst_reg || i->src_reg || i->imm))
		return BAD(c, at, "may_goto with operands");
	if ((BPF_OP(i->code) > BPF_JSLE && i->code != ASM_MAY_GOTO) || BPF_OP(i->code) == BPF_CALL ||
	    BPF_OP(i->code) == BPF_EXIT)
		return BAD(c, at, "unknown jump 0x%x", i->code);
	to = (int64_t)at + 1 + i->off;
	if (to < c->p->funcs[fn].off || to >= fn_end(c, fn))
		return BAD(c, at, "jump out of the function");
	return 0;
}

static int check_insn(struct pcheck *c, uint32_t fn, uint32_t at)
{
	const struct bpf_insn *i = &c->p->insns[at];
	unsigned cls = BPF_CLASS(i->code);
	bool writes = cls == BPF_ALU || cls == BPF_ALU64 || cls == BPF_LDX || cls == BPF_LD;

	if (i->dst_reg > BPF_REG_10 || i->src_reg > BPF_REG_10)
		return BAD(c, at, "no such register");
	if (writes && i->dst_reg == BPF_REG_10)
		return BAD(c, at, "r10 is written");
	switch (cls) {
	case BPF_ALU:
	case BPF_ALU64:
		/* the address of something on the stack: r = r10; r += -n */
		if (at && i->code == (BPF_ALU64 | BPF_ADD | BPF_K) && i[-1].code == (BPF_ALU64 | BPF_MOV | BPF_X) &&
		    i[-1].src_reg == BPF_REG_10 && i[-1].dst_reg == i->dst_reg)
			use_stack(c, fn, i->imm);
		return check_alu(c, at);
	case BPF_LDX:
	case BPF_ST:
	case BPF_STX: return check_memory(c, fn, at);
	case BPF_JMP:
	case BPF_JMP32: return check_jump(c, fn, at);
	}
	if (i->code != (BPF_LD | BPF_IMM | BPF_DW))
		return BAD(c, at, "unknown instruction 0x%x", i->code);
	return check_ld64(c, at);
}

static int check_insns(struct pcheck *c)
{
	uint32_t fn, at;
	int r;

	for (fn = 0; fn < c->p->nfuncs; fn++) {
		const struct bpf_insn *last;

		for (at = c->p->funcs[fn].off; at < fn_end(c, fn); at++) {
			if (c->second[at])
				continue;
			r = check_insn(c, fn, at);
			if (r < 0)
				return r;
		}
		last = &c->p->insns[at - 1];
		if (c->second[at - 1] || (last->code != (BPF_JMP | BPF_EXIT) && last->code != (BPF_JMP | BPF_JA)))
			return BAD(c, at - 1, "control reaches the end of the function");
	}
	return 0;
}

/* Flow of known registers. */
static int flow_to(struct pcheck *c, uint32_t at, uint16_t known)
{
	uint16_t old = c->known[at], now = old ? old & known : known;

	if (c->second[at])
		return BAD(c, at, "jump into a 64-bit constant");
	if (now == old)
		return 0;
	/* in todo at most once more than registers can get lost */
	c->known[at] = now;
	c->todo[c->ntodo++] = at;
	return 0;
}

#define ARGS_MASK 0x3e /* r1-r5 */

/* Registers read by instruction i, and those it writes. */
static uint16_t reads(const struct pcheck *c, uint32_t at, uint16_t *ret_writes)
{
	const struct bpf_insn *i = &c->p->insns[at];
	uint16_t d = (uint16_t)(1u << i->dst_reg), s = (uint16_t)(1u << i->src_reg);
	unsigned op = BPF_OP(i->code);

	*ret_writes = 0;
	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		*ret_writes = d;
		if (op == BPF_END || op == BPF_NEG)
			return d;
		return (op == BPF_MOV ? 0 : d) | (BPF_SRC(i->code) == BPF_X ? s : 0);
	case BPF_LDX: *ret_writes = d; return s;
	case BPF_LD: *ret_writes = d; return 0;
	case BPF_ST: return d;
	case BPF_STX:
		if (BPF_MODE(i->code) == BPF_ATOMIC && i->imm == BPF_CMPXCHG) {
			*ret_writes = 1;
			return d | s | 1;
		}
		if (BPF_MODE(i->code) == BPF_ATOMIC && (i->imm & BPF_FETCH))
			*ret_writes = s;
		return d | s;
	}
	if (op == BPF_JA || i->code == ASM_MAY_GOTO)
		return 0;
	if (op == BPF_EXIT)
		return 1;
	if (op == BPF_CALL) {
		*ret_writes = 1;
		if (i->src_reg != BPF_PSEUDO_CALL)
			return 0;
		return (uint16_t)(((2u << c->p->funcs[c->fn_start[at + 1 + (uint32_t)i->imm] - 1].nargs) - 1) &
				  ARGS_MASK);
	}
	return d | (BPF_SRC(i->code) == BPF_X ? s : 0);
}

static int flow_insn(struct pcheck *c, uint32_t at)
{
	const struct bpf_insn *i = &c->p->insns[at];
	uint16_t known = c->known[at], writes, need = reads(c, at, &writes);
	unsigned cls = BPF_CLASS(i->code), op = BPF_OP(i->code);
	bool jump = cls == BPF_JMP || cls == BPF_JMP32;
	int r = 0;

	if (need & ~known)
		return BAD(c, at, "r%d is read before it has a value", __builtin_ctz(need & ~known));
	if (jump && op == BPF_EXIT)
		return 0;
	if (jump && op == BPF_CALL)
		known &= (uint16_t)~ARGS_MASK;
	known |= writes;
	if (jump && op != BPF_CALL)
		r = flow_to(c, at + 1 + (uint32_t)(int32_t)i->off, known);
	if (r < 0 || (jump && op == BPF_JA))
		return r;
	return flow_to(c, at + (cls == BPF_LD ? 2 : 1), known);
}

static int check_flow(struct pcheck *c)
{
	uint32_t fn;
	int r;

	for (fn = 0; fn < c->p->nfuncs; fn++) {
		uint16_t args = (uint16_t)(((2u << c->p->funcs[fn].nargs) - 1) & ARGS_MASK);

		r = flow_to(c, c->p->funcs[fn].off, args | 1u << BPF_REG_10);
		while (r == 0 && c->ntodo)
			r = flow_insn(c, c->todo[--c->ntodo]);
		if (r < 0)
			return r;
	}
	for (fn = 0; fn < c->p->ninsns; fn++) {
		if (!c->known[fn] && !c->second[fn])
			return BAD(c, fn, "cannot be reached");
	}
	return 0;
}

/* Stack and frames over chains of calls; at most MAX_FUNCS deep. */
static int check_chain(struct pcheck *c, uint32_t fn)
{
	uint32_t at, own = (c->depth[fn] ? c->depth[fn] : 1), deepest = 0, height = 0;
	int r;

	if (c->chain[fn] == -2)
		return BAD(c, c->p->funcs[fn].off, "recursion");
	if (c->chain[fn] >= 0)
		return 0;
	c->chain[fn] = -2;
	for (at = c->p->funcs[fn].off; at < fn_end(c, fn); at++) {
		const struct bpf_insn *i = &c->p->insns[at];
		uint32_t to;

		if (c->second[at] || !((i->code == (BPF_JMP | BPF_CALL) && i->src_reg == BPF_PSEUDO_CALL) ||
				       (i->code == (BPF_LD | BPF_IMM | BPF_DW) && i->src_reg == BPF_PSEUDO_FUNC)))
			continue;
		to = (uint32_t)c->fn_start[at + 1 + (uint32_t)i->imm] - 1;
		r = check_chain(c, to);
		if (r < 0)
			return r;
		if ((uint32_t)c->chain[to] > deepest)
			deepest = (uint32_t)c->chain[to];
		if (c->height[to] > height)
			height = c->height[to];
	}
	own = ROUND_UP(own, FRAME_ROUND) + deepest;
	c->chain[fn] = (int32_t)own;
	c->height[fn] = height + 1;
	if (own > MAX_STACK || c->height[fn] > MAX_FRAMES)
		return BAD(c, c->p->funcs[fn].off, "%u bytes of stack in %u frames", own, c->height[fn]);
	return 0;
}

static int check_all(struct pcheck *c)
{
	uint32_t k, maps = 0;
	int r;

	for (k = 0; k < c->p->nfuncs; k++) {
		c->fn_start[c->p->funcs[k].off] = (int32_t)k + 1;
		c->chain[k] = -1;
	}
	r = check_insns(c);
	if (r == 0)
		r = check_flow(c);
	if (r == 0)
		r = check_chain(c, 0);
	for (k = 0; r == 0 && k < c->p->nfuncs; k++) {
		if (c->chain[k] == -1)
			r = BAD(c, c->p->funcs[k].off, "function %s is not called", c->p->funcs[k].name);
	}
	for (k = 0; k < c->img->nmaps; k++)
		maps += c->map_used[k];
	if (r == 0 && maps > CG_MAX_MAPS)
		r = BAD(c, 0, "uses %u maps", maps);
	return r;
}

int prog_check(const struct image *img, const struct img_prog *p, struct err *err)
{
	_cleanup_free_ struct pcheck *c = calloc(1, sizeof(*c));
	_cleanup_free_ uint16_t *known = NULL;
	_cleanup_free_ uint32_t *todo = NULL, *depth = NULL, *height = NULL;
	_cleanup_free_ uint8_t *second = NULL, *map_used = NULL;
	_cleanup_free_ int32_t *fn_start = NULL, *chain = NULL;
	size_t n = (size_t)p->ninsns + 2;
	int r;

	if (!c)
		return err_set(err, -ENOMEM, "out of memory");
	c->img = img;
	c->p = p;
	c->err = err;
	r = check_tables(c);
	if (r < 0)
		return r;
	c->known = known = calloc(n, sizeof(*known));
	c->todo = todo = calloc(n * 12, sizeof(*todo)); /* 11 registers can get lost */
	c->second = second = calloc(n, 1);
	c->map_used = map_used = calloc((size_t)img->nmaps + 1, 1);
	c->fn_start = fn_start = calloc(n, sizeof(*fn_start));
	c->depth = depth = calloc(p->nfuncs, sizeof(*depth));
	c->chain = chain = calloc(p->nfuncs, sizeof(*chain));
	c->height = height = calloc(p->nfuncs, sizeof(*height));
	if (!known || !todo || !second || !map_used || !fn_start || !depth || !chain || !height)
		return err_set(err, -ENOMEM, "out of memory");
	return check_all(c);
}

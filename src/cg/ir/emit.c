/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the compilation of a program: checks the stack, encodes the functions that are called, and writes the
 * tables of functions, lines and comments. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "cg/bpf/asm.h"
#include "cg/image.h"
#include "cg/ir/int.h"
#include "cg/ir/opt.h"

struct emit {
	struct irfn *f;
	struct basm *b;
	const int8_t *reg;
	struct arena *arena;
	struct img_prog *prog;
	uint32_t linecap, commentcap;
	uint32_t mark;	  /* of the last line written */
	uint32_t *jumped; /* by label: 1 + the first jump to it */
};

/* A backward jump must not be longer than ASM_JUMP_MAX; an instruction of ours becomes up to three. */
#define IR_MAX_SPLIT (ASM_JUMP_MAX / 3)

static const uint8_t alu_code[] = {
	[IRA_ADD] = BPF_ADD, [IRA_SUB] = BPF_SUB, [IRA_MUL] = BPF_MUL,	[IRA_DIV] = BPF_DIV,
	[IRA_MOD] = BPF_MOD, [IRA_AND] = BPF_AND, [IRA_OR] = BPF_OR,	[IRA_XOR] = BPF_XOR,
	[IRA_SHL] = BPF_LSH, [IRA_SHR] = BPF_RSH, [IRA_SAR] = BPF_ARSH, [IRA_NEG] = BPF_NEG,
};

static const uint8_t cond_code[] = {
	[IRC_EQ] = BPF_JEQ,   [IRC_NE] = BPF_JNE,   [IRC_GT] = BPF_JGT,	  [IRC_GE] = BPF_JGE,
	[IRC_LT] = BPF_JLT,   [IRC_LE] = BPF_JLE,   [IRC_SGT] = BPF_JSGT, [IRC_SGE] = BPF_JSGE,
	[IRC_SLT] = BPF_JSLT, [IRC_SLE] = BPF_JSLE, [IRC_SET] = BPF_JSET,
};

static uint8_t size_code(unsigned size)
{
	return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW;
}

static int reg_of(const struct emit *e, vreg v)
{
	return v == IR_FP ? BPF_REG_10 : e->reg[v];
}

static void emit_mov(struct emit *e, int d, int s)
{
	if (d != s)
		asm_insn(e->b, BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0);
}

/* Moves the arguments into r1-r5, all at once: a register is overwritten only when nobody reads it
 * any more; r0 helps to turn cycles. */
static void emit_args(struct emit *e, const struct irinsn *i)
{
	int src[6], left = 0, k, j;

	for (k = 1; k <= i->nargs; k++) {
		src[k] = reg_of(e, e->f->args[(uint32_t)i->off + (uint32_t)k - 1]);
		if (src[k] == k)
			src[k] = -1;
		else
			left++;
	}
	while (left) {
		int moved = 0;

		for (k = 1; k <= i->nargs; k++) {
			bool read = false;

			for (j = 1; j <= i->nargs; j++)
				read |= j != k && src[j] == k;
			if (src[k] < 0 || read)
				continue;
			emit_mov(e, k, src[k]);
			src[k] = -1;
			left--;
			moved++;
		}
		if (moved)
			continue;
		for (k = 1; src[k] < 0; k++)
			;
		emit_mov(e, BPF_REG_0, k);
		for (j = 1; j <= i->nargs; j++) {
			if (src[j] == k)
				src[j] = BPF_REG_0;
		}
	}
}

static void emit_call(struct emit *e, const struct irinsn *i)
{
	emit_args(e, i);
	if (i->op == IRO_CALL)
		asm_insn(e->b, BPF_JMP | BPF_CALL, 0, i->imm & IR_KERNEL ? BPF_PSEUDO_KFUNC_CALL : 0, 0,
			 (int32_t)i->imm);
	else
		asm_call_fn(e->b, (uint32_t)i->imm);
	if (i->d >= 0)
		emit_mov(e, reg_of(e, i->d), BPF_REG_0);
}

static void emit_alu(struct emit *e, const struct irinsn *i, int d)
{
	uint8_t op = BPF_ALU64 | alu_code[i->sub];

	if (i->op == IRO_ALU2)
		asm_insn(e->b, op | BPF_X, d, reg_of(e, i->b), 0, 0);
	else if (i->sub == IRA_NEG)
		asm_insn(e->b, op, d, 0, 0, 0);
	else
		asm_insn(e->b, op | BPF_K, d, 0, 0, (int32_t)i->imm);
}

static void emit_cmpxchg(struct emit *e, const struct irinsn *i, int d)
{
	emit_mov(e, BPF_REG_0, reg_of(e, i->b));
	asm_insn(e->b, BPF_STX | BPF_ATOMIC | size_code(i->size), reg_of(e, i->a), reg_of(e, i->c), i->off,
		 BPF_CMPXCHG);
	if (d >= 0)
		emit_mov(e, d, BPF_REG_0);
}

static void emit_fetch_add(struct emit *e, const struct irinsn *i, int d)
{
	emit_mov(e, BPF_REG_0, reg_of(e, i->b));
	asm_insn(e->b, BPF_STX | BPF_ATOMIC | size_code(i->size), reg_of(e, i->a), BPF_REG_0, i->off,
		 BPF_ADD | BPF_FETCH);
	if (d >= 0)
		emit_mov(e, d, BPF_REG_0);
}

static void emit_memory(struct emit *e, const struct irinsn *i, int d)
{
	uint8_t sz = BPF_MEM | size_code(i->size);

	switch (i->op) {
	case IRO_LOAD: asm_insn(e->b, BPF_LDX | sz, d, reg_of(e, i->a), i->off, 0); break;
	case IRO_STORE: asm_insn(e->b, BPF_STX | sz, reg_of(e, i->a), reg_of(e, i->b), i->off, 0); break;
	case IRO_STOREI: asm_insn(e->b, BPF_ST | sz, reg_of(e, i->a), 0, i->off, (int32_t)i->imm); break;
	case IRO_XADD:
		asm_insn(e->b, BPF_STX | BPF_ATOMIC | size_code(i->size), reg_of(e, i->a), reg_of(e, i->b), i->off,
			 BPF_ADD);
		break;
	case IRO_CMPXCHG: emit_cmpxchg(e, i, d); break;
	case IRO_FETCHADD: emit_fetch_add(e, i, d); break;
	}
}

static void emit_const(struct emit *e, const struct irinsn *i, int d)
{
	switch (i->op) {
	case IRO_MOVI: asm_imm(e->b, d, i->imm); break;
	case IRO_MAP: asm_ld64(e->b, d, BPF_PSEUDO_MAP_IDX, (uint32_t)i->imm, 0); break;
	case IRO_MAPVAL: asm_ld64(e->b, d, BPF_PSEUDO_MAP_IDX_VALUE, (uint32_t)i->imm, (uint32_t)i->off); break;
	case IRO_LABELPC:
		asm_imm(e->b, d,
			(int64_t)((uint64_t)(uint32_t)i->off << 32 | (e->jumped[i->imm] - !!e->jumped[i->imm])));
		break;
	case IRO_FNADDR: asm_fnaddr(e->b, d, (uint32_t)i->imm); break;
	case IRO_FPADDR:
		emit_mov(e, d, BPF_REG_10);
		asm_insn(e->b, BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i->off);
		break;
	}
}

static void emit_jump(struct emit *e, const struct irinsn *i)
{
	uint32_t l = (uint32_t)i->imm;

	if (!e->jumped[l])
		e->jumped[l] = asm_pos(e->b) + 1;
	if (i->op == IRO_JMP)
		asm_jump(e->b, l);
	else if (i->op == IRO_MAYGO)
		asm_jcc(e->b, ASM_MAY_GOTO, 0, 0, 0, l);
	else if (i->op == IRO_JCC)
		asm_jcc(e->b, BPF_JMP | BPF_X | cond_code[i->sub], reg_of(e, i->a), reg_of(e, i->b), 0, l);
	else
		asm_jcc(e->b, BPF_JMP | BPF_K | cond_code[i->sub], reg_of(e, i->a), 0, i->off, l);
}

/* To where a condition does not hold. */
static void emit_inverse(struct emit *e, const struct irinsn *i, uint32_t to)
{
	uint8_t code = BPF_JMP | cond_code[ir_inverse(i->sub)];

	if (i->op == IRO_JCC)
		asm_jcc(e->b, code | BPF_X, reg_of(e, i->a), reg_of(e, i->b), 0, to);
	else
		asm_jcc(e->b, code | BPF_K, reg_of(e, i->a), 0, i->off, to);
}

static void emit_insn(struct emit *e, const struct irinsn *i)
{
	int d = (ir_op_flags[i->op] & IRF_DEF) && i->d >= 0 ? reg_of(e, i->d) : -1;

	switch (i->op) {
	case IRO_LABEL: asm_label(e->b, (uint32_t)i->imm); break;
	case IRO_ARG: emit_mov(e, d, (int)i->imm + 1); break;
	case IRO_MOVI:
	case IRO_MAP:
	case IRO_MAPVAL:
	case IRO_FNADDR:
	case IRO_LABELPC:
	case IRO_FPADDR: emit_const(e, i, d); break;
	case IRO_MOV: emit_mov(e, d, reg_of(e, i->a)); break;
	case IRO_ZEXT32: asm_insn(e->b, BPF_ALU | BPF_MOV | BPF_X, d, reg_of(e, i->a), 0, 0); break;
	case IRO_ALU2:
	case IRO_ALU2I: emit_alu(e, i, d); break;
	case IRO_BSWAP2: asm_insn(e->b, BPF_ALU | BPF_END | BPF_TO_BE, d, 0, 0, 8 * i->size); break;
	case IRO_JMP:
	case IRO_MAYGO:
	case IRO_JCC:
	case IRO_JCCI: emit_jump(e, i); break;
	case IRO_RET:
		emit_mov(e, BPF_REG_0, reg_of(e, i->a));
		asm_insn(e->b, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
		break;
	case IRO_RETI:
		asm_imm(e->b, BPF_REG_0, i->imm);
		asm_insn(e->b, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
		break;
	case IRO_CALL:
	case IRO_CALLFN: emit_call(e, i); break;
	default: emit_memory(e, i, d);
	}
}

/* Before an instruction: notes the place in the D text when it changed, and the comments since the one before it. */
static void emit_line(struct emit *e, uint32_t n, bool first)
{
	const struct irinsn *i = &e->f->insns[n];
	const struct irmark *m = &e->f->marks[i->mark], *o = &e->f->marks[e->mark];
	struct img_prog *p = e->prog;
	struct img_line *lines = (struct img_line *)p->lines;
	struct img_comment *comments = (struct img_comment *)p->comments;
	uint32_t k;

	for (k = n ? i[-1].mark + 1 : 0; k <= i->mark; k++) {
		if (!e->f->marks[k].text)
			continue;
		comments = ir_grow(e->arena, comments, p->ncomments, &e->commentcap, sizeof(*comments));
		comments[p->ncomments++] = (struct img_comment){ asm_pos(e->b),
								 arena_strdup(e->arena, e->f->marks[k].text) };
	}
	p->comments = comments;
	if (first || m->epid != o->epid || m->at.src != o->at.src || m->at.off != o->at.off || m->at.len != o->at.len) {
		uint32_t at = asm_pos(e->b);

		if (p->nlines && lines[p->nlines - 1].off == at)
			p->nlines--;
		lines = ir_grow(e->arena, lines, p->nlines, &e->linecap, sizeof(*lines));
		lines[p->nlines++] = (struct img_line){ at, m->epid, m->at };
		p->lines = lines;
	}
	e->mark = i->mark;
}

static bool is_cold(const struct irfn *f, uint32_t n)
{
	return n < f->n && f->marks[f->insns[n].mark].cold;
}

/* A jump over code that has gone elsewhere. */
static bool goes_on(const struct irfn *f, uint32_t n)
{
	int64_t to = f->insns[n].imm;

	if (!(ir_op_flags[f->insns[n].op] & IRF_JUMP))
		return false;
	while (is_cold(f, ++n))
		;
	for (; n < f->n && f->insns[n].op == IRO_LABEL; n++)
		if (f->insns[n].imm == to)
			return true;
	return false;
}

/* A condition that only the code in front of which it stands, and which has gone elsewhere, is not for. */
static bool goes_on_if(const struct irfn *f, uint32_t n)
{
	const struct irinsn *i = &f->insns[n];

	return (i->op == IRO_JCC || i->op == IRO_JCCI) && i->sub != IRC_SET && is_cold(f, n + 1) && goes_on(f, n);
}

/* Emits the cold blocks, or the others, in their order. Where code goes on from the one to the other there is a jump:
 * the k-th cold stretch has label nlabels + 2k in front and nlabels + 2k + 1 after it. */
static void emit_part(struct emit *e, bool cold)
{
	const struct irfn *f = e->f;
	uint32_t label = f->nlabels;
	bool first = !cold;

	for (uint32_t n = 0; n < f->n; n++) {
		bool in = is_cold(f, n), falls = n && !(ir_op_flags[f->insns[n - 1].op] & IRF_END);

		if (in && !is_cold(f, n - 1)) {
			if (cold)
				asm_label(e->b, label);
			else if (falls && !goes_on_if(f, n - 1))
				asm_jump(e->b, label);
		} else if (n && !in && is_cold(f, n - 1)) {
			if (!cold)
				asm_label(e->b, label + 1);
			else if (falls)
				asm_jump(e->b, label + 1);
			label += 2;
		}
		if (in != cold || (!cold && f->insns[n].op == IRO_JMP && goes_on(f, n)))
			continue;
		emit_line(e, n, first);
		first = false;
		if (!cold && goes_on_if(f, n))
			emit_inverse(e, &f->insns[n], label);
		else
			emit_insn(e, &f->insns[n]);
	}
}

static uint32_t cold_stretches(const struct irfn *f)
{
	uint32_t k = 0;

	for (uint32_t n = 0; n < f->n; n++)
		k += is_cold(f, n) && (!n || !is_cold(f, n - 1));
	return k;
}

static void emit_fn(struct emit *e, struct irfn *f)
{
	uint32_t stretches;

	if (is_cold(f, 0) || is_cold(f, f->n - 1) || f->n > IR_MAX_SPLIT)
		for (uint32_t k = 0; k < f->nmarks; k++)
			f->marks[k].cold = false;
	stretches = cold_stretches(f);
	e->f = f;
	e->mark = 0;
	e->jumped = arena_calloc(e->arena, f->nlabels + 1, sizeof(*e->jumped));
	f->start = asm_begin(e->b, f->index, f->nlabels + 2 * stretches);
	emit_part(e, false);
	if (stretches)
		emit_part(e, true);
}

/* Marks what main calls, in place of a recursion over callees: a work list. */
static void mark_live(struct irprog *p, struct arena *tmp)
{
	struct irfn **todo = arena_calloc(tmp, p->nfns + 1, sizeof(*todo));
	uint32_t n = 0, k;

	p->fns[0]->live = true;
	todo[n++] = p->fns[0];
	while (n) {
		struct irfn *f = todo[--n];

		for (k = 0; k < f->n; k++) {
			struct irfn *to;

			if (f->insns[k].op != IRO_CALLFN && f->insns[k].op != IRO_FNADDR)
				continue;
			to = p->fns[f->insns[k].imm];
			if (!to->live) {
				to->live = true;
				todo[n++] = to;
			}
		}
	}
}

/* Computes f->chain and f->height, as the verifier counts. */
static int stack_chain(struct irfn *f)
{
	int32_t deepest = 0, own = (int32_t)ROUND_UP(f->frame ? f->frame : 1, IR_FRAME_ROUND);
	unsigned height = 0;
	uint32_t k;

	if (f->chain == -2)
		return irprog_fail(f->prog, -EINVAL, "%s: recursion", f->name);
	if (f->chain >= 0)
		return 0;
	f->chain = -2;
	for (k = 0; k < f->n; k++) {
		struct irfn *to;

		if (f->insns[k].op != IRO_CALLFN && f->insns[k].op != IRO_FNADDR)
			continue;
		to = f->prog->fns[f->insns[k].imm];
		if (stack_chain(to) < 0)
			return f->prog->err;
		if (to->chain > deepest)
			deepest = to->chain;
		if (to->height > height)
			height = to->height;
	}
	f->chain = own + deepest;
	f->height = height + 1;
	if (f->height > IR_MAX_FRAMES)
		return irprog_fail(f->prog, -E2BIG, "%s: calls nest deeper than %d", f->name, IR_MAX_FRAMES);
	if (f->chain > IR_STACK_MAX)
		return irprog_fail(f->prog, -E2BIG, "%s: %d bytes of stack and %d of what it calls exceed %d", f->name,
				   own, deepest, IR_STACK_MAX);
	return 0;
}

static int allocate(struct irprog *p, struct arena *tmp, int8_t **regs)
{
	uint32_t k;
	int r;

	for (k = 0; k < p->nfns && !p->err; k++)
		ir_opt(p->fns[k], tmp);
	if (p->err)
		return p->err;
	mark_live(p, tmp);
	for (k = 0; k < p->nfns; k++) {
		if (!p->fns[k]->live)
			continue;
		r = ir_regalloc(p->fns[k], tmp, &regs[k]);
		if (r < 0)
			return r;
	}
	return stack_chain(p->fns[0]);
}

static int encode(struct irprog *p, struct arena *arena, struct img_prog *prog, int8_t **regs)
{
	struct emit e = { .b = asm_new(arena, p->nfns), .arena = arena, .prog = prog };
	struct img_func *funcs = arena_calloc(arena, p->nfns, sizeof(*funcs));
	const char *reason = "";
	uint32_t k;
	int r;

	prog->lines = NULL;
	prog->comments = NULL;
	prog->nlines = prog->ncomments = prog->nfuncs = 0;
	for (k = 0; k < p->nfns; k++) {
		struct irfn *f = p->fns[k];

		if (!f->live)
			continue;
		e.reg = regs[k];
		emit_fn(&e, f);
		funcs[prog->nfuncs++] = (struct img_func){ arena_strdup(arena, f->name), f->start, f->nargs,
							   f->global };
	}
	prog->funcs = funcs;
	r = asm_finish(e.b, &prog->insns, &prog->ninsns, &reason);
	if (r < 0)
		return irprog_fail(p, r, "%s", reason);
	if (prog->ninsns > IR_MAX_INSNS)
		return irprog_fail(p, -E2BIG, "more than %d instructions", IR_MAX_INSNS);
	return 0;
}

static void arena_freep(struct arena **a)
{
	arena_free(*a);
}

int ir_finish(struct irprog *p, struct arena *a, struct img_prog *prog, const char **reason)
{
	_cleanup_(arena_freep) struct arena *tmp = arena_new(ARENA_DEFAULT_LIMIT);
	int8_t **regs = arena_calloc(tmp, p->nfns + 1, sizeof(*regs));
	uint32_t k;

	if (!p->nfns || p->finished)
		irprog_fail(p, -EINVAL, p->nfns ? "finished twice" : "no function");
	p->finished = true;
	if (!p->err && allocate(p, tmp, regs) == 0)
		encode(p, a, prog, regs);
	for (k = 0; k < p->nfns; k++)
		p->fns[k]->n = 0; /* the code was in tmp */
	return ir_error(p, reason);
}

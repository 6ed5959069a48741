/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks and user addresses. Frames are copied where they are needed: into the record or the key. */
#include "cg/cg_int.h"

/* Frames of the tracing machinery at the top of a kernel stack: the program and bpf_trace_run(). How many
 * more there are (__bpf_trace_…, __traceiter_…) depends on the kernel and on who else is attached; the
 * views leave those out. Timer samples begin where the sample hit. */
#define SKIP_TRACEPOINT 2
#define MACHINERY 2 /* frames of __bpf_trace_NAME() and __traceiter_NAME() */
#define CALLER_FRAMES (2 + MACHINERY)

/* bpf_get_stack() into dst, cleared first. Returns the bytes written or a negative number. */
static vreg get_stack(struct gen *g, struct mem dst, uint32_t size, uint64_t flags)
{
	vreg ctx = ir_ctx(g->f), p, n, fl, r = ir_new(g->f);

	p = gen_addr(g, dst);
	n = ir_imm(g->f, size);
	fl = ir_imm(g->f, flags);
	ir_call(g->f, r, BPF_FUNC_get_stack, IR_ARGS(ctx, p, n, fl));
	return r;
}

static uint64_t skip_kernel(const struct gen *g)
{
	return g->e->kind == ENTRY_PERF_EVENT ? 0 : SKIP_TRACEPOINT;
}

void gen_stack_to(struct gen *g, struct mem dst, const struct recfield *f)
{
	gen_zero(g, dst, f->size);
	get_stack(g, dst, f->nframes * 8, skip_kernel(g));
}

/* tgid and start of the process, as struct rec_ustack_hdr and rec_uaddr begin. */
static void gen_process(struct gen *g, struct mem dst, int32_t flags)
{
	gen_st(g, mem_add(dst, offsetof(struct rec_ustack_hdr, tgid)), 4, gen_pid(g));
	gen_sti(g, mem_add(dst, offsetof(struct rec_ustack_hdr, flags)), 4, flags);
	gen_st(g, mem_add(dst, offsetof(struct rec_ustack_hdr, start)), 8,
	       gen_task_field(g, "group_leader->start_boottime"));
}

void gen_ustack_to(struct gen *g, struct mem dst, const struct recfield *f)
{
	struct mem frames = mem_add(dst, sizeof(struct rec_ustack_hdr));
	irlabel none = ir_label(g->f), out = ir_label(g->f);
	int32_t flags_at = offsetof(struct rec_ustack_hdr, flags);
	vreg r;

	gen_zero(g, frames, f->nframes * 8);
	if (g->e->no_user_stack) {
		gen_process(g, dst, REC_USTACK_NONE);
		return;
	}
	gen_process(g, dst, 0);
	r = get_stack(g, frames, f->nframes * 8, BPF_F_USER_STACK);
	ir_jcci(g->f, IRC_SLE, r, 0, none);
	ir_jcci(g->f, IRC_NE, r, (int64_t)f->nframes * 8, out);
	gen_sti(g, mem_add(dst, flags_at), 4, REC_USTACK_CUT);
	ir_jmp(g->f, out);
	ir_place(g->f, none);
	gen_sti(g, mem_add(dst, flags_at), 4, REC_USTACK_NONE);
	ir_place(g->f, out);
}

void gen_uaddr_to(struct gen *g, const struct node *addr, struct mem dst)
{
	vreg a = gen_int(g, addr);

	gen_process(g, dst, 0);
	gen_st(g, mem_add(dst, offsetof(struct rec_uaddr, addr)), 8, a);
}

/* A function of the tracing machinery that may stand between bpf_trace_run() and the probe. */
static bool machinery(struct gen *g, unsigned i, uint64_t *start, uint64_t *end)
{
	const char *tp = g->e->target;

	if ((g->e->kind != ENTRY_TP_BTF && g->e->kind != ENTRY_RAW_TP) || !tp || !g->cg->env->ksym_range)
		return false;
	tp = arena_printf(g->cg->a, i ? "__traceiter_%s" : "__bpf_trace_%s", tp);
	return g->cg->env->ksym_range(g->cg->env->ksym_ctx, tp, start, end) == 0;
}

/* How many of the frames at p belong to the machinery. */
static vreg count_machinery(struct gen *g, struct mem p)
{
	vreg n = ir_imm(g->f, 0), pc = ir_new(g->f);

	for (unsigned i = 0; i < MACHINERY; i++) {
		irlabel in = ir_label(g->f), out = ir_label(g->f);
		uint64_t start, end;

		for (unsigned k = 0; k < MACHINERY; k++) {
			irlabel next = ir_label(g->f);

			if (!machinery(g, k, &start, &end))
				continue;
			gen_ld(g, pc, mem_add(p, 8 * (int32_t)i), 8, false);
			ir_jcc(g->f, IRC_LT, pc, ir_imm(g->f, start), next);
			ir_jcc(g->f, IRC_LE, pc, ir_imm(g->f, end), in);
			ir_place(g->f, next);
		}
		ir_jmp(g->f, out);
		ir_place(g->f, in);
		ir_alui(g->f, IRA_ADD, n, n, 1);
		ir_place(g->f, out);
	}
	return n;
}

vreg gen_stack_depth(struct gen *g, bool user)
{
	uint32_t size = (uint32_t)g->cg->opts->maxframes * 8;
	vreg d = ir_new(g->f), r;
	irlabel out = ir_label(g->f);
	struct mem m;

	ir_movi(g->f, d, 0);
	if (user && g->e->no_user_stack)
		return d;
	m = gen_scratch(g, size);
	if (!user && size >= MACHINERY * 8)
		gen_zero(g, m, MACHINERY * 8);
	r = get_stack(g, m, size, user ? BPF_F_USER_STACK : skip_kernel(g));
	ir_jcci(g->f, IRC_SLE, r, 0, out);
	ir_alui(g->f, IRA_SHR, d, r, 3);
	if (!user && size >= MACHINERY * 8)
		ir_alu(g->f, IRA_SUB, d, d, count_machinery(g, m));
	ir_place(g->f, out);
	return d;
}

/* The second frame: who called the function that the probe is in. */
vreg gen_caller(struct gen *g, bool user)
{
	irslot s = ir_slot(g->f, CALLER_FRAMES * 8);
	vreg d = ir_new(g->f), n;

	if (user && g->e->no_user_stack)
		return ir_imm(g->f, 0);
	gen_zero(g, mem_slot(s, 0), CALLER_FRAMES * 8);
	get_stack(g, mem_slot(s, 0), CALLER_FRAMES * 8, user ? BPF_F_USER_STACK : skip_kernel(g));
	ir_load_slot(g->f, d, s, 8, 8);
	if (user)
		return d;
	n = count_machinery(g, mem_slot(s, 0));
	for (unsigned i = 1; i <= MACHINERY; i++) {
		irlabel next = ir_label(g->f);

		ir_jcci(g->f, IRC_NE, n, i, next);
		ir_load_slot(g->f, d, s, 8 + 8 * (int32_t)i, 8);
		ir_place(g->f, next);
	}
	return d;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* kregs[n]: the context of a kprobe or of a timer's sample. uregs[n]: what the kernel keeps of the thread's registers
 * in user mode, at the bottom of its kernel stack. n is the word's number in struct pt_regs. On x86-64 the segment
 * registers and the number of the last trap follow, as in DTrace for Linux. Threads of the kernel have none: 0. A
 * number that stands for no register is an illegal operation. Source: arch/x86/include/asm/ptrace.h,
 * arch/arm64/include/asm/ptrace.h, DTrace's regs.d. Kernels without bpf_task_pt_regs (Linux 5.15) do not say where they
 * are. There, and where types come from a file, they are read at the end of the kernel stack. */
#include "cg/builtin/call.h"
#include "cg/gen/fault.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/task.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

#if defined(__aarch64__)
#define NREGS 34	   /* x0 … x30, sp, pc, pstate */
#define NWORDS (NREGS + 1) /* and x0 as it was when the system call was made */
static const char *const more_regs[] = { NULL };
#else
#define NREGS 21 /* r15 … ss */
#define NWORDS NREGS
static const char *const more_regs[] = { "thread.ds",	  "thread.es",	    "thread.fsbase",
					 "thread.gsbase", "thread.trap_nr", NULL };
#endif
#define NMORE (ARRAY_SIZE(more_regs) - 1)
#define STACK_BYTES \
	(4u * 4096) /* THREAD_SIZE of arch/x86/include/asm/page_64_types.h, arch/arm64/include/asm/memory.h */

/* Words of struct pt_regs by number. */
static vreg load_reg(struct gen *g, vreg regs, vreg index, int64_t c)
{
	vreg d = ir_new(g->f), p = ir_new(g->f), a = ir_new(g->f), n;

	if (index < 0 && cg_typed(g->cg) && g->cg->caps->task_pt_regs && c != 17 &&
	    c != 20) { /* not of the unions around cs and ss */
		ir_load(g->f, d, regs, (int32_t)c * 8, 8);
		return d;
	}
	if (index < 0) {
		ir_alui(g->f, IRA_ADD, a, regs, c * 8);
	} else {
		ir_alui(g->f, IRA_SHL, a, index, 3);
		ir_alu(g->f, IRA_ADD, a, a, gen_launder(g, regs));
	}
	n = ir_imm(g->f, 8);
	ir_slot_addr(g->f, p, g->tmp, 8);
	ir_call(g->f, VREG_NONE, BPF_FUNC_probe_read_kernel, IR_ARGS(p, n, a));
	ir_load_slot(g->f, d, g->tmp, 8, 8);
	return d;
}

#if defined(__aarch64__)
/* Large pages make stacks larger; the registers are followed by what is the kernel's own. */
static uint32_t regs_offset(struct cg *c, uint32_t stack)
{
	const struct dtype *ty = dtype_lookup(c->p->types, DK_STRUCT, NULL, "pt_regs");

	ty = ty ? dtype_resolve(c->p->types, ty) : NULL;
	return ty ? (stack > c->env->page ? stack : c->env->page) - (uint32_t)ty->size : 0;
}
#else
#define FRED_BYTES 16 /* arch/x86/include/asm/thread_info.h: TOP_OF_KERNEL_STACK_PADDING with CONFIG_X86_FRED */

static uint32_t regs_offset(struct cg *c, uint32_t stack)
{
	struct tref fred;

	return stack - NREGS * 8 -
	       (typesrc_find(c->env->ts, "vmlinux", "cpu_init_fred_rsps", TKM(TK_FUNC), &fred) == 0 ? FRED_BYTES : 0);
}
#endif

/* Where the registers are in a thread's stack: regs = (struct pt_regs *)(task->stack + size) - 1. With KASAN, which
 * gives a thread a depth, stacks are twice as large. 0: unknown. */
static uint32_t at_stack(struct cg *c)
{
	uint32_t off, size;
	bool kasan = lay_offset(c, "task_struct", "kasan_depth", &off, &size);

	return regs_offset(c, STACK_BYTES << kasan);
}

/* Does this kernel need, and have, the way without the helper? */
static bool at_stack_end(struct cg *c)
{
	return c->caps->btf && !(c->caps->task_pt_regs && c->caps->task_btf) && at_stack(c);
}

static vreg task_regs(struct gen *g)
{
	vreg d = ir_new(g->f), t;

	if (at_stack_end(g->cg)) {
		ir_alui(g->f, IRA_ADD, d, gen_task_field(g, "stack"), at_stack(g->cg));
		return d;
	}
	t = gen_task(g);
	ir_call(g->f, d, BPF_FUNC_task_pt_regs, IR_ARGS(t));
	return d;
}

/* The number is known now. */
static vreg const_reg(struct gen *g, int64_t c)
{
	if (c < 0 || c >= (int64_t)(NWORDS + NMORE)) {
		ir_jmp(g->f, gen_fault_imm(g, FAULT_ILLOP, (uint64_t)c));
		return ir_imm(g->f, 0);
	}
	return c < NWORDS ? load_reg(g, task_regs(g), VREG_NONE, c) : gen_task_field(g, more_regs[c - NWORDS]);
}

static vreg any_reg(struct gen *g, vreg i)
{
	irlabel bad = gen_fault(g, FAULT_ILLOP, i), out = ir_label(g->f), more = ir_label(g->f);
	vreg d = ir_new(g->f);

	gen_jcci(g, IRC_GE, i, (int64_t)(NWORDS + NMORE), bad);
	ir_jcci(g->f, IRC_GE, i, NWORDS, more);
	ir_mov(g->f, d, load_reg(g, task_regs(g), i, 0));
	ir_jmp(g->f, out);
	ir_place(g->f, more);
	for (const char *const *m = more_regs; *m; m++) {
		irlabel next = ir_label(g->f);

		ir_jcci(g->f, IRC_NE, i, NWORDS + (m - more_regs), next);
		ir_mov(g->f, d, gen_task_field(g, *m));
		ir_jmp(g->f, out);
		ir_place(g->f, next);
	}
	ir_movi(g->f, d, 0);
	ir_place(g->f, out);
	return d;
}

void var_uregs(struct gen *g, struct call *call)
{
	const struct val *i = &call->a[0];
	irlabel out = ir_label(g->f);
	vreg d = ir_new(g->f), fl;
	struct cache saved;

	if (!at_stack_end(g->cg) && !(g->cg->caps->task_pt_regs && g->cg->caps->task_btf)) {
		cg_error(g, call->n->at, TAG_NOSUPP,
			 "uregs[] needs bpf_task_pt_regs(), which this kernel does not have (Linux 5.15)");
		return;
	}
	if (i->is_const && i->c >= (int64_t)(NWORDS + NMORE)) {
		cg_error(g, call->n->at, TAG_UNKNOWN, "uregs[]: index out of bounds (%lld)", (long long)i->c);
		return;
	}
	gen_task(g);
	saved = gen_region_begin(g);
	ir_movi(g->f, d, 0);
	fl = gen_task_field(g, "flags");
	ir_jcci(g->f, IRC_SET, fl, PF_KTHREAD, out);
	ir_mov(g->f, d, i->is_const ? const_reg(g, i->c) : any_reg(g, i->v));
	ir_place(g->f, out);
	gen_region_end(g, &saved);
	call->v = d;
}

void var_kregs(struct gen *g, struct call *call)
{
	const struct val *i = &call->a[0];

	if (g->e->kind != ENTRY_KPROBE && g->e->kind != ENTRY_PERF_EVENT) {
		cg_error(g, call->n->at, TAG_NOSUPP,
			 "kregs[] are the registers at a place in the kernel's code: in clauses of instr, fbt, rawfbt, "
			 "profile and tick only; uregs[] has those of user mode");
		return;
	}
	if (!i->is_const) {
		cg_error(g, call->n->at, TAG_NOSUPP, "kregs[]: the index must be a constant, as R_RAX is");
		return;
	}
	if (i->c < 0 || i->c >= NREGS) {
		cg_error(g, call->n->at, TAG_UNKNOWN, "kregs[]: index out of bounds (%lld)", (long long)i->c);
		return;
	}
	call->v = ir_new(g->f);
	ir_load(g->f, call->v, ir_ctx(g->f), (int32_t)i->c * 8, 8);
}

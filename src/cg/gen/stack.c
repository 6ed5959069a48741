/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles stacks and user addresses. Copies frames where they are needed: into the record or the key. */
#include "cg/rt/unwind.h"
#include "cg/gen/fault.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/gen/stack.h"
#include "cg/gen/task.h"

_Static_assert((int)RT_UNWIND_CUT == REC_USTACK_CUT && (int)RT_UNWIND_FAULT == REC_USTACK_FAULT,
	       "flags of a walk are those of a record");

/* Frames of the tracing machinery at the top of a kernel stack: the program and bpf_trace_run(). Their number
 * (__bpf_trace_…, __traceiter_…) depends on the kernel and on other programs that are attached. The views leave those
 * out. Timer samples begin where the sample hit, probes of functions with the function. */
#define SKIP_TRACEPOINT 2
#define MACHINERY 2 /* frames of __bpf_trace_NAME() and __traceiter_NAME() */
#define CALLER_FRAMES (2 + MACHINERY)

/* Where a function begins, its caller is in no frame yet. x86's kernel takes it from the top of the stack. arm64's does
 * not look into the link register, which is the 31st of struct user_pt_regs. */
#if defined(__aarch64__)
#define CALLER_REG 240
#else
#define CALLER_REG 0
#endif

/* The stack of the thread that opened a key. No function of the kernel may be given two things that must be handed
 * back, that thread and the memory of a record: so it is copied. */
static vreg copy_opener_stack(struct gen *g, struct mem dst, uint32_t size, uint64_t flags)
{
	struct mem m = gen_scratch(g, size);
	irlabel none = ir_label(g->f);
	vreg p = gen_addr(g, m), to, r = ir_new(g->f), n = ir_imm(g->f, size), fl = ir_imm(g->f, flags);

	ir_call(g->f, r, BPF_FUNC_get_task_stack, IR_ARGS(gen_task(g), p, n, fl));
	ir_jcci(g->f, IRC_SLE, r, 0, none);
	to = gen_addr(g, dst);
	ir_call(g->f, VREG_NONE, BPF_FUNC_probe_read_kernel, IR_ARGS(to, r, gen_addr(g, m)));
	ir_place(g->f, none);
	return r;
}

/* bpf_get_stack() into dst, cleared first; of a walked thread its kernel stack. Returns the bytes written or a
 * negative number. */
static vreg get_stack(struct gen *g, struct mem dst, uint32_t size, uint64_t flags)
{
	bool walks = gen_walks(g);
	vreg whose, p, n, fl, r = ir_new(g->f);

	if (g->pr->opener != VREG_NONE)
		return copy_opener_stack(g, dst, size, flags);
	if (g->e->kind == ENTRY_TEST_RUN && !(flags & BPF_F_USER_STACK))
		return ir_imm(g->f, 0); /* BEGIN, END: nothing in the kernel has led here but dwell's own call */
	whose = walks ? gen_task(g) : ir_ctx(g->f);
	p = gen_addr(g, dst);
	n = ir_imm(g->f, size);
	fl = ir_imm(g->f, flags);
	ir_call(g->f, r, walks ? BPF_FUNC_get_task_stack : BPF_FUNC_get_stack, IR_ARGS(whose, p, n, fl));
	return r;
}

static uint64_t skip_kernel(const struct gen *g)
{
	return g->e->kind == ENTRY_PERF_EVENT || entry_by_cookie(g->e) || gen_walks(g) ? 0 : SKIP_TRACEPOINT;
}

/* The value in the link register in place of a return address, if a probe of the function's return was there first.
 * Then also the place of the newest kept address. Source: kernel/kprobes.c, kernel/trace/rethook.c; ftrace's own
 * return_to_handler is put there only after these probes have fired. */
static const struct trampoline {
	const char *name, *first, *tag, *link, *kept;
} trampolines[] = {
	{ "__kretprobe_trampoline", "kretprobe_instances.first", "kretprobe_instance", "llist", "ret_addr" },
	{ "arch_rethook_trampoline", "rethooks.first", "rethook_node", "llist", "ret_addr" },
};

static void see_through(struct gen *g, vreg caller, const struct trampoline *t)
{
	const struct cg_env *env = g->cg->env;
	uint32_t first, link, kept, size;
	uint64_t start, end;
	irlabel out;

	if (!env->ksym_range || !lay_offset(g->cg, "task_struct", t->first, &first, &size) ||
	    !lay_offset(g->cg, t->tag, t->link, &link, &size) || !lay_offset(g->cg, t->tag, t->kept, &kept, &size) ||
	    env->ksym_range(env->ksym_ctx, t->name, &start, &end) < 0)
		return;
	out = ir_label(g->f);
	ir_jcc(g->f, IRC_NE, caller, ir_imm(g->f, start), out);
	gen_probe_read(g, mem_slot(g->tmp, 8), 8, gen_task_field(g, t->first), (int64_t)kept - link, false);
	ir_load_slot(g->f, caller, g->tmp, 8, 8);
	ir_place(g->f, out);
}

/* The kernel stack at a function's entry, where the caller is in a register: it is put after the function itself. */
static vreg get_entry_stack(struct gen *g, struct mem dst, uint32_t size)
{
	irlabel none = ir_label(g->f);
	struct cache saved;
	vreg r = get_stack(g, mem_add(dst, 8), size - 8, 0), v = ir_new(g->f);

	gen_task(g);
	saved = gen_region_begin(g);
	ir_jcci(g->f, IRC_SLE, r, 0, none);
	gen_ld(g, v, mem_add(dst, 8), 8, false);
	gen_st(g, dst, 8, v);
	ir_load(g->f, v, ir_ctx(g->f), CALLER_REG, 8);
	for (unsigned i = 0; i < ARRAY_SIZE(trampolines); i++)
		see_through(g, v, &trampolines[i]);
	gen_st(g, mem_add(dst, 8), 8, v);
	ir_alui(g->f, IRA_ADD, r, r, 8);
	ir_place(g->f, none);
	gen_region_end(g, &saved);
	return r;
}

static vreg get_kernel_stack(struct gen *g, struct mem dst, uint32_t size)
{
	if (CALLER_REG && g->e->kind == ENTRY_KPROBE && !g->e->is_return && g->pr->opener == VREG_NONE && size > 8)
		return get_entry_stack(g, dst, size);
	return get_stack(g, dst, size, skip_kernel(g));
}

void gen_stack_to(struct gen *g, struct mem dst, const struct recfield *f)
{
	gen_zero(g, dst, f->size);
	get_kernel_stack(g, dst, f->nframes * 8);
}

/* The stack of a task that is not running. */
void gen_task_stack_to(struct gen *g, vreg task, struct mem dst, const struct recfield *f)
{
	vreg p, n = ir_imm(g->f, f->nframes * 8), fl = ir_imm(g->f, 0);

	gen_zero(g, dst, f->size);
	p = gen_addr(g, dst);
	ir_call(g->f, VREG_NONE, BPF_FUNC_get_task_stack, IR_ARGS(task, p, n, fl));
}

static vreg process_start(struct gen *g)
{
	vreg *p = &g->cache.v[CA_PSTART];

	if (*p < 0)
		*p = gen_task_field(g, "group_leader->start_boottime");
	return *p;
}

/* tgid and start of the process, as struct rec_ustack_hdr and rec_uaddr begin. */
static void gen_process(struct gen *g, struct mem dst, int32_t flags, vreg start)
{
	gen_st(g, mem_add(dst, offsetof(struct rec_ustack_hdr, tgid)), 4, gen_pid(g));
	gen_sti(g, mem_add(dst, offsetof(struct rec_ustack_hdr, flags)), 4, flags);
	gen_st(g, mem_add(dst, offsetof(struct rec_ustack_hdr, start)), 8, start);
}

/* Is a user stack impossible here? The user stack of a walked thread needs unwinding tables. */
static bool no_user_stack(struct gen *g)
{
	if (g->e->no_user_stack)
		return true;
	if (!gen_walks(g) || rt_unwind_here(g->cg->caps))
		return false;
	if (!g->cg->warned_ustack)
		diag_warn(g->cg->d, g->ds->at, TAG_NOSUPP,
			  "without user stacks of other threads: they need bpf_loop and bpf_task_pt_regs (Linux 5.17)");
	g->cg->warned_ustack = true;
	return true;
}

/* Whether user stacks are walked by unwinding tables. */
static bool unwinds(struct gen *g)
{
	const char *how = g->cg->opts->ustackunwind;

	if (gen_walks(g))
		return true;
	if (!strcmp(how, "fp"))
		return false;
	if (rt_unwind_here(g->cg->caps))
		return true;
	if (!strcmp(how, "eh"))
		cg_error(g, g->ds->at, TAG_NOSUPP,
			 "ustackunwind=eh needs bpf_loop and bpf_task_pt_regs (Linux 5.17), and x86-64 or arm64: see "
			 "\"user stacks by tables\" in dwell features");
	return false;
}

/* Finds the offsets with which the kernel is asked for a mapping. */
static bool vma_offsets(struct cg *c, struct rt_unwind_offsets *o)
{
	uint32_t size;

	return c->caps->find_vma && lay_offset(c, "vm_area_struct", "vm_start", &o->vm_start, &size) &&
	       lay_offset(c, "vm_area_struct", "vm_end", &o->vm_end, &size) &&
	       lay_offset(c, "vm_area_struct", "vm_pgoff", &o->vm_pgoff, &size) &&
	       lay_offset(c, "vm_area_struct", "vm_file", &o->vm_file, &size) &&
	       lay_offset(c, "file", "f_inode", &o->f_inode, &size) &&
	       lay_offset(c, "inode", "i_ino", &o->i_ino, &size) &&
	       lay_offset(c, "inode", "i_size", &o->i_size, &size) && lay_offset(c, "inode", "i_sb", &o->i_sb, &size) &&
	       lay_offset(c, "super_block", "s_dev", &o->s_dev, &size);
}

/* Finds the offsets that a stack walk needs to see through return probes. Source: include/linux/uprobes.h. */
static bool return_offsets(struct cg *c, struct rt_unwind_returns *r)
{
	uint32_t size;

	return lay_offset(c, "task_struct", "utask", &r->utask, &size) &&
	       lay_offset(c, "uprobe_task", "return_instances", &r->instances, &size) &&
	       lay_offset(c, "return_instance", "stack", &r->stack, &size) &&
	       lay_offset(c, "return_instance", "orig_ret_vaddr", &r->orig, &size) &&
	       lay_offset(c, "return_instance", "next", &r->next, &size);
}

static struct irfn *unwind_fn(struct gen *g)
{
	uint32_t first = (uint32_t)cg_map_unwind(g->cg);
	const uint32_t hotspot = (uint32_t)cg_map_runtime(g->cg, RUNTIME_HOTSPOT);
	const struct rt_unwind_maps m = { first, first + 1, first + 2, first + 3, first + 4, hotspot, first + 5 };
	enum rt_unwind_whose whose = !gen_walks(g)			       ? RT_UNWIND_CURRENT
				     : strcmp(g->cg->opts->ustackunwind, "fp") ? RT_UNWIND_OTHER
									       : RT_UNWIND_OTHER_FP;
	struct rt_unwind_returns ret;
	struct rt_unwind_offsets o;

	if (g->pr->fn_unwind)
		return g->pr->fn_unwind;
	for (uint32_t i = 0; i < CG_UNWIND_MAPS; i++)
		gen_map(g, ir_new(g->f), (int)(first + i)); /* counts them as used */
	gen_map(g, ir_new(g->f), (int)hotspot);
	g->pr->unwind_key = g->cg->nunwind++;
	g->pr->fn_unwind = rt_unwind_emit(g->pr->ip, g->cg->caps, rt_unwind_here(g->cg->caps), &m,
					  vma_offsets(g->cg, &o) ? &o : NULL, return_offsets(g->cg, &ret) ? &ret : NULL,
					  g->pr->unwind_key, whose);
	return g->pr->fn_unwind;
}

/* A user stack: where it goes, at most n frames; runtimes: with those of language runtimes between the native ones. */
struct stack_want {
	struct mem frames;
	uint32_t n;
	vreg start;
	bool runtimes;
};

static struct irfn *mix_fn(struct gen *g, enum runtime r)
{
	struct irfn **fn = &g->pr->fn_mix[r];
	struct rt_mix_env e = { .caps = g->cg->caps, .scratch_key = g->pr->unwind_key };
	uint32_t size;

	if (*fn || !lay_offset(g->cg, "task_struct", "thread_pid", &e.o.thread_pid, &size) ||
	    !lay_offset(g->cg, "pid", "level", &e.o.level, &size) ||
	    !lay_offset(g->cg, "pid", "numbers", &e.o.numbers, &size))
		return *fn;
	e.scratch = (uint32_t)cg_map_unwind(g->cg) + CG_UNWIND_MAPS - 1;
	e.procs = (uint32_t)cg_map_runtime(g->cg, r);
	gen_map(g, ir_new(g->f), (int)e.procs); /* counts it as used */
	*fn = rt_mix_walks[r](g->pr->ip, &e);
	return *fn;
}

/* Puts the frames of the process's runtime between the d native ones. d and flags are those of the mixed stack then,
 * and *from is where it lies in the scratch element. */
static void mix_runtimes(struct gen *g, vreg d, vreg flags, uint32_t n, vreg start, vreg from)
{
	irlabel none = ir_label(g->f), mixed = ir_label(g->f);
	vreg r = ir_new(g->f), more = ir_new(g->f);

	ir_movi(g->f, from, 0);
	for (unsigned i = 0; i < RUNTIMES; i++) {
		struct irfn *fn;

		/* The others read memory of the current thread. */
		if (gen_walks(g) && i != RUNTIME_HOTSPOT)
			continue;
		fn = rt_mix_walks[i] ? mix_fn(g, (enum runtime)i) : NULL;
		if (!fn)
			continue;
		ir_call_fn(g->f, r, fn, IR_ARGS(d, ir_imm(g->f, n), gen_pid(g), start));
		ir_jcci(g->f, IRC_SGE, r, 0, mixed);
	}
	ir_jmp(g->f, none);
	ir_place(g->f, mixed);
	ir_ext(g->f, d, r, 4, false);
	ir_alui(g->f, IRA_SHR, more, r, 32);
	ir_alu(g->f, IRA_OR, flags, flags, more);
	ir_movi(g->f, from, offsetof(struct rt_unwind_state, mix.out));
	ir_place(g->f, none);
}

/* Frames that a walk returning r has left in the scratch map: d of them are copied. Jumps to no for none. */
static void take_frames(struct gen *g, vreg r, vreg d, vreg flags, const struct stack_want *w, irlabel no)
{
	vreg map = ir_new(g->f), key = ir_new(g->f), src = ir_new(g->f), bytes = ir_new(g->f), from = ir_new(g->f), dst;
	const uint32_t n = w->n;
	irlabel fits = ir_label(g->f);

	ir_jcci(g->f, IRC_SLT, r, 0, no);
	ir_alui(g->f, IRA_SHR, flags, r, 32);
	ir_ext(g->f, d, r, 4, false);
	if (w->runtimes)
		mix_runtimes(g, d, flags, n, w->start, from);
	gen_map(g, map, cg_map_unwind(g->cg) + CG_UNWIND_MAPS - 1);
	ir_store_slot(g->f, g->tmp, 8, 4, ir_imm(g->f, g->pr->unwind_key));
	ir_slot_addr(g->f, key, g->tmp, 8);
	ir_call(g->f, src, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_EQ, src, 0, no);
	if (w->runtimes)
		ir_alu(g->f, IRA_ADD, src, src, from);
	dst = gen_addr(g, w->frames);
	if (gen_walks(g)) { /* may have been walked for more */
		ir_jcci(g->f, IRC_LE, d, n, fits);
		ir_movi(g->f, d, n);
		ir_movi(g->f, flags, RT_UNWIND_CUT);
		ir_place(g->f, fits);
	} else {
		ir_jcci(g->f, IRC_GT, d, n, no); /* never: for the verifier */
	}
	ir_alui(g->f, IRA_SHL, bytes, d, 3);
	ir_call(g->f, VREG_NONE, BPF_FUNC_probe_read_kernel, IR_ARGS(dst, bytes, src));
}

/* The user stack by tables into frames: d = how many, *flags. Jumps to no when nothing is known. */
static void walk(struct gen *g, vreg d, vreg flags, const struct stack_want *w, irlabel no)
{
	vreg r = ir_new(g->f), max;

	if (gen_walks(g)) {
		r = gen_walked_ustack(g, w->n, unwind_fn(g), w->start);
	} else {
		max = ir_imm(g->f, w->n);
		ir_call_fn(g->f, r, unwind_fn(g), IR_ARGS(max, gen_pid(g), w->start));
	}
	take_frames(g, r, d, flags, w, no);
}

/* The user stack into w->frames (cleared by the caller): d = how many, *flags as RT_UNWIND_*; d <= 0: none. */
static vreg user_frames(struct gen *g, const struct stack_want *w, vreg *flags)
{
	vreg d = ir_new(g->f), r;
	irlabel done = ir_label(g->f);

	*flags = ir_new(g->f);
	if (unwinds(g)) {
		irlabel no = ir_label(g->f);

		walk(g, d, *flags, w, no);
		ir_jmp(g->f, done);
		ir_place(g->f, no);
		if (gen_walks(g)) {
			ir_movi(g->f, d, 0);
			ir_movi(g->f, *flags, 0);
			ir_place(g->f, done);
			return d;
		}
	}
	r = get_stack(g, w->frames, w->n * 8, BPF_F_USER_STACK);
	ir_alui(g->f, IRA_SAR, d, r, 3);
	ir_movi(g->f, *flags, RT_UNWIND_CUT);
	ir_jcci(g->f, IRC_EQ, d, w->n, done);
	ir_movi(g->f, *flags, 0);
	ir_place(g->f, done);
	return d;
}

/* Walks the user stack of a walked thread before the record is reserved. The walk may wait, and a record that is
 * reserved keeps those after it in its ring from being read. */
void gen_ustack_early(struct gen *g)
{
	const struct lay_clause *l = g->lay;
	uint32_t n = 0;

	if (!gen_walks(g))
		return;
	for (size_t i = 0; i < l->nacts; i++)
		for (size_t j = 0; j < l->acts[i].nfields; j++) {
			const struct recfield *f = &l->acts[i].fields[j].f;

			if (f->kind == FLD_USTACK && f->nframes > n)
				n = f->nframes;
		}
	if (n && !no_user_stack(g))
		gen_walked_ustack(g, n, unwind_fn(g), process_start(g));
}

void gen_ustack_to(struct gen *g, struct mem dst, const struct recfield *f)
{
	struct mem frames = mem_add(dst, sizeof(struct rec_ustack_hdr));
	irlabel none = ir_label(g->f);
	int32_t flags_at = offsetof(struct rec_ustack_hdr, flags);
	vreg start = process_start(g), n, flags;

	gen_zero(g, frames, f->nframes * 8);
	gen_process(g, dst, REC_USTACK_NONE, start);
	if (no_user_stack(g))
		return;
	const struct stack_want w = { frames, f->nframes, start, f->strframes };

	n = user_frames(g, &w, &flags);
	ir_jcci(g->f, IRC_SLE, n, 0, none);
	gen_st(g, mem_add(dst, flags_at), 4, flags); /* RT_UNWIND_* are REC_USTACK_* */
	ir_place(g->f, none);
}

void gen_uaddr_to(struct gen *g, vreg addr, struct mem dst)
{
	gen_process(g, dst, 0, process_start(g));
	gen_st(g, mem_add(dst, offsetof(struct rec_uaddr, addr)), 8, addr);
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
	uint32_t n = (uint32_t)g->cg->opts->maxframes;
	vreg d = ir_new(g->f), r, flags;
	irlabel out = ir_label(g->f);
	struct mem m;

	ir_movi(g->f, d, 0);
	if (user && no_user_stack(g))
		return d;
	m = gen_scratch(g, n * 8);
	if (user) {
		r = user_frames(g, &(struct stack_want){ m, n, process_start(g), false }, &flags);
		ir_jcci(g->f, IRC_SLE, r, 0, out);
		ir_mov(g->f, d, r);
		ir_place(g->f, out);
		return d;
	}
	if (n >= MACHINERY)
		gen_zero(g, m, MACHINERY * 8);
	r = get_kernel_stack(g, m, n * 8);
	ir_jcci(g->f, IRC_SLE, r, 0, out);
	ir_alui(g->f, IRA_SHR, d, r, 3);
	if (n >= MACHINERY)
		ir_alu(g->f, IRA_SUB, d, d, count_machinery(g, m));
	ir_place(g->f, out);
	return d;
}

/* The second frame: the caller of the function that the probe is in. */
vreg gen_caller(struct gen *g, bool user)
{
	irslot s = ir_slot(g->f, CALLER_FRAMES * 8);
	vreg d = ir_new(g->f), n, flags;

	if (user && g->e->no_user_stack)
		return ir_imm(g->f, 0);
	gen_zero(g, mem_slot(s, 0), CALLER_FRAMES * 8);
	if (user)
		user_frames(g, &(struct stack_want){ mem_slot(s, 0), 2, process_start(g), false }, &flags);
	else
		get_kernel_stack(g, mem_slot(s, 0), CALLER_FRAMES * 8);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that walk threads (ENTRY_ITER_TASK): everything that is built in is the walked thread's, while
 * the current thread is dwell's own. A thread's memory is read with bpf_copy_from_user_task(), which may
 * wait for a page: such programs are sleepable. Nothing is read while another thread has the process's memory map for
 * writing, or waits for it. So walks do not wait for long: a stuck thread may well be that one. Source:
 * kernel/bpf/task_iter.c, mm/memory.c access_remote_vm(), kernel/locking/rwsem.c. */
#include "cg/gen/fault.h"
#include "cg/gen/layout.h"
#include "cg/gen/task.h"

#define CTX_TASK 8 /* struct bpf_iter__task: meta, task */
#define PAGE 4096
/* rw_semaphore.count: a writer has it, somebody waits, or is about to get it. */
#define RWSEM_NOT_FREE 7

bool gen_walks(const struct gen *g)
{
	return g->pr->units[0].pts[0]->e.kind == ENTRY_ITER_TASK || g->pr->opener != VREG_NONE;
}

/* The thread as the kernel gives it: NULL when the walk is over. */
static vreg load_task(struct gen *g)
{
	vreg d = ir_new(g->f);

	ir_load(g->f, d, ir_ctx(g->f), CTX_TASK, 8);
	return d;
}

void gen_walk_start(struct gen *g)
{
	irlabel ok = ir_label(g->f);
	vreg d = load_task(g);

	ir_jcci(g->f, IRC_NE, d, 0, ok);
	ir_reti(g->f, 0);
	ir_place(g->f, ok);
	g->cache.v[CA_TASK] = d;
}

vreg gen_walked(struct gen *g)
{
	vreg *p = &g->cache.v[CA_TASK], d;
	irlabel ok;

	if (*p >= 0)
		return *p;
	if (g->pr->opener != VREG_NONE) {
		g->pr->uses_opener = true;
		return *p = g->pr->opener;
	}
	/* It is not NULL, but the verifier forgets that with the register; what it takes instead must be a
	 * thread, too. */
	d = load_task(g);
	ok = ir_label(g->f);
	ir_jcci(g->f, IRC_NE, d, 0, ok);
	ir_call(g->f, d, g->cg->caps->task_btf ? BPF_FUNC_get_current_task_btf : BPF_FUNC_get_current_task, 0, NULL);
	ir_place(g->f, ok);
	*p = d;
	return d;
}

vreg gen_walked_cpu(struct gen *g)
{
	uint32_t off, size;

	/* Source: include/linux/sched.h; since 5.16 on all machines in thread_info. */
	return gen_task_field(g, lay_offset(g->cg, "task_struct", "thread_info.cpu", &off, &size) ? "thread_info.cpu"
												  : "cpu");
}

void gen_walked_comm(struct gen *g, vreg dst, vreg n)
{
	vreg a = ir_new(g->f);
	uint32_t off = 0, size;

	if (!lay_offset(g->cg, "task_struct", "comm", &off, &size))
		cg_error(g, g->ds->at, TAG_NOSUPP, "this kernel's types do not describe task_struct.comm");
	ir_alui(g->f, IRA_ADD, a, gen_task(g), off);
	ir_call(g->f, VREG_NONE, BPF_FUNC_probe_read_kernel_str, IR_ARGS(dst, n, a));
}

bool gen_finds_tasks(struct gen *g)
{
	enum entry_kind kind = g->pr->units[0].pts[0]->e.kind;
	struct cg *c = g->cg;
	struct tref from, release;

	if (!c->asked_tasks && c->env->ts && typesrc_attaches(c->env->ts) &&
	    typesrc_find(c->env->ts, "vmlinux", "bpf_task_from_pid", TKM(TK_FUNC), &from) == 0 &&
	    typesrc_find(c->env->ts, "vmlinux", "bpf_task_release", TKM(TK_FUNC), &release) == 0) {
		c->task_from_pid = from.id;
		c->task_release = release.id;
	}
	c->asked_tasks = true;
	return c->task_from_pid && c->caps->task_btf && !c->caps->in_pidns && cg_typed(c) &&
	       (kind == ENTRY_TP_BTF || kind == ENTRY_ITER_TASK || kind == ENTRY_ITER_MAP);
}

/* -- memory -- */

/* The program's main entry: that of the fault handlers' clauses is ERROR's. */
static bool may_read(struct gen *g)
{
	if (g->pr->opener != VREG_NONE) {
		g->pr->needs_thread = true;
		return false;
	}
	if (g->pr->units[0].pts[0]->e.reads_thread) {
		g->pr->sleepable = true;
		return true;
	}
	cg_error(g, g->ds->at, TAG_NOSUPP,
		 "clause %u (%s) reads the memory of the threads that it walks: that needs "
		 "bpf_copy_from_user_task (Linux 5.18), see \"memory of other threads\" in dwell features",
		 g->ds->epid, g->ds->desc_text ? g->ds->desc_text : "?");
	return false;
}

/* Jumps to no when the memory map is taken, or there is none. */
static void need_free_map(struct gen *g, irlabel no)
{
	uint32_t off, size;
	vreg v;

	ir_jcci(g->f, IRC_EQ, gen_task_field(g, "mm"), 0, no);
	if (!lay_offset(g->cg, "mm_struct", "mmap_lock.count", &off, &size))
		return;
	v = gen_task_field(g, "mm->mmap_lock.count.counter");
	ir_jcci(g->f, IRC_SET, v, RWSEM_NOT_FREE, no);
}

static void copy_from_task(struct gen *g, vreg r, vreg dst, vreg n, vreg addr)
{
	vreg task = gen_task(g), flags = ir_imm(g->f, 0);

	ir_call(g->f, r, BPF_FUNC_copy_from_user_task, IR_ARGS(dst, n, addr, task, flags));
}

void gen_read(struct gen *g, vreg r, vreg dst, vreg n, vreg addr, bool user)
{
	irlabel no = ir_label(g->f), out = ir_label(g->f);
	struct cache saved;

	if (!user || !gen_walks(g)) {
		ir_call(g->f, r, user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel, IR_ARGS(dst, n, addr));
		return;
	}
	if (!may_read(g))
		return;
	gen_task(g);
	saved = gen_region_begin(g);
	need_free_map(g, no);
	copy_from_task(g, r, dst, n, addr);
	ir_jmp(g->f, out);
	ir_place(g->f, no);
	/* A string that could not be read is empty: this clears dst. */
	ir_call(g->f, r, BPF_FUNC_probe_read_kernel, IR_ARGS(dst, n, ir_imm(g->f, 0)));
	ir_place(g->f, out);
	gen_region_end(g, &saved);
}

void gen_read_text(struct gen *g, vreg r, vreg dst, vreg n, uint32_t cap, vreg addr)
{
	irlabel out = ir_label(g->f), full = ir_label(g->f);
	vreg rest = ir_new(g->f), end = ir_new(g->f);

	if (!gen_walks(g)) {
		ir_call(g->f, r, BPF_FUNC_probe_read_user_str, IR_ARGS(dst, n, addr));
		return;
	}
	/* All of it, or what is in the first page: the text ends there when the next one does not exist. */
	gen_read(g, r, dst, ir_imm(g->f, cap), addr, true);
	ir_jcci(g->f, IRC_EQ, r, 0, full);
	ir_alui(g->f, IRA_AND, rest, addr, PAGE - 1);
	ir_alui(g->f, IRA_NEG, rest, rest, 0);
	ir_alui(g->f, IRA_ADD, rest, rest, PAGE);
	ir_jcci(g->f, IRC_GE, rest, cap, out);
	ir_jcci(g->f, IRC_LT, rest, 1, out); /* never: for the verifier */
	gen_read(g, r, dst, rest, addr, true);
	ir_jcci(g->f, IRC_NE, r, 0, out);
	ir_place(g->f, full);
	ir_jcci(g->f, IRC_LT, n, 1, out);
	ir_jcci(g->f, IRC_GT, n, cap, out);
	ir_alu(g->f, IRA_ADD, end, dst, n);
	ir_storei(g->f, end, -1, 1, 0);
	ir_place(g->f, out);
}

/* -- user stacks -- */

vreg gen_walked_ustack(struct gen *g, uint32_t n, struct irfn *walk, vreg start)
{
	vreg *p = &g->cache.v[CA_USTACK], r;
	irlabel none = ir_label(g->f);
	struct cache saved;
	uint32_t off, size;

	if (*p >= 0 && n <= g->ustack_max)
		return *p;
	r = ir_new(g->f);
	if (!may_read(g))
		return r;
	gen_task(g);
	saved = gen_region_begin(g);
	ir_movi(g->f, r, (uint64_t)-1);
	/* A thread that runs: the registers of its user side are those of some time ago. */
	if (lay_offset(g->cg, "task_struct", "on_cpu", &off, &size))
		ir_jcci(g->f, IRC_NE, gen_task_field(g, "on_cpu"), 0, none);
	need_free_map(g, none);
	ir_call_fn(g->f, r, walk, IR_ARGS(ir_imm(g->f, n), gen_pid(g), start, gen_task(g)));
	ir_place(g->f, none);
	gen_region_end(g, &saved);
	g->cache.v[CA_USTACK] = r;
	g->ustack_max = n;
	return r;
}

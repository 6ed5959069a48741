/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles process and thread ids. When dwell runs in a pid namespace they are those that it sees there; tasks
 * outside of it keep their global ids. */
#include "cg/gen/fault.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/task.h"

#define PIDNS_LEVELS 8		   /* nested namespaces that are looked through (kernel: up to 32) */
#define PID_PATH "signal->pids[1]" /* PIDTYPE_TGID */

struct pid_layout {
	uint32_t level, numbers, upid_size, nr, ns, inum;
};

static bool pid_layout(struct cg *c, struct pid_layout *l)
{
	const struct dtype *u = dtype_lookup(c->p->types, DK_STRUCT, NULL, "upid");
	uint32_t size;

	if (!u)
		return false;
	l->upid_size = (uint32_t)dtype_resolve(c->p->types, u)->size;
	return lay_offset(c, "pid", "level", &l->level, &size) && lay_offset(c, "pid", "numbers", &l->numbers, &size) &&
	       lay_offset(c, "upid", "nr", &l->nr, &size) && lay_offset(c, "upid", "ns", &l->ns, &size) &&
	       lay_offset(c, "pid_namespace", "ns.inum", &l->inum, &size);
}

/* Reads size bytes (at most 8) at p + off; what cannot be read is 0. */
static vreg peek(struct irfn *f, irslot tmp, vreg p, uint32_t off, unsigned size)
{
	vreg a = ir_new(f), d = ir_new(f), n = ir_imm(f, size), dst = ir_new(f);

	ir_alui(f, IRA_ADD, a, p, off);
	ir_slot_addr(f, dst, tmp, 0);
	ir_call(f, VREG_NONE, BPF_FUNC_probe_read_kernel, IR_ARGS(dst, n, a));
	ir_load_slot(f, d, tmp, 0, size);
	return d;
}

/* nspid(struct pid *): the number in dwell's namespace, or 0. */
static struct irfn *nspid_fn(struct prog *pr)
{
	struct pid_layout l;
	struct irfn *f;
	irslot tmp;
	irlabel no;
	vreg pid, level;

	if (pr->fn_nspid)
		return pr->fn_nspid;
	f = pr->fn_nspid = irfn_new(pr->ip, "nspid", 1);
	no = ir_label(f);
	if (!pid_layout(pr->cg, &l)) {
		ir_reti(f, 0);
		return f;
	}
	tmp = ir_slot(f, 8);
	pid = irfn_arg(f, 0);
	level = peek(f, tmp, pid, l.level, 4);
	for (uint32_t i = 0; i < PIDNS_LEVELS; i++) {
		irlabel next = ir_label(f);
		uint32_t at = l.numbers + i * l.upid_size;
		vreg ns, inum, nr;

		ir_jcci(f, IRC_LT, level, i, no);
		ns = peek(f, tmp, pid, at + l.ns, 8);
		inum = peek(f, tmp, ns, l.inum, 4);
		ir_jcci(f, IRC_NE, inum, (int64_t)pr->cg->caps->pidns_ino, next);
		nr = peek(f, tmp, pid, at + l.nr, 4);
		ir_ret(f, nr);
		ir_place(f, next);
	}
	ir_place(f, no);
	ir_reti(f, 0);
	return f;
}

/* The id of the process or thread whose struct pid is at this path of the task; when it is not
 * in dwell's namespace: dflt. */
static void walk_pid(struct gen *g, vreg task, const char *path, vreg d, vreg dflt)
{
	irlabel out = ir_label(g->f);
	vreg p = gen_launder(g, gen_field_of(g, task, path));

	ir_call_fn(g->f, d, nspid_fn(g->pr), IR_ARGS(p));
	ir_jcci(g->f, IRC_NE, d, 0, out);
	ir_mov(g->f, d, dflt);
	ir_place(g->f, out);
}

vreg gen_pid_tgid(struct gen *g)
{
	vreg *v = &g->cache.v[CA_PIDTGID], tgid;

	if (gen_walks(g) && *v < 0) {
		vreg d = ir_new(g->f);

		tgid = gen_task_field(g, "tgid");
		ir_alui(g->f, IRA_SHL, d, tgid, 32);
		ir_alu(g->f, IRA_OR, d, d, gen_task_field(g, "pid"));
		*v = d;
	}
	return gen_cached_call(g, CA_PIDTGID, BPF_FUNC_get_current_pid_tgid);
}

/* The helper answers for tasks whose own namespace is dwell's; others are looked up. */
static void ns_pid(struct gen *g)
{
	vreg pid = ir_new(g->f), tid = ir_new(g->f), r = ir_new(g->f);
	vreg dev, ino, p = ir_new(g->f), n, gpid = ir_new(g->f), gtid = ir_new(g->f), gl = gen_pid_tgid(g);
	irlabel walk = ir_label(g->f), out = ir_label(g->f);
	struct pid_layout l;
	struct cache saved = gen_region_begin(g);

	ir_alui(g->f, IRA_SHR, gpid, gl, 32);
	ir_ext(g->f, gtid, gl, 4, false);
	dev = ir_imm(g->f, g->cg->caps->pidns_dev);
	ino = ir_imm(g->f, g->cg->caps->pidns_ino);
	n = ir_imm(g->f, sizeof(struct bpf_pidns_info));
	if (!gen_walks(g)) {
		ir_slot_addr(g->f, p, g->tmp, 8);
		ir_call(g->f, r, BPF_FUNC_get_ns_current_pid_tgid, IR_ARGS(dev, ino, p, n));
		ir_jcci(g->f, IRC_NE, r, 0, walk);
		ir_load_slot(g->f, tid, g->tmp, 8 + offsetof(struct bpf_pidns_info, pid), 4);
		ir_load_slot(g->f, pid, g->tmp, 8 + offsetof(struct bpf_pidns_info, tgid), 4);
		ir_jmp(g->f, out);
	}
	ir_place(g->f, walk);
	if (pid_layout(g->cg, &l)) {
		walk_pid(g, gen_task(g), PID_PATH, pid, gpid);
		walk_pid(g, gen_task(g), "thread_pid", tid, gtid);
	} else { /* a kernel without type information: the global ids */
		ir_mov(g->f, pid, gpid);
		ir_mov(g->f, tid, gtid);
	}
	ir_place(g->f, out);
	gen_region_end(g, &saved);
	g->cache.v[CA_NSPID] = pid;
	g->cache.v[CA_NSTID] = tid;
}

vreg gen_pid(struct gen *g)
{
	vreg *p = &g->cache.v[CA_NSPID];

	if (*p < 0 && g->cg->caps->in_pidns) {
		ns_pid(g);
	} else if (*p < 0) {
		vreg d = ir_new(g->f);

		ir_alui(g->f, IRA_SHR, d, gen_pid_tgid(g), 32);
		*p = d;
	}
	return *p;
}

vreg gen_tid(struct gen *g)
{
	vreg *p = &g->cache.v[CA_NSTID];

	if (*p < 0 && g->cg->caps->in_pidns) {
		ns_pid(g);
	} else if (*p < 0) {
		vreg d = ir_new(g->f);

		ir_ext(g->f, d, gen_pid_tgid(g), 4, false);
		*p = d;
	}
	return *p;
}

/* The id of a process, or of a thread, that need not be the current one. */
vreg gen_pid_of(struct gen *g, vreg task, bool tid)
{
	vreg global = gen_field_of(g, task, tid ? "pid" : "tgid"), d = ir_new(g->f);
	struct pid_layout l;

	if (!g->cg->caps->in_pidns || !pid_layout(g->cg, &l))
		return global;
	walk_pid(g, task, tid ? "thread_pid" : PID_PATH, d, global);
	return d;
}

/* The parent as the process itself would see it from dwell's namespace: 0 when it is outside. */
vreg gen_ppid(struct gen *g)
{
	vreg d = ir_new(g->f), zero;

	if (!g->cg->caps->in_pidns)
		return gen_task_field(g, "real_parent->tgid");
	zero = ir_imm(g->f, 0);
	walk_pid(g, gen_task(g), "real_parent->" PID_PATH, d, zero);
	return d;
}

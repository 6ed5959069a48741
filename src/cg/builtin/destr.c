/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles destructive actions that the kernel does at once: signals, writes to the memory of processes, and
 * waiting. */
#include <errno.h>
#include "cg/builtin/call.h"
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"

#define SIGNAL_STOP 19 /* SIGSTOP; Source: uapi/asm-generic/signal.h */
/* chill() waits on a CPU for at most this long in each second. Source: illumos dtrace_chill_max and
 * dtrace_chill_interval. */
#define CHILL_MAX_NS 500000000
#define CHILL_INTERVAL_NS 1000000000
/* Rounds of waiting: a call of bpf_loop() takes 2^23 at most (BPF_MAX_LOOPS), of over 10 ns each. */
#define CHILL_ROUNDS (1 << 23)
#define CHILL_CALLS 6

/* May the call act on the current thread? In a walk over the threads that is one of dwell's. False: reported. */
static bool on_current(struct gen *g, const struct call *c)
{
	if (!gen_walks(g))
		return true;
	cg_error(g, c->n->at, TAG_NOSUPP,
		 "%s( ) acts on the thread that runs: that is dwell's own while it walks the others", c->n->name);
	return false;
}

/* raise(signal): to the process that runs. Numbers that are no signal are a fault; that the kernel cannot
 * send it here (no process) is not. */
static void send_signal(struct gen *g, vreg sig)
{
	vreg r = ir_new(g->f);

	ir_call(g->f, r, BPF_FUNC_send_signal, IR_ARGS(sig));
	gen_jcci(g, IRC_EQ, r, -EINVAL, gen_fault(g, FAULT_ILLOP, sig));
}

void act_raise(struct gen *g, struct call *c)
{
	if (on_current(g, c))
		send_signal(g, call_reg(g, c, 0));
}

void act_stop(struct gen *g, struct call *c)
{
	if (on_current(g, c))
		send_signal(g, ir_imm(g->f, SIGNAL_STOP));
}

/* -- copyout -- */

static bool may_write_user(struct gen *g, const struct call *c)
{
	if (!on_current(g, c))
		return false;
	if (g->cg->caps->probe_write_user)
		return true;
	cg_error(g, c->n->at, TAG_NOSUPP, "%s( ): %s", c->n->name, IMG_NO_WRITE_USER);
	return false;
}

static void write_user(struct gen *g, vreg to, vreg from, vreg size)
{
	vreg r = ir_new(g->f);

	ir_call(g->f, r, BPF_FUNC_probe_write_user, IR_ARGS(to, from, size));
	gen_jcci(g, IRC_SLT, r, 0, gen_fault(g, FAULT_BADADDR, to));
}

/* copyout(kernel address, user address, bytes) */
void act_copyout(struct gen *g, struct call *c)
{
	const struct val *bytes = &c->a[2];
	vreg src, to, size, p, r;
	uint64_t max = g->cg->opts->scratchsize;
	irlabel out = ir_label(g->f);

	if (!may_write_user(g, c))
		return;
	src = call_reg(g, c, 0);
	to = call_reg(g, c, 1);
	if (bytes->is_const && bytes->c >= 0 && bytes->c <= CG_MAX_SCRATCH / 2)
		max = (uint64_t)bytes->c;
	else if (max > CG_MAX_SCRATCH / 2)
		max = CG_MAX_SCRATCH / 2;
	if (!max)
		return;
	size = call_reg(g, c, 2);
	r = ir_new(g->f);
	gen_jcci(g, IRC_GT, size, (int64_t)max, gen_fault(g, FAULT_BADSIZE, size));
	p = gen_addr(g, gen_scratch(g, (uint32_t)max));
	ir_jcci(g->f, IRC_LT, size, 1, out); /* LT: verifiers before 6.8 learn nothing from EQ */
	ir_call(g->f, r, BPF_FUNC_probe_read_kernel, IR_ARGS(p, size, src));
	gen_read_check(g, r, src, false);
	write_user(g, to, p, size);
	ir_place(g->f, out);
}

/* copyoutstr(string, user address, most bytes): with its NUL, if that fits. */
void act_copyoutstr(struct gen *g, struct call *c)
{
	irlabel fits = ir_label(g->f), out = ir_label(g->f);
	const struct str *s = &c->a[0].s;
	vreg to, max, len = ir_new(g->f), p, b;

	if (!may_write_user(g, c))
		return;
	to = call_reg(g, c, 1);
	max = call_reg(g, c, 2);
	p = gen_addr(g, s->m);
	b = ir_imm(g->f, s->bound);
	ir_call_fn(g->f, len, rt_get(g->pr->ip, RT_STRLEN, g->cg->caps), IR_ARGS(p, b));
	ir_alui(g->f, IRA_ADD, len, len, 1);
	ir_jcc(g->f, IRC_LE, len, max, fits);
	ir_mov(g->f, len, max);
	ir_place(g->f, fits);
	ir_jcci(g->f, IRC_LT, len, 1, out);
	ir_jcci(g->f, IRC_GT, len, s->bound, out);
	write_user(g, to, p, len);
	ir_place(g->f, out);
}

/* -- chill -- */

static struct irfn *chill_loop_fn(struct prog *pr)
{
	struct irfn *f = irfn_new(pr->ip, "chill_loop", 2);
	vreg now = ir_new(f), end = ir_new(f);
	irlabel done = ir_label(f);

	ir_call(f, now, BPF_FUNC_ktime_get_ns, 0, NULL);
	ir_load(f, end, irfn_arg(f, 1), 0, 8);
	ir_jcc(f, IRC_GE, now, end, done);
	ir_reti(f, 0);
	ir_place(f, done);
	ir_reti(f, 1);
	return f;
}

/* chill(end): waits until that time. */
static struct irfn *chill_fn(struct prog *pr)
{
	struct irfn *f, *loop;
	irslot st;
	vreg n, fn, p;

	if (pr->fn_chill)
		return pr->fn_chill;
	loop = chill_loop_fn(pr);
	f = pr->fn_chill = irfn_new(pr->ip, "chill", 1);
	st = ir_slot(f, 8);
	ir_store_slot(f, st, 0, 8, irfn_arg(f, 0));
	for (int i = 0; i < CHILL_CALLS; i++) {
		n = ir_imm(f, CHILL_ROUNDS);
		fn = ir_new(f);
		p = ir_new(f);
		ir_fnaddr(f, fn, loop);
		ir_slot_addr(f, p, st, 0);
		ir_call(f, VREG_NONE, BPF_FUNC_loop, IR_ARGS(n, fn, p, ir_imm(f, 0)));
	}
	ir_reti(f, 0);
	return f;
}

static int chill_map(struct cg *c)
{
	if (c->m_chill < 0)
		c->m_chill = cg_add_map(c, IMG_MAP_CHILL, "d_chill", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 16, 1, 0);
	return c->m_chill;
}

/* Two words per CPU: when the interval began, how long was waited in it. */
void act_chill(struct gen *g, struct call *c)
{
	vreg ns = call_reg(g, c, 0), ts = gen_ts(g), map, key, p, v, used;
	irlabel same = ir_label(g->f), out = ir_label(g->f);
	irlabel bad = gen_fault(g, FAULT_ILLOP, ns);

	if (!g->cg->caps->bpf_loop) {
		cg_error(g, c->n->at, TAG_NOSUPP,
			 "chill( ) needs bpf_loop, which this kernel does not have "
			 "(Linux 5.17)");
		return;
	}
	gen_jcci(g, IRC_GT, ns, CHILL_MAX_NS, bad);
	map = ir_new(g->f);
	key = ir_new(g->f);
	p = ir_new(g->f);
	v = ir_new(g->f);
	used = ir_new(g->f);
	ir_storei_slot(g->f, g->tmp, 0, 4, 0);
	gen_map(g, map, chill_map(g->cg));
	ir_slot_addr(g->f, key, g->tmp, 0);
	ir_call(g->f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_EQ, p, 0, out);
	ir_load(g->f, v, p, 0, 8);
	ir_alu(g->f, IRA_SUB, v, ts, v);
	ir_jcci(g->f, IRC_LE, v, CHILL_INTERVAL_NS, same);
	ir_store(g->f, p, 0, 8, ts);
	ir_storei(g->f, p, 8, 8, 0);
	ir_place(g->f, same);
	ir_load(g->f, used, p, 8, 8);
	ir_alu(g->f, IRA_ADD, used, used, ns);
	gen_jcci(g, IRC_GT, used, CHILL_MAX_NS, bad);
	ir_store(g->f, p, 8, 8, used);
	ir_call(g->f, v, BPF_FUNC_ktime_get_ns, 0, NULL);
	ir_alu(g->f, IRA_ADD, v, v, ns);
	ir_call_fn(g->f, VREG_NONE, chill_fn(g->pr), IR_ARGS(v));
	ir_place(g->f, out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles built-in variables: the code functions of the rows VAR of lang/builtin.def. */
#include "cg/builtin/call.h"
#include "cg/gen/entry.h"
#include "cg/gen/load.h"
#include "cg/gen/stack.h"
#include "cg/gen/task.h"

vreg call_reg(struct gen *g, const struct call *c, unsigned i)
{
	const struct val *v = &c->a[i];

	return v->is_const ? ir_imm(g->f, (uint64_t)v->c) : v->v;
}

vreg call_reg_or(struct gen *g, const struct call *c, unsigned i, int64_t dflt)
{
	return i < c->nargs ? call_reg(g, c, i) : ir_imm(g->f, (uint64_t)dflt);
}

void var_pid(struct gen *g, struct call *c)
{
	c->v = gen_pid(g);
}

void var_tid(struct gen *g, struct call *c)
{
	c->v = gen_tid(g);
}

void var_ppid(struct gen *g, struct call *c)
{
	c->v = gen_ppid(g);
}

void var_uid(struct gen *g, struct call *c)
{
	if (gen_walks(g)) {
		c->v = gen_task_field(g, "cred->uid.val");
		return;
	}
	c->v = ir_new(g->f);
	ir_ext(g->f, c->v, gen_cached_call(g, CA_UIDGID, BPF_FUNC_get_current_uid_gid), 4, false);
}

void var_gid(struct gen *g, struct call *c)
{
	if (gen_walks(g)) {
		c->v = gen_task_field(g, "cred->gid.val");
		return;
	}
	c->v = ir_new(g->f);
	ir_alui(g->f, IRA_SHR, c->v, gen_cached_call(g, CA_UIDGID, BPF_FUNC_get_current_uid_gid), 32);
}

void var_timestamp(struct gen *g, struct call *c)
{
	c->v = gen_ts(g);
}

void var_walltimestamp(struct gen *g, struct call *c)
{
	c->v = gen_wall(g);
}

void var_vtimestamp(struct gen *g, struct call *c)
{
	c->v = gen_vtimestamp(g);
}

void var_cpu(struct gen *g, struct call *c)
{
	c->v = gen_cpu(g);
}

void var_curthread(struct gen *g, struct call *c)
{
	c->v = gen_curthread(g, &c->btf);
}

void var_cgroup(struct gen *g, struct call *c)
{
	c->v = gen_cgroup(g);
}

void var_epid(struct gen *g, struct call *c)
{
	c->v = ir_imm(g->f, g->ds->epid);
}

void var_probe_id(struct gen *g, struct call *c)
{
	c->v = gen_probe_id(g);
}

void var_probe_name(struct gen *g, struct call *c)
{
	gen_probe_name(g, c->b->id, &c->s);
}

/* errno of a system call that returns: -value when it is in [-4095, -1]. */
void var_errno(struct gen *g, struct call *c)
{
	irlabel out = ir_label(g->f);
	vreg v;

	c->v = ir_new(g->f);
	if (!g->e->has_errno) {
		ir_movi(g->f, c->v, 0);
		return;
	}
	v = gen_arg_loc(g, &g->e->errno_loc);
	ir_movi(g->f, c->v, 0);
	ir_jcci(g->f, IRC_LT, v, -4095, out);
	ir_alu(g->f, IRA_NEG, c->v, v, VREG_NONE);
	ir_place(g->f, out);
}

/* par: of the program */
void var_caller(struct gen *g, struct call *c)
{
	c->v = gen_caller(g, c->par);
}

/* par: of the program */
void var_depth(struct gen *g, struct call *c)
{
	c->v = gen_stack_depth(g, c->par);
}

void var_comm(struct gen *g, struct call *c)
{
	if (g->cache.v[CA_COMM] < 0) {
		gen_comm_to(g, mem_slot(g->comm, 0));
		g->cache.v[CA_COMM] = 0;
	}
	c->s = (struct str){ .m = mem_slot(g->comm, 0), .bound = REC_COMM, .padded = true };
}

/* par: the root directory */
void var_path(struct gen *g, struct call *c)
{
	gen_task_path(g, c->par ? "root" : "pwd", &c->s);
}

/* A process in no container is in the global zone. */
static void gen_zone(struct gen *g, struct mem m)
{
	static const char name[8] = "global";
	irlabel out = ir_label(g->f);
	vreg c = ir_new(g->f);
	uint64_t word;

	gen_ld(g, c, m, 1, false);
	ir_jcci(g->f, IRC_NE, c, 0, out);
	memcpy(&word, name, sizeof(word));
	gen_st(g, m, 8, ir_imm(g->f, word));
	ir_place(g->f, out);
}

/* par: as a zone */
void var_container(struct gen *g, struct call *c)
{
	gen_container(g, &c->s);
	if (c->par)
		gen_zone(g, c->s.m);
}

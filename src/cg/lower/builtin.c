/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in variables. */
#include "cg/lower/int.h"

static vreg uid_gid(struct gen *g, bool gid)
{
	vreg v, d;

	if (gen_walks(g))
		return gen_task_field(g, gid ? "cred->gid.val" : "cred->uid.val");
	v = gen_cached_call(g, CA_UIDGID, BPF_FUNC_get_current_uid_gid);
	d = ir_new(g->f);
	if (gid)
		ir_alui(g->f, IRA_SHR, d, v, 32);
	else
		ir_ext(g->f, d, v, 4, false);
	return d;
}

/* errno of a system call that returns: -value when it is in [-4095, -1]. */
static vreg gen_errno(struct gen *g)
{
	irlabel out = ir_label(g->f);
	vreg v, d = ir_new(g->f);

	if (!g->e->has_errno)
		return ir_imm(g->f, 0);
	v = gen_arg_loc(g, &g->e->errno_loc);
	ir_movi(g->f, d, 0);
	ir_jcci(g->f, IRC_LT, v, -4095, out);
	ir_alu(g->f, IRA_NEG, d, v, VREG_NONE);
	ir_place(g->f, out);
	return d;
}

vreg gen_builtin_int(struct gen *g, const struct node *n, struct tref *btf)
{
	enum bi_id id = n->builtin->id;

	switch (id) {
	case BI_PID: return gen_pid(g);
	case BI_TID: return gen_tid(g);
	case BI_PPID: return gen_ppid(g);
	case BI_UID: return uid_gid(g, false);
	case BI_GID: return uid_gid(g, true);
	case BI_TIMESTAMP: return gen_ts(g);
	case BI_WALLTIMESTAMP: return gen_wall(g);
	case BI_VTIMESTAMP: return gen_vtimestamp(g);
	case BI_CPU: return gen_cpu(g);
	case BI_CURTHREAD: return gen_curthread(g, btf);
	case BI_EPID: return ir_imm(g->f, g->ds->epid);
	case BI_ID: return gen_probe_id(g);
	case BI_ERRNO: return gen_errno(g);
	case BI_CGROUP: return gen_cgroup(g);
	case BI_CALLER: return gen_caller(g, false);
	case BI_UCALLER: return gen_caller(g, true);
	case BI_STACKDEPTH: return gen_stack_depth(g, false);
	case BI_USTACKDEPTH: return gen_stack_depth(g, true);
	default:
		if (id >= BI_ARG0 && id <= BI_ARG9)
			return gen_arg(g, (unsigned)(id - BI_ARG0));
		cg_error(g, n->at, TAG_NOSUPP, "%s is not supported yet", n->builtin->name);
		return ir_imm(g->f, 0);
	}
}

/* What is in no container is in the global zone. */
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

void gen_builtin_str(struct gen *g, const struct node *n, struct str *ret)
{
	switch (n->builtin->id) {
	case BI_EXECNAME:
	case BI_THREADNAME:
		if (g->cache.v[CA_COMM] < 0) {
			gen_comm_to(g, mem_slot(g->comm, 0));
			g->cache.v[CA_COMM] = 0;
		}
		*ret = (struct str){ .m = mem_slot(g->comm, 0), .bound = REC_COMM, .padded = true };
		break;
	case BI_PROBEPROV:
	case BI_PROBEMOD:
	case BI_PROBEFUNC:
	case BI_PROBENAME: gen_probe_name(g, n->builtin->id, ret); break;
	case BI_CWD: gen_task_path(g, "pwd", ret); break;
	case BI_ROOT: gen_task_path(g, "root", ret); break;
	case BI_CONTAINER:
	case BI_ZONENAME:
		gen_container(g, ret);
		if (n->builtin->id == BI_ZONENAME)
			gen_zone(g, ret->m);
		break;
	default:
		cg_error(g, n->at, TAG_NOSUPP, "%s is not supported yet", n->builtin->name);
		*ret = (struct str){ .is_const = true, .cs = "" };
	}
}

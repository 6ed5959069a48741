/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in variables. What a helper call gives is computed once where that is possible. */
#include "cg/lower/int.h"

#define COMM_LEN 16	  /* TASK_COMM_LEN */
#define PROGENY_LEVELS 32 /* ancestors that progenyof() looks at */

vreg gen_cached_call(struct gen *g, enum cache_id id, int helper)
{
	vreg *p = &g->cache.v[id];

	if (*p < 0) {
		vreg d = ir_new(g->f);

		ir_call(g->f, d, helper, 0, NULL);
		*p = d;
	}
	return *p;
}

/* Time of this firing. */
vreg gen_ts(struct gen *g)
{
	return gen_cached_call(g, CA_TS, BPF_FUNC_ktime_get_ns);
}

vreg gen_cpu(struct gen *g)
{
	return gen_cached_call(g, CA_CPU, BPF_FUNC_get_smp_processor_id);
}

vreg gen_task(struct gen *g)
{
	if (gen_walks(g))
		return gen_walked(g);
	return gen_cached_call(g, CA_TASK,
			       g->cg->caps->task_btf ? BPF_FUNC_get_current_task_btf : BPF_FUNC_get_current_task);
}

/* One step of a path through kernel structs. */
static vreg load_member(struct gen *g, vreg p, uint32_t off, unsigned size, bool sgn)
{
	vreg d = ir_new(g->f), n, a, r;

	if (cg_typed(g->cg)) {
		if (sgn && size < 8)
			ir_loads(g->f, d, p, (int32_t)off, size);
		else
			ir_load(g->f, d, p, (int32_t)off, size);
		return d;
	}
	n = ir_imm(g->f, size);
	a = ir_new(g->f);
	r = ir_new(g->f);
	ir_alui(g->f, IRA_ADD, a, p, off);
	ir_slot_addr(g->f, r, g->tmp, 8);
	ir_call(g->f, VREG_NONE, BPF_FUNC_probe_read_kernel, IR_ARGS(r, n, a));
	gen_ld(g, d, mem_slot(g->tmp, 8), size, sgn);
	return d;
}

/* A scalar reached from a task: "start_boottime", "real_parent->tgid", "signal->pids[1]" (an
 * array of pointers). NULL reads as 0. */
vreg gen_field_of(struct gen *g, vreg p, const char *path)
{
	const struct dtype *ty = dtype_lookup(g->cg->p->types, DK_STRUCT, NULL, "task_struct");
	irlabel out = ir_label(g->f);
	vreg d = ir_new(g->f);

	ir_movi(g->f, d, 0); /* not the pointer that was NULL: the verifier calls that a pointer still */
	while (ty) {
		const char *arrow = strstr(path, "->");
		size_t n = arrow ? (size_t)(arrow - path) : strlen(path);
		char *seg = arena_strndup(g->cg->a, path, n), *save = NULL;
		uint32_t off = 0;
		struct dmember m;

		for (char *s = strtok_r(seg, ".", &save); s && ty; s = strtok_r(NULL, ".", &save)) {
			char *bracket = strchr(s, '[');
			uint32_t index = bracket ? (uint32_t)atoi(bracket + 1) : 0;

			if (bracket)
				*bracket = 0;
			ty = dtype_resolve(g->cg->p->types, ty);
			if (!dtype_member(g->cg->p->types, ty, s, &m)) {
				ty = NULL;
				break;
			}
			off += m.bit_off / 8 + index * 8;
			ty = dtype_resolve(g->cg->p->types, m.type);
			if (ty->kind == DK_ARRAY && index)
				ty = dtype_resolve(g->cg->p->types, ty->base);
		}
		if (!ty)
			break;
		p = load_member(g, p, off, ty->size && ty->size < 8 ? (unsigned)ty->size : 8,
				ty->kind == DK_INT && ty->is_signed);
		if (!arrow) {
			ir_mov(g->f, d, p);
			ir_place(g->f, out);
			return d;
		}
		ir_jcci(g->f, IRC_EQ, p, 0, out);
		ty = ty->base ? dtype_resolve(g->cg->p->types, ty->base) : NULL;
		path = arrow + 2;
	}
	cg_error(g, g->ds->at, TAG_NOSUPP, "this kernel's types do not describe task_struct.%s", path);
	ir_place(g->f, out);
	return ir_imm(g->f, 0);
}

vreg gen_task_field(struct gen *g, const char *path)
{
	return gen_field_of(g, gen_task(g), path);
}

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

/* Nanoseconds since 1970: the clock of `timestamp` plus an offset that the session keeps in the state. */
vreg gen_wall(struct gen *g)
{
	vreg d = ir_new(g->f), ts = gen_ts(g);
	vreg p = gen_mapval(g, cg_map_state(g->cg), offsetof(struct img_state, wall_off));

	ir_load(g->f, d, p, 0, 8);
	ir_alu(g->f, IRA_ADD, d, d, ts);
	return d;
}

vreg gen_curthread(struct gen *g, struct tref *btf)
{
	const struct dtype *ty = dtype_lookup(g->cg->p->types, DK_STRUCT, NULL, "task_struct");
	vreg t = gen_task(g);

	if (!cg_typed(g->cg) || !ty)
		return gen_launder(g, t);
	*btf = dtype_resolve(g->cg->p->types, ty)->ref;
	return btf->id ? t : gen_launder(g, t);
}

vreg gen_cgroup(struct gen *g)
{
	vreg d;

	if (gen_walks(g))
		return gen_task_field(g, "cgroups->dfl_cgrp->kn->id");
	d = ir_new(g->f);
	ir_call(g->f, d, BPF_FUNC_get_current_cgroup_id, 0, NULL);
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

/* execname into memory of at least 16 bytes. */
void gen_comm_to(struct gen *g, struct mem dst)
{
	vreg p, n;

	if (g->cache.v[CA_COMM] >= 0) {
		gen_copy(g, dst, mem_slot(g->comm, 0), COMM_LEN);
		return;
	}
	/* Some kernels (6.1) leave what is behind the name as it was, and keys are compared whole. */
	gen_zero(g, dst, COMM_LEN);
	p = gen_addr(g, dst);
	n = ir_imm(g->f, COMM_LEN);
	if (gen_walks(g))
		gen_walked_comm(g, p, n);
	else
		ir_call(g->f, VREG_NONE, BPF_FUNC_get_current_comm, IR_ARGS(p, n));
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
		*ret = (struct str){ .m = mem_slot(g->comm, 0), .bound = COMM_LEN, .padded = true };
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

/* 1 when the current process or one of its ancestors is pid. */
vreg gen_progenyof(struct gen *g, vreg pid)
{
	const struct dtype *ty = dtype_lookup(g->cg->p->types, DK_STRUCT, NULL, "task_struct");
	irlabel yes = ir_label(g->f), no = ir_label(g->f), out = ir_label(g->f);
	uint32_t tgid, parent, size;
	vreg t, d = ir_new(g->f), id;

	if (!ty || !lay_offset(g->cg, "task_struct", "tgid", &tgid, &size) ||
	    !lay_offset(g->cg, "task_struct", "real_parent", &parent, &size)) {
		cg_error(g, g->ds->at, TAG_NOSUPP, "progenyof() needs the kernel's types");
		return ir_imm(g->f, 0);
	}
	t = gen_task(g);
	for (unsigned i = 0; i < PROGENY_LEVELS; i++) {
		id = load_member(g, t, tgid, 4, false);
		ir_jcc(g->f, IRC_EQ, id, pid, yes);
		ir_jcci(g->f, IRC_LE, id, 1, no);
		t = load_member(g, t, parent, 8, false);
		ir_jcci(g->f, IRC_EQ, t, 0, no);
	}
	ir_place(g->f, no);
	ir_movi(g->f, d, 0);
	ir_jmp(g->f, out);
	ir_place(g->f, yes);
	ir_movi(g->f, d, 1);
	ir_place(g->f, out);
	return d;
}

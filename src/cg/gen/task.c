/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles facts about the thread of a firing, the time, and the CPU. The result of a helper call is computed once
 * where that is possible. */
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"

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

/* execname into memory of at least 16 bytes. */
void gen_comm_to(struct gen *g, struct mem dst)
{
	vreg p, n;

	if (g->cache.v[CA_COMM] >= 0) {
		gen_copy(g, dst, mem_slot(g->comm, 0), REC_COMM);
		return;
	}
	/* Some kernels (6.1) leave what is after the name as it was, and keys are compared whole. */
	gen_zero(g, dst, REC_COMM);
	p = gen_addr(g, dst);
	n = ir_imm(g->f, REC_COMM);
	if (gen_walks(g))
		gen_walked_comm(g, p, n);
	else
		ir_call(g->f, VREG_NONE, BPF_FUNC_get_current_comm, IR_ARGS(p, n));
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

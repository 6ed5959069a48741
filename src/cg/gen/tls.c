/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles thread-locals (self->x) and the events of trackers that are kept by thread. Each thread has one struct, in
 * task storage, or in a hash where the kernel has none. */
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"

/* Kernels without task storage: a hash with the thread and, since another one may come to be at the same address, its
 * start in the key. */
static void tls_find(struct gen *g, vreg d, vreg task, bool create)
{
	bool slot = !g->pr->low_stack && ir_slot_mark(g->f) + CG_TLS_KEY <= CG_MAX_SLOTS;
	struct mem key = slot ? mem_slot(ir_slot(g->f, CG_TLS_KEY), 0) : gen_scratch(g, CG_TLS_KEY);
	vreg map = ir_new(g->f), k, zeros, fl;
	irlabel have = ir_label(g->f);

	gen_st(g, key, 8, gen_launder(g, task));
	gen_st(g, mem_add(key, 8), 8, gen_field_of(g, task, "start_boottime"));
	k = gen_addr(g, key);
	gen_map(g, map, cg_map_tls(g->cg));
	ir_call(g->f, d, BPF_FUNC_map_lookup_elem, IR_ARGS(map, k));
	if (create) {
		ir_jcci(g->f, IRC_NE, d, 0, have);
		zeros = gen_mapval(g, cg_map_rodata(g->cg), ro_zeros(g->cg, cg_tls_size(g->cg)));
		fl = ir_imm(g->f, BPF_NOEXIST);
		gen_map(g, map, cg_map_tls(g->cg));
		ir_call(g->f, VREG_NONE, BPF_FUNC_map_update_elem, IR_ARGS(map, k, zeros, fl));
		gen_map(g, map, cg_map_tls(g->cg));
		ir_call(g->f, d, BPF_FUNC_map_lookup_elem, IR_ARGS(map, k));
	}
	ir_place(g->f, have);
}

static void tls_get(struct gen *g, vreg d, vreg task, bool create)
{
	vreg map, zero, fl;

	if (!g->cg->caps->task_storage) {
		tls_find(g, d, task, create);
		return;
	}
	map = ir_new(g->f);
	zero = ir_imm(g->f, 0);
	fl = ir_imm(g->f, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	gen_map(g, map, cg_map_tls(g->cg));
	ir_call(g->f, d, BPF_FUNC_task_storage_get, IR_ARGS(map, task, zero, fl));
}

/* A task's thread-locals, or NULL when none was ever assigned. *cached: what is known of them. */
static vreg storage_read(struct gen *g, vreg task, vreg *cached)
{
	vreg d;

	if (*cached >= 0)
		return *cached;
	d = ir_new(g->f);
	tls_get(g, d, task, false);
	*cached = d;
	return d;
}

/* The same, made if need be; jumps to skip (loss counted) when there is no memory. */
static vreg storage_write(struct gen *g, vreg task, vreg *cached, irlabel skip)
{
	irlabel have = ir_label(g->f);
	bool looked = *cached >= 0, was = false;
	vreg p = looked ? *cached : ir_new(g->f);

	if (looked) { /* made once per thread */
		ir_jcci(g->f, IRC_NE, p, 0, have);
		was = ir_cold(g->f, true);
	}
	tls_get(g, p, task, true);
	ir_jcci(g->f, IRC_EQ, p, 0, gen_drop(g, CNT_DROP_DYN, skip));
	if (looked)
		ir_cold(g->f, was);
	ir_place(g->f, have);
	*cached = p;
	return p;
}

vreg gen_tls_read(struct gen *g)
{
	return g->cache.v[CA_TLS] >= 0 ? g->cache.v[CA_TLS] : storage_read(g, gen_task(g), &g->cache.v[CA_TLS]);
}

vreg gen_tls_write(struct gen *g, irlabel skip)
{
	return storage_write(g, gen_task(g), &g->cache.v[CA_TLS], skip);
}

vreg gen_task_tls(struct gen *g, vreg task, int word, bool create, irlabel skip)
{
	vreg none = VREG_NONE, *cached = word >= 0 && word < CG_TASK_ARGS ? &g->cache.v[CA_TASK0 + word] : &none;

	return create ? storage_write(g, task, cached, skip) : storage_read(g, task, cached);
}

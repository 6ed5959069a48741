/* SPDX-License-Identifier: Apache-2.0 */
/* The container that the current task, or a control group, is in. It is the 64 hexadecimal digits that container
 * engines put into cgroup names ("docker-ID.scope", "ID"). The cgroup is the task's or one of the two above it. */
#include "cg/builtin/call.h"
#include "cg/gen/fault.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/task.h"

#define ID_LEN 64
#define NAME_LEN 128
#define LEVELS 3
#define SCOPE ".scope"

/* Jumps to no unless c is a hexadecimal digit. */
static void need_hex(struct irfn *f, vreg c, irlabel no)
{
	irlabel ok = ir_label(f);
	vreg t = ir_new(f);

	ir_alui(f, IRA_SUB, t, c, '0');
	ir_jcci(f, IRC_LE, t, 9, ok);
	ir_alui(f, IRA_SUB, t, c, 'a');
	ir_jcci(f, IRC_GT, t, 5, no);
	ir_place(f, ok);
}

/* Takes ".scope" off the length of the name. */
static void cut_scope(struct irfn *f, irslot name, vreg len)
{
	irlabel keep = ir_label(f);
	vreg p = ir_new(f), c = ir_new(f);

	ir_jcci(f, IRC_LT, len, sizeof(SCOPE), keep);
	ir_jcci(f, IRC_GE, len, NAME_LEN, keep);
	ir_slot_addr(f, p, name, 0);
	ir_alu(f, IRA_ADD, p, p, len);
	for (unsigned i = 0; i < sizeof(SCOPE) - 1; i++) {
		ir_load(f, c, p, (int32_t)i - (int32_t)sizeof(SCOPE) + 1, 1);
		ir_jcci(f, IRC_NE, c, SCOPE[i], keep);
	}
	ir_alui(f, IRA_SUB, len, len, sizeof(SCOPE) - 1);
	ir_place(f, keep);
}

/* container(name, dst): 1 when the cgroup's name ends in an id, which is then copied to dst. */
static struct irfn *container_fn(struct prog *pr)
{
	irlabel no;
	vreg len, p, n, c, d;
	struct irfn *f;
	irslot name;

	if (pr->fn_container)
		return pr->fn_container;
	f = pr->fn_container = irfn_new(pr->ip, "container", 2);
	name = ir_slot(f, NAME_LEN);
	no = ir_label(f);
	len = ir_new(f);
	p = ir_new(f);
	c = ir_new(f);
	d = irfn_arg(f, 1);
	for (unsigned i = 0; i < NAME_LEN; i += 8)
		ir_storei_slot(f, name, (int32_t)i, 8, 0);
	ir_slot_addr(f, p, name, 0);
	n = ir_imm(f, NAME_LEN);
	ir_call(f, len, BPF_FUNC_probe_read_kernel_str, IR_ARGS(p, n, irfn_arg(f, 0)));
	ir_alui(f, IRA_SUB, len, len, 1);
	ir_jcci(f, IRC_SLT, len, ID_LEN, no);
	ir_jcci(f, IRC_SGE, len, NAME_LEN, no);
	cut_scope(f, name, len);
	ir_alui(f, IRA_SUB, len, len, ID_LEN);
	ir_jcci(f, IRC_GT, len, NAME_LEN - ID_LEN, no);
	ir_slot_addr(f, p, name, 0);
	ir_alu(f, IRA_ADD, p, p, len);
	for (int32_t i = 0; i < ID_LEN; i++) {
		ir_load(f, c, p, i, 1);
		need_hex(f, c, no);
		ir_store(f, d, i, 1, c);
	}
	ir_storei(f, d, ID_LEN, 1, 0);
	ir_reti(f, 1);
	ir_place(f, no);
	ir_storei(f, d, 0, 1, 0);
	ir_reti(f, 0);
	return f;
}

/* Looks at the group at this path of the task, and at those above it. */
static void search_tree(struct gen *g, const char *path, vreg dst, irlabel found)
{
	uint32_t off, size;
	const char *parent = lay_offset(g->cg, "kernfs_node", "__parent", &off, &size) ? "__parent" : "parent";
	vreg name, r = ir_new(g->f);

	for (unsigned i = 0; i < LEVELS; i++) {
		struct cache saved = gen_region_begin(g);

		name = gen_task_field(g, arena_printf(g->cg->a, "%s->name", path));
		ir_call_fn(g->f, r, container_fn(g->pr), IR_ARGS(name, dst));
		ir_jcci(g->f, IRC_NE, r, 0, found);
		path = arena_printf(g->cg->a, "%s->%s", path, parent);
		gen_region_end(g, &saved);
	}
}

/* Where control groups are of version 1, engines use its controllers: that of memory is looked at. */
static void search_version1(struct gen *g, vreg dst, irlabel out)
{
	const struct dtype *ty;
	int64_t i;
	const char *path;
	struct cache saved;

	if (!dtype_find_enumerator(g->cg->p->types, "memory_cgrp_id", &ty, &i) || i <= 0)
		return;
	path = arena_printf(g->cg->a, "cgroups->subsys[%d]->cgroup", (int)i);
	saved = gen_region_begin(g);
	ir_jcc(g->f, IRC_EQ, gen_task_field(g, path), gen_task_field(g, "cgroups->dfl_cgrp"), out);
	gen_region_end(g, &saved);
	search_tree(g, arena_printf(g->cg->a, "%s->kn", path), dst, out);
}

void gen_container(struct gen *g, struct str *ret)
{
	struct mem m = gen_scratch(g, ROUND_UP(ID_LEN + 1, 8));
	vreg dst = gen_addr(g, m);
	irlabel out = ir_label(g->f);

	gen_sti(g, m, 1, 0);
	search_tree(g, "cgroups->dfl_cgrp->kn", dst, out);
	search_version1(g, dst, out);
	ir_place(g->f, out);
	*ret = (struct str){ .m = m, .bound = ID_LEN + 1 };
}

/* Reads the pointer at offset off of the kernel's object p; NULL reads as NULL. */
static vreg follow(struct gen *g, vreg p, uint32_t off)
{
	struct mem m = mem_slot(ir_slot(g->f, 8), 0);
	vreg d = ir_new(g->f);

	gen_probe_read(g, m, 8, p, off, false);
	gen_ld(g, d, m, 8, false);
	return d;
}

void sub_cgroup_container(struct gen *g, struct call *c)
{
	struct mem m = gen_scratch(g, ROUND_UP(ID_LEN + 1, 8));
	vreg dst = gen_addr(g, m), kn, r = ir_new(g->f);
	uint32_t kn_at, name, parent, size;
	irlabel out = ir_label(g->f);

	gen_sti(g, m, 1, 0);
	c->s = (struct str){ .m = m, .bound = ID_LEN + 1 };
	if (!lay_offset(g->cg, "cgroup", "kn", &kn_at, &size) ||
	    !lay_offset(g->cg, "kernfs_node", "name", &name, &size) ||
	    (!lay_offset(g->cg, "kernfs_node", "__parent", &parent, &size) &&
	     !lay_offset(g->cg, "kernfs_node", "parent", &parent, &size))) {
		cg_error(g, g->ds->at, TAG_NOSUPP, "cgroup_container() needs the kernel's types");
		return;
	}
	kn = follow(g, call_reg(g, c, 0), kn_at);
	for (unsigned i = 0; i < LEVELS; i++) {
		struct cache saved = gen_region_begin(g);

		ir_jcci(g->f, IRC_EQ, kn, 0, out); /* above the root */
		ir_call_fn(g->f, r, container_fn(g->pr), IR_ARGS(follow(g, kn, name), dst));
		ir_jcci(g->f, IRC_NE, r, 0, out);
		kn = follow(g, kn, parent);
		gen_region_end(g, &saved);
	}
	ir_place(g->f, out);
}

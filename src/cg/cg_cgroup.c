/* SPDX-License-Identifier: Apache-2.0 */
/* The container that the current task is in, from the name of its cgroup. */
#include "cg/cg_int.h"

void gen_container(struct gen *g, struct str *ret)
{
	vreg kn = gen_task_field(g, "cgroups->dfl_cgrp->kn->name");
	struct mem m = gen_scratch(g, 64);
	irlabel out = ir_label(g->f);

	gen_zero(g, m, 64);
	ir_jcci(g->f, IRC_EQ, kn, 0, out);
	vreg p = gen_addr(g, m), n = ir_imm(g->f, 64);

	ir_call(g->f, VREG_NONE, BPF_FUNC_probe_read_kernel_str, IR_ARGS(p, n, kn));
	ir_place(g->f, out);
	*ret = (struct str){ .m = m, .bound = 64 };
}

/* SPDX-License-Identifier: Apache-2.0 */
/* uregs[n]: the registers that the thread had when it left user mode; kregs[n]: those at the probe. */
#include "lang/check/int.h"

struct node *check_regs(struct checker *c, struct node *n)
{
	const struct builtin *b = n->kind == N_INDEX ? n->a->builtin : n->builtin;
	struct node *i;

	if (n->kind != N_INDEX)
		return array_as_scalar(c, n);
	i = check_one_index(c, n);
	if (!i)
		return n;
	if (!dtype_is_integer(res(c, i)))
		return fail(c, n, D_PROTO_ARG,
			    "%s[ ] argument #1 is incompatible with prototype:\n\tprototype: "
			    "integer constant\n\t argument: %s",
			    b->name, tname(c, i));
	n->a->type = basic(c, DT_VOID);
	return set_type(n, basic(c, DT_ULONG));
}

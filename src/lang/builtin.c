/* SPDX-License-Identifier: Apache-2.0 */
/* Makes tables of the built-in names of D from builtin.def, and finds a name. */
#include "lang/ast.h"
#include <stddef.h>
#include <string.h>

/* VAR, ACT … are the kinds of the table */
static const struct builtin rows[BI_COUNT_] = {
#define BI(id, name, kind, proto, since, flags, bound, check, code, par, doc) \
	[BI_##id] = { BI_##id, name, BIK_##kind, proto, since, flags, bound, doc },
#include "lang/builtin.def"
#undef BI
};

const struct builtin *builtin_get(enum bi_id id)
{
	return &rows[id];
}

const struct builtin *builtin_find_func(const char *name)
{
	size_t i;

	for (i = BI_NONE + 1; i < BI_COUNT_; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	return NULL;
}

const struct builtin *builtin_find(const char *name)
{
	const struct builtin *b = builtin_find_func(name);

	return b && b->flags & BIF_OWN ? NULL : b;
}

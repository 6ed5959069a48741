/* SPDX-License-Identifier: Apache-2.0 */
/* The names D knows, from builtin.def. */
#include "lang/ast.h"
#include <stddef.h>
#include <string.h>

/* VAR, ACT … are the kinds of the table */
static const struct builtin rows[BI_COUNT_] = {
#define BI(id, name, kind, proto) [BI_##id] = { BI_##id, name, BIK_##kind, proto },
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

/* Functions that DTrace does not have: programs may call variables so. */
static bool is_new(const struct builtin *b)
{
	return b->id == BI_HIST || b->id == BI_SPAN || b->id == BI_SLOW || b->id == BI_FLIGHT || b->id == BI_CGROUPID ||
	       (b->id >= BI_BEGIN && b->id <= BI_TRACK_SCAN);
}

const struct builtin *builtin_find(const char *name)
{
	const struct builtin *b = builtin_find_func(name);

	return b && is_new(b) ? NULL : b;
}

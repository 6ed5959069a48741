/* SPDX-License-Identifier: Apache-2.0 */
/* A recording file as the symboliser's source. */
#include "view/recsym.h"

static bool of_symbol(struct recread *f, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr,
		      struct symbol *ret)
{
	struct recfile_symbol rs;

	if (!recread_symbol(f, space, tgid, start, addr, &rs))
		return false;
	ret->module = rs.module ? rs.module : "";
	ret->name = rs.name;
	ret->path = rs.path;
	ret->offset = rs.offset;
	ret->addr = rs.base;
	return rs.found;
}

static bool kernel_symbol(void *ctx, uint64_t addr, struct symbol *ret)
{
	return of_symbol(ctx, RECFILE_KERNEL, 0, 0, addr, ret);
}

static bool user_symbol(void *ctx, uint32_t tgid, uint64_t start, uint64_t addr, struct symbol *ret)
{
	return of_symbol(ctx, RECFILE_USER, tgid, start, addr, ret);
}

int recsym_new(struct recread *f, struct sym **ret, struct err *err)
{
	struct sym_source source = { f, kernel_symbol, user_symbol };

	return sym_new_source(&source, ret, err);
}

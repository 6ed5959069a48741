/* SPDX-License-Identifier: Apache-2.0 */
/* Lets the symboliser (sym/sym.h) read names and lines from a recording file, not from the kernel and processes. */
#include "view/form/recsym.h"

_Static_assert(RECFILE_MAX_SOURCE <= SYM_MAX_LINES, "frames of one address");

static bool of_symbol(struct recread *f, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr,
		      struct symbol *ret)
{
	struct recfile_symbol rs;

	if (!recread_symbol(f, space, tgid, start, addr, &rs)) {
		/* The recording has the return address of a call, which is the end of the instruction at addr. */
		if (!recread_symbol(f, space, tgid, start, addr + 1, &rs) || !rs.offset)
			return false;
		rs.offset--;
	}
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

static size_t user_lines(void *ctx, uint32_t tgid, uint64_t start, uint64_t addr, struct sym_line *ret)
{
	const struct recfile_source *v;
	size_t n = recread_source(ctx, tgid, start, addr, &v);

	for (size_t i = 0; i < n; i++)
		ret[i] = (struct sym_line){ .name = v[i].function,
					    .file = v[i].file,
					    .line = v[i].line,
					    .def_file = v[i].def_file,
					    .def_line = v[i].def_line };
	return n;
}

int recsym_new(struct recread *f, struct sym **ret, struct err *err)
{
	struct sym_source source = { f, kernel_symbol, user_symbol, user_lines };

	return sym_new_source(&source, ret, err);
}

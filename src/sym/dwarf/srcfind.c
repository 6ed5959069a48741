/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the statements of lines: reads all rows of a file, one unit after the other. */
#include "sym/dwarf/srcfind.h"
#include <errno.h>
#include <string.h>
#include "sym/dwarf/srcunit.h"

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool wants_any(struct dw_lines *l, bool (*want)(void *arg, const char *base), void *arg)
{
	for (size_t i = 0; i < l->files.n; i++)
		if (l->files.v[i].name && want(arg, base_of(l->files.v[i].name)))
			return true;
	return false;
}

static int unit_statements(struct srcline *s, struct unit *u, bool (*want)(void *arg, const char *base), srcfind_fn fn,
			   void *arg)
{
	struct dw_lines *l = srcunit_files(s, u);
	int r = 0;

	if (!l || !wants_any(l, want, arg))
		return 0;
	l->want_stmts = true;
	l->has_rows = false;
	dw_lines_run(l, s->zero); /* what it has read before it failed is right */
	for (size_t i = 0; r == 0 && i < l->stmts.n; i++) {
		const struct dw_row *row = &l->stmts.v[i];
		const struct srcplace p = { row->addr, dw_lines_path(l, row->file), row->line };

		if (p.file && want(arg, base_of(p.file)))
			r = fn(arg, &p);
	}
	return r;
}

int srcfind_statements(struct srcline *s, bool (*want)(void *arg, const char *base), srcfind_fn fn, void *arg)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->d.units.n; i++) {
		r = unit_statements(s, &s->units[i], want, fn, arg);
		srcunit_drop(&s->units[i]);
	}
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "view/text/checkrec.h"
#include <string.h>
#include "base/cleanup.h"
#include "view/form/recsym.h"

#define KINDS (1u << ROW_EVENT | 1u << ROW_AGG | 1u << ROW_NOTE | 1u << ROW_DROPS)

static int on_row(void *ctx, const struct row *row)
{
	return check_row(ctx, row);
}

static int on_cost(void *ctx, const struct rec_cost_row *x)
{
	const struct row row = { .kind = ROW_COST, .ts = x->ts, .data = &x->c, .len = sizeof(x->c) };

	return check_row(ctx, &row);
}

static int read_one(struct check *c, struct recread *r, struct err *err)
{
	struct sym *sym = NULL;
	int e = recsym_new(r, &sym, err);

	if (e == 0)
		e = check_begin(c, recread_schema(r), sym);
	if (e == 0)
		e = recread_rows(r, KINDS, REC_ALL_TIME, on_row, c, err);
	if (e == 0)
		e = recread_costs(r, REC_ALL_TIME, on_cost, c, err);
	check_end(c);
	sym_free(sym);
	return e;
}

int checkrec_read(struct check *c, const struct recset *s, struct err *err)
{
	uint64_t took = 0;
	int e = 0;

	for (size_t i = 0; i < s->n && e == 0; i++) {
		struct rec_range all;

		if (recread_extent(s->v[i].r, &all))
			took += all.to - all.from;
		e = read_one(c, s->v[i].r, err);
	}
	check_took(c, took);
	return e < 0 && !err->msg[0] ? err_set(err, e, "%s", strerror(-e)) : e;
}

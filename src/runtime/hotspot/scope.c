/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled code: which functions are at an address, by the tables that the compiler has made for deoptimisation.
 * Source: share/code/{nmethod,pcDesc,scopeDesc,debugInfo}.{hpp,cpp}. */
#include <errno.h>
#include "runtime/hotspot/int.h"

/* Where the tables of a code are. */
struct tables {
	uint64_t pcs, npcs;	      /* PcDescs */
	uint64_t data, ndata;	      /* scopes, bytes */
	uint64_t metadata, nmetadata; /* Methods that the scopes name by number */
};

/* In blocks of their own, outside of the code cache. Since version 23. */
static int tables_apart(const struct hs *v, uint64_t blob, struct tables *t)
{
	const struct hs_layout *l = v->l;
	uint64_t base, size, data, pcs, mutable, all, skip;
	int r;

	if (l->code_immutable_size == HS_NONE || l->code_scopes_offset == HS_NONE || l->code_pcs == HS_NONE ||
	    l->blob_mutable == HS_NONE || l->blob_mutable_size == HS_NONE || l->blob_relocation == HS_NONE)
		return -ENOTSUP;
	r = hs_number(v->m, blob, l->code_immutable, 8, &base);
	if (r == 0)
		r = hs_number(v->m, blob, l->code_immutable_size, 4, &size);
	if (r == 0)
		r = hs_number(v->m, blob, l->code_pcs, 4, &pcs);
	if (r == 0)
		r = hs_number(v->m, blob, l->code_scopes_offset, 4, &data);
	if (r == 0)
		r = hs_number(v->m, blob, l->blob_mutable, 8, &mutable);
	if (r == 0)
		r = hs_number(v->m, blob, l->blob_mutable_size, 4, &all);
	if (r == 0)
		r = hs_number(v->m, blob, l->blob_relocation, 4, &skip);
	if (r < 0)
		return r;
	if (pcs > data || data > size || skip > all)
		return -EBADMSG;
	*t = (struct tables){ base + pcs,      (data - pcs) / l->size_pc_desc, base + data, size - data, mutable + skip,
			      (all - skip) / 8 };
	return 0;
}

/* The tables follow the code. Until version 22. */
static int tables_after_code(const struct hs *v, uint64_t blob, struct tables *t)
{
	const struct hs_layout *l = v->l;
	uint64_t data, pcs, end, metadata;
	int r;

	if (l->code_scopes == HS_NONE || l->code_pcs == HS_NONE || l->code_pcs_end == HS_NONE ||
	    l->code_metadata == HS_NONE)
		return -ENOTSUP;
	r = hs_number(v->m, blob, l->code_scopes, 8, &data);
	if (r == 0)
		r = hs_number(v->m, blob, l->code_pcs, 4, &pcs);
	if (r == 0)
		r = hs_number(v->m, blob, l->code_pcs_end, 4, &end);
	if (r == 0)
		r = hs_number(v->m, blob, l->code_metadata, 4, &metadata);
	if (r < 0)
		return r;
	if (pcs > end || data < blob + metadata || data > blob + pcs)
		return -EBADMSG;
	*t = (struct tables){ blob + pcs,      (end - pcs) / l->size_pc_desc, data, blob + pcs - data,
			      blob + metadata, (data - blob - metadata) / 8 };
	return 0;
}

/* The scope at an offset of the code: that of the first place at or after it. 0: none. */
static int find_scope(const struct hs *v, const struct tables *t, uint64_t off, uint64_t *ret)
{
	uint64_t lo = 0, n = t->npcs < HS_MAX_PCS ? t->npcs : HS_MAX_PCS, at;
	int r = 0;

	*ret = 0;
	const uint64_t all = n;

	while (r == 0 && n) {
		const uint64_t mid = lo + n / 2;

		r = hs_number(v->m, t->pcs + mid * v->l->size_pc_desc, v->l->pc_offset, 4, &at);
		if ((int64_t)(int32_t)(uint32_t)at < (int64_t)off) {
			n -= n / 2 + 1;
			lo = mid + 1;
		} else {
			n /= 2;
		}
	}
	if (r == 0 && lo < all)
		r = hs_number(v->m, t->pcs + lo * v->l->size_pc_desc, v->l->pc_scope, 4, ret);
	return r;
}

#define SCOPE_BYTES 15u /* three numbers */

/* A scope, and where the one that it is inlined into is. */
static int read_scope(const struct hs *v, const struct tables *t, uint64_t *at, struct hs_call *ret)
{
	uint8_t buf[SCOPE_BYTES];
	uint32_t sender, method, bci;
	const uint64_t left = t->ndata - *at;
	const size_t n = left < SCOPE_BYTES ? left : SCOPE_BYTES;
	int r = v->m->read(v->m->ctx, t->data + *at, buf, n);
	struct hs_bytes b = { buf, buf + n, v->l->java >= HS_EXCESS };

	if (r < 0)
		return r;
	if (!hs_take(&b, &sender) || !hs_take(&b, &method) || !hs_take(&b, &bci) || !method || method > t->nmetadata ||
	    method > HS_MAX_METADATA)
		return -EBADMSG;
	/* -1 stands for the entry, and is written as 0. */
	ret->bci = bci && bci <= HS_BCI_MAX ? bci - 1 : (uint32_t)HS_BCI_MAX;
	if (sender >= *at && sender)
		return -EBADMSG; /* callers are written first */
	*at = sender;
	return hs_number(v->m, t->metadata + 8 * (uint64_t)(method - 1), 0, 8, &ret->method);
}

int hs_code_calls(const struct hs *v, const struct hs_head *h, uint64_t pc, struct hs_call *ret, size_t max)
{
	struct tables t;
	uint64_t code, at;
	size_t n = 0;
	int r = v->l->code_immutable != HS_NONE ? tables_apart(v, h->blob, &t) : tables_after_code(v, h->blob, &t);

	if (r == -ENOTSUP)
		return 0;
	if (r == 0)
		r = hs_blob_code(v, h->blob, &code);
	if (r == 0)
		r = find_scope(v, &t, pc - code, &at);
	if (r < 0)
		return r;
	while (at && at < t.ndata && n < max) {
		r = read_scope(v, &t, &at, &ret[n++]);
		if (r < 0)
			return r == -EBADMSG ? 0 : r;
	}
	/* The outermost one is the function that was compiled: else these are no such tables. */
	return n && !at && ret[n - 1].method == h->method ? (int)n : 0;
}

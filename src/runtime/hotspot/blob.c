/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the CodeBlob at an address in the JVM's code cache. */
#include <errno.h>
#include "runtime/hotspot/int.h"

int hs_blob_of(const struct hs *v, const struct hs_proc *p, uint64_t pc, uint64_t *ret)
{
	for (unsigned i = 0; i < HS_MAX_HEAPS; i++) {
		const struct hs_heap *h = &p->heaps[i];
		uint64_t seg = (pc - h->low) >> p->shift, b;

		if (pc - h->low >= h->len)
			continue;
		for (unsigned hop = 0; hop < HS_MAX_HOPS; hop++) {
			int r = hs_number(v->m, h->map, seg, 1, &b);

			if (r < 0)
				return r;
			if (b == HS_SEGMENT_FREE || b > seg)
				return -ENOENT;
			if (!b) {
				*ret = h->low + (seg << p->shift) + p->block;
				r = hs_number(v->m, *ret - p->block, p->used, 1, &b);
				return r < 0 ? r : b ? 0 : -ENOENT;
			}
			seg -= b;
		}
		return -ENOENT;
	}
	return -ENOENT;
}

int hs_blob_code(const struct hs *v, uint64_t blob, uint64_t *ret)
{
	int r = hs_number(v->m, blob, v->l->blob_code, v->l->code_bytes, ret);

	if (v->l->code_bytes != 8)
		*ret += blob;
	return r;
}

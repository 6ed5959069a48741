/* SPDX-License-Identifier: Apache-2.0 */
/* V8's pages in a target. Source:
 * src/heap/{basic-memory-chunk,memory-chunk-layout,memory-chunk,memory-chunk-metadata}.h of V8 10.2 to 13.6: the head
 * of a page is, in words,
 *
 *     10.2, 11.3   size, flags, heap, start, end
 *     12.4         flags, base, size, heap, start, end
 *     13.6         flags, address of: …, base, size, …, …, size, end, heap, start  (base is 0 in read-only pages)
 *
 * so that each word has a second one that it must agree with. */
#include "core/jsheap/pages.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 0x40000u	    /* of pages */
#define MAX_HEAD 0x2000u    /* from the base to the first object */
#define FLAG_CODE 1u	    /* executable */
#define FLAG_FROM (1u << 3) /* objects were moved out of it: nothing in it is alive */
#define SMALL 0x1000u

struct head {
	uint64_t base, flags, size, heap, start, end;
};

static bool read_head(const struct js *js, uint64_t base, struct head *ret)
{
	uint64_t w[6], m[10];

	if (core_read(js->core, base, w, sizeof(w)) < 0)
		return false;
	if (js->version < V8_VERSION(12, 0)) {
		*ret = (struct head){ base, w[1], w[0], w[2], w[3], w[4] };
		return true;
	}
	if (js->version < V8_VERSION(13, 0)) {
		*ret = (struct head){ w[1], w[0], w[2], w[3], w[4], w[5] };
		return true;
	}
	if (w[1] % 8 || core_read(js->core, w[1], m, sizeof(m)) < 0)
		return false;
	*ret = (struct head){ m[1] ? m[1] : base, w[0], m[6], m[8], m[9], m[7] };
	return m[1] == 0 || m[2] == m[6];
}

/* Whether a head makes sense: bounds in the page, a page that is mapped. */
static bool is_page(const struct js *js, uint64_t base, const struct head *h)
{
	uint64_t word;

	return h->base == base && h->size >= SMALL && h->size % SMALL == 0 && h->size <= UINT64_MAX - base &&
	       h->start > base && h->start - base <= MAX_HEAD && h->end > h->start && h->end <= base + h->size &&
	       h->start % 8 == 0 && h->end % 8 == 0 && core_seg_at(js->core, h->end - 1) &&
	       (!h->heap || core_read(js->core, h->heap, &word, sizeof(word)) == 0);
}

bool js_on_page(const struct js *js, uint64_t object)
{
	const uint64_t base = object & ~(uint64_t)(ALIGN - 1);
	struct head h;

	return read_head(js, base, &h) && is_page(js, base, &h) && object >= h.start && object < h.end;
}

int js_pages_find(const struct js *js, js_pages *ret)
{
	const struct core *c = js->core;
	uint64_t next = ALIGN, total = 0;

	for (size_t i = 0; i < c->segs.n; i++) {
		const struct core_seg *s = &c->segs.v[i];
		uint64_t at = (s->start + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);

		for (at = at > next ? at : next; at >= s->start && at < s->end; at += ALIGN) {
			struct head h;

			if (at - s->start >= s->bytes || core_map_at(c, at) || !read_head(js, at, &h) ||
			    !is_page(js, at, &h))
				continue;
			if (ret->n == JSHEAP_MAX_PAGES)
				return -E2BIG;
			total += h.size;
			if (!c->live && total > c->size + JSPAGES_SLACK)
				return 0; /* more than the core has: damaged */
			next = at + ((h.size + ALIGN - 1) & ~(uint64_t)(ALIGN - 1));
			if (h.flags & FLAG_FROM)
				h.end = h.start; /* known, and empty */
			if (vec_try_push(ret, ((struct js_page){ at, at + h.size, h.start, h.end, h.heap,
								 h.flags & FLAG_CODE, NULL, NULL })) < 0)
				return -ENOMEM;
			at = next - ALIGN; /* pages do not overlap: what looks like one inside is a program's data */
		}
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of addresses: segments, mappings, pages of V8. */
#ifndef DWELL_CORE_RANGE_H
#define DWELL_CORE_RANGE_H
#include <stddef.h>
#include <stdint.h>

/* The element that addr is in, or NULL. v: n elements of `size` bytes each, sorted and without overlaps. They begin
 * with two uint64_t: where they start, and where they end. */
static inline void *range_at(const void *v, size_t n, size_t size, uint64_t addr)
{
	const char *at = v, *end;

	if (!n) /* there may be no list */
		return NULL;
	end = at + n * size;
	while (n) { /* the first one that ends above addr */
		const size_t half = n / 2;
		const uint64_t *range = (const void *)(at + half * size);

		if (range[1] <= addr) {
			at += (half + 1) * size;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return at < end && *(const uint64_t *)(const void *)at <= addr ? (void *)(uintptr_t)at : NULL;
}
#endif

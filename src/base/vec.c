/* SPDX-License-Identifier: Apache-2.0 */
/* Grows the arrays of base/vec.h. */
#include "base/vec.h"
#include <errno.h>
#include <stdlib.h>

#define VEC_FIRST 8 /* elements of the first allocation */

int vec_reserve_raw(void **v, size_t *cap, size_t want, size_t size)
{
	size_t n = *cap < VEC_FIRST ? VEC_FIRST : *cap + *cap / 2, bytes;
	void *p;

	if (want <= *cap)
		return 0;
	if (n < want)
		n = want;
	if (__builtin_mul_overflow(n, size, &bytes))
		return -ENOMEM;
	p = realloc(*v, bytes);
	if (!p)
		return -ENOMEM;
	*v = p;
	*cap = n;
	return 0;
}

void vec_reserve_or_die(void **v, size_t *cap, size_t want, size_t size)
{
	if (vec_reserve_raw(v, cap, want, size) < 0)
		abort();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Typed growable arrays on the heap: struct { T *v; size_t n, cap; }. One checked growth function. */
#ifndef DWELL_BASE_VEC_H
#define DWELL_BASE_VEC_H
#include <stdbool.h>
#include <stddef.h>

#define VEC(T) \
	struct { \
		T *v; \
		size_t n, cap; \
	}

/* Makes room for `want` elements of `size` bytes; *v and *cap change only on success.
 * Returns 0, or -ENOMEM (also on overflow). */
int vec_reserve_raw(void **v, size_t *cap, size_t want, size_t size);
/* The same, but aborts: for the compiler, where nothing is attached yet. */
void vec_reserve_or_die(void **v, size_t *cap, size_t want, size_t size);

/* Appends x; aborts when memory runs out (compiler). */
#define vec_push(vec, x) \
	(vec_reserve_or_die((void **)&(vec)->v, &(vec)->cap, (vec)->n + 1, sizeof(*(vec)->v)), \
	 (void)((vec)->v[(vec)->n++] = (x)))
/* Appends x; 0 or -ENOMEM (data plane). x is evaluated after the vector has grown: it must not
 * point into the vector. */
#define vec_try_push(vec, x) \
	(vec_reserve_raw((void **)&(vec)->v, &(vec)->cap, (vec)->n + 1, sizeof(*(vec)->v)) < 0 \
		 ? -ENOMEM \
		 : ((vec)->v[(vec)->n++] = (x), 0))
#define vec_free(vec) (free((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded region allocator: memory of one compilation, freed at once. */
#ifndef DWELL_BASE_ARENA_H
#define DWELL_BASE_ARENA_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena;

/* Default bound of one compilation's memory, in bytes. */
#define ARENA_DEFAULT_LIMIT ((size_t)1 << 30)

/* A new arena whose owner calls arena_free(). Aborts when malloc fails (nothing is attached yet). */
struct arena *arena_new(size_t limit_bytes);
/* Frees the arena and all it gave out; accepts NULL. */
void arena_free(struct arena *a);
/* Zeroed memory, aligned for any object; never NULL. Memory past the limit is still given, but
 * arena_exhausted() becomes true; long-running passes check it and stop with a diagnostic. */
void *arena_alloc(struct arena *a, size_t size);
/* A copy of n elements of size bytes each (overflow-checked); grows vectors in the arena. */
void *arena_memdup(struct arena *a, const void *p, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);
bool arena_exhausted(const struct arena *a);
size_t arena_used(const struct arena *a);

#define arena_new_obj(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_new_arr(a, type, n) ((type *)arena_calloc((a), (n), sizeof(type)))
void *arena_calloc(struct arena *a, size_t n, size_t size);
#endif

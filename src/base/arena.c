/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded region allocator: blocks of zeroed memory, handed out from the front. With AddressSanitizer
 * every object is a block of its own, so that it sees each byte beyond an object and each use after the end. */
#include "base/arena.h"
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#endif

#define ARENA_ALIGN 16
#define BLOCK_MIN ((size_t)16 << 10) /* first block: a one-liner needs no more */
#define BLOCK_MAX ((size_t)1 << 20)  /* later blocks double up to this */

struct block {
	struct block *next;
	size_t size; /* bytes of data */
	size_t n;    /* bytes given out */
	_Alignas(ARENA_ALIGN) unsigned char data[];
};

struct arena {
	struct block *blocks; /* the first one is being filled */
	size_t limit, used, next_size;
};

/* Memory can run out here only while the compiler runs. Nothing is attached then, so the process may end. */
static void die_oom(void)
{
	abort();
}

struct arena *arena_new(size_t limit_bytes)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		die_oom();
	a->limit = limit_bytes;
	a->next_size = BLOCK_MIN;
	return a;
}

static struct block *block_new(size_t size)
{
	struct block *b = calloc(1, sizeof(*b) + size);

	if (!b)
		die_oom();
	b->size = size;
	return b;
}

#ifdef ARENA_ASAN
static void *alloc_raw(struct arena *a, size_t size, size_t room)
{
	struct block *b = block_new(size);

	(void)room;
	b->next = a->blocks;
	a->blocks = b;
	return b->data;
}
#else
static void *alloc_raw(struct arena *a, size_t size, size_t room)
{
	struct block *b = a->blocks;
	void *p;

	(void)size;
	if (!b || b->size - b->n < room) {
		if (room > BLOCK_MAX / 4 && b) { /* a block of its own, after the current one */
			struct block *own = block_new(room);

			own->next = b->next;
			b->next = own;
			b = own;
		} else {
			b = block_new(room > a->next_size ? room : a->next_size);
			if (a->next_size < BLOCK_MAX)
				a->next_size *= 2;
			b->next = a->blocks;
			a->blocks = b;
		}
	}
	p = b->data + b->n;
	b->n += room;
	return p;
}
#endif

void arena_free(struct arena *a)
{
	if (!a)
		return;
	for (struct block *b = a->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(a);
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t room = size ? ROUND_UP(size, (size_t)ARENA_ALIGN) : ARENA_ALIGN;

	if (size > SIZE_MAX / 2)
		die_oom();
	a->used += room;
	return alloc_raw(a, size, room);
}

void *arena_calloc(struct arena *a, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all))
		die_oom();
	return arena_alloc(a, all);
}

void *arena_memdup(struct arena *a, const void *p, size_t size)
{
	void *copy = arena_alloc(a, size);

	if (size)
		memcpy(copy, p, size);
	return copy;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = arena_alloc(a, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_memdup(a, s, strlen(s) + 1);
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *s;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return arena_strdup(a, "");
	s = arena_alloc(a, (size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	return s;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return s;
}

bool arena_exhausted(const struct arena *a)
{
	return a->used > a->limit;
}

size_t arena_used(const struct arena *a)
{
	return a->used;
}

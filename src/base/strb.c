/* SPDX-License-Identifier: Apache-2.0 */
/* String builder on the heap. */
#include "base/strb.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

/* Makes room for n more bytes and the final NUL. */
static bool grow(struct strb *b, size_t n)
{
	size_t want;

	if (b->failed)
		return false;
	if (__builtin_add_overflow(b->n, n, &want) || __builtin_add_overflow(want, (size_t)1, &want) ||
	    vec_reserve_raw((void **)&b->s, &b->cap, want, 1) < 0)
		b->failed = true;
	return !b->failed;
}

void strb_add(struct strb *b, const void *p, size_t n)
{
	if (!grow(b, n))
		return;
	if (n)
		memcpy(b->s + b->n, p, n);
	b->n += n;
	b->s[b->n] = '\0';
}

void strb_adds(struct strb *b, const char *s)
{
	strb_add(b, s, strlen(s));
}

void strb_addc(struct strb *b, char c)
{
	strb_add(b, &c, 1);
}

void strb_fill(struct strb *b, char c, size_t n)
{
	if (!grow(b, n))
		return;
	memset(b->s + b->n, c, n);
	b->n += n;
	b->s[b->n] = '\0';
}

void strb_vprintf(struct strb *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0) {
		b->failed = true;
		return;
	}
	if (!grow(b, (size_t)n))
		return;
	vsnprintf(b->s + b->n, (size_t)n + 1, fmt, ap);
	b->n += (size_t)n;
}

void strb_printf(struct strb *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strb_vprintf(b, fmt, ap);
	va_end(ap);
}

const char *strb_str(const struct strb *b)
{
	return b->n ? b->s : "";
}

char *strb_take(struct strb *b)
{
	char *s;

	strb_add(b, "", 0); /* so that an empty text is allocated, too */
	if (b->failed)
		return NULL;
	s = b->s;
	*b = (struct strb){ 0 };
	return s;
}

void strb_reset(struct strb *b)
{
	b->n = 0;
	b->failed = false;
	if (b->s)
		b->s[0] = '\0';
}

void strb_free(struct strb *b)
{
	free(b->s);
	*b = (struct strb){ 0 };
}

int strb_flush(struct strb *b, FILE *out, int *error)
{
	if (!*error && b->failed)
		*error = -ENOMEM;
	if (!*error && b->n && fwrite(b->s, 1, b->n, out) != b->n)
		*error = errno ? -errno : -EIO;
	strb_reset(b);
	return *error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* String builder on the heap. Sticky on failure: after running out of memory all calls do nothing. */
#ifndef DWELL_BASE_STRB_H
#define DWELL_BASE_STRB_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct strb {
	char *s; /* NUL-terminated when not NULL */
	size_t n, cap;
	bool failed;
};

void strb_add(struct strb *b, const void *p, size_t n);
void strb_adds(struct strb *b, const char *s);
void strb_addc(struct strb *b, char c);
void strb_fill(struct strb *b, char c, size_t n);
void strb_printf(struct strb *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strb_vprintf(struct strb *b, const char *fmt, va_list ap);
/* The text ("" when empty); stays owned by b. */
const char *strb_str(const struct strb *b);
/* Gives the text (malloc'ed, never NULL unless failed) to the caller and resets b. */
char *strb_take(struct strb *b);
void strb_reset(struct strb *b); /* keeps the memory */
void strb_free(struct strb *b);
/* Writes the text to out unless *error, empties b either way. *error: 0, or the first -errno; it is returned. */
int strb_flush(struct strb *b, FILE *out, int *error);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A streaming writer of JSON. It places the commas and escapes the strings. Its output is well formed as soon as every
 * container is closed. Each call writes one value; `name` is the member's name within an object, and NULL within an
 * array or at the top. The text goes to the end of a string builder, and failure is the builder's: after running out of
 * memory all calls do nothing. One thread at a time. Source: RFC 8259. */
#ifndef DWELL_BASE_JSONW_H
#define DWELL_BASE_JSONW_H
#include <stdbool.h>
#include <stdint.h>
#include "base/strb.h"

#define JSONW_MAX_DEPTH 63 /* of containers within each other; one more fails the builder */

struct jsonw {
	struct strb *b;	 /* not owned */
	uint64_t filled; /* bit d: the container at depth d has a value, so that the next one needs a comma */
	unsigned depth;
};

/* A writer of values that go to the end of b. Several values at the top are separated by nothing: lines of JSON
 * end with jsonw_line(). */
struct jsonw jsonw_to(struct strb *b);
void jsonw_object(struct jsonw *w, const char *name);
void jsonw_end_object(struct jsonw *w);
void jsonw_array(struct jsonw *w, const char *name);
void jsonw_end_array(struct jsonw *w);
/* Ends a value at the top with a newline. */
void jsonw_line(struct jsonw *w);

/* A string; NULL gives "". A byte that is not UTF-8 becomes U+FFFD. */
void jsonw_str(struct jsonw *w, const char *name, const char *s);
void jsonw_strn(struct jsonw *w, const char *name, const char *s, size_t n);
/* A string made by printf(). */
void jsonw_strf(struct jsonw *w, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A string that comes in parts: between these two calls escaped text goes to the end of the builder (jsonstr_part()).
 */
void jsonw_begin_str(struct jsonw *w, const char *name);
void jsonw_end_str(struct jsonw *w);
/* A number as a string of hexadecimal digits, "0x1f": an address, too large for the numbers of many readers. */
void jsonw_hex(struct jsonw *w, const char *name, uint64_t v);
/* Bytes as a string of two hexadecimal digits each. */
void jsonw_bytes(struct jsonw *w, const char *name, const void *p, size_t n);
void jsonw_u64(struct jsonw *w, const char *name, uint64_t v);
void jsonw_i64(struct jsonw *w, const char *name, int64_t v);
void jsonw_bool(struct jsonw *w, const char *name, bool v);
void jsonw_null(struct jsonw *w, const char *name);
/* A number with `digits` significant digits (17 is exact). NaN and infinity give null, as JSON cannot write them. */
void jsonw_double(struct jsonw *w, const char *name, double v, int digits);
/* The same with `digits` after the point. */
void jsonw_fixed(struct jsonw *w, const char *name, double v, int digits);
/* A value that is JSON already: n bytes of text. */
void jsonw_raw(struct jsonw *w, const char *name, const char *text, size_t n);
/* The members of an object that is JSON already, n bytes of text with its braces, go on in the object that is open. */
void jsonw_members(struct jsonw *w, const char *text, size_t n);

/* Does the line, as such a writer makes it, begin with the member "type" of this value? line ends with NUL. */
bool jsonw_is_type(const char *line, const char *type);
#endif

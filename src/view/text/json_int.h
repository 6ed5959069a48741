/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Lines, -x oformat=json: a mode of the text view, which keeps the state. Described in dwell(1). */
#ifndef DWELL_VIEW_TEXT_JSON_INT_H
#define DWELL_VIEW_TEXT_JSON_INT_H
#include "view/text/int.h"

/* Changes when a reader of the former version would misunderstand something; what is added does not
 * change it. */
#define JSON_VERSION 1

/* json_value.c: strings (invalid UTF-8 becomes U+FFFD), values. */
void json_text(struct text_view *v, const char *s, size_t n);
void json_str(struct text_view *v, const char *s);
/* A file: what is printed to it goes into v's line as the inside of a string, as it comes. To be closed before anything
 * else is printed. NULL: no memory. */
FILE *json_file(struct text_view *v);
void json_bytes(struct text_view *v, const uint8_t *p, size_t n); /* {"bytes":"hex"} */
void json_field(struct text_view *v, const struct recfield *f, const uint8_t *p);
bool json_typed(struct text_view *v, const struct recfield *f, const uint8_t *p); /* true: cut at printsize */
void json_aggvalue(struct text_view *v, const struct aggdesc *d, const uint64_t *value, int64_t normal);

/* json_act.c: "output":[…] of a record; what changes files or runs commands comes after the line. */
void json_acts(struct text_view *v, const struct recfmt *fmt, const struct row *row);
/* json_columns.c, for -x columns. A printf() that is a heading is kept, and true. */
bool json_heading(struct text_view *v, const struct recact *act, const uint8_t *rec);
/* ,"columns":{"PID":1,…} of another printf(), if there was a heading for it. */
void json_columns(struct text_view *v, const struct recact *act, const uint8_t *rec);
/* Which columns a printa() fills: names from `at` on. */
struct json_row {
	size_t at, n;
	int value[JSON_COLUMNS]; /* the n-th is aggregation k: k; key k: -1 - k */
};
bool json_row_columns(struct text_view *v, const struct recact *act, struct json_row *ret);
/* slow.c: the members of a slow event, each behind a comma. */
void json_slow(struct text_view *v, const struct recact *act, const uint8_t *rec);
/* "aggregations":[…],"rows":[…], without the first `skip` rows. */
/* columns: names of the values, or NULL */
void json_aggs(struct text_view *v, const struct aggdesc *const *aggs, size_t naggs, size_t skip,
	       const struct json_row *columns);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Lines, -x oformat=json: a mode of the text view, which keeps the state. Described in dwell(1). */
#ifndef DWELL_VIEW_TEXT_JSON_INT_H
#define DWELL_VIEW_TEXT_JSON_INT_H
#include "view/text/int.h"

/* Changes when a reader of the former version would misunderstand something; what is added does not
 * change it. */
#define JSON_VERSION 1

/* json_line.c: a line, which is an object, is made in v->json; between these two its members are written. */
struct jsonw *json_open(struct text_view *v, const char *type);
void json_close(struct text_view *v);
/* A long line goes to the output piece by piece: call it between values. */
void json_drain(struct text_view *v);
void json_probe(struct jsonw *w, const struct rec_probe *p); /* its members */
/* A file: what is printed to it becomes the inside of a string (jsonw_begin_str()), as it comes. To be closed before
 * anything else is written. NULL: no memory. */
FILE *json_file(struct text_view *v);

/* json_value.c: values of v->json; name: of the member, NULL in arrays. */
void json_bytes(struct jsonw *w, const char *name, const uint8_t *p, size_t n); /* {"bytes":"hex"} */
void json_field(struct text_view *v, const char *name, const struct recfield *f, const uint8_t *p);
/* True: cut at printsize. */
bool json_typed(struct text_view *v, const char *name, const struct recfield *f, const uint8_t *p);
void json_aggvalue(struct jsonw *w, const char *name, const struct aggdesc *d, const uint64_t *value, int64_t normal);

/* json_act.c: "output":[…] of a record; what changes files or runs commands comes after the line. */
void json_acts(struct text_view *v, const struct recfmt *fmt, const struct row *row);
/* json_columns.c, for -x columns. A printf() that is a heading is kept, and true. */
bool json_heading(struct text_view *v, const struct recact *act, const uint8_t *rec);
/* ,"columns":{"PID":1,…} of another printf(), if there was a heading for it. */
void json_columns(struct text_view *v, const struct recact *act, const uint8_t *rec);
/* The columns that a printa() fills: names from `at` on. */
struct json_row {
	size_t at, n;
	int value[JSON_COLUMNS]; /* the n-th is aggregation k: k; key k: -1 - k */
};
bool json_row_columns(struct text_view *v, const struct recact *act, struct json_row *ret);
/* json_slow.c: the members of a slow event. */
void json_slow(struct text_view *v, const struct recact *act, const uint8_t *rec);
/* The members aggregations and rows, without the first `skip` rows. columns: names of the values, or NULL. */
void json_aggs(struct text_view *v, const struct aggdesc *const *aggs, size_t naggs, size_t skip,
	       const struct json_row *columns);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a printa() of another machine (view/text/aggsend.c) into rows of a recording. Does not trust its text. */
#ifndef DWELL_HOSTS_MERGEIN_H
#define DWELL_HOSTS_MERGEIN_H
#include <jansson.h>
#include "base/arena.h"
#include "store/recording.h"

#define MERGE_AGGS_MAX 64
#define MERGE_KEYS_MAX 128
#define MERGE_FIELD_MAX (UINT32_C(1) << 20)  /* bytes of a key's field, or of a value */
#define MERGE_ROWS_MAX (UINT64_C(256) << 20) /* bytes of all keys and values of a table, as rows */

/* Aggregations and keys; of texts in keys the sizes grow by mergein_measure(). */
struct mergein_form {
	struct aggdesc aggs[MERGE_AGGS_MAX];
	struct recfield keys[MERGE_KEYS_MAX];
	size_t naggs, nkeys;
	uint64_t row_bytes; /* of a key with all its values */
};
/* 0 or -EPROTO. Texts live in the arena. */
int mergein_form(struct arena *a, const json_t *object, struct mergein_form *ret);
/* The largest text of each field. -EPROTO: rows are not of this form. */
int mergein_measure(const json_t *object, struct mergein_form *f);
/* When all are measured: where the fields are. */
void mergein_layout(struct mergein_form *f);
/* Gives each value as a ROW_AGG. divide: by what normalize() said there, since it said something else elsewhere. 0,
 * -EPROTO, -ENOMEM, or what fn returned. */
typedef int mergein_fn(void *ctx, const struct row *row);
int mergein_rows(const json_t *object, const struct mergein_form *f, bool divide, mergein_fn *fn, void *ctx);
/* The divisor that normalize() set for the k-th aggregation; 1: none. */
int64_t mergein_normal(const json_t *object, size_t k);
/* The bytes that a text of hexadecimal digits stands for, in the arena; NULL: it is none. */
char *mergein_hex(struct arena *a, const json_t *text, size_t *ret_n);
#endif

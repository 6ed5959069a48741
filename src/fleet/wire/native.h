/* SPDX-License-Identifier: Apache-2.0 */
/* Reads ClickHouse's format Native as it comes, block by block, and checks it: columns of numbers, texts and arrays. It
 * costs the server next to nothing, and a row of a histogram a tenth of what it costs as text. Source:
 * clickhouse.com/docs, Native format; tried with 18.16. */
#ifndef DWELL_FLEET_WIRE_NATIVE_H
#define DWELL_FLEET_WIRE_NATIVE_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/strb.h"
#include "base/vec.h"

#define NATIVE_COLUMNS_MAX 16u
#define NATIVE_ROWS_MAX (1u << 20) /* of a block */
#define NATIVE_BLOCK_MAX (512u << 20)

enum native_type { NATIVE_TEXT, NATIVE_TIME, NATIVE_U32, NATIVE_U64, NATIVE_U8S, NATIVE_U16S, NATIVE_U64S };

struct native_text {
	size_t at; /* in the column's data */
	size_t n;
};
struct native_column {
	size_t values, ends;	       /* where they begin in the block; ends: of arrays */
	VEC(struct native_text) texts; /* of NATIVE_TEXT */
};
struct native {
	const enum native_type *types; /* of the columns, as they were asked for */
	size_t ncolumns;
	struct strb b; /* the block that is being read */
	size_t at;     /* read up to here */
	size_t need;   /* less of the block than this is of no use */
	uint64_t nrows;
	size_t next; /* column; */
	bool begun;  /* the block's head is read */
	struct native_column columns[NATIVE_COLUMNS_MAX];
};

/* A whole block is there; columns are valid until it returns. Other than 0 ends the reading, which returns that. */
typedef int native_block_fn(void *ctx, const struct native *n);
/* Takes the next bytes. 0; -EINVAL: it is not what was asked for; -ENOMEM; or what fn returned. */
int native_feed(struct native *n, const void *data, size_t len, native_block_fn *fn, void *ctx);
/* Whether all blocks were whole. */
bool native_ended(const struct native *n);
/* For another answer to the same question. */
void native_reset(struct native *n);
void native_free(struct native *n);

static inline uint64_t native_number(const struct native *n, size_t column, size_t row)
{
	const char *at = n->b.s + n->columns[column].values;
	uint64_t u64;
	uint32_t u32;

	if (n->types[column] == NATIVE_U64)
		return memcpy(&u64, at + row * sizeof(u64), sizeof(u64)), u64;
	memcpy(&u32, at + row * sizeof(u32), sizeof(u32));
	return u32;
}
static inline const char *native_text(const struct native *n, size_t column, size_t row, size_t *len)
{
	const struct native_text *t = &n->columns[column].texts.v[row];

	*len = t->n;
	return n->b.s + t->at;
}
/* Elements of an array: their bytes, and how many. */
const char *native_array(const struct native *n, size_t column, size_t row, size_t *count);
#endif

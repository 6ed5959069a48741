/* SPDX-License-Identifier: Apache-2.0 */
/* Stores arrays of words that are mostly zero as text in recording files. The text is a JSON object from index to
 * value, such as {"0":3,"17":3}, which SQLite's json_each() can read. Values are signed there, as in SQLite. */
#ifndef DWELL_STORE_SPARSE_H
#define DWELL_STORE_SPARSE_H
#include "base/strb.h"
#include "store/recording.h"

void sparse_put_words(struct strb *b, const uint64_t *words, size_t n);
void sparse_put_buckets(struct strb *b, const struct rec_bucket *v, size_t n);

/* Calls fn for each pair of a text of len bytes; indices ascend and are below n. False: the text is no
 * such object, or fn said false. */
bool sparse_parse(const char *text, size_t len, uint32_t n, bool (*fn)(void *ctx, uint32_t index, uint64_t value),
		  void *ctx);
/* Into n words, zero where the text has none. */
bool sparse_get_words(const char *text, size_t len, uint64_t *words, uint32_t n);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Packs records and keys for recording files. Most of their bytes are zero, since strings and stacks have room for
 * the longest. A mask says which words of 8 bytes are not zero (bit 0 of its first byte: the first word); these
 * words follow. A record that would not become shorter is stored as it is. A reader tells the two by the size: packed
 * records are shorter than the record's format. */
#ifndef DWELL_STORE_PACKED_H
#define DWELL_STORE_PACKED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for one packed record; begin with zero. */
struct packbuf {
	uint8_t *v;
	size_t cap;
};
void packbuf_free(struct packbuf *b);

/* Packs size bytes at p into *ret_n bytes. Returns them, in b until the next call; or p itself, also if memory is
 * lacking, or if p is NULL. */
const void *pack_bytes(struct packbuf *b, const void *p, size_t size, size_t *ret_n);

/* The size bytes that n stored bytes stand for. False: they stand for no so long record; what is at `to` is undefined
 * then. */
bool unpack_bytes(const void *stored, size_t n, void *to, size_t size);
#endif

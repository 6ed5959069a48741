/* SPDX-License-Identifier: Apache-2.0 */
/* 128 bits of a text: callers take texts with equal hashes for the same. It is fast, since gigabytes are hashed;
 * a user can make two texts of one hash on purpose; that corrupts only that user's input. */
#ifndef DWELL_VIEW_FORM_TEXTHASH_H
#define DWELL_VIEW_FORM_TEXTHASH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both halves of the product of two numbers. */
static inline uint64_t texthash_mix(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

void texthash(const char *s, size_t n, uint64_t seed, uint64_t ret[2]);
/* The hash of the text up to the first empty line that is within n bytes: *ret_len with the newline before that one.
 * False: there is none. One pass finds the end and the hash, which is not that of texthash(). */
bool texthash_paragraph(const char *s, size_t n, uint64_t seed, size_t *ret_len, uint64_t ret[2]);
#endif

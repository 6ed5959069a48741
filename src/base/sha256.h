/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of a file: the name under which a copy of it is kept. Source: FIPS 180-4. */
#ifndef DWELL_BASE_SHA256_H
#define DWELL_BASE_SHA256_H
#include <stddef.h>
#include <stdint.h>

#define SHA256_BLOCK 64
#define SHA256_TEXT 65 /* in hexadecimal, with its NUL */

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	uint8_t block[SHA256_BLOCK]; /* not yet taken in: bytes % SHA256_BLOCK of it */
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *p, size_t n);
/* Ends it; ret gets 64 digits. */
void sha256_text(struct sha256 *s, char ret[SHA256_TEXT]);
/* The SHA-256 of the rest of fd, from its current offset; *ret_bytes: how many bytes that were. 0 or -errno. */
int sha256_fd(int fd, char ret[SHA256_TEXT], uint64_t *ret_bytes);
#endif

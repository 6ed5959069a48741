/* SPDX-License-Identifier: Apache-2.0 */
/* Builds small BTF blobs in memory for the tests of src/types. */
#ifndef TEST_BTFBUILD_H
#define TEST_BTFBUILD_H
#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BB_MAX 65536

/* One blob under construction. Zero it; for split BTF set str_base to the base's str_len first. */
struct btfbuild {
	uint32_t str_base;
	char strs[BB_MAX];
	uint32_t str_len;
	uint32_t types[BB_MAX / 4];
	uint32_t ntypes_words;
	uint8_t out[2 * BB_MAX + 64];
};

/* Offset of a string; "" is 0. */
uint32_t bb_str(struct btfbuild *b, const char *s);
void bb_word(struct btfbuild *b, uint32_t w);
/* The 12 bytes of a record; what follows is added with bb_word(). */
void bb_type(struct btfbuild *b, const char *name, uint32_t kind, bool kflag, uint32_t vlen, uint32_t size_or_type);
/* The blob; valid until the next call. */
const uint8_t *bb_finish(struct btfbuild *b, size_t *len);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes a text by products of 16 bytes at a time, as wyhash does. Blocks of 64 bytes are in independent lanes, which
 * the CPU computes in parallel. */
#include "view/form/texthash.h"
#include <string.h>

#define BLOCK 64u
#define K0 0xa0b428db2c5af1f5u /* odd numbers without pattern */
#define K1 0xe9846af9b1a615dbu
#define K2 0x8d58ac26afe12e47u
#define K3 0xd9b1a7d3c96f3a4bu

static uint64_t word(const char *s)
{
	uint64_t w;

	memcpy(&w, s, sizeof(w));
	return w;
}

static uint64_t half(const char *s)
{
	uint32_t w;

	memcpy(&w, s, sizeof(w));
	return w;
}

/* Up to 16 bytes in two words; those in the middle may be in both. */
static void short_words(const char *s, size_t n, uint64_t w[2])
{
	if (n >= 8) {
		w[0] = word(s);
		w[1] = word(s + n - 8);
	} else if (n >= 4) {
		w[0] = half(s);
		w[1] = half(s + n - 4);
	} else {
		w[0] = n ? (uint64_t)(unsigned char)s[0] << 16 | (uint64_t)(unsigned char)s[n / 2] << 8 |
				       (unsigned char)s[n - 1]
			 : 0;
		w[1] = 0;
	}
}

void texthash(const char *s, size_t n, uint64_t seed, uint64_t ret[2])
{
	uint64_t a = seed ^ K0, b = seed ^ K1, w[2], len = n;

	for (; n > 16; s += 16, n -= 16) {
		a = texthash_mix(word(s) ^ K2, word(s + 8) ^ a);
		b = texthash_mix(word(s) ^ b, word(s + 8) ^ K3);
	}
	short_words(s, n, w);
	a = texthash_mix(w[0] ^ K2, w[1] ^ a);
	b = texthash_mix(w[0] ^ b, w[1] ^ K3);
	ret[0] = texthash_mix(a ^ K1, b ^ len);
	ret[1] = texthash_mix(b ^ K0, a ^ len ^ K2);
}

/* -- paragraphs -- */

typedef signed char bytes16 __attribute__((vector_size(16)));

static bytes16 load16(const char *s)
{
	bytes16 v;

	memcpy(&v, s, sizeof(v));
	return v;
}

/* Whether two newlines, one after the other, begin in the block of BLOCK bytes at s; s has one byte more. */
static bool block_has_end(const char *s)
{
	bytes16 any = { 0 };
	uint64_t w[2];

	for (unsigned i = 0; i < BLOCK; i += 16)
		any |= (load16(s + i) == '\n') & (load16(s + i + 1) == '\n');
	memcpy(w, &any, sizeof(w));
	return (w[0] | w[1]) != 0;
}

bool texthash_paragraph(const char *s, size_t n, uint64_t seed, size_t *ret_len, uint64_t ret[2])
{
	uint64_t lane[4] = { seed ^ K0, seed ^ K1, seed ^ K2, seed ^ K3 };
	const char *p = s, *end = s + n, *nl;

	for (; end - p > BLOCK && !block_has_end(p); p += BLOCK) {
		lane[0] = texthash_mix(word(p) ^ K2, word(p + 8) ^ lane[0]);
		lane[1] = texthash_mix(word(p + 16) ^ K3, word(p + 24) ^ lane[1]);
		lane[2] = texthash_mix(word(p + 32) ^ K0, word(p + 40) ^ lane[2]);
		lane[3] = texthash_mix(word(p + 48) ^ K1, word(p + 56) ^ lane[3]);
	}
	for (nl = p; (nl = memchr(nl, '\n', (size_t)(end - nl))) && end - nl > 1 && nl[1] != '\n';)
		nl++;
	if (!nl || end - nl < 2)
		return false;
	*ret_len = (size_t)(nl + 1 - s);
	texthash(p, (size_t)(nl + 1 - p), (uint64_t)(p - s), ret);
	ret[0] = texthash_mix(ret[0] ^ lane[0], lane[1] ^ K2) ^ texthash_mix(lane[2] ^ K0, lane[3] ^ K1);
	ret[1] = texthash_mix(ret[1] ^ lane[2], lane[0] ^ K3) ^ texthash_mix(lane[1] ^ K1, lane[3] ^ K0);
	return true;
}

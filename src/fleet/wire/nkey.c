/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes nkeys as text, and calls libcrypto for Ed25519. */
#include "fleet/wire/nkey.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/readall.h"
#include "base/solib.h"
#include "base/writeall.h"

#define LIBRARY "libcrypto.so.3"
#define ED25519 1087 /* OpenSSL's EVP_PKEY_ED25519 */
#define FILE_MAX 16384
/* The first bytes of keys; a seed has both. */
#define PREFIX_SEED (18u << 3)
#define PREFIX_USER (20u << 3)
#define CHECK 2u /* bytes of the sum at the end */
#define PUBLIC_BYTES (1 + NKEY_SIZE + CHECK)
#define SEED_BYTES (2 + NKEY_SIZE + CHECK)

/* OpenSSL's functions, whose types nobody looks into. */
static struct {
	void *(*EVP_PKEY_new_raw_private_key)(int type, void *engine, const unsigned char *key, size_t n);
	void *(*EVP_PKEY_new_raw_public_key)(int type, void *engine, const unsigned char *key, size_t n);
	int (*EVP_PKEY_get_raw_public_key)(const void *key, unsigned char *ret, size_t *n);
	void (*EVP_PKEY_free)(void *key);
	void *(*EVP_MD_CTX_new)(void);
	void (*EVP_MD_CTX_free)(void *ctx);
	int (*EVP_DigestSignInit)(void *ctx, void **pctx, const void *type, void *engine, void *key);
	int (*EVP_DigestSign)(void *ctx, unsigned char *ret, size_t *nret, const unsigned char *data, size_t n);
	int (*EVP_DigestVerifyInit)(void *ctx, void **pctx, const void *type, void *engine, void *key);
	int (*EVP_DigestVerify)(void *ctx, const unsigned char *sig, size_t nsig, const unsigned char *data, size_t n);
} crypto;

static int open_library(struct err *err)
{
#define FN(name) \
	{ \
#name, offsetof(__typeof__(crypto), name) \
	}
	static const struct solib_func funcs[] = {
		FN(EVP_PKEY_new_raw_private_key),
		FN(EVP_PKEY_new_raw_public_key),
		FN(EVP_PKEY_get_raw_public_key),
		FN(EVP_PKEY_free),
		FN(EVP_MD_CTX_new),
		FN(EVP_MD_CTX_free),
		FN(EVP_DigestSignInit),
		FN(EVP_DigestSign),
		FN(EVP_DigestVerifyInit),
		FN(EVP_DigestVerify),
	};
#undef FN

	return solib_load(LIBRARY, "the library of OpenSSL", "install Debian's package libssl3", funcs,
			  ARRAY_SIZE(funcs), &crypto, err);
}

/* -- texts -- */

/* CRC-16 of XMODEM. */
static uint16_t sum_of(const uint8_t *p, size_t n)
{
	uint16_t crc = 0;

	for (size_t i = 0; i < n; i++) {
		crc ^= (uint16_t)(p[i] << 8);
		for (int k = 0; k < 8; k++)
			crc = (uint16_t)(crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1);
	}
	return crc;
}

/* RFC 4648, without padding. */
static void put_base32(const uint8_t *p, size_t n, char *ret)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	uint32_t held = 0;
	unsigned bits = 0;

	for (size_t i = 0; i < n; i++) {
		held = held << 8 | p[i];
		for (bits += 8; bits >= 5; bits -= 5)
			*ret++ = digits[held >> (bits - 5) & 31];
	}
	if (bits)
		*ret++ = digits[held << (5 - bits) & 31];
	*ret = '\0';
}

/* Exactly n bytes of text. */
static bool take_base32(const char *text, size_t len, uint8_t *ret, size_t n)
{
	uint32_t held = 0;
	unsigned bits = 0;
	size_t at = 0;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];
		uint32_t v = c >= 'A' && c <= 'Z'   ? (uint32_t)(c - 'A')
			     : c >= '2' && c <= '7' ? (uint32_t)(c - '2' + 26)
						    : 32;

		if (v == 32)
			return false;
		held = held << 5 | v;
		bits += 5;
		if (bits < 8)
			continue;
		bits -= 8;
		if (at == n)
			return false;
		ret[at++] = (uint8_t)(held >> bits);
	}
	return at == n;
}

static void put_sum(uint8_t *p, size_t n)
{
	uint16_t crc = sum_of(p, n);

	p[n] = (uint8_t)crc;
	p[n + 1] = (uint8_t)(crc >> 8);
}

static bool sum_fits(const uint8_t *p, size_t n)
{
	return (p[n] | p[n + 1] << 8) == sum_of(p, n);
}

int nkey_read(const char *text, uint8_t ret[NKEY_SIZE])
{
	uint8_t b[PUBLIC_BYTES];

	if (strlen(text) != NKEY_PUBLIC_LEN || !take_base32(text, NKEY_PUBLIC_LEN, b, sizeof(b)) ||
	    b[0] != PREFIX_USER || !sum_fits(b, 1 + NKEY_SIZE))
		return -EINVAL;
	memcpy(ret, b + 1, NKEY_SIZE);
	return 0;
}

void nkey_write(const uint8_t key[NKEY_SIZE], char ret[NKEY_PUBLIC_LEN + 1])
{
	uint8_t b[PUBLIC_BYTES] = { PREFIX_USER };

	memcpy(b + 1, key, NKEY_SIZE);
	put_sum(b, 1 + NKEY_SIZE);
	put_base32(b, sizeof(b), ret);
}

static int read_seed(const char *text, uint8_t ret[NKEY_SIZE])
{
	uint8_t b[SEED_BYTES];

	if (!take_base32(text, NKEY_SEED_LEN, b, sizeof(b)) || (b[0] & 0xf8) != PREFIX_SEED ||
	    ((b[0] & 7) << 5 | b[1] >> 3) != PREFIX_USER || !sum_fits(b, 2 + NKEY_SIZE))
		return -EINVAL;
	memcpy(ret, b + 2, NKEY_SIZE);
	return 0;
}

static void write_seed(const uint8_t seed[NKEY_SIZE], char ret[NKEY_SEED_LEN + 1])
{
	uint8_t b[SEED_BYTES] = { PREFIX_SEED | PREFIX_USER >> 5, (PREFIX_USER & 31) << 3 };

	memcpy(b + 2, seed, NKEY_SIZE);
	put_sum(b, 2 + NKEY_SIZE);
	put_base32(b, sizeof(b), ret);
}

/* -- files -- */

static int find_public(struct nkey *k, struct err *err)
{
	size_t n = NKEY_SIZE;
	int e = open_library(err), ok;
	void *key;

	if (e < 0)
		return e;
	key = crypto.EVP_PKEY_new_raw_private_key(ED25519, NULL, k->seed, NKEY_SIZE);
	ok = key && crypto.EVP_PKEY_get_raw_public_key(key, k->public, &n) == 1 && n == NKEY_SIZE;
	crypto.EVP_PKEY_free(key);
	return ok ? 0 : err_set(err, -EIO, "OpenSSL makes no Ed25519 key");
}

/* The line of a text that is a seed. */
static const char *find_seed(const char *text)
{
	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, "SU", 2) && strcspn(p, "\r\n ") == NKEY_SEED_LEN)
			return p;
	}
	return NULL;
}

int nkey_load(const char *path, struct nkey *ret, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[FILE_MAX + 1];
	struct stat st;
	const char *seed;
	size_t n;
	int e = -EINVAL;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(err, -errno, "the key cannot be read from %s: %s", path, strerror(errno));
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return err_set(err, -EPERM, "%s: a key that others may read or write (chmod 600)", path);
	text[read_all(fd, text, FILE_MAX, &n) == 0 ? n : 0] = '\0';
	seed = find_seed(text);
	if (seed)
		e = read_seed(seed, ret->seed);
	explicit_bzero(text, sizeof(text));
	return e < 0 ? err_set(err, e, "%s: there is no seed of a user (SU…) in it", path) : find_public(ret, err);
}

int nkey_make(const char *path, struct nkey *ret, struct err *err)
{
	_cleanup_close_ int fd = -1;
	char text[NKEY_SEED_LEN + 2];
	int e;

	if (getrandom(ret->seed, NKEY_SIZE, 0) != NKEY_SIZE)
		return err_set(err, -EIO, "there is no randomness");
	e = find_public(ret, err);
	if (e < 0)
		return e;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	write_seed(ret->seed, text);
	text[NKEY_SEED_LEN] = '\n';
	e = write_all(fd, text, NKEY_SEED_LEN + 1);
	explicit_bzero(text, sizeof(text));
	return e < 0 ? err_set(err, e, "%s: %s", path, strerror(-e)) : 0;
}

/* -- signatures -- */

int nkey_sign(const struct nkey *k, const void *data, size_t n, uint8_t ret[NKEY_SIGNATURE], struct err *err)
{
	size_t len = NKEY_SIGNATURE;
	int e = open_library(err), ok;
	void *key, *ctx;

	if (e < 0)
		return e;
	key = crypto.EVP_PKEY_new_raw_private_key(ED25519, NULL, k->seed, NKEY_SIZE);
	ctx = crypto.EVP_MD_CTX_new();
	ok = key && ctx && crypto.EVP_DigestSignInit(ctx, NULL, NULL, NULL, key) == 1 &&
	     crypto.EVP_DigestSign(ctx, ret, &len, data, n) == 1 && len == NKEY_SIGNATURE;
	crypto.EVP_MD_CTX_free(ctx);
	crypto.EVP_PKEY_free(key);
	return ok ? 0 : err_set(err, -EIO, "OpenSSL does not sign");
}

int nkey_verify(const uint8_t key[NKEY_SIZE], const void *data, size_t n, const uint8_t signature[NKEY_SIGNATURE],
		struct err *err)
{
	int e = open_library(err), ok;
	void *public, *ctx;

	if (e < 0)
		return e;
	public = crypto.EVP_PKEY_new_raw_public_key(ED25519, NULL, key, NKEY_SIZE);
	ctx = crypto.EVP_MD_CTX_new();
	ok = public && ctx && crypto.EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, public) == 1 &&
	     crypto.EVP_DigestVerify(ctx, signature, NKEY_SIGNATURE, data, n) == 1;
	crypto.EVP_MD_CTX_free(ctx);
	crypto.EVP_PKEY_free(public);
	return ok ? 0 : err_set(err, -EBADMSG, "the signature is not of this key");
}

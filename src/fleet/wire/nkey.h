/* SPDX-License-Identifier: Apache-2.0 */
/* Signs and checks with nkeys, NATS' form of Ed25519 keys. A user's public key is a text "U…", the seed that signs a
 * text "SU…". libcrypto is opened when it is needed. Source: github.com/nats-io/nkeys; RFC 8032. */
#ifndef DWELL_FLEET_WIRE_NKEY_H
#define DWELL_FLEET_WIRE_NKEY_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

#define NKEY_SIZE 32u
#define NKEY_SIGNATURE 64u
#define NKEY_PUBLIC_LEN 56u /* of texts */
#define NKEY_SEED_LEN 58u

struct nkey {
	uint8_t seed[NKEY_SIZE], public[NKEY_SIZE];
};
/* The key of a user's public text, which ends with a NUL. 0, or -EINVAL: it is none. */
int nkey_read(const char *text, uint8_t ret[NKEY_SIZE]);
void nkey_write(const uint8_t key[NKEY_SIZE], char ret[NKEY_PUBLIC_LEN + 1]);
/* Reads the seed out of a file that nobody else may read. The seed is the first line that begins with "SU", as in files
 * of nk(1) and nsc(1). 0 or -errno with *err. */
int nkey_load(const char *path, struct nkey *ret, struct err *err);
/* Makes a key, and a file with its seed; -EEXIST: there is one. */
int nkey_make(const char *path, struct nkey *ret, struct err *err);
/* 0 or -errno with *err. */
int nkey_sign(const struct nkey *k, const void *data, size_t n, uint8_t ret[NKEY_SIGNATURE], struct err *err);
/* 0; -EBADMSG: that key has not signed it; -errno. */
int nkey_verify(const uint8_t key[NKEY_SIZE], const void *data, size_t n, const uint8_t signature[NKEY_SIGNATURE],
		struct err *err);
#endif

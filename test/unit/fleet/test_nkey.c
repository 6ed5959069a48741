/* SPDX-License-Identifier: Apache-2.0 */
/* Nkeys as text and in files; Ed25519 by the first case of RFC 8032. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../unit.h"
#include "fleet/wire/nkey.h"

static const uint8_t seed[] = { 0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a,
				0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32,
				0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60 };
static const uint8_t public[] = { 0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe,
				  0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6,
				  0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a };
static const uint8_t signature[] = { 0xe5, 0x56, 0x43, 0x00, 0xc3, 0x60, 0xac, 0x72, 0x90, 0x86, 0xe2, 0xcc, 0x80,
				     0x6e, 0x82, 0x8a, 0x84, 0x87, 0x7f, 0x1e, 0xb8, 0xe5, 0xd9, 0x74, 0xd8, 0x73,
				     0xe0, 0x65, 0x22, 0x49, 0x01, 0x55, 0x5f, 0xb8, 0x82, 0x15, 0x90, 0xa3, 0x3b,
				     0xac, 0xc6, 0x1e, 0x39, 0x70, 0x1c, 0xf9, 0xb4, 0x6b, 0xd2, 0x5b, 0xf5, 0xf0,
				     0x59, 0x5b, 0xbe, 0x24, 0x65, 0x51, 0x41, 0x43, 0x8e, 0x7a, 0x10, 0x0b };
/* A pair of NATS' documents. */
#define DOC_SEED "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
#define DOC_PUBLIC "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"

static void signs_as_the_rfc_says(void **state)
{
	struct nkey k;
	uint8_t sig[NKEY_SIGNATURE];
	struct err err = { 0 };

	(void)state;
	memcpy(k.seed, seed, sizeof(seed));
	assert_int_equal(nkey_sign(&k, "", 0, sig, &err), 0);
	assert_memory_equal(sig, signature, sizeof(sig));
	assert_int_equal(nkey_verify(public, "", 0, sig, &err), 0);
	assert_int_equal(nkey_verify(public, "x", 1, sig, &err), -EBADMSG);
	sig[0] ^= 1;
	assert_int_equal(nkey_verify(public, "", 0, sig, &err), -EBADMSG);
}

static void texts(void **state)
{
	char text[NKEY_PUBLIC_LEN + 1], bad[NKEY_PUBLIC_LEN + 2] = DOC_PUBLIC;
	uint8_t key[NKEY_SIZE];

	(void)state;
	assert_int_equal(nkey_read(DOC_PUBLIC, key), 0);
	nkey_write(key, text);
	assert_string_equal(text, DOC_PUBLIC);
	assert_int_equal(nkey_read("", key), -EINVAL);
	assert_int_equal(nkey_read(DOC_SEED, key), -EINVAL);
	for (size_t i = 0; i < NKEY_PUBLIC_LEN; i++) {
		bad[i] = bad[i] == 'A' ? 'B' : 'A'; /* the sum does not fit */
		assert_int_equal(nkey_read(bad, key), -EINVAL);
		bad[i] = '1'; /* no digit */
		assert_int_equal(nkey_read(bad, key), -EINVAL);
		bad[i] = DOC_PUBLIC[i];
	}
	bad[NKEY_PUBLIC_LEN] = 'A';
	assert_int_equal(nkey_read(bad, key), -EINVAL);
}

static void files(void **state)
{
	char path[] = "/tmp/dwell-nkey-XXXXXX", text[NKEY_PUBLIC_LEN + 1];
	int fd = mkstemp(path);
	struct err err = { 0 };
	struct nkey k, again;

	(void)state;
	assert_true(dprintf(fd, "-----BEGIN USER NKEY SEED-----\n%s\n-----END\n", DOC_SEED) > 0);
	close(fd);
	assert_int_equal(nkey_load(path, &k, &err), 0);
	nkey_write(k.public, text);
	assert_string_equal(text, DOC_PUBLIC);
	chmod(path, 0640);
	assert_int_equal(nkey_load(path, &k, &err), -EPERM);
	assert_int_equal(nkey_make(path, &k, &err), -EEXIST);
	unlink(path);
	assert_int_equal(nkey_make(path, &k, &err), 0);
	assert_int_equal(nkey_load(path, &again, &err), 0);
	assert_memory_equal(&k, &again, sizeof(k));
	fd = open(path, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, DOC_PUBLIC "\n", NKEY_PUBLIC_LEN + 1), NKEY_PUBLIC_LEN + 1);
	close(fd);
	assert_int_equal(nkey_load(path, &k, &err), -EINVAL);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signs_as_the_rfc_says),
		cmocka_unit_test(texts),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

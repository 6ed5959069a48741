/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of NIST's examples, of the lengths at which padding changes, and of files. */
#include "../unit.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/sha256.h"

static void text_of(const char *p, size_t n, size_t piece, char ret[SHA256_TEXT])
{
	struct sha256 s;

	sha256_init(&s);
	for (size_t i = 0; i < n; i += piece)
		sha256_add(&s, p + i, n - i < piece ? n - i : piece);
	sha256_text(&s, ret);
}

/* Source: NIST, SHA256.pdf and SHA2_Additional.pdf of "Examples with Intermediate Values". */
static void examples(void **state)
{
	static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	static char zeros[1000000];
	char text[SHA256_TEXT];

	(void)state;
	text_of("", 0, 1, text);
	assert_string_equal(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	text_of("abc", 3, 3, text);
	assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	text_of(two, sizeof(two) - 1, 7, text);
	assert_string_equal(text, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	text_of(zeros, 55, 55, text);
	assert_string_equal(text, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
	text_of(zeros, 56, 56, text);
	assert_string_equal(text, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
	text_of(zeros, 64, 64, text);
	assert_string_equal(text, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
	text_of(zeros, sizeof(zeros), 999, text);
	assert_string_equal(text, "d29751f2649b32ff572b5e0a9f541ea660a50f94ff0beedfb0b692b924cc8025");
}

static void of_a_file(void **state)
{
	char text[SHA256_TEXT];
	uint64_t bytes = 0;
	int fd = memfd_create("sha256", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(write(fd, "abc", 3), 3);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(sha256_fd(fd, text, &bytes), 0);
	assert_int_equal(bytes, 3);
	assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	close(fd);
	assert_true(sha256_fd(fd, text, &bytes) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples),
		cmocka_unit_test(of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Signed requests there and back, and changed ones; answers. Policies, and the requests that they allow. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../unit.h"
#include "fleet/run/policy.h"

/* A seed and its public key. */
static const struct nkey key = { { 1 }, { 0xce, 0xcc, 0x15, 0x07, 0xdc, 0x1d, 0xdd, 0x72, 0x95, 0x95, 0x1c,
					  0x29, 0x08, 0x88, 0xf0, 0x95, 0xad, 0xb9, 0x04, 0x4d, 0x1b, 0x73,
					  0xd6, 0x96, 0xe6, 0xdf, 0x06, 0x5d, 0x68, 0x3b, 0xd4, 0xfc } };

static struct runmsg request(void)
{
	return (struct runmsg){ .kind = RUNMSG_RUN,
				.tenant = "t",
				.site = "s",
				.host = "web1.example",
				.id = "0123456789abcdef0123456789abcdef",
				.time = 1700000000123,
				.reply = "_INBOX.x.1",
				.seconds = 30,
				.quiet = true,
				.merge = true,
				.script = "a b.d",
				.program = "BEGIN\n\n{ exit(0); }",
				.nprogram = 19 };
}

static void there_and_back(void **state)
{
	struct runmsg m = request(), got;
	struct err err = { 0 };
	struct strb b = { 0 };
	char *memory = NULL;

	(void)state;
	assert_int_equal(runmsg_put(&b, &m, &key, &err), 0);
	assert_int_equal(runmsg_take(b.s, b.n, &got, &memory, &err), 0);
	assert_memory_equal(got.user, key.public, NKEY_SIZE);
	assert_int_equal(got.kind, RUNMSG_RUN);
	assert_string_equal(got.host, "web1.example");
	assert_string_equal(got.id, m.id);
	assert_string_equal(got.script, "a b.d");
	assert_string_equal(got.program, m.program);
	assert_int_equal(got.nprogram, 19);
	assert_true(got.time == m.time && got.seconds == 30 && got.quiet && got.merge && !got.json && !got.write);
	free(memory);
	/* A message with any byte changed, or cut, is refused. */
	for (size_t i = 0; i < b.n; i++) {
		b.s[i] ^= 0x20;
		assert_int_not_equal(runmsg_take(b.s, b.n, &got, &memory, &err), 0);
		assert_null(memory);
		b.s[i] ^= 0x20;
		assert_int_not_equal(runmsg_take(b.s, i, &got, &memory, &err), 0);
	}
	strb_free(&b);
}

static void refused(const char *text)
{
	char *copy = strdup(text);
	struct runmsg m = { .kind = RUNMSG_NKINDS };

	if (runmsg_take_body(copy, strlen(text), &m) != -EPROTO)
		fail_msg("taken: %s", text);
	free(copy);
}

#define START "kind run\ntenant t\nsite s\nhost h\nid 0123456789abcdef0123456789abcdef\ntime 1\nreply r\nseconds 1\n"

static void bodies(void **state)
{
	char good[] = START "\nBEGIN",
	     word[] = "kind stop\ntenant t\nsite s\nhost h\nid 0123456789abcdef0123456789abcdef\ntime 1\n";
	struct runmsg m = { .kind = RUNMSG_NKINDS };

	(void)state;
	assert_int_equal(runmsg_take_body(good, sizeof(good) - 1, &m), 0);
	assert_string_equal(m.program, "BEGIN");
	m = (struct runmsg){ .kind = RUNMSG_NKINDS };
	assert_int_equal(runmsg_take_body(word, sizeof(word) - 1, &m), 0);
	refused("");
	refused(START);
	refused(START "write 2\n\nx");
	refused(START "other 1\n\nx");
	refused(START "seconds -1\n\nx");
	refused(START "id x\n\nx");
	refused("kind run\n\nBEGIN");
	refused("kind other\n\nBEGIN");
	refused("tenant t\nsite s\nhost h\nid 0123456789abcdef0123456789abcdef\n");
	refused("noblank\n\nx");
}

static void answers(void **state)
{
	enum runmsg_answer kind;
	struct strb b = { 0 };
	uint32_t number;
	const char *p;
	size_t n;

	(void)state;
	runmsg_answer(&b, RUNMSG_NO, 0x01020304, "why", 3);
	assert_int_equal(runmsg_take_answer(b.s, b.n, &kind, &number, &p, &n), 0);
	assert_int_equal(kind, RUNMSG_NO);
	assert_int_equal(number, 0x01020304);
	assert_int_equal(n, 3);
	assert_memory_equal(p, "why", 3);
	assert_int_equal(runmsg_take_answer(b.s, RUNMSG_ANSWER_HEAD - 1, &kind, &number, &p, &n), -EPROTO);
	b.s[0] = 'z';
	assert_int_equal(runmsg_take_answer(b.s, b.n, &kind, &number, &p, &n), -EPROTO);
	b.s[0] = 0;
	assert_int_equal(runmsg_take_answer(b.s, b.n, &kind, &number, &p, &n), -EPROTO);
	strb_free(&b);
}

/* -- policies -- */

static char path[] = "/tmp/dwell-policy-XXXXXX";

static int read_policy(const char *text, struct runpolicy *p, struct err *err)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return runpolicy_read(path, p, err);
}

static void policies(void **state)
{
	static const char *const bad[] = { "user\n",	  "user X alice\n", "cpu 0%\n",
					   "cpu 101%\n",  "seconds\n",	    "seconds 1 2\n",
					   "nothing 1\n", "rows many\n",    "programs 101\n" };
	char text[400], u[NKEY_PUBLIC_LEN + 1];
	struct runmsg m = request();
	struct err err = { 0 };
	struct runpolicy p;

	(void)state;
	close(mkstemp(path));
	nkey_write(key.public, u);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (read_policy(bad[i], &p, &err) != -EINVAL)
			fail_msg("taken: %s", bad[i]);
	snprintf(text, sizeof(text), "# who may\n\n user %s alice # she\nseconds 30\ncpu 7%%\nrows 5", u);
	assert_int_equal(read_policy(text, &p, &err), 0);
	assert_true(p.users.n == 1 && p.seconds == 30 && p.cpu == 7 && p.rows == 5 && p.programs == 2);
	memcpy(m.user, key.public, NKEY_SIZE);
	assert_string_equal(runpolicy_user(&p, m.user)->name, "alice");
	assert_int_equal(runpolicy_check(&p, &m, 1, &err), 0);
	assert_int_equal(runpolicy_check(&p, &m, 2, &err), -EPERM);
	m.seconds = 31;
	assert_int_equal(runpolicy_check(&p, &m, 0, &err), -EPERM);
	m.seconds = 0;
	assert_int_equal(runpolicy_check(&p, &m, 0, &err), -EPERM);
	m.seconds = 30;
	m.write = true;
	assert_int_equal(runpolicy_check(&p, &m, 0, &err), -EPERM);
	assert_non_null(strstr(err.msg, "alice"));
	p.users.v[0].write = true;
	assert_int_equal(runpolicy_check(&p, &m, 0, &err), 0);
	m.user[0] ^= 1;
	assert_int_equal(runpolicy_check(&p, &m, 0, &err), -EPERM);
	runpolicy_free(&p);
	chmod(path, 0620);
	assert_int_equal(runpolicy_read(path, &p, &err), -EPERM);
	unlink(path);
	assert_int_equal(runpolicy_read(path, &p, &err), -ENOENT);
}

/* A sealed answer is good for one run, host and subject only, and by one key. */
static void sealed_answers(void **state)
{
	struct runmsg_whose w = { "t", "s", "h", "0123456789abcdef0123456789abcdef", "_INBOX.x.1" }, o;
	struct strb answer = { 0 }, b = { 0 };
	uint8_t other[NKEY_SIZE];
	struct err err = { 0 };
	const void *inner;
	size_t n;

	(void)state;
	runmsg_answer(&answer, RUNMSG_STREAM, 7, "text", 4);
	assert_int_equal(runmsg_seal(&b, &w, &key, &answer, &err), 0);
	assert_int_equal(runmsg_unseal(b.s, b.n, &w, key.public, &inner, &n), 0);
	assert_int_equal(n, answer.n);
	assert_memory_equal(inner, answer.s, n);
	assert_int_equal(runmsg_unseal(b.s, b.n, &w, NULL, &inner, &n), 0);
	assert_int_equal(n, answer.n);
	assert_int_equal(runmsg_unseal(answer.s, answer.n, &w, NULL, &inner, &n), 0);
	assert_int_equal(n, answer.n);
	assert_int_equal(runmsg_unseal(answer.s, answer.n, &w, key.public, &inner, &n), -EBADMSG);
	for (size_t i = 0; i < 5; i++) {
		o = w;
		((const char **)&o)[i] = "other";
		assert_int_equal(runmsg_unseal(b.s, b.n, &o, key.public, &inner, &n), -EBADMSG);
	}
	memcpy(other, key.public, NKEY_SIZE);
	other[3] ^= 1;
	assert_int_equal(runmsg_unseal(b.s, b.n, &w, other, &inner, &n), -EBADMSG);
	for (size_t i = 0; i < b.n; i++) {
		b.s[i] ^= 0x20;
		assert_int_equal(runmsg_unseal(b.s, b.n, &w, key.public, &inner, &n), -EBADMSG);
		b.s[i] ^= 0x20;
		assert_int_equal(runmsg_unseal(b.s, i, &w, key.public, &inner, &n), -EBADMSG);
	}
	strb_free(&answer);
	strb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sealed_answers), cmocka_unit_test(there_and_back), cmocka_unit_test(bodies),
		cmocka_unit_test(answers),	  cmocka_unit_test(policies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for a recording that is made now. Messages do not name a folder that the user does not know. */
#include <errno.h>
#include <string.h>
#include "unit.h"
#include "engine/run/recnow.h"

static const struct listener silent;

static void wishes_become_a_request(void **state)
{
	char *words[] = { (char *)"my command", (char *)"-x", NULL };
	struct recnow l = { .program = "timeline/threads",
			    .also = "latency/block",
			    .comm = "nginx",
			    .user = "www-data",
			    .age_ns = 5000,
			    .bursts = true,
			    .pid = 7,
			    .path = (char *)"/tmp/x" };
	struct request c;

	(void)state;
	request_init(&c, "dwell", &silent);
	recnow_request(&l, &c);
	assert_int_equal(c.progs.n, 2);
	assert_non_null(strstr(c.progs.v[0].arg, "/timeline/threads.d"));
	assert_non_null(strstr(c.progs.v[1].arg, "/latency/block.d"));
	assert_string_equal(c.opts.record, "/tmp/x");
	assert_int_equal(c.opts.recage, 5000);
	assert_string_equal(c.opts.comm, "nginx");
	assert_in_range(c.opts.bufsize, 4 << 20, 64 << 20);
	assert_true(c.opts.quiet);
	assert_true(c.own);
	assert_int_equal(c.pids.v[0], 7);
	assert_string_equal(c.output, "/dev/null");
	request_done(&c);

	l = (struct recnow){ .text = "BEGIN", .path = (char *)"/tmp/x" };
	assert_int_equal(recnow_words(&l, words), 0);
	assert_string_equal(l.command, "my command -x");
	request_init(&c, "dwell", &silent);
	recnow_request(&l, &c);
	assert_string_equal(c.progs.v[0].arg, "BEGIN");
	assert_ptr_equal(c.words, words);
	assert_int_equal(c.commands.n, 0);
	request_done(&c);
	assert_int_equal(recnow_words(&l, words), -EEXIST);
	l.path = NULL;
	recnow_done(&l);
}

/* 64 MiB a CPU, less where all of them would take more than 256 MiB or a sixteenth of the memory, and never below 4. */
static void rings_for_bursts_have_limits(void **state)
{
	const uint64_t mib = 1 << 20, gib = 1 << 30;
	const struct {
		uint64_t cpus, memory, want; /* want: MiB */
	} rows[] = {
		{ 1, 64 * gib, 64 },	  { 4, 64 * gib, 64 },	 { 5, 64 * gib, 32 },
		{ 8, 64 * gib, 32 },	  { 9, 64 * gib, 16 },	 { 64, 64 * gib, 4 },
		{ 65, 64 * gib, 4 },	  { 4096, 64 * gib, 4 }, { 4, 4 * gib, 64 },
		{ 4, 4 * gib - mib, 32 }, { 1, 1 * gib, 64 },	 { 2, 1 * gib, 32 },
		{ 1, 64 * mib, 4 },	  { 1, 0, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (recnow_ring(rows[i].cpus, rows[i].memory) != rows[i].want * mib)
			fail_msg("%llu CPUs, %llu MiB: %llu MiB, not %llu", (unsigned long long)rows[i].cpus,
				 (unsigned long long)(rows[i].memory / mib),
				 (unsigned long long)(recnow_ring(rows[i].cpus, rows[i].memory) / mib),
				 (unsigned long long)rows[i].want);
}

static void some_options_ask_for_a_recording(void **state)
{
	struct recnow none = { .program = "x", .text = "y", .bursts = true }, l = { .container = "abc" };

	(void)state;
	assert_false(recnow_asked(&none));
	assert_true(recnow_asked(&l));
	l = (struct recnow){ .for_ns = 1 };
	assert_true(recnow_asked(&l));
}

static void a_folder_of_ours_is_not_told(void **state)
{
	struct recnow l = { .path = (char *)"/tmp/dwell-1/recording", .folder.path = (char *)"/tmp/dwell-1" };
	struct err err = { 0 };

	(void)state;
	err_set(&err, -EINVAL, "open: /tmp/dwell-1/recording: nothing");
	recnow_hide(&l, &err);
	assert_string_equal(err.msg, "open: what was recorded: nothing");
	assert_int_equal(err.code, -EINVAL);
	l.folder.path = NULL;
	err_set(&err, -EINVAL, "/tmp/dwell-1/recording: nothing");
	recnow_hide(&l, &err);
	assert_string_equal(err.msg, "/tmp/dwell-1/recording: nothing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wishes_become_a_request),
		cmocka_unit_test(rings_for_bursts_have_limits),
		cmocka_unit_test(some_options_ask_for_a_recording),
		cmocka_unit_test(a_folder_of_ours_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

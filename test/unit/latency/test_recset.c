/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches of recordings as users name them, and what cannot be opened as a set of recordings. */
#include "latency/recset.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "store/file/statedir.h"

#define SEC RECFILE_SECOND_NS

static const struct rec_range hundred = { 1000 * SEC, 1100 * SEC };

static struct rec_range stretch(const char *from, const char *to, bool whole)
{
	struct latency_range asked = { from, to };
	struct rec_range r = { 0 };
	struct err err = { 0 };

	assert_int_equal(latency_range_in(&hundred, 1000 * SEC, &asked, whole, &r, &err), 0);
	return r;
}

static void is_refused(const struct rec_range *all, const char *from, const char *to, int code, const char *words)
{
	struct latency_range asked = { from, to };
	struct rec_range r = { 0 };
	struct err err = { 0 };

	assert_int_equal(latency_range_in(all, 1000 * SEC, &asked, false, &r, &err), code);
	assert_non_null(strstr(err.msg, words));
}

static void times_count_from_the_beginning_or_back_from_the_end(void **state)
{
	struct rec_range r = stretch("30s", "1m", false);

	(void)state;
	assert_int_equal(r.from, 1030 * SEC);
	assert_int_equal(r.to, 1060 * SEC);
	r = stretch("-10s", NULL, false);
	assert_int_equal(r.from, 1090 * SEC);
	assert_int_equal(r.to, 1100 * SEC);
	r = stretch("-1h", "1h", false); /* beyond the recording: all of it */
	assert_int_equal(r.from, hundred.from);
	assert_int_equal(r.to, hundred.to);
}

static void seconds_of_which_the_run_has_a_part_are_left_out_when_asked_for(void **state)
{
	struct rec_range r = stretch(NULL, NULL, true);

	(void)state;
	assert_int_equal(r.from, 1001 * SEC);
	assert_int_equal(r.to, 1099 * SEC);
}

static void what_is_no_stretch_is_refused_with_words(void **state)
{
	(void)state;
	is_refused(&hundred, "soon", NULL, -EINVAL, "\"soon\" is no time");
	is_refused(&hundred, NULL, "-x", -EINVAL, "\"-x\" is no time");
	is_refused(&hundred, "50s", "20s", -ENODATA, "nothing between these times: it has 100 s");
	is_refused(NULL, NULL, NULL, -ENODATA, "no histograms");
}

static unsigned nleft_out;

static void left_out(const char *reason)
{
	assert_true(reason[0] != '\0');
	nleft_out++;
}

static void open_fails(char *word, int code, const char *words)
{
	struct recset s;
	struct err err = { 0 };

	assert_int_equal(recset_open(&s, &word, 1, left_out, &err), code);
	assert_non_null(strstr(err.msg, words));
	err_done(&err);
	recset_close(&s);
}

static void what_cannot_be_opened_is_an_error_or_left_out_of_a_folder(void **state)
{
	char dir[] = "/tmp/test-recset-XXXXXX", path[sizeof(dir) + 64];
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/none", dir);
	open_fails(path, -ENOENT, path);
	open_fails(dir, -ENOENT, "there is no recording");
	assert_int_equal(nleft_out, 0);
	snprintf(path, sizeof(path), "%s/" STATEDIR_PREFIX "x" STATEDIR_SUFFIX, dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "no recording", 12), 12);
	close(fd);
	open_fails(dir, -ENOENT, "there is no recording");
	assert_int_equal(nleft_out, 1);
	open_fails("4294967295", -ENOENT, "records nothing that can be read here");
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_count_from_the_beginning_or_back_from_the_end),
		cmocka_unit_test(seconds_of_which_the_run_has_a_part_are_left_out_when_asked_for),
		cmocka_unit_test(what_is_no_stretch_is_refused_with_words),
		cmocka_unit_test(what_cannot_be_opened_is_an_error_or_left_out_of_a_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

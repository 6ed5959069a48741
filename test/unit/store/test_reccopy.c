/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of recordings: one state of a recording that goes on, whole by itself, read without writing beside it. */
#include "../unit.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "recsample.h"

enum { FIRST = 2000, LATER = 500 };

static void spans(struct recfile *f, unsigned from, unsigned n)
{
	for (unsigned i = from; i < from + n; i++)
		sample_span(f, i * SEC / 100, 1000, "lane", "label");
	recfile_tick(f, UINT64_MAX, NULL);
}

static int empty_file(void)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static unsigned count_rows(const char *path)
{
	struct recread *r = NULL;
	struct err err = { 0 };
	struct row row;
	unsigned n = 0;
	struct step step;

	if (recread_open(path, &r, &err) < 0)
		fail_msg("%s", err.msg);
	while ((step = recread_next(r, &row, &err)).more)
		n += row.kind == ROW_EVENT;
	assert_int_equal(step.error, 0);
	recread_close(r);
	return n;
}

static const char *path_of(int fd)
{
	static char path[32];

	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	return path;
}

static void of_one_that_goes_on(void **state)
{
	struct recfile *f = sample_make(0, 0, 0);
	_cleanup_close_ int fd = empty_file(), again = empty_file();
	struct recread *r;

	(void)state;
	spans(f, 0, FIRST);
	r = sample_open();
	assert_int_equal(recread_copy(r, fd, NULL), 0);
	spans(f, FIRST, LATER); /* the recorder does not wait */
	assert_int_equal(recread_copy(r, again, NULL), 0);
	recread_close(r);
	assert_int_equal(recfile_close(f, NULL), 0);
	assert_int_equal(count_rows(path_of(fd)), FIRST);
	assert_int_equal(count_rows(path_of(again)), FIRST + LATER);
	assert_int_equal(count_rows(sample_path), FIRST + LATER);
}

static void only_into_an_empty_file(void **state)
{
	struct recfile *f = sample_make(0, 0, 0);
	_cleanup_close_ int used = empty_file(), null = open("/dev/null", O_RDWR | O_CLOEXEC),
			    full = open("/dev/full", O_RDWR | O_CLOEXEC);
	const int bad[] = { used, null, full, -1 };
	struct recread *r;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(recfile_close(f, NULL), 0);
	assert_int_equal(write(used, "x", 1), 1);
	r = sample_open();
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(recread_copy(r, bad[i], &err), -EINVAL);
		assert_non_null(strstr(err.msg, "empty file"));
	}
	recread_close(r);
}

static void what_cannot_be_written_is_told(void **state)
{
	struct recfile *f = sample_make(0, 0, 0);
	_cleanup_close_ int file = empty_file(), fd = open(path_of(file), O_RDONLY | O_CLOEXEC);
	struct recread *r;
	struct err err = { 0 };

	(void)state;
	spans(f, 0, 10);
	assert_int_equal(recfile_close(f, NULL), 0);
	r = sample_open();
	assert_true(recread_copy(r, fd, &err) < 0);
	assert_non_null(strstr(err.msg, "cannot be written"));
	recread_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_that_goes_on),
		cmocka_unit_test(only_into_an_empty_file),
		cmocka_unit_test(what_cannot_be_written_is_told),
	};

	return cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);
}

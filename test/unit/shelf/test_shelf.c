/* SPDX-License-Identifier: Apache-2.0 */
/* The files inside the binary are those of dlib/. */
#include "../unit.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "shelf/shelf.h"

static struct arena *a;

static int set_up(void **state)
{
	(void)state;
	a = arena_new(ARENA_DEFAULT_LIMIT);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(a);
	return 0;
}

static const char *on_disk(const char *name)
{
	return arena_printf(a, "%s/../dlib%s%s", getenv("DWELL_TEST_DIR"), *name ? "/" : "", name);
}

static char *text_of(const char *path, size_t *ret_n)
{
	_cleanup_close_ int fd = shelf_open(path, 0);
	struct stat st;
	char *text;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	text = arena_alloc(a, (size_t)st.st_size + 1);
	assert_int_equal(read(fd, text, (size_t)st.st_size), st.st_size);
	*ret_n = (size_t)st.st_size;
	return text;
}

static void same_bytes(void **state)
{
	(void)state;
	assert_in_range(shelf_nfiles, 50, 10000);
	for (size_t i = 0; i < shelf_nfiles; i++) {
		size_t n, m;
		char *inside = text_of(arena_printf(a, "%s/%s", SHELF_INSIDE, shelf_files[i].path), &n);
		char *disk = text_of(on_disk(shelf_files[i].path), &m);

		assert_int_equal(n, m);
		assert_memory_equal(inside, disk, n);
	}
}

static void same_names(void **state)
{
	static const char *const folders[] = { "", "tools", "latency", "x86_64" };

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(folders); k++) {
		const char **inside, **disk;
		int n = shelf_list(a, arena_printf(a, "%s/%s", SHELF_INSIDE, folders[k]), &inside);

		assert_in_range(n, 1, 1000);
		assert_int_equal(n, shelf_list(a, on_disk(folders[k]), &disk));
		for (int i = 0; i < n; i++)
			assert_string_equal(inside[i], disk[i]);
	}
}

static void what_is_not_there(void **state)
{
	const char **names;

	(void)state;
	assert_int_equal(shelf_open(SHELF_INSIDE "/tools/nosuch.d", 0), -ENOENT);
	assert_int_equal(shelf_open(SHELF_INSIDE "/tools", 0), -ENOENT);
	assert_int_equal(shelf_open("/no/such/file", 0), -ENOENT);
	assert_int_equal(shelf_list(a, SHELF_INSIDE "/nosuch", &names), -ENOENT);
	assert_int_equal(shelf_list(a, "/no/such/folder", &names), -ENOENT);
	assert_true(shelf_has(SHELF_INSIDE "/tools"));
	assert_true(shelf_has(SHELF_INSIDE "/causes"));
	assert_false(shelf_has(SHELF_INSIDE "/tool"));
	assert_false(shelf_has(SHELF_INSIDE "/nosuch"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(same_bytes), cmocka_unit_test(same_names),
					    cmocka_unit_test(what_is_not_there) };

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of `dwell serve`: which files are some, what a source names, and that nothing is left. */
#include "launcher/servedir.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../unit.h"

static char dir[] = "/tmp/servedir.XXXXXX";
static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(ARENA_DEFAULT_LIMIT);
	strcpy(strrchr(dir, '.'), ".XXXXXX");
	return arena && mkdtemp(dir) ? setenv("TMPDIR", dir, 1) : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unsetenv("TMPDIR");
	arena_free(arena);
	return 0;
}

static char *in(const char *name)
{
	return arena_printf(arena, "%s/%s", dir, name);
}

static char *put(const char *name, const char *bytes, size_t n)
{
	FILE *f = fopen(in(name), "we");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return in(name);
}

static char *recording(const char *name)
{
	static const char head[32] = "SQLite format 3";

	return put(name, head, sizeof(head));
}

static void gone(const char *name)
{
	assert_int_equal(unlink(in(name)), 0);
}

static void a_folder_gives_its_recordings_by_name(void **state)
{
	char *words[2] = { dir };
	struct servedir d;
	struct err err = { 0 };

	(void)state;
	recording("b.dwell");
	recording("a.dwell");
	recording(".hidden.dwell");
	put("c.txt", "no recording, but long enough", 29);
	put("short", "SQLite", 6);
	assert_int_equal(mkdir(in("sub"), 0700), 0);
	recording("sub/deeper.dwell");
	assert_int_equal(servedir_find(arena, words, 1, &d, &err), 0);
	assert_int_equal(d.nfiles, 2);
	assert_string_equal(d.files[0].name, "a.dwell");
	assert_string_equal(d.files[1].name, "b.dwell");
	assert_int_equal(d.files[0].bytes, 32);
	assert_string_equal(d.paths[1], in("b.dwell"));
	words[1] = in("sub/deeper.dwell"); /* files and folders, in the order of the command line */
	assert_int_equal(servedir_find(arena, words, 2, &d, &err), 0);
	assert_int_equal(d.nfiles, 3);
	assert_string_equal(d.files[2].name, "deeper.dwell");
	for (size_t i = 0; i < 3; i++)
		unlink(d.paths[i]);
	gone(".hidden.dwell");
	gone("c.txt");
	gone("short");
	assert_int_equal(rmdir(in("sub")), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void files_that_are_named_must_be_recordings(void **state)
{
	static const struct {
		const char *name, *words;
		int e;
	} wrong[] = { { "text", "no recording of dwell", -ENOTSUP },
		      { "pipe", "no recording of dwell", -ENOTSUP },
		      { "nothing", "No such file", -ENOENT } };
	struct servedir d;

	(void)state;
	put("text", "SQLite format 2\0...............", 31);
	assert_int_equal(mkfifo(in("pipe"), 0600), 0); /* which has no writer: it must not wait */
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *word = in(wrong[i].name);
		struct err err = { 0 };

		assert_int_equal(servedir_find(arena, &word, 1, &d, &err), wrong[i].e);
		assert_non_null(strstr(err.msg, wrong[i].words));
		assert_non_null(strstr(err.msg, word));
		err_done(&err);
	}
	gone("text");
	gone("pipe");
	assert_int_equal(rmdir(dir), 0);
}

static void sources(void **state)
{
	char *words[] = { recording("x.dwell") }, path[4096] = "before";
	struct servedir d;
	struct err err = { 0 };
	static const char *const none[] = { "r0", "r2", "r", "r1x", "r-1", "x1", "", "u", "ux", "u../../x", "live" };
	int fd;

	(void)state;
	assert_int_equal(servedir_find(arena, words, 1, &d, &err), 0);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) /* "live": no folder is made yet */
		assert_int_equal(servedir_open(&d, none[i], getuid(), path, sizeof(path)), -ENOENT);
	fd = servedir_open(&d, "r1", getuid(), path, sizeof(path));
	assert_true(fd > 0);
	assert_string_equal(path, "");
	assert_int_equal(close(fd), 0);
	gone("x.dwell"); /* it was there when dwell started */
	assert_int_equal(servedir_open(&d, "r1", getuid(), path, sizeof(path)), -ENOENT);
	assert_int_equal(rmdir(dir), 0);
}

static void the_folder_of_a_run(void **state)
{
	struct servedir d = { 0 };
	char path[4096], live[4096], *sent;
	struct stat st;

	(void)state;
	assert_int_equal(servedir_make(arena, &d, getuid()), 0);
	assert_int_equal(stat(d.uploads, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(d.dir.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0711); /* its names cannot be listed */
	assert_int_equal(servedir_open(&d, "u12", getuid(), path, sizeof(path)), 0);
	sent = arena_printf(arena, "%s/12", d.uploads);
	assert_string_equal(path, sent);
	assert_int_equal(servedir_open(&d, "u../../x", getuid(), path, sizeof(path)), -ENOENT);
	assert_int_equal(servedir_open(&d, "live", getuid(), live, sizeof(live)), 0);
	put(live + strlen(dir) + 1, "x", 1);
	put(arena_printf(arena, "%s-wal", live) + strlen(dir) + 1, "x", 1);
	servedir_forget_live(&d);
	assert_int_equal(access(live, F_OK), -1);
	assert_int_equal(access(arena_printf(arena, "%s-wal", live), F_OK), -1);
	put(sent + strlen(dir) + 1, "x", 1);
	servedir_remove(&d);
	assert_int_equal(servedir_open(&d, "live", getuid(), live, sizeof(live)), -ENOENT);
	assert_int_equal(rmdir(dir), 0); /* nothing is left */
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_folder_gives_its_recordings_by_name),
		CASE(files_that_are_named_must_be_recordings),
		CASE(sources),
		CASE(the_folder_of_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

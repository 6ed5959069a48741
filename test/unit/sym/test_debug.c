/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols that are not in the program itself, and programs in other mount namespaces. */
#include "../unit.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "live.h"
#include "sym/proc/int.h"

#define LOCAL_FUNCTION 14 /* line of sym_target.c */

static char debug_dir[4096];

static struct sym *make(void)
{
	struct sym *s;

	assert_int_equal(sym_new(&s, NULL), 0);
	snprintf(debug_dir, sizeof(debug_dir), "%s/test/unit/sym/sym_debug", getenv("DWELL_BUILD_DIR"));
	return s;
}

static void start(struct live *l, const char *path)
{
	char *argv[] = { (char *)(uintptr_t)path, NULL };

	live_start(l, argv);
}

/* Where a function is in its source; lines false: nothing is known. */
static void expect_line(struct sym *s, const struct live *l, const char *name, const char *file, unsigned def_line,
			bool lines)
{
	struct sym_line v[SYM_MAX_LINES];
	size_t n = sym_user_lines(s, (uint32_t)live_pid(l), l->start, live_addr(l, name) + 1, v);
	const char *base;

	assert_int_equal(n, lines);
	if (!n)
		return;
	base = strrchr(v[0].file, '/');
	assert_string_equal(v[0].name, name);
	assert_string_equal(base ? base + 1 : v[0].file, file);
	assert_int_equal(v[0].def_line, def_line);
	assert_true(v[0].line >= def_line && v[0].line < def_line + 4);
}

static void local_symbols_from_elsewhere(void **state)
{
	static const struct {
		const char *form;
		bool in_debug_dir; /* needs the folder that stands for /usr/lib/debug */
	} forms[] = { { "minidebug", false }, { "buildid", true }, { "debuglink", false }, { "dotdebug", false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct sym *s = make();
		struct live l;
		char module[64];

		if (forms[i].in_debug_dir)
			s->debug_dir = debug_dir;
		snprintf(module, sizeof(module), "sym_target_%s", forms[i].form);
		start(&l, live_path(forms[i].form));
		live_expect(s, &l, "local_function", module);
		live_expect(s, &l, "exported_function", module);
		live_expect(s, &l, "zoo::Lion::roar", module);
		live_expect(s, &l, "zeroed_data", module);
		live_expect(s, &l, "qsort", "libc.so.6");
		expect_line(s, &l, "local_function", "sym_target.c", LOCAL_FUNCTION,
			    i > 0); /* .gnu_debugdata has no lines */
		sym_lines_done(s);
		live_stop(&l);
		/* Its mappings and its file are still there. */
		expect_line(s, &l, "exported_function", "sym_target.c", LOCAL_FUNCTION + 6, i > 0);
		sym_free(s);
	}
}

static void debug_files_of_others_are_refused(void **state)
{
	struct sym *s = make();
	struct live l;

	(void)state;
	start(&l, live_path("wrongdebug"));
	live_expect_none(s, &l, live_addr(&l, "local_function"));
	live_stop(&l);
	/* The same build id path, but no debug file there. */
	start(&l, live_path("buildid"));
	live_expect_none(s, &l, live_addr(&l, "local_function"));
	live_stop(&l);
	sym_free(s);
}

static void start_in_namespace(struct live *l, const char *dir, const char *form, bool with_debug)
{
	char cmd[16384];
	char *argv[] = { "/usr/bin/unshare", "-m", "/bin/sh", "-c", cmd, NULL };

	snprintf(cmd, sizeof(cmd),
		 "set -e; mount -t tmpfs none '%s'; cp '%s' '%s/prog'; if %s; then cp '%s.debug' "
		 "'%s/sym_target_%s.debug'; fi; exec '%s/prog'",
		 dir, live_path(form), dir, with_debug ? "true" : "false", live_path(form), dir, form, dir);
	live_start(l, argv);
}

static void other_mount_namespace(void **state)
{
	char dir[] = "/tmp/dwell-sym-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/prog", dir);
	for (int exited = 0; exited < 2; exited++) {
		struct sym *s = make();
		struct live l;

		start_in_namespace(&l, dir, "pie", false);
		assert_int_equal(access(path, F_OK), -1);
		assert_int_equal(sym_proc_touch(s, (uint32_t)l.pid, l.start), 0);
		if (exited)
			live_stop(&l);
		live_expect(s, &l, "local_function", "prog");
		if (!exited)
			live_stop(&l);
		sym_free(s);
	}
	rmdir(dir);
}

static void debug_file_in_other_mount_namespace(void **state)
{
	char dir[] = "/tmp/dwell-sym-XXXXXX";
	struct sym *s = make();
	struct live l;

	(void)state;
	assert_non_null(mkdtemp(dir));
	start_in_namespace(&l, dir, "debuglink", true);
	live_expect(s, &l, "local_function", "prog");
	live_stop(&l);
	rmdir(dir);
	sym_free(s);
}

/* Two copies of one file share their symbols; a copy of another owner has its own. */
static void copies_share_symbols(void **state)
{
	char dir[] = "/tmp/dwell-sym-XXXXXX", path[64], cmd[8192];
	struct sym *s = make();
	struct live a, b, c;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/prog", dir);
	start(&a, live_path("pie"));
	snprintf(cmd, sizeof(cmd), "cp '%s' %s", live_path("pie"), path);
	assert_int_equal(system(cmd), 0);
	assert_int_equal(chown(path, geteuid(), getegid()), 0);
	start(&b, path);
	live_expect(s, &a, "local_function", "sym_target_pie");
	live_expect(s, &b, "local_function", "prog");
	assert_int_equal(HASH_COUNT(s->files.tabs), 1);
	unlink(path);
	assert_int_equal(system(cmd), 0);
	assert_int_equal(chown(path, 12345, 12345), 0);
	start(&c, path);
	live_expect(s, &c, "local_function", "prog");
	assert_int_equal(HASH_COUNT(s->files.tabs), 2);
	live_stop(&a);
	live_stop(&b);
	live_stop(&c);
	unlink(path);
	rmdir(dir);
	sym_free(s);
}

static bool can_unshare(void)
{
	return system("unshare -m true 2>/dev/null") == 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(local_symbols_from_elsewhere), cmocka_unit_test(debug_files_of_others_are_refused),
		cmocka_unit_test(other_mount_namespace),	cmocka_unit_test(debug_file_in_other_mount_namespace),
		cmocka_unit_test(copies_share_symbols),
	};

	if (geteuid() != 0 || !can_unshare())
		return skip_all("needs root and mount namespaces");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

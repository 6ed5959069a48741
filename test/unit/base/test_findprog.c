/* SPDX-License-Identifier: Apache-2.0 */
/* Programs are found as execvp(3) finds them. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit.h"
#include "base/cleanup.h"
#include "base/findprog.h"

static char folder[] = "/tmp/findprog-XXXXXX";

static void file(const char *name, mode_t mode)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void programs_of_the_path_are_found(void **state)
{
	char want[128], dirs[128];
	_cleanup_free_ char *found = NULL;

	(void)state;
	assert_non_null(mkdtemp(folder));
	file("tool", 0755);
	file("text", 0644);
	snprintf(dirs, sizeof(dirs), "/nowhere:%s", folder);
	setenv("PATH", dirs, 1);
	snprintf(want, sizeof(want), "%s/tool", folder);
	found = findprog("tool");
	assert_string_equal(found, want);
	assert_null(findprog("text"));
	assert_null(findprog("no-such"));
}

static void a_path_is_taken_as_it_is(void **state)
{
	char path[128];
	_cleanup_free_ char *found = NULL;

	(void)state;
	snprintf(path, sizeof(path), "%s/text", folder);
	found = findprog(path);
	assert_string_equal(found, path);
	assert_null(findprog("/no/such"));
}

static int clear(void **state)
{
	char cmd[64];

	(void)state;
	setenv("PATH", "/usr/bin:/bin", 1);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", folder);
	return system(cmd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_of_the_path_are_found),
		cmocka_unit_test(a_path_is_taken_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, clear);
}

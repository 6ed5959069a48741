/* SPDX-License-Identifier: Apache-2.0 */
/* The rights that are left after privileges were dropped: reading, but not changing, other users' files. */
#include "../unit.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run/os/privs.h"

static int in_child(int (*fn)(const char *), const char *path)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(privs_drop(false) == 0 ? fn(path) : 99);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int try_read(const char *path)
{
	return open(path, O_RDONLY) >= 0 ? 0 : errno;
}

static int try_write(const char *path)
{
	return open(path, O_WRONLY) >= 0 ? 0 : errno;
}

static int try_chown(const char *path)
{
	return chown(path, 1, 1) == 0 ? 0 : errno;
}

static int try_mount(const char *path)
{
	(void)path;
	return mount("none", "/proc", "tmpfs", 0, NULL) == 0 ? 0 : errno;
}

static void only_reading_is_left(void **state)
{
	char path[] = "/tmp/test_privs_XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	/* another user's file that nobody else may read */
	assert_int_equal(fchown(fd, 12345, 12345), 0);
	assert_int_equal(fchmod(fd, 0600), 0);
	close(fd);
	assert_int_equal(in_child(try_read, path), 0);
	assert_int_equal(in_child(try_write, path), EACCES);
	assert_int_equal(in_child(try_chown, path), EPERM);
	assert_int_equal(in_child(try_mount, path), EPERM);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(only_reading_is_left) };

	if (geteuid() != 0)
		return skip_all("needs root");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a daemon: its one owner, names in the order of time, the oldest recordings go, and what a killed daemon
 * left is ended or removed. */
#include "store/file/statedir.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../unit.h"
#include "recsample.h"
#include "store/file/recquery.h"

static char dir[] = "/tmp/statedir.XXXXXX";

static int set_up(void **state)
{
	(void)state;
	strcpy(strrchr(dir, '.'), ".XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct statedir_list l;
	char path[64];

	(void)state;
	statedir_retire(dir, NULL, 0, 0);
	assert_int_equal(statedir_list(dir, &l), 0);
	assert_int_equal(l.v.n, 0);
	statedir_list_free(&l);
	snprintf(path, sizeof(path), "%s/" STATEDIR_LOCK, dir);
	unlink(path);
	return rmdir(dir); /* else something was left */
}

static void put(const char *name, size_t bytes)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	assert_non_null(f);
	for (size_t i = 0; i < bytes; i++)
		fputc('x', f);
	assert_int_equal(fclose(f), 0);
}

static bool is_there(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

/* -- the owner -- */

static void one_daemon_has_it(void **state)
{
	int fd, other = -1, status;
	pid_t pid;

	(void)state;
	assert_int_equal(statedir_owner(dir), 0);
	assert_int_equal(statedir_lock(dir, &fd, &pid), 0);
	assert_int_equal(statedir_owner(dir), getpid());
	assert_int_equal(statedir_lock(dir, &other, &pid), -EBUSY);
	assert_int_equal(pid, getpid());
	assert_int_equal(other, -1);
	assert_int_equal(close(fd), 0);
	assert_int_equal(statedir_owner(dir), 0);
	pid = fork(); /* a process that ends has it no longer */
	if (pid == 0) {
		pid_t none;

		_exit(statedir_lock(dir, &fd, &none) < 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(statedir_owner(dir), 0);
	assert_int_equal(statedir_lock(dir, &fd, &pid), 0);
	assert_int_equal(statedir_owner(dir), getpid()); /* its number took the place of the other's */
	assert_int_equal(close(fd), 0);
}

static void a_folder_of_others_is_refused(void **state)
{
	char path[64];
	int fd = -1;
	pid_t pid;

	(void)state;
	assert_int_equal(chmod(dir, 0722), 0);
	assert_int_equal(statedir_lock(dir, &fd, &pid), -EPERM);
	assert_int_equal(chmod(dir, 0700), 0);
	snprintf(path, sizeof(path), "%s/" STATEDIR_LOCK, dir);
	assert_int_equal(symlink("elsewhere", path), 0);
	assert_int_equal(statedir_lock(dir, &fd, &pid), -ELOOP);
	assert_false(is_there("elsewhere"));
	assert_int_equal(fd, -1);
	put("not-a-folder", 1);
	snprintf(path, sizeof(path), "%s/not-a-folder", dir);
	assert_int_equal(statedir_lock(path, &fd, &pid), -ENOTDIR);
	assert_int_equal(unlink(path), 0);
}

/* -- recordings -- */

static void names_follow_the_time(void **state)
{
	char a[STATEDIR_PATH_LEN], b[STATEDIR_PATH_LEN];
	char deep[STATEDIR_PATH_LEN];

	(void)state;
	assert_int_equal(statedir_name(dir, a), 0);
	put(strrchr(a, '/') + 1, 1);
	for (int i = 0; i < 20; i++) { /* some within one millisecond */
		assert_int_equal(statedir_name(dir, b), 0);
		assert_true(strcmp(a, b) < 0);
		put(strrchr(b, '/') + 1, 1);
		strcpy(a, b);
	}
	memset(deep, 'x', sizeof(deep));
	deep[sizeof(deep) - 8] = '\0';
	assert_int_equal(statedir_name(deep, b), -ENAMETOOLONG);
}

static void the_oldest_go_first(void **state)
{
	struct statedir_list l;
	char keep[128];

	(void)state;
	put("latency-1.dwell", 1000);
	put("latency-1.dwell-wal", 500);
	put("latency-1.dwell-shm", 10);
	put("latency-2.dwell", 1000);
	put("latency-3.dwell", 1000);
	put("latency-.txt", 1);
	put("other.dwell", 1);
	assert_int_equal(statedir_list(dir, &l), 0);
	assert_int_equal(l.v.n, 3);
	assert_int_equal(l.bytes, 3500); /* with the log, without what SQLite makes anew */
	assert_non_null(strstr(l.v.v[0].path, "latency-1.dwell"));
	assert_non_null(strstr(l.v.v[2].path, "latency-3.dwell"));
	statedir_list_free(&l);
	assert_int_equal(statedir_retire(dir, NULL, 3, 3500), 0);
	assert_int_equal(statedir_retire(dir, NULL, 3, 3499), 1); /* too many bytes */
	assert_false(is_there("latency-1.dwell") || is_there("latency-1.dwell-wal") || is_there("latency-1.dwell-shm"));
	snprintf(keep, sizeof(keep), "%s/latency-2.dwell", dir);
	put("latency-4.dwell", 1);
	assert_int_equal(statedir_retire(dir, keep, 2, 1 << 20), 1); /* too many files: no more go than must */
	assert_true(is_there("latency-2.dwell"));
	assert_false(is_there("latency-3.dwell"));
	assert_int_equal(statedir_retire(dir, keep, 0, 0), 1); /* the one that is being written never goes */
	assert_true(is_there("latency-.txt") && is_there("other.dwell"));
	assert_int_equal(statedir_retire("/no/such/folder", NULL, 0, 0), 0);
	snprintf(keep, sizeof(keep), "%s/latency-.txt", dir);
	unlink(keep);
	snprintf(keep, sizeof(keep), "%s/other.dwell", dir);
	unlink(keep);
}

/* -- after a kill -- */

static char killed[128];

static void record_and_die(void)
{
	static const struct recfile_info info = { 0 };
	struct recfile *f;

	if (recfile_create(killed, &sample_schema, &info, &f, NULL) < 0)
		_exit(1);
	sample_hist(f, SAMPLE_TRACKER, 5 * SEC, 0, 100, 3);
	sample_slow(f, SAMPLE_TRACKER, 5 * SEC, 1000, 0, "x");
	recfile_flush(f, NULL);
}

static void what_a_killed_daemon_left(void **state)
{
	struct recread *r;
	struct rec_range range;

	(void)state;
	snprintf(killed, sizeof(killed), "%s/latency-2.dwell", dir);
	sample_killed(record_and_die);
	assert_true(is_there("latency-2.dwell-wal"));
	put("latency-1.dwell", 0);     /* killed before there was anything */
	put("latency-3.dwell", 20000); /* damaged: too large to be one of those */
	assert_int_equal(statedir_recover(dir), 1);
	assert_false(is_there("latency-1.dwell"));
	assert_true(is_there("latency-3.dwell"));
	assert_true(is_there("latency-2.dwell"));
	assert_false(is_there("latency-2.dwell-wal"));
	assert_int_equal(recread_open(killed, &r, NULL), 0);
	assert_true(recread_extent(r, &range));
	recread_close(r);
	assert_int_equal(statedir_recover(dir), 0); /* nothing is to be done */
	assert_true(is_there("latency-2.dwell"));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(one_daemon_has_it),   CASE(a_folder_of_others_is_refused), CASE(names_follow_the_time),
		CASE(the_oldest_go_first), CASE(what_a_killed_daemon_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

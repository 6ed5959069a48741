/* SPDX-License-Identifier: Apache-2.0 */
/* How a recording is begun, refused and ended; and that a run which does not begin leaves no file. */
#include "told.h"
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "engine/record/record.h"
#include "engine/record/unstarted.h"

static char dir[] = "/tmp/record.XXXXXX";
static struct request c;
static struct recording *rec;
static struct sym *sym;
static struct why why;
static const struct recfield fields[] = { { .kind = FLD_INT, .off = 16, .size = 8 },
					  { .kind = FLD_BYTES, .off = 24, .size = 72 } };
static const struct recact act = { .kind = ACT_TRACE, .number = 1, .fields = fields, .nfields = 2 };
static const struct recfmt format = { .epid = 1, .size = 96, .acts = &act, .nacts = 1 };
static const struct recfmt *const formats[] = { &format };
static const struct rec_probe probes[] = { { 1, "p", "m", "f", "n" } };
static struct rec_schema schema = { .fmts = formats, .nfmts = 1, .probes = probes, .nprobes = 1, .ncpus = 1 };

static const char *in(const char *name)
{
	return arena_printf(c.arena, "%s/%s", dir, name);
}

static int set_up(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(sym_new(&sym, &err), 0);
	told_begin(&c);
	strcpy(strrchr(dir, '.'), ".XXXXXX");
	return mkdtemp(dir) ? recording_new_memory(&schema, &rec) : -1;
}

static int tear_down(void **state)
{
	(void)state;
	recording_free(rec);
	sym_free(sym);
	unlink(in("a"));
	unlink(in("b"));
	request_done(&c);
	return rmdir(dir); /* nothing else is left */
}

static int open_in(const char *path, struct recorder **ret)
{
	told[0] = '\0';
	request_option(&c, "record", path);
	return recorder_open(&c, &schema, rec, sym, &why, NULL, ret);
}

static void without_names_there_is_no_file(void **state)
{
	struct recorder *r = NULL;

	(void)state;
	told[0] = '\0';
	request_option(&c, "record", in("a"));
	assert_int_equal(recorder_open(&c, &schema, rec, NULL, &why, NULL, &r), -EINVAL);
	assert_int_equal(recorder_open(&c, &schema, rec, sym, NULL, NULL, &r), -EINVAL);
	assert_null(r);
	assert_non_null(strstr(told, "names of addresses are not known"));
	assert_int_equal(access(in("a"), F_OK), -1);
}

static void a_recording_is_begun_and_ended(void **state)
{
	struct recorder *r = NULL;

	(void)state;
	assert_int_equal(open_in(in("a"), &r), 0);
	assert_int_equal(access(in("a"), R_OK), 0);
	assert_false(recorder_failed(r));
	assert_int_equal(recorder_lost(r), 0);
	assert_int_equal(recorder_close(r), 0);
	assert_string_equal(told, "");
	assert_int_equal(recorder_close(NULL), 0);
}

static void a_folder_that_is_not_there_is_refused(void **state)
{
	struct recorder *r = NULL;

	(void)state;
	assert_int_equal(open_in(in("none/a"), &r), -ENOENT);
	told_has(in("none/a"));
	told_has("No such file or directory");
	assert_null(r);
}

static void a_file_that_exists_stays_as_it_is(void **state)
{
	struct recorder *r = NULL;
	char kept[8] = "";
	FILE *f = fopen(in("a"), "we");

	(void)state;
	assert_non_null(f);
	fputs("mine", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(open_in(in("a"), &r), -EEXIST);
	told_has(in("a"));
	f = fopen(in("a"), "re");
	assert_non_null(f);
	assert_non_null(fgets(kept, sizeof(kept), f));
	fclose(f);
	assert_string_equal(kept, "mine");
}

static void when_the_next_file_cannot_be_made_the_old_one_goes_on(void **state)
{
	struct recorder *r = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(open_in(in("a"), &r), 0);
	assert_int_equal(recorder_rotate(r, in("none/b"), &err), -ENOENT);
	assert_non_null(strstr(err.msg, "none/b"));
	err_done(&err);
	err = (struct err){ 0 };
	assert_false(recorder_failed(r));
	assert_int_equal(recorder_rotate(r, in("b"), &err), 0);
	assert_int_equal(access(in("b"), R_OK), 0);
	assert_int_equal(recorder_close(r), 0);
	assert_string_equal(told, "");
}

/* Number n of many events. */
static void event(uint64_t n)
{
	uint64_t data[12] = { [2] = n };
	const struct row row = { .kind = ROW_EVENT,
				 .ts = n * 1000,
				 .probe = 1,
				 .id = 1,
				 .data = (const uint8_t *)data,
				 .len = sizeof(data) };

	assert_int_equal(recording_append(rec, &row), 0);
}

static uint64_t ask(const char *path, const char *sql)
{
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	uint64_t n = UINT64_MAX;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	if (sqlite3_step(st) == SQLITE_ROW)
		n = (uint64_t)sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

static void a_size_too_small_is_refused(void **state)
{
	struct recorder *r = NULL;

	(void)state;
	request_option(&c, "recsize", "1048575");
	assert_int_equal(open_in(in("a"), &r), -EINVAL);
	told_has("give at least --record-size 1048576");
	assert_null(r);
	assert_int_equal(access(in("a"), F_OK), -1);
	request_option(&c, "recsize", "1048576");
	assert_int_equal(open_in(in("a"), &r), 0);
	assert_int_equal(recorder_close(r), 0);
}

/* Three times what has room: the oldest give way, none is lost; the same in the file that comes after. */
static void a_size_is_kept_by_each_file(void **state)
{
	struct recorder *r = NULL;
	struct err err = { 0 };
	struct stat st;
	uint64_t n = 0;

	(void)state;
	request_option(&c, "recsize", "1048576");
	assert_int_equal(open_in(in("a"), &r), 0);
	while (n < 30000)
		event(++n);
	assert_int_equal(recorder_rotate(r, in("b"), &err), 0);
	while (n < 60000)
		event(++n);
	assert_int_equal(recorder_lost(r), 0);
	assert_int_equal(recorder_close(r), 0);
	assert_string_equal(told, "");
	for (const char *name = "a"; *name <= 'b'; name = *name == 'a' ? "b" : "c") {
		assert_int_equal(stat(in(name), &st), 0);
		assert_in_range(st.st_size, 1 << 18, 1 << 20);
		assert_int_equal(ask(in(name), "SELECT max(ts) FROM row"), *name == 'a' ? 30000000 : 60000000);
		assert_true(ask(in(name), "SELECT count(*) FROM row") < 20000);
	}
}

/* Somebody reads one state for long, and nothing gives way: further rows have no room, are counted and told, in each
 * file for itself. */
static void rows_without_room_are_told(void **state)
{
	sqlite3_stmt *st = NULL;
	struct recorder *r = NULL;
	struct err err = { 0 };
	sqlite3 *db = NULL;
	uint64_t n = 0;
	char words[128];

	(void)state;
	request_option(&c, "recsize", "1048576");
	assert_int_equal(open_in(in("a"), &r), 0);
	while (n < 5000)
		event(++n);
	assert_int_equal(sqlite3_open_v2(in("a"), &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT seq FROM row", -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	while (n < 30000)
		event(++n);
	assert_true(recorder_lost(r) > 10000);
	told_has("reading");
	sqlite3_finalize(st);
	sqlite3_close(db);
	assert_int_equal(recorder_rotate(r, in("b"), &err), 0);
	snprintf(words, sizeof(words), "%llu rows not in the recording: no room within --record-size",
		 (unsigned long long)recorder_lost(r));
	told_has(words);
	told[0] = '\0';
	event(++n);
	assert_int_equal(recorder_close(r), 0);
	assert_string_equal(told, "");
}

static void make(const char *name)
{
	FILE *f = fopen(in(name), "we");

	assert_non_null(f);
	fclose(f);
}

static void a_run_that_does_not_begin_leaves_no_file(void **state)
{
	(void)state;
	make("a");
	make("a-wal");
	unstarted_begin();
	unstarted_set(in("a"));
	unstarted_remove();
	assert_int_equal(access(in("a"), F_OK), -1);
	assert_int_equal(access(in("a-wal"), F_OK), -1);
}

static void a_run_that_has_begun_keeps_it(void **state)
{
	(void)state;
	make("a");
	unstarted_begin();
	unstarted_set(in("a"));
	unstarted_commit();
	unstarted_remove();
	assert_int_equal(access(in("a"), F_OK), 0);
}

/* A child gets this signal while its file waits for the run to begin; with `begun` after that. */
static void child_with_signal(int sig, bool begun)
{
	sigset_t set;
	int status;
	pid_t pid = fork();

	sigemptyset(&set);
	sigaddset(&set, sig);
	assert_true(pid >= 0);
	if (pid == 0) {
		signal(sig, SIG_DFL); /* nohup has it ignored */
		unstarted_begin();
		raise(sig); /* waits for unstarted_set() */
		if (begun)
			sigwaitinfo(&set, NULL);
		unstarted_set(in("a"));
		if (!begun)
			_exit(1); /* it should not have come here */
		unstarted_commit();
		raise(sig);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), sig);
}

static void a_signal_before_the_run_removes_it(void **state)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };

	(void)state;
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		make("a");
		child_with_signal(sigs[i], false);
		/* it came before the file was known, or was delivered when it was */
		assert_int_equal(access(in("a"), F_OK), -1);
	}
	make("a");
	child_with_signal(SIGTERM, true);
	assert_int_equal(access(in("a"), F_OK), 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(without_names_there_is_no_file),
		CASE(a_recording_is_begun_and_ended),
		CASE(a_folder_that_is_not_there_is_refused),
		CASE(a_file_that_exists_stays_as_it_is),
		CASE(when_the_next_file_cannot_be_made_the_old_one_goes_on),
		CASE(a_size_too_small_is_refused),
		CASE(a_size_is_kept_by_each_file),
		CASE(rows_without_room_are_told),
		CASE(a_run_that_does_not_begin_leaves_no_file),
		CASE(a_run_that_has_begun_keeps_it),
		CASE(a_signal_before_the_run_removes_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

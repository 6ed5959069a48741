/* SPDX-License-Identifier: Apache-2.0 */
/* Code made at run time and named by perf maps. */
#include "../unit.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "live.h"
#include "sym/proc/int.h"

static struct sym *make(void)
{
	struct sym *s;

	assert_int_equal(sym_new(&s, NULL), 0);
	return s;
}

static void start(struct live *l)
{
	char *argv[] = { (char *)(uintptr_t)live_path("jit"), NULL };

	live_start(l, argv);
}

static void expect(struct sym *s, const struct live *l, const char *key, uint64_t off, const char *name,
		   uint64_t want_off)
{
	struct symbol sym;
	uint64_t addr = live_addr(l, key) + off;
	bool found = sym_user(s, (uint32_t)live_pid(l), l->start, addr, &sym);

	if (!name) {
		assert_false(found);
		assert_null(sym.name);
		assert_string_equal(sym.module, "[anon]");
		assert_int_equal(sym.offset, addr);
		return;
	}
	assert_true(found);
	assert_string_equal(sym.name, name);
	assert_string_equal(sym.module, "[jit]");
	assert_int_equal(sym.offset, want_off);
	assert_null(sym.path);
}

static void named_by_perf_map(void **state)
{
	struct sym *s = make();
	struct live l;
	char answer[8];

	(void)state;
	start(&l);
	expect(s, &l, "jit_one", 0, "jit_one", 0);
	expect(s, &l, "jit_one", 0x3f, "jit_one", 0x3f);
	expect(s, &l, "jit_two", 0xff, "LazyCompile:~two /a b.js:1", 0xff);
	expect(s, &l, "jit_two", 0x100, NULL, 0);
	expect(s, &l, "jit_none", 0, NULL, 0);
	/* The map grows; a newer name covers a part of the old one. */
	assert_int_equal(write(l.in, "m", 1), 1);
	assert_true(read(l.out, answer, sizeof(answer)) > 0);
	usleep(100000);
	expect(s, &l, "jit_none", 1, "jit_three", 1);
	expect(s, &l, "jit_one", 0x18, "jit_replaced", 8);
	expect(s, &l, "jit_one", 0x38, "jit_one", 0x38);
	live_stop(&l);
	/* The process has deleted its map and exited. */
	expect(s, &l, "jit_two", 1, "LazyCompile:~two /a b.js:1", 1);
	sym_free(s);
}

static void first_asked_after_exit(void **state)
{
	struct sym *s = make();
	struct live l;

	(void)state;
	start(&l);
	assert_int_equal(sym_proc_touch(s, (uint32_t)l.pid, l.start), 0);
	live_stop(&l);
	expect(s, &l, "jit_one", 0, "jit_one", 0);
	sym_free(s);
}

static void map_of_another_user_is_refused(void **state)
{
	struct sym *s = make();
	struct live l;
	char path[64], link[64];

	(void)state;
	start(&l);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", l.pid);
	assert_int_equal(chown(path, 12345, 12345), 0);
	expect(s, &l, "jit_one", 0, NULL, 0);
	/* A symbolic link is not read, and neither is a FIFO, which would block. */
	snprintf(link, sizeof(link), "/tmp/dwell-perf-%d", l.pid);
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(rename(path, link), 0);
	assert_int_equal(symlink(link, path), 0);
	assert_int_equal(sym_proc_refresh(s, (uint32_t)l.pid, l.start), 0);
	expect(s, &l, "jit_one", 0, NULL, 0);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(sym_proc_refresh(s, (uint32_t)l.pid, l.start), 0);
	expect(s, &l, "jit_one", 0, NULL, 0);
	unlink(path);
	assert_int_equal(rename(link, path), 0);
	assert_int_equal(sym_proc_refresh(s, (uint32_t)l.pid, l.start), 0);
	expect(s, &l, "jit_one", 0, "jit_one", 0);
	live_stop(&l);
	sym_free(s);
}

/* Process 1 of a pid namespace, whose /tmp nobody else sees. */
static void in_a_container(void **state)
{
	struct sym *s = make();
	struct live l;
	char cmd[8192];
	char *argv[] = { "/usr/bin/unshare", "-m", "-p", "-f", "/bin/sh", "-c", cmd, NULL };

	(void)state;
	snprintf(cmd, sizeof(cmd),
		 "cp '%s' /dev/shm/dwell-jit-$$ && mount -t tmpfs none /tmp && "
		 "exec /dev/shm/dwell-jit-$$",
		 live_path("jit"));
	live_start(&l, argv);
	live_take_child(&l);
	unlink("/dev/shm/dwell-jit-1");
	assert_int_equal(access("/tmp/perf-1.map", F_OK), -1);
	expect(s, &l, "jit_one", 2, "jit_one", 2);
	live_stop(&l);
	expect(s, &l, "jit_two", 0, "LazyCompile:~two /a b.js:1", 0);
	sym_free(s);
}

static void lines_of_any_kind(void **state)
{
	static const struct {
		const char *line;
		bool ok;
	} cases[] = {
		{ "1000 10 name", true },
		{ "0x1000 0x10 name with spaces", true },
		{ "ffffffffffffff00 ff name", true },
		{ "ffffffffffffff00 100 name", false },
		{ "1000 10 ", false },
		{ "1000 10", false },
		{ "1000", false },
		{ "", false },
		{ " 1000 10 name", false },
		{ "0x 10 name", false },
		{ "1000 zz name", false },
		{ "11111111111111111 10 name", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perfmap pm;

		perfmap_init(&pm);
		assert_int_equal(perfmap_add_line(&pm, cases[i].line, strlen(cases[i].line)), cases[i].ok);
		assert_int_equal(pm.n, cases[i].ok);
		perfmap_free(&pm);
	}
}

static void long_lines_and_cut_files(void **state)
{
	char path[] = "/tmp/dwell-perfmap-XXXXXX";
	struct perfmap pm;
	_cleanup_fclose_ FILE *f = NULL;

	(void)state;
	perfmap_init(&pm);
	pm.fd = mkstemp(path);
	f = fopen(path, "w");
	assert_non_null(f);
	/* Longest line, one too long, and one longer than any buffer whose end looks like a line.
	 */
	fprintf(f, "1000 10 %0*d\n", (int)PERFMAP_MAX_LINE - 8, 0);
	fprintf(f, "2000 10 %0*d\n", (int)PERFMAP_MAX_LINE - 7, 0);
	fprintf(f, "3000 10 %0*d", 200000, 0);
	fflush(f);
	assert_int_equal(perfmap_read(&pm), 0);
	assert_int_equal(pm.n, 1);
	fprintf(f, "4000 10 x\n5000 10 last\n6000 10 unfinished");
	fflush(f);
	assert_int_equal(perfmap_read(&pm), 0);
	assert_int_equal(pm.n, 2);
	assert_null(perfmap_at(&pm, 0x4000));
	assert_string_equal(pm.text + perfmap_at(&pm, 0x5001)->name, "last");
	/* Written anew. */
	assert_int_equal(ftruncate(fileno(f), 0), 0);
	rewind(f);
	fprintf(f, "7000 10 new\n");
	fflush(f);
	assert_int_equal(perfmap_read(&pm), 0);
	assert_int_equal(pm.n, 1);
	assert_null(perfmap_at(&pm, 0x5001));
	assert_non_null(perfmap_at(&pm, 0x7000));
	/* The rest of a file past the limit is not read. */
	assert_int_equal(ftruncate(fileno(f), PERFMAP_MAX_BYTES), 0);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	fprintf(f, "\n8000 10 beyond\n");
	fflush(f);
	assert_int_equal(perfmap_read(&pm), 0);
	assert_int_equal(pm.n, 1);
	perfmap_free(&pm);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(named_by_perf_map),
		cmocka_unit_test(first_asked_after_exit),
		cmocka_unit_test(map_of_another_user_is_refused),
		cmocka_unit_test(in_a_container),
		cmocka_unit_test(lines_of_any_kind),
		cmocka_unit_test(long_lines_and_cut_files),
	};

	if (geteuid() != 0 || system("unshare -m -p -f true 2>/dev/null") != 0)
		return skip_all("needs root and namespaces");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

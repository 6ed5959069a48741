/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of /proc/PID/maps, changes of a process's mappings, and the limits of what is kept. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "sym/proc/maps.h"
#include "sym/elf/open.h"
#include "sym/proc/int.h"

static struct sym *make(void)
{
	struct sym *s;

	assert_int_equal(sym_new(&s, NULL), 0);
	return s;
}

static void memory_of_no_file(void **state)
{
	static const char *const anon[] = { "", "//anon", "[anon:JIT]", "/dev/zero", "/dev/zero (deleted)" };
	static const char *const named[] = { "/bin/sh", "/dev/zero2", "/dev/zer", "[vdso]", "/memfd:x" };

	(void)state;
	for (size_t i = 0; i < sizeof(anon) / sizeof(anon[0]); i++)
		assert_true(maps_is_anon(anon[i]));
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		assert_false(maps_is_anon(named[i]));
}

static void lines(void **state)
{
	static const struct {
		const char *line, *path; /* path NULL: not accepted */
		int prot;
		uint64_t start, off, ino;
	} cases[] = {
		{ "55d0-55d8 r-xp 00001000 08:01 99   /bin/a b", "/bin/a b", PROT_READ | PROT_EXEC, 0x55d0, 0x1000,
		  99 },
		{ "55d0-55d8 rw-p 00000000 00:00 0 ", "", PROT_READ | PROT_WRITE, 0x55d0, 0, 0 },
		{ "55d0-55d8 r--s 00000000 00:01 7 /x (deleted)", "/x", PROT_READ, 0x55d0, 0, 7 },
		{ "55d0-55d8 r--s 00000000 00:01 7 /x (deleted) (deleted)", "/x (deleted)", PROT_READ, 0x55d0, 0, 7 },
		{ "55d0-55d8 r--p 00000000 00:01 7 /x\\012y", "/x\ny", PROT_READ, 0x55d0, 0, 7 },
		{ "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]", "[vsyscall]", PROT_EXEC,
		  0xffffffffff600000, 0, 0 },
		{ "55d8-55d0 r-xp 00001000 08:01 99 /x", NULL, 0, 0, 0, 0 },
		{ "55d0 r-xp 00001000 08:01 99 /x", NULL, 0, 0, 0, 0 },
		{ "", NULL, 0, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *line = strdup(cases[i].line);
		struct maps_line l;

		assert_int_equal(maps_parse_line(line, &l), cases[i].path != NULL);
		if (!cases[i].path)
			continue;
		assert_string_equal(l.path, cases[i].path);
		assert_int_equal(l.prot, cases[i].prot);
		assert_int_equal(l.start, cases[i].start);
		assert_int_equal(l.off, cases[i].off);
		assert_int_equal(l.ino, cases[i].ino);
	}
}

static void put(struct sym *s, struct umaps *m, uint64_t start, uint64_t end, const char *name)
{
	struct umap map = { .start = start, .end = end, .off = start, .name = name, .exec = true };

	assert_int_equal(maps_insert(s, m, map), 0);
}

static const char *at(const struct umaps *m, uint64_t addr)
{
	const struct umap *u = maps_at(m, addr);

	return u ? u->name : "-";
}

static void insertions(void **state)
{
	struct sym *s = make();
	struct umaps m = { 0 };

	(void)state;
	put(s, &m, 0x1000, 0x9000, "a");
	put(s, &m, 0x3000, 0x4000, "b"); /* splits a */
	assert_int_equal(m.n, 3);
	assert_string_equal(at(&m, 0x2fff), "a");
	assert_string_equal(at(&m, 0x3000), "b");
	assert_string_equal(at(&m, 0x4000), "a");
	assert_int_equal(maps_at(&m, 0x4000)->off, 0x4000);
	put(s, &m, 0x2000, 0x5000, "c"); /* covers b, cuts both halves */
	assert_int_equal(m.n, 3);
	assert_string_equal(at(&m, 0x1fff), "a");
	assert_string_equal(at(&m, 0x3000), "c");
	assert_string_equal(at(&m, 0x5000), "a");
	assert_int_equal(maps_at(&m, 0x5000)->off, 0x5000);
	put(s, &m, 0, 0x10000, "all");
	assert_int_equal(m.n, 1);
	put(s, &m, 0x20000, 0x21000, "d");
	assert_string_equal(at(&m, 0x10000), "-");
	assert_string_equal(at(&m, 0x20fff), "d");
	assert_string_equal(at(&m, 0x21000), "-");
	maps_free(s, &m);
	sym_free(s);
}

static void limit_of_mappings(void **state)
{
	struct sym *s = make();
	struct umaps m = { 0 };

	(void)state;
	for (uint64_t i = 0; i < MAPS_MAX; i++)
		put(s, &m, i * 2, i * 2 + 1, "x");
	assert_int_equal(maps_insert(s, &m, (struct umap){ .start = UINT64_MAX - 1, .end = UINT64_MAX }), -ENOMEM);
	assert_int_equal(m.n, MAPS_MAX);
	maps_free(s, &m);
	sym_free(s);
}

struct many {
	char dir[32];
	unsigned n;
};

static void make_files(struct many *m, unsigned n)
{
	strcpy(m->dir, "/tmp/dwell-many-XXXXXX");
	assert_non_null(mkdtemp(m->dir));
	for (m->n = 0; m->n < n; m->n++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/%u", m->dir, m->n);
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		assert_int_equal(write(fd, "no ELF", 6), 6);
		close(fd);
	}
}

static struct ufile *get_file(struct sym *s, const struct many *m, unsigned i)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%u", m->dir, i);
	_cleanup_close_ int fd = open_path_regular(AT_FDCWD, path, &st);

	assert_true(fd >= 0);
	return ufile_get(s, fd, &st, path);
}

static void remove_files(struct many *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/%u", m->dir, i);
		unlink(path);
	}
	rmdir(m->dir);
}

static void limits_of_files(void **state)
{
	struct sym *s = make();
	struct many m;
	_cleanup_free_ struct ufile **f = calloc(UFILE_MAX_UNUSED + 2, sizeof(struct ufile *));

	(void)state;
	make_files(&m, UFILE_MAX_UNUSED + 2);
	for (unsigned i = 0; i < m.n; i++)
		f[i] = get_file(s, &m, i);
	/* The oldest gave up their descriptors, and are read by path. */
	assert_int_equal(s->files.nopen, UFILE_MAX_OPEN);
	assert_int_equal(f[0]->fd, -1);
	assert_true(f[m.n - 1]->fd >= 0);
	assert_ptr_equal(get_file(s, &m, 1), f[1]);
	assert_int_equal(f[1]->refs, 2);
	ufile_put(s, f[1]);
	for (unsigned i = 0; i < m.n; i++) {
		ufile_load(s, f[i], 0);
		assert_false(f[i]->is_elf);
		ufile_put(s, f[i]);
	}
	assert_int_equal(s->files.nopen, 0);
	assert_int_equal(s->files.nunused, UFILE_MAX_UNUSED);
	assert_int_equal(HASH_COUNT(s->files.by_key), UFILE_MAX_UNUSED);
	/* Taken up again. */
	assert_ptr_equal(get_file(s, &m, m.n - 1), f[m.n - 1]);
	assert_int_equal(s->files.nunused, UFILE_MAX_UNUSED - 1);
	ufile_put(s, f[m.n - 1]);
	remove_files(&m);
	sym_free(s);
}

/* A file that was changed after its mapping was seen is another file. */
static void changed_files(void **state)
{
	struct sym *s = make();
	struct many m;
	char path[64];

	(void)state;
	make_files(&m, 1);
	struct ufile *a = get_file(s, &m, 0);

	snprintf(path, sizeof(path), "%s/0", m.dir);
	assert_int_equal(truncate(path, 3), 0);
	struct ufile *b = get_file(s, &m, 0);

	assert_ptr_not_equal(a, b);
	ufile_put(s, a);
	ufile_put(s, b);
	assert_int_equal(HASH_COUNT(s->files.by_key), 0);
	remove_files(&m);
	sym_free(s);
}

static void vanished_mappings(void **state)
{
	struct sym *s = make();
	struct many files;
	struct umaps m = { 0 }, fresh = { 0 };

	(void)state;
	make_files(&files, 1);
	for (uint64_t i = 0; i < MAPS_MAX_STALE + 10; i++) {
		struct umap map = { .start = i * 2, .end = i * 2 + 1, .name = "x", .exec = true };

		map.f = get_file(s, &files, 0);
		assert_int_equal(maps_insert(s, &m, map), 0);
	}
	put(s, &fresh, 4, 7, "new"); /* in the place of the third and fourth */
	maps_merge(s, &m, &fresh);
	assert_int_equal(m.n, 1 + MAPS_MAX_STALE);
	assert_string_equal(at(&m, 4), "new");
	assert_false(maps_at(&m, 4)->stale);
	assert_string_equal(at(&m, 2), "x");
	assert_true(maps_at(&m, 2)->stale);
	assert_int_equal(m.v[0].f->refs, MAPS_MAX_STALE);
	maps_free(s, &m);
	remove_files(&files);
	sym_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_no_file), cmocka_unit_test(lines),		cmocka_unit_test(insertions),
		cmocka_unit_test(limit_of_mappings), cmocka_unit_test(limits_of_files), cmocka_unit_test(changed_files),
		cmocka_unit_test(vanished_mappings),
	};
	struct rlimit rl;

	/* More files than our own limit on descriptors. */
	if (getrlimit(RLIMIT_NOFILE, &rl) == 0 && rl.rlim_cur < UFILE_MAX_OPEN + 64) {
		rl.rlim_cur = rl.rlim_max;
		setrlimit(RLIMIT_NOFILE, &rl);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

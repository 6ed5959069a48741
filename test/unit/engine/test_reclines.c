/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a recording: each address once, file by file; no more than there is room and time for. */
#include "../unit.h"
#include <fcntl.h>
#include <unistd.h>
#include "engine/record/reclines.h"

static char path[64];
static unsigned asked, changes; /* look-ups, and how often another file was asked for */
static const char *last;

/* Addresses with an even number of thousands are in one file, the others in another. */
static const char *file_of(uint64_t addr)
{
	static const char *const files[] = { "/bin/even", "/bin/odd" };

	return files[addr / 1000 % 2];
}

static bool kernel(void *ctx, uint64_t addr, struct symbol *ret)
{
	(void)ctx, (void)addr, (void)ret;
	return false;
}

static bool user(void *ctx, uint32_t tgid, uint64_t start, uint64_t addr, struct symbol *ret)
{
	(void)ctx, (void)start;
	*ret = (struct symbol){ .module = "x", .path = tgid == 1 ? NULL : file_of(addr) };
	return false;
}

static size_t lines(void *ctx, uint32_t tgid, uint64_t start, uint64_t addr, struct sym_line *ret)
{
	(void)ctx, (void)tgid, (void)start;
	changes += last != file_of(addr);
	last = file_of(addr);
	asked++;
	if (addr % 2)
		return 0;
	ret[0] = (struct sym_line){ .name = "in", .file = "a.h", .line = 5 };
	ret[1] = (struct sym_line){
		.name = "f", .file = "a.c", .line = (uint32_t)addr, .def_file = "a.c", .def_line = 1
	};
	return 2;
}

static struct reclines *make(struct sym **sym)
{
	struct sym_source source = { NULL, kernel, user, lines };

	asked = changes = 0;
	last = NULL;
	assert_int_equal(sym_new_source(&source, sym, NULL), 0);
	return reclines_new(*sym);
}

static struct recfile *new_file(void)
{
	static const struct rec_schema schema = { .ncpus = 1 };
	static const struct recfile_pair none[] = { { NULL, NULL } };
	struct recfile_info info = { .meta = none, .options = none, .programs = none };
	struct recfile *f;

	unlink(path);
	assert_int_equal(recfile_create(path, &schema, &info, &f, NULL), 0);
	return f;
}

static void each_once_and_file_by_file(void **state)
{
	const struct recfile_source *v;
	struct recfile *f = new_file();
	struct recread *r;
	struct sym *sym;
	struct reclines *l = make(&sym);
	size_t missing = 99;

	(void)state;
	for (unsigned k = 0; k < 3; k++)
		for (uint64_t at = 0; at < 4000; at += 100)
			reclines_note(l, 7, 100, at);
	reclines_note(l, 7, 100, 4001); /* nothing is known of it */
	reclines_note(l, 1, 100, 4002); /* in no file: not asked for */
	assert_int_equal(reclines_write(l, f, RECLINES_TIME_NS, &missing, NULL), 0);
	assert_int_equal(missing, 0);
	assert_int_equal(asked, 41);
	assert_int_equal(changes, 2);
	reclines_free(l);
	sym_free(sym);
	assert_int_equal(recfile_close(f, NULL), 0);
	assert_int_equal(recread_open(path, &r, NULL), 0);
	assert_int_equal(recread_source(r, 7, 100, 1300, &v), 2);
	assert_string_equal(v[0].function, "in");
	assert_int_equal(v[1].line, 1300);
	assert_int_equal(recread_source(r, 7, 100, 4001, &v), 0);
	assert_int_equal(recread_source(r, 1, 100, 4002, &v), 0);
	recread_close(r);
}

static void room_and_time(void **state)
{
	(void)state;
	for (unsigned extra = 0; extra < 2; extra++) {
		struct recfile *f = new_file();
		struct sym *sym;
		struct reclines *l = make(&sym);
		size_t missing = 99;

		for (uint64_t i = 0; i < RECLINES_MAX + extra; i++)
			reclines_note(l, 7, 100, 2 * i + 1);
		reclines_note(l, 7, 100, 1); /* known: it needs no room */
		assert_int_equal(reclines_write(l, f, 0, &missing, NULL), 0);
		assert_int_equal(missing, RECLINES_MAX + extra);
		assert_int_equal(asked, 0);
		assert_int_equal(reclines_write(l, f, UINT64_C(100) * RECLINES_TIME_NS, &missing, NULL), 0);
		assert_int_equal(missing, extra);
		assert_int_equal(asked, RECLINES_MAX);
		reclines_free(l);
		sym_free(sym);
		recfile_close(f, NULL);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_once_and_file_by_file),
		cmocka_unit_test(room_and_time),
	};

	snprintf(path, sizeof(path), "/tmp/dwell-reclines-%d", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}

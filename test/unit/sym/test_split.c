/* SPDX-License-Identifier: Apache-2.0 */
/* Split debug information of real programs: the same types and functions as of the whole one; parts that are missing,
 * stale or damaged; indices of packages made by hand. */
#include "../unit.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "elfmake.h"
#include "sym/dwarf/split.h"
#include "sym/dwarf/srcline.h"

static const char *const compilers[] = { "gcc", "clang" };

/* The path of a form of the program; NULL: it was not built. */
static const char *form(const char *cc, const char *name, char buf[4096])
{
	snprintf(buf, 4096, "%s/test/unit/sym/sym_lines_%s%s", getenv("DWELL_BUILD_DIR"), cc, name);
	return access(buf, F_OK) == 0 ? buf : NULL;
}

static void open_elf(const char *path, struct elf *e)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	assert_int_equal(elf_open(e, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size }), 0);
}

static void close_elf(struct elf *e)
{
	close(e->src.fd);
	elf_close(e);
}

static int types_of(const char *path, const char *as, struct dwarf_types *ret)
{
	const struct debugplace place = { as, 0 };
	struct elf e;
	int r;

	open_elf(path, &e);
	r = dwarf_read_types(&e, NULL, as ? &place : NULL, ret);
	close_elf(&e);
	return r;
}

/* The functions by address. (Their types are compared by the size of all records.) */
static void summary(struct strb *b, const struct dwarf_types *t)
{
	for (size_t i = 0; i < t->nfuncs; i++)
		strb_printf(b, "%llx\n", (unsigned long long)t->funcs[i].addr);
}

static void types_as_of_the_whole(void **state)
{
	static const char *const names[][2] = {
		{ "4split", "4" }, { "4package", "4" }, { "5split", "5" }, { "5package", "5" }
	};
	unsigned compared = 0;
	char path[4096];

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(names); i++) {
		const char *cc = compilers[i % 2], *const *n = names[i / 2];
		struct strb ours = { 0 }, whole = { 0 };
		struct dwarf_types t;

		if (!form(cc, n[0], path))
			continue;
		assert_int_equal(types_of(path, path, &t), 0);
		summary(&ours, &t);
		size_t len = t.len;

		dwarf_types_done(&t);
		assert_int_equal(types_of(form(cc, n[1], path), NULL, &t), 0);
		summary(&whole, &t);
		assert_string_equal(strb_str(&ours), strb_str(&whole));
		assert_true(t.nfuncs >= 2);
		assert_int_equal(len, t.len);
		dwarf_types_done(&t);
		strb_free(&ours);
		strb_free(&whole);
		compared++;
	}
	assert_true(compared >= 2);
}

/* Without its part a skeleton gives lines, but neither functions nor types. */
static void part_is_missing(void **state)
{
	const struct debugplace nowhere = { "/nonexistent/program", 0 };
	struct srcframe f[SRCLINE_MAX_FRAMES];
	struct dwarf_types t;
	struct srcline *s;
	char path[4096];
	struct elf e;

	(void)state;
	if (!form("gcc", "4package", path))
		skip();
	assert_int_equal(types_of(path, nowhere.path, &t), -ENODATA);
	assert_int_equal(types_of(path, NULL, &t), -ENODATA);
	open_elf(path, &e);
	assert_int_equal(srcline_open(&e, NULL, &nowhere, &s), 0);
	const Elf64_Shdr *text = elf_section(&e, ".text");
	size_t found = 0;

	for (uint64_t at = 0; at < text->sh_size; at++) {
		size_t n = srcline_at(s, text->sh_addr + at, f);

		assert_true(n <= 1);
		if (n) {
			assert_null(f[0].func);
			assert_non_null(f[0].file);
			found++;
		}
	}
	assert_true(found > 0);
	srcline_free(s);
	close_elf(&e);
}

/* A copy of a package, with one byte changed at an offset of a section. */
static void damaged_package(const char *from, const char *to, const char *section, uint64_t off)
{
	const Elf64_Shdr *sh;
	_cleanup_free_ char *cmd = NULL;
	struct elf e;
	uint8_t byte = 0;
	int fd;

	assert_true(asprintf(&cmd, "cp '%s' '%s' && cp '%s.dwp' '%s.dwp'", from, to, from, to) > 0);
	assert_int_equal(system(cmd), 0);
	free(cmd);
	assert_true(asprintf(&cmd, "%s.dwp", to) > 0);
	open_elf(cmd, &e);
	sh = elf_section(&e, section);
	assert_true(sh && off < sh->sh_size);
	fd = open(cmd, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0 && pread(fd, &byte, 1, (off_t)(sh->sh_offset + off)) == 1);
	byte ^= 0xff;
	assert_int_equal(pwrite(fd, &byte, 1, (off_t)(sh->sh_offset + off)), 1);
	close(fd);
	close_elf(&e);
}

/* Every byte of the index: what it says then is used within bounds, or nothing is. The 8 bytes of the id must be right;
 * how many of the others matter depends on the slot in which the id is, which the path of the program decides. */
static void damage(void **state)
{
	char path[4096], copy[] = "/tmp/dwell-split-XXXXXX", dwp[64];
	unsigned refused = 0;
	struct stat st;

	(void)state;
	if (!form("gcc", "4package", path))
		skip();
	close(mkstemp(copy));
	for (uint64_t off = 0; off < 100; off++) {
		struct dwarf_types t;

		damaged_package(path, copy, ".debug_cu_index", off);
		if (types_of(copy, copy, &t) == 0)
			dwarf_types_done(&t);
		else
			refused++;
	}
	assert_in_range(refused, 8, 99);
	snprintf(dwp, sizeof(dwp), "%s.dwp", copy);
	assert_int_equal(stat(dwp, &st), 0);
	unlink(dwp);
	unlink(copy);
}

/* -- indices made by hand -- */

static void u32(struct strb *b, uint32_t v)
{
	strb_add(b, &v, sizeof(v));
}

/* Opens a unit from a package with this index; the program has one skeleton. */
static int open_from(const struct strb *index)
{
	static const uint8_t abbrevs[] = { 1, 0x11, 0, 0, 0, 0 };
	static const uint8_t info[] = { 8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1 };
	const struct elfmake_section v[] = {
		{ ".debug_cu_index", SHT_PROGBITS, 0, index->s, index->n },
		{ ".debug_info.dwo", SHT_PROGBITS, 0, info, sizeof(info) },
		{ ".debug_abbrev.dwo", SHT_PROGBITS, 0, abbrevs, sizeof(abbrevs) },
	};
	char path[] = "/tmp/dwell-split-XXXXXX", dwp[64];
	struct dw main = { .count = &main, .room = 1 << 20, .max_steps = 1 << 20 }, part;
	const struct dw_unit skeleton = { .dwo_id = 0x1234 }, *unit;
	const struct dw_die first = { .u = &skeleton, .dwo_name = "none.dwo" };
	const struct debugplace place = { path, 0 };
	struct strb file = { 0 };
	struct dw_split s;
	int r, fd = mkstemp(path);

	elfmake(&file, v, ARRAY_SIZE(v));
	snprintf(dwp, sizeof(dwp), "%s.dwp", path);
	close(fd);
	fd = open(dwp, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, file.s, file.n), file.n);
	close(fd);
	assert_int_equal(dw_split_init(&s, &main, &place), 0);
	r = dw_split_open(&s, &first, &part, &unit);
	if (r == 0)
		dw_close(&part);
	dw_split_done(&s);
	unlink(dwp);
	unlink(path);
	strb_free(&file);
	return r;
}

static void head(struct strb *b, uint32_t version, uint32_t ncols, uint32_t nunits, uint32_t nslots)
{
	u32(b, version);
	u32(b, ncols);
	u32(b, nunits);
	u32(b, nslots);
}

static void limits_of_an_index(void **state)
{
	static const struct {
		uint32_t version, ncols, nunits, nslots;
		int r;
	} cases[] = {
		{ 2, 2, 1, 2, -ENOENT }, /* the unit there has no id */
		{ 3, 2, 1, 2, -EBADMSG },
		{ 2, SPLIT_MAX_COLUMNS + 1, 1, 2, -EBADMSG },
		{ 2, 2, DWARF_MAX_UNITS + 1, 2, -EBADMSG },
		{ 2, 2, 1, 3, -EBADMSG }, /* no power of two */
		{ 2, 2, 2, 2, -EBADMSG }, /* cut */
		{ 2, 2, 1, 1u << 31, -EBADMSG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strb b = { 0 };

		head(&b, cases[i].version, cases[i].ncols, cases[i].nunits, cases[i].nslots);
		u32(&b, 0x1234), u32(&b, 0), u32(&b, 0), u32(&b, 0); /* ids */
		u32(&b, 1), u32(&b, 0);				     /* rows */
		u32(&b, 1), u32(&b, 3);				     /* sections */
		u32(&b, 0), u32(&b, 0), u32(&b, 12), u32(&b, 6);     /* offsets and sizes */
		assert_int_equal(open_from(&b), cases[i].r);
		strb_free(&b);
	}
}

/* A table without a free slot ends the search; a piece outside of its section is refused. */
static void full_tables_and_pieces_outside(void **state)
{
	(void)state;
	for (unsigned outside = 0; outside < 2; outside++) {
		struct strb b = { 0 };

		head(&b, 2, 2, 1, 2);
		u32(&b, outside ? 0x1234 : 1), u32(&b, 0), u32(&b, 2), u32(&b, 0);
		u32(&b, 1), u32(&b, 1);
		u32(&b, 1), u32(&b, 3);
		u32(&b, 0), u32(&b, 0), u32(&b, 12 + outside), u32(&b, 6);
		assert_int_equal(open_from(&b), outside ? -EBADMSG : -ENOENT);
		strb_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_as_of_the_whole),
		cmocka_unit_test(part_is_missing),
		cmocka_unit_test(damage),
		cmocka_unit_test(limits_of_an_index),
		cmocka_unit_test(full_tables_and_pieces_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of Python: their words, their lines, the text of a code object in a memory made by hand, also a hostile one.
 */
#include "unit.h"
#include <errno.h>
#include <string.h>
#include "runtime/python/python.h"

#define BASE 0x7f0000001000ull
#define TYPE 0x955000ull
enum { CODE = 0, NAME = 0x200, FILENAME = 0x400, LINES = 0x1000, BYTES = 0x2000 };

static uint8_t memory[BYTES];
static const struct py_layout *layout;

static int read_memory(void *ctx, uint64_t addr, void *buf, size_t n)
{
	(void)ctx;
	if (addr < BASE || addr - BASE > BYTES || n > BYTES - (addr - BASE))
		return -EFAULT;
	memcpy(buf, memory + (addr - BASE), n);
	return 0;
}

static const struct rt_mem mem = { read_memory, NULL };

static void put(unsigned at, uint64_t v, unsigned n)
{
	memcpy(memory + at, &v, n);
}

static void put_str(unsigned at, const void *chars, uint64_t n, unsigned kind, bool ascii)
{
	put(at + 16, n, 8);
	put(at + 32, kind << 2 | 1u << 5 | (uint64_t)ascii << 6, 4);
	memcpy(memory + at + (ascii ? layout->ascii : layout->compact), chars, n * kind);
}

/* A function at line 10: three instructions there, then two on line 12, one without a line. */
static void make(uint32_t version)
{
	static const uint8_t lines[] = { 0x80 | 2, 0, 0x80 | 12 << 3 | 1, 1, 2, 0x80 | 15 << 3 };

	layout = py_layout_of(version);
	assert_non_null(layout);
	memset(memory, 0, sizeof(memory));
	put(CODE, 1, 8);
	put(CODE + 8, TYPE, 8);
	put(CODE + layout->first_line, 10, 4);
	put(CODE + layout->name, BASE + NAME, 8);
	put(CODE + layout->file, BASE + FILENAME, 8);
	put(CODE + layout->lines, BASE + LINES, 8);
	put_str(NAME, "A.run", 5, 1, true);
	put_str(FILENAME, "/a.py", 5, 1, true);
	put(LINES + 16, sizeof(lines), 8);
	memcpy(memory + LINES + 32, lines, sizeof(lines));
}

static void shows(uint32_t index, const char *want)
{
	char text[RT_MAX_TEXT];
	struct py_code c;

	assert_int_equal(py_code_read(&mem, TYPE, BASE + CODE, &c), 0);
	assert_int_equal(py_frame_text(layout, &mem, &c, index, text, sizeof(text)), 0);
	assert_string_equal(text, want);
}

static void frames_are_words_that_no_address_is(void **state)
{
	uint64_t f = PY_FRAME(0x7fedcba98760, 77);

	(void)state;
	assert_true(rt_is_frame(f));
	assert_false(rt_is_frame(0x7fffffffffff));
	assert_false(rt_is_frame(0xffff800000000000)); /* the kernel's */
	assert_false(rt_is_frame(0xffffffff81000000));
	assert_true(rt_is_frame(PY_FRAME(0, PY_MARK_FAULT)) && rt_is_frame(PY_FRAME(0x7ffffffffff0, -1)));
	assert_int_equal(PY_FRAME_CODE(f), 0x7fedcba98760);
	assert_int_equal(PY_FRAME_INDEX(f), 77);
	assert_int_equal(PY_FRAME_CODE(f - 1), 0x7fedcba98760);
	assert_int_equal(PY_FRAME_INDEX(f - 1), 77);
	assert_int_equal(PY_FRAME_INDEX(PY_FRAME(16, PY_INDEX_MAX)), PY_INDEX_MAX);
	assert_int_equal(PY_FRAME_INDEX(PY_FRAME(16, -1)), PY_INDEX_MAX);
}

static void known_versions_have_names_and_lines(void **state)
{
	(void)state;
	for (uint32_t v = 0x030b02f0; v <= 0x030d00f0; v += 0x010000) {
		make(v);
		shows(0, "A.run at /a.py:10");
		shows(2, "A.run at /a.py:10");
		shows(3, "A.run at /a.py:12");
		shows(4, "A.run at /a.py:12");
		shows(5, "A.run at /a.py");
		shows(6, "A.run at /a.py");
		shows(PY_INDEX_MAX, "A.run at /a.py:10");
		assert_true(layout->walk.code <= PY_FRAME_BYTES - 8 && layout->walk.boundary <= PY_FRAME_BYTES - 8 &&
			    layout->walk.instr <= PY_FRAME_BYTES - 8 && layout->walk.previous <= PY_FRAME_BYTES - 8);
		assert_true(layout->lines + 8 <= PY_CODE_BYTES);
	}
	assert_null(py_layout_of(0x030a00f0));
	assert_null(py_layout_of(0x030e00f0));
	assert_null(py_layout_of(0));
}

static void text_of_the_target_is_escaped(void **state)
{
	static const uint16_t two[] = { 0x41f, 0x202e, 0xd800, 'x' };
	static const uint32_t four[] = { 0x1f600, 0x110000, 0x9b, '\n' };

	(void)state;
	make(0x030b02f0);
	put_str(NAME, two, 4, 2, false);
	put_str(FILENAME, four, 4, 4, false);
	shows(0, "П\\u202e\\ud800x at 😀\\U00110000\\x9b\\x0a:10");
}

static void long_names_are_cut(void **state)
{
	char text[RT_MAX_TEXT];
	struct py_code c;

	(void)state;
	make(0x030b02f0);
	memset(memory + NAME, 'n', 0x200);
	put_str(NAME, "", 0, 1, true);
	put(NAME + 16, PY_MAX_NAME, 8);
	assert_int_equal(py_code_read(&mem, TYPE, BASE + CODE, &c), 0);
	assert_int_equal(py_frame_text(layout, &mem, &c, 0, text, sizeof(text)), 0);
	assert_int_equal(strspn(text, "n"), PY_MAX_NAME);
	assert_string_equal(text + PY_MAX_NAME, " at /a.py:10");
	put(NAME + 16, PY_MAX_NAME + 1, 8);
	assert_int_equal(py_frame_text(layout, &mem, &c, 0, text, sizeof(text)), 0);
	assert_string_equal(text + PY_MAX_NAME, "... at /a.py:10");
	put(NAME + 16, UINT64_MAX, 8);
	assert_int_equal(py_frame_text(layout, &mem, &c, 0, text, 8), 0);
	assert_string_equal(text, "nnnnnnn");
}

static void hostile_objects_are_refused(void **state)
{
	char text[RT_MAX_TEXT];
	struct py_code c;

	(void)state;
	make(0x030b02f0);
	assert_int_equal(py_code_read(&mem, TYPE + 16, BASE + CODE, &c), -ENOENT);
	assert_int_equal(py_code_read(&mem, TYPE, BASE + BYTES, &c), -EFAULT);
	put(CODE, 0, 8); /* freed */
	assert_int_equal(py_code_read(&mem, TYPE, BASE + CODE, &c), -ENOENT);
	put(CODE, BASE, 8);
	assert_int_equal(py_code_read(&mem, TYPE, BASE + CODE, &c), -ENOENT);
	put(CODE, UINT32_MAX, 8); /* immortal */
	assert_int_equal(py_code_read(&mem, TYPE, BASE + CODE, &c), 0);
	put(LINES + 16, PY_MAX_LINES + 1, 8);
	shows(0, "A.run at /a.py");
	put(LINES + 16, UINT64_MAX, 8);
	shows(0, "A.run at /a.py");
	put(NAME + 32, 3u << 2 | 1u << 5, 4); /* characters of 3 bytes */
	assert_int_equal(py_frame_text(layout, &mem, &c, 0, text, sizeof(text)), -EBADMSG);
	put(NAME + 32, 1u << 2, 4); /* not compact */
	assert_int_equal(py_frame_text(layout, &mem, &c, 0, text, sizeof(text)), -EBADMSG);
	put(CODE + layout->name, 0, 8);
	assert_int_equal(py_code_read(&mem, TYPE, BASE + CODE, &c), 0);
	assert_int_equal(py_frame_text(layout, &mem, &c, 0, text, sizeof(text)), -EFAULT);
}

static void lines_go_up_and_down(void **state)
{
	/* no columns: +70 (two bytes), then long: -3, end line, columns; then a byte that begins nothing */
	static const uint8_t t[] = { 0x80 | 13 << 3, 0x40 | 12, 2, 0x80 | 14 << 3, 7, 0, 1, 1, 5 };

	(void)state;
	assert_int_equal(py_line(t, sizeof(t), 100, 0), 170);
	assert_int_equal(py_line(t, sizeof(t), 100, 1), 167);
	assert_int_equal(py_line(t, sizeof(t), 100, 2), -1);
	assert_int_equal(py_line(t + 8, 1, 100, 0), -1);
	assert_int_equal(py_line(t, 0, 100, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_words_that_no_address_is),
		cmocka_unit_test(known_versions_have_names_and_lines),
		cmocka_unit_test(text_of_the_target_is_escaped),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(hostile_objects_are_refused),
		cmocka_unit_test(lines_go_up_and_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

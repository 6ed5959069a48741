/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as JavaScript writes them; layouts; objects made by hand, whole and damaged. */
#include "unit.h"
#include <math.h>
#include "core/jsheap/heap.h"
#include "core/madejs.h"

enum { META = 0x1200, STRING_MAP = 0x1300, CONS_MAP = 0x1400, BIG_MAP = 0x1500, AT = 0x1600, BYTES = 0x4000 };

static uint8_t memory[BYTES], core[BYTES + MADEJS_HEAD];
static struct core c;
static struct js js;

static void put(unsigned at, uint64_t v, unsigned n)
{
	memcpy(memory + at, &v, n);
}

static void put_pointer(unsigned at, unsigned to)
{
	put(at, MADEJS_BASE + to + V8_TAG, 8);
}

static void put_map(unsigned at, unsigned type)
{
	put_pointer(at, META);
	put(at + 12, type, 2);
}

static void open_it(void)
{
	madejs_core(core, memory, BYTES);
	assert_int_equal(core_open_memory(core, sizeof(core), &c, NULL), 0);
	assert_int_equal(madejs_open(&js, &c), 0);
}

static void make(void)
{
	memset(memory, 0, sizeof(memory));
	put_map(META, 255);
	put_map(STRING_MAP, 8);
	put_map(CONS_MAP, 41);
	put_map(BIG_MAP, 129);
}

/* Expects this text of js_print() for the object at AT. */
static void want(const char *text)
{
	const struct js_print how = { 2, 10, 100, false, false };
	struct strb b = { 0 };

	open_it();
	assert_int_equal(js_print(&js, MADEJS_BASE + AT + V8_TAG, &how, &b), 0);
	assert_string_equal(strb_str(&b), text);
	strb_free(&b);
	core_close(&c);
}

static void numbers_are_as_javascript_writes_them(void **state)
{
	static const struct {
		double v;
		const char *text;
	} all[] = { { 0, "0" },
		    { -0.0, "-0" },
		    { 1, "1" },
		    { -1.5, "-1.5" },
		    { 0.1, "0.1" },
		    { 1.0 / 3, "0.3333333333333333" },
		    { 1e20, "100000000000000000000" },
		    { 1e21, "1e+21" },
		    { 1.5e300, "1.5e+300" },
		    { 1e-6, "0.000001" },
		    { 1e-7, "1e-7" },
		    { 5e-324, "5e-324" },
		    { 123456789012, "123456789012" },
		    { 9007199254740993.0, "9007199254740992" },
		    { 1.7976931348623157e308, "1.7976931348623157e+308" },
		    { NAN, "NaN" },
		    { -INFINITY, "-Infinity" } };
	char buf[JS_NUMBER];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		js_number_text(all[i].v, buf);
		assert_string_equal(buf, all[i].text);
	}
}

static void a_layout_that_is_not_whole_is_refused(void **state)
{
	const char *missing = NULL;
	struct v8_objects o;

	(void)state;
	make();
	open_it();
	o = js.o;
	assert_int_equal(v8_objects_end(&o, V8_VERSION(9, 9), &missing), -ENOTSUP);
	o.map_words = -1;
	assert_int_equal(v8_objects_end(&o, V8_VERSION(11, 3), &missing), -EBADMSG);
	assert_string_equal(missing, "class_Map__instance_size_in_words__");
	assert_null(v8_objects_field(&o, "v8dbg_nothing", 13));
	core_close(&c);
}

static void strings_of_strings_are_put_together(void **state)
{
	(void)state;
	make();
	put_pointer(AT, CONS_MAP);
	put(AT + 12, 5, 4);
	put_pointer(AT + 16, AT + 0x40);
	put_pointer(AT + 24, AT + 0x80);
	put_pointer(AT + 0x40, STRING_MAP);
	put(AT + 0x4c, 2, 4);
	memcpy(memory + AT + 0x50, "ab", 2);
	put_pointer(AT + 0x80, STRING_MAP);
	put(AT + 0x8c, 3, 4);
	memcpy(memory + AT + 0x90, "c\n\"", 3);
	want("\"abc\\n\\\"\"");
	put_pointer(AT + 16, AT); /* made of itself */
	want("<damaged 41600>");
	put(AT + 12, 0, 4);
	want("\"\"");
}

static void lengths_that_lie_are_found(void **state)
{
	(void)state;
	make();
	put_pointer(AT, STRING_MAP);
	put(AT + 12, UINT32_MAX, 4);
	memset(memory + AT + 16, 'x', 150);
	want("\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"... 4294967195 more");
	put_pointer(AT, BIG_MAP);
	put(AT + 8, UINT32_MAX, 4);
	want("<BigInt of 8589934584 bytes>n");
	put(AT + 8, 2 << 1, 4);
	put(AT + 16, 0, 8);
	put(AT + 24, 1, 8);
	want("18446744073709551616n");
	put(AT, 0, 8);
	want("<damaged 41600>");
	put(AT, UINT64_C(0x7f0000000001), 8);
	want("<not in the core 41600>");
}

static int count(void *ctx, const struct js_object *o)
{
	size_t *n = ctx;

	(void)o;
	++*n;
	return 0;
}

/* A page with three maps, an array that something outside of it leads to, and a string that only the array does. */
static void what_roots_lead_to_is_alive(void **state)
{
	struct err err = { 0 };
	struct js_heap *h;
	struct js_extent e;
	size_t n = 0;

	(void)state;
	make();
	put(0, BYTES / 2, 8); /* size, flags, heap, start, end */
	put(16, MADEJS_BASE + BYTES - 8, 8);
	put(24, MADEJS_BASE + META, 8);
	put(32, MADEJS_BASE + BYTES / 2, 8);
	put_map(BIG_MAP, 175);
	put_pointer(AT, BIG_MAP);
	put(AT + 8, UINT64_C(1) << 32, 8);
	put_pointer(AT + 16, AT + 0x40);
	put_pointer(AT + 0x40, STRING_MAP);
	put_pointer(AT + 0x80, STRING_MAP); /* dead */
	put_pointer(BYTES - 16, AT);	    /* after the page: a root */
	open_it();
	assert_int_equal(js_heap_open(&js, &h, &err), 0);
	assert_int_equal(h->pages.n, 1);
	assert_int_equal(js_heap_each(h, count, &n), 0);
	assert_int_equal(n, 5); /* array, string, their maps, the map of these */
	assert_int_equal(js_heap_extent(h, MADEJS_BASE + AT + V8_TAG, &e), 0);
	assert_int_equal(e.size, 24);
	js_heap_close(h);
	core_close(&c);
	put(AT + 8, UINT64_C(0x7fffffff) << 32, 8); /* longer than its page */
	open_it();
	assert_int_equal(js_heap_open(&js, &h, &err), 0);
	assert_int_equal(js_heap_extent(h, MADEJS_BASE + AT + V8_TAG, &e), -EBADMSG);
	js_heap_close(h);
	core_close(&c);
	put(24, 0, 8); /* no page */
	open_it();
	assert_int_equal(js_heap_open(&js, &h, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "no page of V8's heap"));
	core_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_javascript_writes_them),
		cmocka_unit_test(a_layout_that_is_not_whole_is_refused),
		cmocka_unit_test(strings_of_strings_are_put_together),
		cmocka_unit_test(lengths_that_lie_are_found),
		cmocka_unit_test(what_roots_lead_to_is_alive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

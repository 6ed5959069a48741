/* SPDX-License-Identifier: Apache-2.0 */
/* HotSpot: words of frames, the layout from a JVM's tables, lines, and the text of frames in a memory made by hand,
 * also a hostile one. */
#include "unit.h"
#include <errno.h>
#include <string.h>
#include "runtime/hotspot/hotspot.h"

#define BASE 0x7f0000001000ull
enum {
	SYMBOLS = 0,	 /* a word for each of enum hs_symbol */
	STATICS = 0x100, /* variables of the JVM */
	OBJECTS = 0x200,
	ARRAY = OBJECTS,
	HEAP = OBJECTS + 0x40,
	QUEUE = OBJECTS + 0x180,
	METHOD = OBJECTS + 0x200,
	CONST = OBJECTS + 0x280,
	POOL = OBJECTS + 0x300,
	CLASS = OBJECTS + 0x380,
	NAMES = OBJECTS + 0x600,
	CODE = 0x1000,	   /* heap of code: segments of 128 bytes */
	SEGMENTS = 0x1800, /* their map */
	BLOB = CODE + 0x100,
	STRINGS = 0x2000,
	STRUCTS = 0x4000,
	TYPES = 0x6000,
	BYTES = 0x7000
};
#define STRIDE 48u
#define TYPE_STRIDE 24u

static uint8_t memory[BYTES];
static uint64_t symbols[HS_SYMBOLS];
static unsigned nstrings, nstructs, ntypes;

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

static uint64_t string(const char *s)
{
	const unsigned at = STRINGS + nstrings;

	memcpy(memory + at, s, strlen(s) + 1);
	nstrings += (unsigned)strlen(s) + 1;
	return BASE + at;
}

/* A field of the JVM's tables; is_static: at is its address. */
static void field(const char *type, const char *name, const char *of, bool is_static, uint64_t at)
{
	const unsigned e = STRUCTS + STRIDE * nstructs++;

	put(e, string(type), 8);
	put(e + 8, string(name), 8);
	put(e + 16, string(of), 8);
	put(e + 24, is_static, 4);
	put(e + (is_static ? 40 : 32), at, 8);
}

static void type(const char *name, uint64_t size)
{
	const unsigned e = TYPES + TYPE_STRIDE * ntypes++;

	put(e, string(name), 8);
	put(e + 16, size, 8);
}

/* As the JVM 17 has them, or near it. */
static const struct {
	const char *type, *name, *of;
	uint64_t at;
} fields[] = {
	{ "StubQueue", "_stub_buffer", "address", 8 },
	{ "StubQueue", "_buffer_limit", "int", 20 },
	{ "GrowableArrayBase", "_len", "int", 0 },
	{ "GrowableArray<int>", "_data", "int*", 8 },
	{ "CodeHeap", "_memory", "VirtualSpace", 8 },
	{ "CodeHeap", "_segmap", "VirtualSpace", 120 },
	{ "CodeHeap", "_log2_segment_size", "int", 256 },
	{ "VirtualSpace", "_low_boundary", "char*", 0 },
	{ "VirtualSpace", "_high_boundary", "char*", 8 },
	{ "HeapBlock::Header", "_used", "bool", 8 },
	{ "CodeBlob", "_name", "const char*", 96 },
	{ "CodeBlob", "_size", "int", 12 },
	{ "CodeBlob", "_frame_size", "int", 28 },
	{ "CodeBlob", "_frame_complete_offset", "int", 20 },
	{ "CodeBlob", "_code_begin", "address", 32 },
	{ "CompiledMethod", "_method", "Method*", 112 },
	{ "CompiledMethod", "_scopes_data_begin", "address", 120 },
	{ "nmethod", "_compile_id", "int", 304 },
	{ "nmethod", "_comp_level", "int", 308 },
	{ "nmethod", "_scopes_pcs_offset", "int", 268 },
	{ "nmethod", "_dependencies_offset", "int", 272 },
	{ "nmethod", "_metadata_offset", "int", 260 },
	{ "PcDesc", "_pc_offset", "int", 0 },
	{ "PcDesc", "_scope_decode_offset", "int", 4 },
	{ "Method", "_constMethod", "ConstMethod*", 8 },
	{ "Method", "_access_flags", "AccessFlags", 40 },
	{ "ConstMethod", "_constants", "ConstantPool*", 8 },
	{ "ConstMethod", "_constMethod_size", "int", 24 },
	{ "ConstMethod", "_flags", "u2", 28 },
	{ "ConstMethod", "_code_size", "u2", 32 },
	{ "ConstMethod", "_name_index", "u2", 34 },
	{ "ConstantPool", "_pool_holder", "InstanceKlass*", 24 },
	{ "ConstantPool", "_length", "int", 60 },
	{ "ConstantPool", "_source_file_name_index", "u2", 54 },
	{ "InstanceKlass", "_constants", "ConstantPool*", 232 },
	{ "Klass", "_name", "Symbol*", 24 },
	{ "Symbol", "_length", "u2", 4 },
	{ "Symbol", "_body", "", 6 },
};
static const struct {
	const char *type, *name;
	uint64_t value;
	unsigned bytes;
} statics[] = {
	{ "CodeCache", "_heaps", BASE + ARRAY, 8 },
	{ "CodeCache", "_low_bound", BASE + CODE, 8 },
	{ "CodeCache", "_high_bound", BASE + CODE + 0x800, 8 },
	{ "AbstractInterpreter", "_code", BASE + QUEUE, 8 },
	{ "Abstract_VM_Version", "_vm_major_version", 17, 4 },
	{ "StubRoutines", "_call_stub_return_address", BASE + CODE + 0x10, 8 },
};

static void symbol(unsigned at, const char *s, size_t n)
{
	put(at + 4, n, 2);
	memcpy(memory + at + 6, s, n);
}

static void make_tables(void)
{
	const uint64_t places[HS_SYMBOLS] = {
		[HS_SYMBOL_STRUCTS] = BASE + STRUCTS, [HS_SYMBOL_STRUCT_TYPE] = 0,
		[HS_SYMBOL_STRUCT_FIELD] = 8,	      [HS_SYMBOL_STRUCT_OF] = 16,
		[HS_SYMBOL_STRUCT_STATIC] = 24,	      [HS_SYMBOL_STRUCT_OFFSET] = 32,
		[HS_SYMBOL_STRUCT_ADDRESS] = 40,      [HS_SYMBOL_STRUCT_STRIDE] = STRIDE,
		[HS_SYMBOL_TYPES] = BASE + TYPES,     [HS_SYMBOL_TYPE_NAME] = 0,
		[HS_SYMBOL_TYPE_SIZE] = 16,	      [HS_SYMBOL_TYPE_STRIDE] = TYPE_STRIDE
	};

	memset(memory, 0, sizeof(memory));
	nstrings = nstructs = ntypes = 0;
	for (unsigned i = 0; i < HS_SYMBOLS; i++) {
		symbols[i] = BASE + SYMBOLS + 8 * i;
		put(SYMBOLS + 8 * i, places[i], 8);
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		field(fields[i].type, fields[i].name, fields[i].of, false, fields[i].at);
	for (unsigned i = 0; i < sizeof(statics) / sizeof(statics[0]); i++) {
		field(statics[i].type, statics[i].name, "", true, BASE + STATICS + 8 * i);
		put(STATICS + 8 * i, statics[i].value, statics[i].bytes);
	}
	type("HeapBlock", 16);
	type("PcDesc", 16);
	type("ConstMethod", 48);
	type("ConstantPool", 72);
}

/* app/Key.get(), lines 10 and 12 of Key.java, and a heap with its compiled code. */
static void make_world(void)
{
	make_tables();
	put(ARRAY, 1, 4);
	put(ARRAY + 8, BASE + ARRAY + 16, 8);
	put(ARRAY + 16, BASE + HEAP, 8);
	put(HEAP + 8, BASE + CODE, 8);
	put(HEAP + 16, BASE + CODE + 0x800, 8);
	put(HEAP + 120, BASE + SEGMENTS, 8);
	put(HEAP + 256, 7, 4);
	put(METHOD + 8, BASE + CONST, 8);
	put(CONST + 8, BASE + POOL, 8);
	put(CONST + 24, 8, 4); /* words */
	put(CONST + 28, 1, 2);
	put(CONST + 32, 8, 2);
	put(CONST + 34, 1, 2);
	/* 0: line 10; 5: line 12. The first pair does not fit in a byte. */
	memcpy(memory + CONST + 48 + 8, "\xff\x00\x14\x2a\x00", 5);
	put(POOL + 24, BASE + CLASS, 8);
	put(POOL + 60, 4, 4);
	put(POOL + 54, 2, 2);
	put(POOL + 72 + 8, BASE + NAMES, 8);
	put(POOL + 72 + 16, BASE + NAMES + 0x40, 8);
	put(CLASS + 232, BASE + POOL, 8);
	put(CLASS + 24, BASE + NAMES + 0x80, 8);
	symbol(NAMES, "get", 3);
	symbol(NAMES + 0x40, "Key.java", 8);
	symbol(NAMES + 0x80, "app/Key", 7);
	memset(memory + SEGMENTS, HS_SEGMENT_FREE, 16);
	memcpy(memory + SEGMENTS + 2, "\0\1\2\3\4\5", 6);
	put(BLOB, 6, 8);
	put(BLOB + 8, 1, 1);
	put(BLOB + 16 + 28, 4, 4);
	put(BLOB + 16 + 32, BASE + BLOB + 16 + 0x180, 8);
	put(BLOB + 16 + 96, string("nmethod"), 8);
	put(BLOB + 16 + 112, BASE + METHOD, 8);
	put(BLOB + 16 + 304, 0x12345, 4);
	put(BLOB + 16 + 308, 4, 4);
	/* metadata, scopes, places: inlined into itself once */
	put(BLOB + 16 + 260, 0x1c0, 4);
	put(BLOB + 16 + 0x1c0, BASE + METHOD, 8);
	put(BLOB + 16 + 120, BASE + BLOB + 16 + 0x1c8, 8);
	memcpy(memory + BLOB + 16 + 0x1c8, "\xff\x00\x01\x06\x01\x01\x01", 7); /* at 1: bci 5; at 4: in it, bci 0 */
	put(BLOB + 16 + 268, 0x1e0, 4);
	put(BLOB + 16 + 272, 0x210, 4);
	put(BLOB + 16 + 0x1e0, UINT32_MAX, 4);
	put(BLOB + 16 + 0x1f0, 8, 4);
	put(BLOB + 16 + 0x1f4, 1, 4);
	put(BLOB + 16 + 0x200, 16, 4);
	put(BLOB + 16 + 0x204, 4, 4);
}

static const char *text(uint64_t frame)
{
	static char buf[RT_MAX_TEXT];
	struct hs_layout l;
	struct hs_proc p;
	struct hs_head h;
	int r = hs_layout_read(&mem, symbols, &l);

	if (r == 0)
		r = hs_layout_walk(&l, &mem, &p);
	if (r == 0)
		r = hs_head_read(&l, &p, &mem, frame, &h);
	if (r == 0)
		r = hs_frame_text(&l, &mem, &h, frame, buf, sizeof(buf));
	if (r < 0)
		snprintf(buf, sizeof(buf), "%s", r == -ENOENT ? "gone" : r == -EBADMSG ? "bad" : "fault");
	return buf;
}

static int layout_says(const char **missing)
{
	struct hs_layout l;
	int r = hs_layout_read(&mem, symbols, &l);

	*missing = l.missing ? l.missing : "";
	return r;
}

static void frames_are_words_that_no_address_is(void **state)
{
	const uint64_t code = HS_FRAME_CODE(0x7fffffffffff, 0x3fff), method = HS_FRAME_METHOD(0x7ffffffffff8, 300);

	(void)state;
	assert_true(rt_is_frame(code) && rt_is_frame(method) && code & HS_COMPILED && !(method & HS_COMPILED));
	assert_int_equal(HS_FRAME_PC(code), 0x7fffffffffff);
	assert_int_equal(HS_FRAME_ID(code), 0x1fff);
	assert_int_equal(HS_FRAME_AT(method), 0x7ffffffffff8);
	assert_int_equal(HS_FRAME_BCI(method), 300);
	assert_true(HS_IS_MARK(HS_FRAME_METHOD(0, HS_MARK_FAULT)) && !HS_IS_MARK(method) && !HS_IS_MARK(code));
}

static void methods_have_names_and_lines(void **state)
{
	(void)state;
	make_world();
	assert_string_equal(text(HS_FRAME_METHOD(BASE + METHOD, 0)), "app.Key.get at Key.java:10");
	assert_string_equal(text(HS_FRAME_METHOD(BASE + METHOD, 7)), "app.Key.get at Key.java:12");
	assert_string_equal(text(HS_FRAME_METHOD(BASE + METHOD, HS_BCI_MAX)), "app.Key.get at Key.java");
	put(METHOD + 40, 0x100, 4);
	assert_string_equal(text(HS_FRAME_METHOD(BASE + METHOD, HS_BCI_MAX)), "app.Key.get [native]");
	put(METHOD + 40, 0, 4);
	put(POOL + 54, 0, 2); /* no file */
	assert_string_equal(text(HS_FRAME_METHOD(BASE + METHOD, 0)), "app.Key.get");
	symbol(NAMES + 0x80, "a\x1b/\xd0\x96+0x1", 9);
	assert_string_equal(text(HS_FRAME_METHOD(BASE + METHOD, 0)), "a\\x1b.\xd0\x96/0x1.get");
	put(CLASS + 232, BASE, 8);
	assert_string_equal(text(HS_FRAME_METHOD(BASE + METHOD, 0)), "gone");
	assert_string_equal(text(HS_FRAME_METHOD(BASE + BYTES, 0)), "fault");
}

static void compiled_code_knows_what_is_inlined(void **state)
{
	const uint64_t code = BASE + BLOB + 16 + 0x180;

	(void)state;
	make_world();
	assert_string_equal(text(HS_FRAME_CODE(code + 8, 0x12345)), "app.Key.get at Key.java:12");
	assert_string_equal(text(HS_FRAME_CODE(code + 16, 0x12345)),
			    "app.Key.get at Key.java:10" RT_INLINED_INTO "app.Key.get at Key.java:12");
	assert_string_equal(text(HS_FRAME_CODE(code + 17, 0x12345)), "app.Key.get at Key.java");
	assert_string_equal(text(HS_FRAME_CODE(code + 8, 0x12346)), "gone"); /* other code has its place now */
	put(BLOB + 16 + 0x204, 0x7fffffff, 4);
	assert_string_equal(text(HS_FRAME_CODE(code + 16, 0x12345)), "app.Key.get at Key.java");
	put(BLOB + 16 + 0x1c8 + 4, 4, 1); /* a scope that is inlined into itself */
	put(BLOB + 16 + 0x204, 4, 4);
	assert_string_equal(text(HS_FRAME_CODE(code + 16, 0x12345)), "app.Key.get at Key.java");
	put(BLOB + 16 + 96, string("StubRoutines (1)"), 8);
	assert_string_equal(text(HS_FRAME_CODE(code + 8, 0)), "StubRoutines (1) [stub]");
	put(STATICS + 8 * 5, code + 8, 8);
	assert_string_equal(text(HS_FRAME_CODE(code + 8, 0)), "call_stub [stub]");
	put(BLOB + 8, 0, 1);
	assert_string_equal(text(HS_FRAME_CODE(code + 8, 0)), "gone");
	put(SEGMENTS + 2, 3, 1); /* a map that leads out of its heap */
	assert_string_equal(text(HS_FRAME_CODE(code + 8, 0)), "gone");
	assert_string_equal(text(HS_FRAME_CODE(BASE + CODE + 0x900, 0)), "gone");
}

static void a_jvm_that_does_not_say_is_refused(void **state)
{
	const char *missing;

	(void)state;
	make_world();
	assert_int_equal(layout_says(&missing), 0);
	put(SYMBOLS, 0, 8);
	assert_int_equal(layout_says(&missing), -EAGAIN); /* the dynamic linker is not done */
	make_world();
	symbols[HS_SYMBOL_TYPE_SIZE] = 0;
	assert_int_equal(layout_says(&missing), -EBADMSG);
	assert_string_equal(missing, "gHotSpotVMTypeEntrySizeOffset");
	make_world();
	put(SYMBOLS + 8 * HS_SYMBOL_STRUCT_FIELD, 300, 8);
	assert_int_equal(layout_says(&missing), -EBADMSG);
	make_world();
	put(STATICS + 8 * 4, HS_OLDEST - 1, 4);
	assert_int_equal(layout_says(&missing), -EBADMSG);
	make_world();
	put(STRUCTS + 32, 70000, 8);
	assert_int_equal(layout_says(&missing), -EBADMSG);
	assert_string_equal(missing, "_stub_buffer");
	make_world();
	memset(memory + STRUCTS, 0, STRIDE); /* an empty table */
	assert_int_equal(layout_says(&missing), -EBADMSG);
}

static void a_jvm_that_begins_is_asked_again(void **state)
{
	struct hs_layout l;
	struct hs_proc p;

	(void)state;
	make_world();
	assert_int_equal(hs_layout_read(&mem, symbols, &l), 0);
	assert_int_equal(hs_layout_walk(&l, &mem, &p), 0);
	assert_int_equal(p.low, BASE + CODE);
	assert_int_equal(p.heaps[0].map, BASE + SEGMENTS);
	put(ARRAY, 0, 4);
	assert_int_equal(hs_layout_walk(&l, &mem, &p), -EAGAIN);
	put(ARRAY, HS_MAX_HEAPS + 1, 4);
	assert_int_equal(hs_layout_walk(&l, &mem, &p), -EBADMSG);
	put(ARRAY, 1, 4);
	put(HEAP + 256, HS_MAX_SHIFT + 1, 4);
	assert_int_equal(hs_layout_walk(&l, &mem, &p), -EAGAIN);
}

static void lines_are_found_by_both_encodings(void **state)
{
	const struct hs_layout old = { .java = 17 }, newer = { .java = 21 };

	(void)state;
	assert_int_equal(hs_line(&old, (const uint8_t *)"\xff\x00\x14\x2a\x00", 5, 4), 10);
	assert_int_equal(hs_line(&newer, (const uint8_t *)"\xff\x01\x15\x2a\x00", 5, 4), 10);
	assert_int_equal(hs_line(&newer, (const uint8_t *)"\xff\x01\x15\x2a\x00", 5, 5), 12);
	assert_int_equal(hs_line(&old, (const uint8_t *)"\xff\xff\xff", 3, 5), 0);
	assert_int_equal(hs_line(&old, NULL, 0, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_words_that_no_address_is),
		cmocka_unit_test(methods_have_names_and_lines),
		cmocka_unit_test(compiled_code_knows_what_is_inlined),
		cmocka_unit_test(a_jvm_that_does_not_say_is_refused),
		cmocka_unit_test(a_jvm_that_begins_is_asked_again),
		cmocka_unit_test(lines_are_found_by_both_encodings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

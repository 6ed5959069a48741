/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of V8: their words, layouts, positions, and the text of a function in a memory made by hand, also a hostile
 * one.
 */
#include "unit.h"
#include <errno.h>
#include <string.h>
#include "runtime/v8/v8.h"

#define BASE 0x7f0000001000ull
enum {
	META = 0,
	TYPES = 0x100,
	SHARED = 0x1000,
	NAME = 0x1100,
	SCRIPT = 0x1200,
	FILENAME = 0x1300,
	SOURCE = 0x1400,
	ARRAY = 0x1600,
	POSITIONS = 0x1700,
	UNDEFINED = 0x1800,
	SCOPE = 0x1900,
	ENDS = 0x1b00,
	MORE = 0x1c00,
	BYTES = 0x2000
};

static uint8_t memory[BYTES];
static struct v8_layout layout;
static struct v8_lines *lines;

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

static void put_smi(unsigned at, int32_t v)
{
	put(at, (uint64_t)(uint32_t)v << 32, 8);
}

static void put_pointer(unsigned at, unsigned to)
{
	put(at, BASE + to + V8_TAG, 8);
}

/* An object of this type: its map is made, too. */
static void put_object(unsigned at, unsigned type)
{
	const unsigned map = TYPES + type % 256 * 14 / 8 * 8;

	put_pointer(map, META);
	put(map + 12, type, 2);
	put_pointer(at, map);
}

static void put_string(unsigned at, const void *chars, uint32_t n, unsigned size)
{
	put_object(at, size == 1 ? 8 : 0);
	put(at + 12, n, 4);
	memcpy(memory + at + 16, chars, (size_t)n * size);
}

/* The values that binaries of all versions have; types as in 11.3. */
static void say(struct v8_layout *l)
{
	static const struct {
		const char *name;
		int32_t value;
	} said[] = {
		{ "v8dbg_class_Map__instance_type__uint16_t", 12 },
		{ "v8dbg_type_Map__MAP_TYPE", 255 },
		{ "v8dbg_type_JSFunction__JS_FUNCTION_TYPE", 2066 },
		{ "v8dbg_LastJSFunctionType", 2082 },
		{ "v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", 262 },
		{ "v8dbg_type_Script__SCRIPT_TYPE", 167 },
		{ "v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE", 261 },
		{ "v8dbg_type_BytecodeArray__BYTECODE_ARRAY_TYPE", 191 },
		{ "v8dbg_type_InterpreterData__INTERPRETER_DATA_TYPE", 159 },
		{ "v8dbg_type_Code__CODE_TYPE", 245 },
		{ "v8dbg_type_Oddball__ODDBALL_TYPE", 131 },
		{ "v8dbg_type_FixedArray__FIXED_ARRAY_TYPE", 175 },
		{ "v8dbg_FirstNonstringType", 128 },
		{ "v8dbg_class_Oddball__kind_offset__int", 40 },
		{ "v8dbg_OddballUndefined", 5 },
		{ "v8dbg_class_JSFunction__shared__Tagged_SharedFunctionInfo_", 24 },
		{ "v8dbg_class_JSFunction__code__Tagged_Code_", 48 },
		{ "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Object", 16 },
		{ "v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject", 32 },
		{ "v8dbg_class_Script__name__Object", 16 },
		{ "v8dbg_class_Script__source__Object", 8 },
		{ "v8dbg_class_Script__line_ends__Object", 56 },
		{ "v8dbg_class_String__length__int32_t", 12 },
		{ "v8dbg_class_SeqOneByteString__chars__char", 16 },
		{ "v8dbg_class_ConsString__first__String", 16 },
		{ "v8dbg_class_ConsString__second__String", 24 },
		{ "v8dbg_class_ThinString__actual__String", 16 },
		{ "v8dbg_class_FixedArrayBase__length__SMI", 8 },
		{ "v8dbg_class_FixedArray__data__uintptr_t", 16 },
		{ "v8dbg_class_BytecodeArray__data__uintptr_t", 54 },
		{ "v8dbg_scopeinfo_idx_ncontextlocals", 2 },
		{ "v8dbg_scopeinfo_idx_first_vars", 3 },
		{ "v8dbg_class_Code__instruction_start__Address", 40 },
		{ "v8dbg_class_Code__instruction_size__int", 52 },
		{ "v8dbg_class_Code__flags__uint32_t", 48 },
		{ "v8dbg_CodeKindFieldMask", 15 },
		{ "v8dbg_CodeKindBaseline", 11 },
		{ "v8dbg_class_Code__deoptimization_data__Tagged_DeoptimizationData_", 16 },
		{ "v8dbg_class_Code__source_position_table__ByteArray", 24 },
		{ "v8dbg_DeoptimizationDataLiteralArrayIndex", 2 },
		{ "v8dbg_DeoptimizationDataSharedFunctionInfoIndex", 6 },
		{ "v8dbg_DeoptimizationDataWrappedSharedFunctionInfoIndex", 0 },
		{ "v8dbg_DeoptimizationDataInliningPositionsIndex", 7 },
	};

	v8_layout_begin(l);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		int32_t *to = v8_layout_field(l, said[i].name, strlen(said[i].name));

		assert_non_null(to);
		*to = said[i].value;
	}
}

#define SOURCE_TEXT "a\nbc\r\nd\re"
#define HEAD 53 /* of a bytecode array, without the tag */

/* A function "run" of /a.js, whose bytecodes 0 to 4 are of place 0 in the source, 5 and 6 of 3, those from 7 on of 8.
 */
static void make(void)
{
	static const uint8_t table[] = { 2, 4, 10, 12, 4, 20 };

	say(&layout);
	assert_int_equal(v8_layout_end(&layout, V8_VERSION(11, 3)), 0);
	memset(memory, 0, sizeof(memory));
	v8_lines_free(lines);
	lines = v8_lines_new();
	put_pointer(META, META);
	put(META + 12, 255, 2);
	put_object(SHARED, 262);
	put_pointer(SHARED + 8, ARRAY);
	put_pointer(SHARED + 16, NAME);
	put_pointer(SHARED + 32, SCRIPT);
	put_string(NAME, "run", 3, 1);
	put_object(SCRIPT, 167);
	put_pointer(SCRIPT + 8, SOURCE);
	put_pointer(SCRIPT + 16, FILENAME);
	put_pointer(SCRIPT + 56, UNDEFINED);
	put_string(FILENAME, "/a.js", 5, 1);
	put_string(SOURCE, SOURCE_TEXT, sizeof(SOURCE_TEXT) - 1, 1);
	put_object(UNDEFINED, 131);
	put(UNDEFINED + 8, 0x7ff8000000000000, 8);
	put_smi(UNDEFINED + 40, 5);
	put_object(ARRAY, 191);
	put_pointer(ARRAY + 32, POSITIONS);
	put_object(POSITIONS, 190);
	put_smi(POSITIONS + 8, sizeof(table));
	memcpy(memory + POSITIONS + 16, table, sizeof(table));
}

static int text_of(uint64_t frame, char *text, size_t size)
{
	struct v8_head h;
	int r = v8_head_read(&layout, &mem, frame, &h);

	return r < 0 ? r : v8_frame_text(&layout, &mem, lines, &h, frame, text, size);
}

static int text_at(uint64_t at, char *text, size_t size)
{
	return text_of(V8_FRAME(BASE + SHARED, at), text, size);
}

static void shows(uint64_t at, const char *want)
{
	char text[RT_MAX_TEXT];

	assert_int_equal(text_at(at, text, sizeof(text)), 0);
	assert_string_equal(text, want);
}

static void frames_are_words_that_no_address_is(void **state)
{
	const uint64_t f = V8_FRAME(0x7fedcba98769, 77);

	(void)state;
	assert_true(rt_is_frame(f) && !V8_IS_MARK(f) && !(f & V8_COMPILED));
	assert_int_equal(V8_FRAME_OBJECT(f), 0x7fedcba98769);
	assert_int_equal(V8_FRAME_AT(f), 77);
	assert_int_equal(V8_FRAME_OBJECT(f - 1), 0x7fedcba98769);
	assert_int_equal(V8_FRAME_AT(f - 1), 77);
	assert_int_equal(V8_FRAME_OBJECT(V8_FRAME(0x7ffffffffff9, V8_AT_MAX) | V8_COMPILED), 0x7ffffffffff9);
	assert_int_equal(V8_FRAME_AT(V8_FRAME(1, V8_AT_MAX) | V8_COMPILED), V8_AT_MAX);
	assert_true(V8_IS_MARK(V8_FRAME(0, V8_MARK_FAULT)) && rt_is_frame(V8_FRAME(0, V8_MARK_FAULT)));
}

static void layouts_are_what_the_binary_says(void **state)
{
	static const uint32_t known[] = { V8_VERSION(10, 2), V8_VERSION(11, 3), V8_VERSION(12, 4), V8_VERSION(13, 6) };
	struct v8_layout l;

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		say(&l);
		assert_int_equal(v8_layout_end(&l, known[i]), 0);
		assert_int_equal(l.bytecode_positions, i < 2 ? 32 : 24);
	}
	say(&l);
	assert_int_equal(v8_layout_end(&l, V8_VERSION(9, 4)), -ENOTSUP);
	assert_int_equal(v8_layout_end(&l, 0), -ENOTSUP);
	say(&l);
	l.shared_name = -1; /* it must be said */
	assert_int_equal(v8_layout_end(&l, V8_VERSION(11, 3)), -EBADMSG);
	say(&l);
	l.shared_name = 65536;
	assert_int_equal(v8_layout_end(&l, V8_VERSION(11, 3)), -EBADMSG);
	assert_null(v8_layout_field(&l, "v8dbg_", 6));
	assert_null(v8_layout_field(&l, "v8dbg_type_Map__MAP_TYPES", 25));
	assert_null(v8_layout_field(&l, "v8", 2));
}

static void functions_have_names_and_places(void **state)
{
	(void)state;
	make();
	shows(HEAD, "run at /a.js:1:1");
	shows(HEAD + 4, "run at /a.js:1:1");
	shows(HEAD + 5, "run at /a.js:2:2");
	shows(HEAD + 8, "run at /a.js:4:1");
	shows(V8_AT_MAX, "run at /a.js");
	shows(0, "run at /a.js");
	put_smi(SCRIPT + 24, 10);
	put_smi(SCRIPT + 32, 5);
	v8_lines_free(lines);
	lines = v8_lines_new();
	shows(HEAD, "run at /a.js:11:6");
	shows(HEAD + 5, "run at /a.js:12:2");
	put_object(MORE, 245); /* baseline code, which leads to the bytecode */
	put_pointer(MORE + 16, ARRAY);
	put_pointer(SHARED + 8, MORE);
	shows(HEAD + 5, "run at /a.js:12:2");
	put_pointer(MORE + 16, MORE); /* and one that leads nowhere */
	shows(HEAD + 5, "run at /a.js");
	put_pointer(SHARED + 8, ARRAY);
	put_pointer(ARRAY + 32, UNDEFINED);
	shows(HEAD, "run at /a.js");
	put_smi(SHARED + 8, 42);
	shows(HEAD, "run [builtin]");
}

/* The table of sizes: of the first 8 bytecodes, of which 4 have one operand, 5 has two, the others none. */
static void say_bytecodes(void)
{
	static const uint8_t sizes[3 * 8] = { 1, 1, 1, 1, 2, 3, 1, 1, 1, 1, 1, 1, 3, 5, 1, 1, 1, 1, 1, 1, 5, 9, 1, 1 };
	uint8_t none[3] = { 0 };

	assert_false(v8_layout_bytecodes(&layout, none, 3));
	assert_false(v8_layout_bytecodes(&layout, sizes, 0));
	assert_false(v8_layout_bytecodes(&layout, sizes, 23));
	assert_true(v8_layout_bytecodes(&layout, sizes, sizeof(sizes)));
}

static void compiled(uint64_t pc, const char *want)
{
	char text[RT_MAX_TEXT];

	assert_int_equal(text_of(V8_FRAME(BASE + SHARED, pc) | V8_COMPILED, text, sizeof(text)), 0);
	assert_string_equal(text, want);
}

static void baseline_code_knows_its_bytecode(void **state)
{
	/* 4; 1 5 (with large operands); 7 */
	static const uint8_t code[] = { 4, 9, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 7 };
	static const uint8_t offsets[] = { 10, 20, 0x80 | 2, 1, 5 }; /* after the entry, then after each bytecode */

	(void)state;
	make();
	put_smi(ARRAY + 8, sizeof(code));
	memcpy(memory + ARRAY + 54, code, sizeof(code));
	put_object(MORE, 245);
	put_pointer(MORE + 16, ARRAY);
	put_pointer(MORE + 24, ENDS);
	put_pointer(SHARED + 8, MORE);
	put_object(ENDS, 190);
	put_smi(ENDS + 8, sizeof(offsets));
	memcpy(memory + ENDS + 16, offsets, sizeof(offsets));
	compiled(10, "run at /a.js"); /* sizes of bytecodes are not known */
	say_bytecodes();
	compiled(10, "run at /a.js:1:1");  /* its entry */
	compiled(30, "run at /a.js:1:1");  /* a return address is after the call */
	compiled(31, "run at /a.js:1:1");  /* the second one begins at 2 */
	compiled(161, "run at /a.js:4:1"); /* the third one at 12 */
	compiled(9999, "run at /a.js:4:1");
	compiled(V8_AT_MAX, "run at /a.js");
	memory[ARRAY + 54] = 200; /* no bytecode */
	compiled(31, "run at /a.js");
	put_pointer(MORE + 24, UNDEFINED);
	compiled(31, "run at /a.js");
}

enum { CODE = MORE, DEOPT = 0x1d00, INLINING = 0x1d80, LITERALS = 0x1e00, OTHER = 0x1e80, OTHER_NAME = 0x1f00 };

/* Optimised code of run(), into which other() is inlined, and it into itself. */
static void make_code(void)
{
	static const uint8_t table[] = {
		2, 8, 10, 0x80, 0x80, 0x80, 0x80, 0x10
	}; /* at 0: place 1; from 5 on inlined */

	make();
	put_object(CODE, 245);
	put(CODE + 48, 13, 4);
	put_pointer(CODE + 16, DEOPT);
	put_pointer(CODE + 24, POSITIONS);
	put_smi(POSITIONS + 8, sizeof(table));
	memcpy(memory + POSITIONS + 16, table, sizeof(table));
	put_object(DEOPT, 175);
	put_smi(DEOPT + 8, 8);
	put_pointer(DEOPT + 16 + 2 * 8, LITERALS);
	put_pointer(DEOPT + 16 + 6 * 8, SHARED);
	put_pointer(DEOPT + 16 + 7 * 8, INLINING);
	put_object(INLINING, 190);
	put_smi(INLINING + 8, 2 * 16);
	put(INLINING + 16, 9 << 1 | UINT64_C(2) << 31, 8); /* called at place 8 of what is inlined as number 1 */
	put(INLINING + 24, 1, 4);
	put(INLINING + 32, 4 << 1 | 1, 8); /* called at place 3 of run() */
	put(INLINING + 40, (uint32_t)-1, 4);
	put_object(LITERALS, 175);
	put_smi(LITERALS + 8, 2);
	put(LITERALS + 24, BASE + OTHER + 3, 8); /* a weak reference */
	put_object(OTHER, 262);
	put_pointer(OTHER + 8, ARRAY);
	put_pointer(OTHER + 16, OTHER_NAME);
	put_pointer(OTHER + 32, SCRIPT);
	put_string(OTHER_NAME, "other", 5, 1);
}

static void optimised(uint64_t pc, int want_r, const char *want)
{
	const uint64_t frame = V8_FRAME(BASE + CODE, pc) | V8_COMPILED;
	char text[RT_MAX_TEXT];

	assert_int_equal(text_of(frame, text, sizeof(text)), want_r);
	if (want)
		assert_string_equal(text, want);
}

static void optimised_code_knows_what_is_inlined(void **state)
{
	const uint64_t frame = V8_FRAME(BASE + CODE, 6) | V8_COMPILED;
	struct v8_head h;

	(void)state;
	make_code();
	optimised(1, 0, "run at /a.js:1:2");
	optimised(5, 0, "run at /a.js:1:2");
	optimised(6, 0, "other at /a.js:1:2" RT_INLINED_INTO "run at /a.js:4:1" RT_INLINED_INTO "run at /a.js:2:2");
	optimised(0, 0, "run at /a.js"); /* the calls only are known */
	optimised(V8_AT_MAX, 0, "run at /a.js");
	assert_int_equal(v8_head_read(&layout, &mem, frame, &h), 0);
	assert_int_equal(v8_frame_tier(&layout, &mem, &h, frame), V8_TURBOFAN);
	put(CODE + 48, 12, 4);
	assert_int_equal(v8_frame_tier(&layout, &mem, &h, frame), V8_MAGLEV);
	assert_int_equal(v8_head_read(&layout, &mem, frame & ~V8_COMPILED, &h), -ENOENT); /* code is no function */
	put(INLINING + 32, 4 << 1 | UINT64_C(1) << 31, 8);				  /* in a circle */
	optimised(6, -EBADMSG, NULL);
	put(INLINING + 24, 9, 4); /* no such literal */
	optimised(6, -EBADMSG, NULL);
	put_smi(INLINING + 8, 15); /* no such inlined function */
	optimised(6, -EBADMSG, NULL);
	make_code();
	put_object(OTHER, 245);
	optimised(6, -EBADMSG, NULL);
	put_smi(DEOPT + 8, 6); /* no function at all */
	optimised(1, -EBADMSG, NULL);
}

static void the_table_of_lines_that_v8_made_is_used(void **state)
{
	(void)state;
	make();
	put_object(ENDS, 175);
	put_smi(ENDS + 8, 2);
	put_smi(ENDS + 16, 2);
	put_smi(ENDS + 24, 8);
	put_pointer(SCRIPT + 56, ENDS);
	shows(HEAD + 5, "run at /a.js:2:1");
	v8_lines_free(lines);
	lines = v8_lines_new();
	put_smi(ENDS + 8, 3);
	put_smi(ENDS + 24, 1); /* not in order: the source is read */
	shows(HEAD + 5, "run at /a.js:2:2");
}

static void scopes_have_names(void **state)
{
	(void)state;
	make();
	put_object(SCOPE, 261);
	put_pointer(SHARED + 16, SCOPE);
	put_smi(SCOPE + 8, 2 | 1 << 12 | 1 << 14); /* a function with name and inferred name */
	put_smi(SCOPE + 24, 1);			   /* one variable: its name and what it is */
	put_pointer(SCOPE + 32, FILENAME);
	put_pointer(SCOPE + 48, NAME);
	put_pointer(SCOPE + 64, FILENAME);
	put_smi(SCOPE + 72, 3);
	shows(HEAD, "run at /a.js:1:1");
	shows(V8_AT_MAX, "run at /a.js:2");
	put(NAME + 12, 0, 4);
	shows(HEAD, "/a.js at /a.js:1:1");
	put_pointer(SCOPE + 64, UNDEFINED);
	shows(HEAD, "(anonymous) at /a.js:1:1");
	put_smi(SCOPE + 24, V8_MAX_LOCALS + 1);
	assert_int_equal(text_at(HEAD, (char[8]){ 0 }, 8), -EBADMSG);
}

static void text_of_the_target_is_escaped(void **state)
{
	static const uint16_t two[] = { 0x41f, 0x202e, 0xd83d, 0xde00, 0xd800, '\n' };

	(void)state;
	make();
	put_string(NAME, two, 6, 2);
	put_string(FILENAME, "\x1b[1m\x9b", 5, 1);
	shows(HEAD, "П\\u202e😀\\ud800\\x0a at \\x1b[1m\\x9b:1:1");
	put_pointer(SCRIPT + 16, UNDEFINED);
	shows(HEAD, "П\\u202e😀\\ud800\\x0a at <anonymous>:1:1");
}

static void strings_of_pieces(void **state)
{
	char text[RT_MAX_TEXT];

	(void)state;
	make();
	put_object(MORE, 8 | 1); /* cons: flat */
	put(MORE + 12, 3, 4);
	put_pointer(MORE + 16, NAME);
	put_string(UNDEFINED + 64, "", 0, 1);
	put_pointer(MORE + 24, UNDEFINED + 64);
	put_pointer(SHARED + 16, MORE);
	shows(HEAD, "run at /a.js:1:1");
	put_pointer(MORE + 24, FILENAME);
	shows(HEAD, "run/a.js at /a.js:1:1");
	put_pointer(MORE + 24, MORE); /* and for ever */
	assert_int_equal(text_at(HEAD, text, sizeof(text)), -EBADMSG);
	put_pointer(SCRIPT + 8, MORE); /* a source of several pieces is not read */
	put_pointer(SHARED + 16, NAME);
	assert_int_equal(text_at(HEAD, text, sizeof(text)), 1);
	assert_string_equal(text, "run at /a.js");
	put_pointer(SCRIPT + 8, SOURCE);
	put_pointer(SHARED + 16, MORE);
	put_object(MORE, 8 | 5); /* thin, and a ring of it */
	put_pointer(MORE + 16, NAME);
	shows(HEAD, "run at /a.js:1:1");
	put_pointer(MORE + 16, MORE);
	assert_int_equal(text_at(HEAD, text, sizeof(text)), -EBADMSG);
	memset(memory + MORE, 'n', 0x300);
	put_string(MORE, "", 0, 1);
	put(MORE + 12, V8_MAX_NAME + 1, 4);
	put_pointer(SHARED + 16, MORE);
	assert_int_equal(text_at(HEAD, text, sizeof(text)), 0);
	assert_int_equal(strspn(text, "n"), V8_MAX_NAME);
	assert_string_equal(text + V8_MAX_NAME, "... at /a.js:1:1");
}

static void hostile_objects_are_refused(void **state)
{
	char text[RT_MAX_TEXT];
	struct v8_head h;

	(void)state;
	make();
	put_object(SHARED, 167);
	assert_int_equal(text_at(HEAD, text, sizeof(text)), -ENOENT);
	put(SHARED, 0, 8);
	assert_int_equal(text_at(HEAD, text, sizeof(text)), -ENOENT);
	assert_int_equal(v8_head_read(&layout, &mem, V8_FRAME(BASE + BYTES, 0), &h), -EFAULT);
	make();
	put(META + 12, 254, 2); /* the map of maps is none */
	assert_int_equal(text_at(HEAD, text, sizeof(text)), -EBADMSG);
	make();
	put_pointer(META, TYPES);
	assert_int_equal(text_at(HEAD, text, sizeof(text)), -EBADMSG);
	make();
	put(SOURCE + 12, UINT32_MAX, 4); /* a source too large to be read: no line */
	shows(HEAD + 5, "run at /a.js");
	put(SOURCE + 12, 0x2000, 4); /* one that is not all there: later, perhaps */
	assert_int_equal(text_at(HEAD + 5, text, sizeof(text)), 1);
	assert_string_equal(text, "run at /a.js");
	make();
	put_smi(POSITIONS + 8, INT32_MAX);
	shows(HEAD, "run at /a.js");
	put_pointer(SHARED + 32, UNDEFINED);
	shows(HEAD, "run [no script]");
	assert_int_equal(text_at(HEAD, text, 3), 0);
	assert_string_equal(text, "ru");
}

static void positions_are_found(void **state)
{
	static const uint8_t t[] = { 0, 0x82, 0x01, 9, 3, 0x80 };

	(void)state;
	assert_int_equal(v8_position(t, sizeof(t), 0), 31); /* 65 is place 31 of an external source */
	assert_int_equal(v8_position(t, sizeof(t), 4), 30); /* -5: no statement; then -2 */
	assert_int_equal(v8_position(t, 0, 4), -1);
	assert_int_equal(v8_position(t + 5, 1, 4), -1);
}

static void function_is(const struct rt_function *f, const char *name, const char *file, uint32_t line, uint32_t column)
{
	assert_int_equal(f->name_len, strlen(name));
	assert_memory_equal(f->name, name, f->name_len);
	assert_int_equal(f->file_len, strlen(file));
	if (f->file_len)
		assert_memory_equal(f->file, file, f->file_len);
	assert_int_equal(f->line, line);
	assert_int_equal(f->column, column);
}

static void texts_are_taken_apart(void **state)
{
	struct rt_function f[3];

	(void)state;
	assert_int_equal(rt_text_functions("save at node:fs:12:3", f, 3), 1);
	function_is(&f[0], "save", "node:fs", 12, 3);
	assert_int_equal(
		rt_text_functions("a at x at y.js:7" RT_INLINED_INTO "b at z.js" RT_INLINED_INTO "c [builtin]", f, 3),
		3);
	function_is(&f[0], "a", "x at y.js", 7, 0);
	function_is(&f[1], "b", "z.js", 0, 0);
	function_is(&f[2], "c [builtin]", "", 0, 0);
	assert_int_equal(rt_text_functions("a" RT_INLINED_INTO "b", f, 1), 1); /* no more than asked for */
	function_is(&f[0], "a", "", 0, 0);
	assert_int_equal(rt_text_functions("", f, 3), 1);
	function_is(&f[0], "", "", 0, 0);
	(void)rt_text_functions("a at 123456789012:1", f, 3);
	function_is(&f[0], "a", "123456789012", 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_words_that_no_address_is),
		cmocka_unit_test(layouts_are_what_the_binary_says),
		cmocka_unit_test(functions_have_names_and_places),
		cmocka_unit_test(baseline_code_knows_its_bytecode),
		cmocka_unit_test(optimised_code_knows_what_is_inlined),
		cmocka_unit_test(the_table_of_lines_that_v8_made_is_used),
		cmocka_unit_test(scopes_have_names),
		cmocka_unit_test(text_of_the_target_is_escaped),
		cmocka_unit_test(strings_of_pieces),
		cmocka_unit_test(hostile_objects_are_refused),
		cmocka_unit_test(positions_are_found),
		cmocka_unit_test(texts_are_taken_apart),
	};

	int r = cmocka_run_group_tests(tests, NULL, NULL);

	v8_lines_free(lines);
	return r;
}

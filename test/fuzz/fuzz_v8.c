/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile V8: the input is its memory, the function of a frame at its beginning, and a table of positions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "runtime/v8/v8.h"

struct input {
	const uint8_t *data;
	size_t size;
};

/* Addresses wrap, so that most pointers lead somewhere. */
static int read_input(void *ctx, uint64_t addr, void *buf, size_t n)
{
	const struct input *in = ctx;

	addr %= 4096;
	if (addr > in->size || n > in->size - addr)
		return -EFAULT;
	memcpy(buf, in->data + addr, n);
	return 0;
}

/* Places as in V8 11.3; types are small, so that an input finds them. */
static void say(struct v8_layout *l)
{
	static const struct {
		const char *name;
		int32_t value;
	} said[] = {
		{ "v8dbg_class_Map__instance_type__uint16_t", 12 },
		{ "v8dbg_type_Map__MAP_TYPE", 255 },
		{ "v8dbg_type_JSFunction__JS_FUNCTION_TYPE", 201 },
		{ "v8dbg_LastJSFunctionType", 203 },
		{ "v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", 202 },
		{ "v8dbg_type_Script__SCRIPT_TYPE", 167 },
		{ "v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE", 203 },
		{ "v8dbg_type_BytecodeArray__BYTECODE_ARRAY_TYPE", 191 },
		{ "v8dbg_type_InterpreterData__INTERPRETER_DATA_TYPE", 159 },
		{ "v8dbg_type_Code__CODE_TYPE", 245 },
		{ "v8dbg_type_Oddball__ODDBALL_TYPE", 131 },
		{ "v8dbg_type_FixedArray__FIXED_ARRAY_TYPE", 175 },
		{ "v8dbg_FirstNonstringType", 128 },
		{ "v8dbg_class_Oddball__kind_offset__int", 40 },
		{ "v8dbg_OddballUndefined", 5 },
		{ "v8dbg_class_JSFunction__shared__SharedFunctionInfo", 24 },
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
		{ "v8dbg_class_JSFunction__code__Code", 48 },
	};

	v8_layout_begin(l);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		int32_t *to = v8_layout_field(l, said[i].name, strlen(said[i].name));

		if (to)
			*to = said[i].value;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t versions[] = { V8_VERSION(10, 2), V8_VERSION(11, 3), V8_VERSION(12, 4),
					     V8_VERSION(13, 6) };
	struct input in = { data, size };
	const struct rt_mem m = { read_input, &in };
	struct v8_lines *lines = v8_lines_new();
	char text[RT_MAX_TEXT];
	struct rt_function functions[4];
	struct v8_layout l;
	struct v8_head h;

	if (!lines)
		return 0;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		const uint64_t frame = V8_FRAME(0, size > 1 ? data[0] | (uint64_t)data[1] << 8 : 0) |
				       (size > 2 && data[2] & 1 ? V8_COMPILED : 0);

		say(&l);
		if (v8_layout_end(&l, versions[i]) < 0)
			abort();
		(void)v8_layout_bytecodes(&l, data, size < 600 ? size : 600);
		if (v8_head_read(&l, &m, frame, &h) < 0 ||
		    v8_frame_text(&l, &m, lines, &h, frame, text, sizeof(text)) < 0)
			continue;
		for (const char *p = text; *p; p++)
			if ((unsigned char)*p < 0x20 || *p == 0x7f)
				abort();
		if (!rt_text_functions(text, functions, 4))
			abort();
	}
	v8_lines_free(lines);
	if (v8_position(data, size, size) < -1)
		abort();
	return 0;
}

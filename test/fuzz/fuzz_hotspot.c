/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile JVM: the input is its memory, with its tables at the beginning, the frame, and a table of lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "runtime/hotspot/hotspot.h"

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

/* Places as in HotSpot 17, but that most lie near one another, so that an input finds them. */
static struct hs_layout made_layout(uint32_t java)
{
	struct hs_layout l = {
		.java = java,
		.complete_bytes = 4,
		.code_bytes = java >= HS_EXCESS ? 4 : 8,
		.heaps = 64,
		.low = 72,
		.high = 80,
		.interpreter = 88,
		.version = 96,
		.call_stub = 104,
		.queue_buffer = 8,
		.queue_limit = 20,
		.array_data = 8,
		.heap_map = 16,
		.heap_shift = 32,
		.space_high = 8,
		.block_used = 8,
		.size_block = 16,
		.blob_name = 16,
		.blob_size = 12,
		.blob_frame = 28,
		.blob_complete = 20,
		.blob_code = 32,
		.blob_mutable = java >= HS_EXCESS ? 40 : HS_NONE,
		.blob_mutable_size = 48,
		.blob_relocation = 52,
		.code_method = 56,
		.code_id = 64,
		.code_level = 68,
		.code_scopes = 72,
		.code_scopes_offset = 80,
		.code_pcs = 84,
		.code_pcs_end = 88,
		.code_metadata = 92,
		.code_immutable = java >= HS_EXCESS ? 96 : HS_NONE,
		.code_immutable_size = 104,
		.pc_scope = 4,
		.size_pc_desc = 16,
		.method_const = 8,
		.method_access = 40,
		.const_constants = 8,
		.const_size = 24,
		.const_flags = 28,
		.const_code_size = 32,
		.const_name = 34,
		.size_const_method = 48,
		.pool_holder = 24,
		.pool_length = 60,
		.pool_file = 54,
		.size_pool = 72,
		.class_constants = 32,
		.class_name = 24,
		.symbol_length = 4,
		.symbol_body = 6,
	};
	return l;
}

static void check_text(const char *text)
{
	struct rt_function functions[4];

	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			abort();
	if (!rt_text_functions(text, functions, 4))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t versions[] = { 17, 25 };
	struct input in = { data, size };
	const struct rt_mem m = { read_input, &in };
	uint64_t symbols[HS_SYMBOLS], frame = 0;
	char text[RT_MAX_TEXT];
	struct hs_layout l;
	struct hs_proc p;
	struct hs_head h;

	memcpy(&frame, data, size < 8 ? size : 8);
	for (unsigned i = 0; i < HS_SYMBOLS; i++)
		symbols[i] = 8 + 8 * (uint64_t)i;
	if (hs_layout_read(&m, symbols, &l) == 0)
		(void)hs_layout_walk(&l, &m, &p);
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		l = made_layout(versions[i]);
		p = (struct hs_proc){ .block = 16, .used = 8, .shift = 4, .heaps[0] = { 0, UINT64_C(1) << 47, 16 } };
		(void)hs_layout_walk(&l, &m, &p);
		if (hs_head_read(&l, &p, &m, frame, &h) == 0 &&
		    hs_frame_text(&l, &m, &h, frame, text, sizeof(text)) == 0)
			check_text(text);
		(void)hs_frame_tier(&l, &m, &h);
		(void)hs_line(&l, data, size, (uint32_t)frame);
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile Python: the input is the interpreter's memory, the code object at its beginning. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "runtime/python/python.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	const struct rt_mem m = { read_input, &in };
	char text[RT_MAX_TEXT];
	struct py_code c;
	uint64_t type;

	if (size < PY_CODE_BYTES)
		return 0;
	memcpy(&type, data + 8, sizeof(type));
	for (uint32_t v = 0x030b0000; v <= 0x030d0000; v += 0x010000) {
		if (py_code_read(&m, type, 0, &c) < 0)
			return 0;
		if (py_frame_text(py_layout_of(v), &m, &c, data[0], text, sizeof(text)) < 0)
			continue;
		for (const char *p = text; *p; p++)
			if ((unsigned char)*p < 0x20 || *p == 0x7f)
				abort();
	}
	if (py_line(data, size, 1, data[0] | (uint32_t)data[1] << 8) > (int64_t)(size + 1) * UINT32_MAX)
		abort();
	return 0;
}

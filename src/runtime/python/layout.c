/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of offsets in CPython's structs, by version, for machines with 64 bits and without free threading. Source:
 * Include/internal/pycore_{runtime,interp,frame}.h, Include/cpython/{pystate,code,unicodeobject}.h of each version;
 * tools/runtimetables.py makes the rows from debug information; test/live/stack/jstack.py compares them with the
 * interpreters of the machine. */
#include "runtime/python/python.h"

static const struct py_layout layouts[] = {
	{ .version = 0x030b,
	  .interp = 48,
	  .walk = { .threads = 16,
		    .next = 8,
		    .tid = 160,
		    .has_cframe = 1,
		    .cframe = 56,
		    .current = 8,
		    .code = 32,
		    .instr = 56,
		    .previous = 48,
		    .boundary = 68,
		    .boundary_is = 1,
		    .code_start = 184 },
	  .first_line = 72,
	  .file = 112,
	  .name = 128,
	  .lines = 136,
	  .ascii = 48,
	  .compact = 72 },
	{ .version = 0x030c,
	  .interp = 48,
	  .walk = { .threads = 72,
		    .next = 8,
		    .tid = 144,
		    .has_cframe = 1,
		    .cframe = 56,
		    .current = 0,
		    .code = 0,
		    .instr = 56,
		    .previous = 8,
		    .boundary = 70,
		    .boundary_is = 3,
		    .shim = 1,
		    .code_start = 192 },
	  .first_line = 68,
	  .file = 112,
	  .name = 128,
	  .lines = 136,
	  .ascii = 40,
	  .compact = 56 },
	{ .version = 0x030d,
	  .interp = 640,
	  .walk = { .threads = 7344,
		    .next = 8,
		    .tid = 160,
		    .current = 72,
		    .code = 0,
		    .instr = 56,
		    .previous = 8,
		    .boundary = 70,
		    .boundary_is = 3,
		    .shim = 1,
		    .code_start = 200 },
	  .first_line = 68,
	  .file = 112,
	  .name = 128,
	  .lines = 136,
	  .ascii = 40,
	  .compact = 56 },
};

const struct py_layout *py_layout_of(uint32_t hexversion)
{
	for (unsigned i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].version == hexversion >> 16)
			return &layouts[i];
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* CPython: the layout of its structs by version, and the text of a frame. All that is read may be hostile. */
#ifndef DWELL_RUNTIME_PYTHON_PYTHON_H
#define DWELL_RUNTIME_PYTHON_PYTHON_H
#include <stddef.h>
#include <stdint.h>
#include "base/pyfmt.h"
#include "runtime/runtime.h"

/* Places of members; those that the walk needs are in struct py_proc. */
struct py_layout {
	uint32_t version; /* major << 8 | minor */
	uint32_t interp;  /* _PyRuntimeState: pointer to the main interpreter */
	struct py_proc walk;
	uint16_t first_line, file, name, lines; /* PyCodeObject; name is the qualified one */
	uint16_t ascii, compact;		/* sizes of the heads of strings */
};

/* The layout of a version as Py_Version has it (3.11.2 final: 0x030b02f0); NULL: not known. */
const struct py_layout *py_layout_of(uint32_t hexversion);

/* Places that are the same in all versions of layout.c. Source: Include/object.h, cpython/{bytesobject,tupleobject}.h
 */
enum {
	PY_OB_TYPE = 8,	  /* PyObject */
	PY_OB_SIZE = 16,  /* PyVarObject, PyASCIIObject.length */
	PY_BYTES_AT = 32, /* PyBytesObject.ob_sval */
	PY_TUPLE_AT = 24, /* PyTupleObject.ob_item */
};

#define PY_CODE_BYTES 144 /* of a code object are read */

/* A code object as it was read: equal heads mean that it is still the same. */
struct py_code {
	uint8_t head[PY_CODE_BYTES - 8]; /* without the reference count */
};

#define PY_MAX_NAME 255u	/* characters of a name; longer ones are cut */
#define PY_MAX_FILE 511u	/* of a file name */
#define PY_MAX_LINES (1u << 20) /* bytes of a table of lines; larger ones are not read */

/* Reads a code object. type: address of its type, PyCode_Type. 0; -ENOENT: it is no code object (any more), or
 * what the reader says. */
int py_code_read(const struct rt_mem *m, uint64_t type, uint64_t code, struct py_code *ret);
/* A str of max characters at most (PY_MAX_FILE at most), escaped as Python does; what is cut ends in "...". 0 or
 * -errno. */
int py_str_text(const struct py_layout *l, const struct rt_mem *m, uint64_t str, uint64_t max, char *buf, size_t size);
/* "function at file:line" of the instruction at this index, or "function at file" when its line is not known. A
 * character that is not printable is escaped as Python does. 0 or -errno. */
int py_frame_text(const struct py_layout *l, const struct rt_mem *m, const struct py_code *c, uint32_t index, char *buf,
		  size_t size);
/* The line of an instruction by a table of lines (co_linetable); <= 0: none. */
int64_t py_line(const uint8_t *table, size_t n, int32_t first, uint32_t index);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* CPython in a target: the frames of its threads, and what their variables are. All that is read may be hostile: loops
 * and texts have limits. */
#ifndef DWELL_CORE_PYTHON_PYTHON_H
#define DWELL_CORE_PYTHON_PYTHON_H
#include "base/strb.h"
#include "core/target.h"
#include "runtime/python/python.h"

#define PYVIEW_FRAMES_MAX 100000u /* of a thread; further ones are left out */
#define PYVIEW_LOCALS_MAX 256u	  /* of a frame; the same */
#define PYVIEW_ITEMS 5u		  /* of a list, a tuple or a dict are shown */
#define PYVIEW_CHARS 100u	  /* of a str or bytes are shown */

/* Types whose values are shown. */
enum pyview_type { PY_INT, PY_STR, PY_BYTES, PY_FLOAT, PY_BOOL, PY_LIST, PY_TUPLE, PY_DICT, PY_CELL, PY_NTYPES };

struct pyview {
	struct core *core;
	const struct py_layout *layout;
	struct rt_mem mem;
	uint64_t interp;	   /* address of the pointer to the main interpreter */
	uint64_t code_type;	   /* PyCode_Type */
	uint64_t none;		   /* None; 0: not known */
	uint64_t types[PY_NTYPES]; /* 0: not known */
};

struct pyview_frame {
	uint64_t at;	/* struct _PyInterpreterFrame */
	uint64_t code;	/* PyCodeObject */
	uint32_t index; /* of its instruction, as in base/pyfmt.h */
};
typedef VEC(struct pyview_frame) pyview_frames;

/* -ENOENT: there is no CPython; -ENOTSUP: of a version that is not known. */
int pyview_open(struct core *c, struct pyview *ret, struct err *err);
/* Frames of a thread, innermost first. *cut: why there are no more, or NULL. -ESRCH: the interpreter has no such
 * thread; -ENOMEM, or of reading its list. */
int pyview_walk(const struct pyview *p, pid_t tid, pyview_frames *ret, const char **cut);
/* "function at file:line". 0 or -errno. */
int pyview_text(const struct pyview *p, const struct pyview_frame *f, char *buf, size_t size);
/* Calls fn for each variable of a frame that has a value. If fn does not return 0, that ends it and is returned. */
int pyview_locals(const struct pyview *p, const struct pyview_frame *f,
		  int (*fn)(void *ctx, const char *name, uint64_t value), void *ctx);
/* An object as repr() writes it, as far as it is of a type above; others are "<TYPE at 0xADDRESS>". depth: lists and
 * dicts within each other. */
void pyview_value(const struct pyview *p, uint64_t object, unsigned depth, struct strb *b);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Finds CPython in a target by the names that it exports, a thread in the interpreter's list, and its frames. */
#include <errno.h>
#include <string.h>
#include "base/pyfmt.h"
#include "core/python/python.h"

/* Places that are the same in all versions of runtime/python/layout.c. Source: pycore_frame.h, cpython/code.h. */
enum { FRAME_LOCALS = 72, CODE_NAMES = 96 };

static int read_core(void *ctx, uint64_t addr, void *buf, size_t n)
{
	return core_read(ctx, addr, buf, n);
}

static int word(const struct pyview *p, uint64_t addr, uint64_t *ret)
{
	return core_read(p->core, addr, ret, sizeof(*ret));
}

static int refuse_version(uint64_t version, struct err *err)
{
	if (!version)
		return err_set(err, -ENOTSUP, "Python is older than 3.11: its frames are not known (3.11 to 3.13 are)");
	return err_set(err, -ENOTSUP, "Python %u.%u: its frames are not known (those of 3.11 to 3.13 are)",
		       (unsigned)(version >> 24 & 255), (unsigned)(version >> 16 & 255));
}

int pyview_open(struct core *c, struct pyview *ret, struct err *err)
{
	static const char *const types[PY_NTYPES] = {
		[PY_INT] = "PyLong_Type",    [PY_STR] = "PyUnicode_Type", [PY_BYTES] = "PyBytes_Type",
		[PY_FLOAT] = "PyFloat_Type", [PY_BOOL] = "PyBool_Type",	  [PY_LIST] = "PyList_Type",
		[PY_TUPLE] = "PyTuple_Type", [PY_DICT] = "PyDict_Type",	  [PY_CELL] = "PyCell_Type",
	};
	uint64_t runtime, version = 0, at;

	*ret = (struct pyview){ .core = c, .mem = { read_core, c } };
	if (core_address(c, "_PyRuntime", &runtime) < 0 || core_address(c, "PyCode_Type", &ret->code_type) < 0)
		return err_set(err, -ENOENT, "there is no CPython in this process: no file has its _PyRuntime");
	if (core_address(c, "Py_Version", &at) == 0 && word(ret, at, &version) < 0)
		return err_set(err, -ENODATA, "the version of Python is not in the core");
	ret->layout = py_layout_of((uint32_t)version);
	if (!ret->layout)
		return refuse_version(version, err);
	ret->interp = runtime + ret->layout->interp;
	for (int i = 0; i < PY_NTYPES; i++)
		if (core_address(c, types[i], &ret->types[i]) < 0)
			ret->types[i] = 0;
	if (core_address(c, "_Py_NoneStruct", &ret->none) < 0)
		ret->none = 0;
	return 0;
}

/* The interpreter's struct of a thread. */
static int find_thread(const struct pyview *p, pid_t tid, uint64_t *ret)
{
	const struct py_proc *w = &p->layout->walk;
	uint64_t interp, thread, number;
	int r = word(p, p->interp, &interp);

	if (r == 0)
		r = word(p, interp + w->threads, &thread);
	for (unsigned i = 0; r == 0 && thread && i < PY_MAX_THREADS; i++) {
		r = word(p, thread + w->tid, &number);
		if (r == 0 && (uint32_t)number == (uint32_t)tid) {
			*ret = thread;
			return 0;
		}
		if (r == 0)
			r = word(p, thread + w->next, &thread);
	}
	return r < 0 ? r : -ESRCH;
}

static int add_frame(const struct pyview *p, uint64_t at, const uint8_t *bytes, pyview_frames *ret)
{
	const struct py_proc *w = &p->layout->walk;
	struct pyview_frame f = { .at = at };
	uint64_t instr, index;

	memcpy(&f.code, bytes + w->code, sizeof(f.code));
	memcpy(&instr, bytes + w->instr, sizeof(instr));
	index = (instr - f.code - w->code_start) >> 1; /* instructions have 2 bytes */
	f.index = index < PY_INDEX_MAX ? (uint32_t)index : (uint32_t)PY_INDEX_MAX;
	return vec_try_push(ret, f);
}

int pyview_walk(const struct pyview *p, pid_t tid, pyview_frames *ret, const char **cut)
{
	const struct py_proc *w = &p->layout->walk;
	uint64_t thread, frame;
	int r = find_thread(p, tid, &thread);

	*cut = NULL;
	if (r == 0)
		r = word(p, thread + (w->has_cframe ? w->cframe : w->current), &frame);
	if (r == 0 && w->has_cframe)
		r = word(p, frame + w->current, &frame);
	while (r == 0 && frame) {
		uint8_t bytes[PY_FRAME_BYTES];

		if (ret->n == PYVIEW_FRAMES_MAX) {
			*cut = "too many frames";
			break;
		}
		if (core_read(p->core, frame, bytes, sizeof(bytes)) < 0) {
			*cut = "memory that is not there";
			break;
		}
		if (!w->shim || bytes[w->boundary] != w->boundary_is)
			r = add_frame(p, frame, bytes, ret);
		memcpy(&frame, bytes + w->previous, sizeof(frame));
	}
	return r;
}

int pyview_text(const struct pyview *p, const struct pyview_frame *f, char *buf, size_t size)
{
	struct py_code code;
	int r = py_code_read(&p->mem, p->code_type, f->code, &code);

	return r < 0 ? r : py_frame_text(p->layout, &p->mem, &code, f->index, buf, size);
}

int pyview_locals(const struct pyview *p, const struct pyview_frame *f,
		  int (*fn)(void *ctx, const char *name, uint64_t value), void *ctx)
{
	uint64_t names, n, name, value;
	char text[RT_MAX_TEXT];
	struct py_code code;
	int r = py_code_read(&p->mem, p->code_type, f->code, &code);

	if (r == 0)
		r = word(p, f->code + CODE_NAMES, &names);
	if (r == 0)
		r = word(p, names + PY_OB_SIZE, &n);
	for (uint64_t i = 0; r == 0 && i < n && i < PYVIEW_LOCALS_MAX; i++) {
		r = word(p, names + PY_TUPLE_AT + 8 * i, &name);
		if (r == 0)
			r = word(p, f->at + FRAME_LOCALS + 8 * i, &value);
		if (r == 0 && value)
			r = py_str_text(p->layout, &p->mem, name, PY_MAX_NAME, text, sizeof(text));
		if (r == 0 && value)
			r = fn(ctx, text, value);
	}
	return r;
}

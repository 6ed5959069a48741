/* SPDX-License-Identifier: Apache-2.0 */
/* Finds Python interpreters in processes and names their frames. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/python/python.h"
#include "sym/proc/runtime.h"
#include "sym/proc/ufile.h"

struct pyproc {
	const struct py_layout *layout; /* NULL: version not known */
	uint32_t version;		/* Py_Version; 0: older than 3.11, which has none */
	uint64_t code_type;
};

_Static_assert(sizeof(struct py_code) <= RUNTIME_HEAD, "a code object is compared whole");

static void take(struct ufile *file, const struct elf *e, const Elf64_Sym *sym, const char *name, size_t len)
{
	struct pyfile *f = &file->py;
	const struct {
		const char *name;
		uint64_t *to;
	} wanted[] = {
		{ "_PyRuntime", &f->runtime },
		{ "_PyEval_EvalFrameDefault", &f->eval },
		{ "Py_Version", &f->version },
		{ "PyCode_Type", &f->code_type },
	};

	(void)e;
	if (strncmp(name, "Py", 2) && strncmp(name, "_Py", 3))
		return;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (strlen(wanted[i].name) != len || strncmp(name, wanted[i].name, len))
			continue;
		*wanted[i].to = sym->st_value;
		if (wanted[i].to == &f->eval)
			f->eval_len = sym->st_size;
	}
}

static bool has(struct ufile *f)
{
	return f->py.runtime && f->py.eval && f->py.code_type;
}

static int attach(const struct ufile *file, uint64_t bias, const struct rt_mem *m, void **state,
		  struct sym_runtime *ret)
{
	const struct pyfile *f = &file->py;
	struct py_proc *walk = &ret->walk.python;
	uint64_t version = 0;
	struct pyproc *py = *state;
	int r = f->version ? m->read(m->ctx, f->version + bias, &version, sizeof(version)) : 0;

	if (r < 0)
		return r;
	if (!py)
		py = *state = calloc(1, sizeof(*py));
	if (!py)
		return -ENOMEM;
	py->version = (uint32_t)version;
	py->layout = py_layout_of((uint32_t)version);
	py->code_type = f->code_type + bias;
	*walk = py->layout ? py->layout->walk : (struct py_proc){ 0 };
	walk->eval = f->eval + bias;
	walk->eval_len = f->eval_len;
	walk->interp = py->layout ? f->runtime + bias + py->layout->interp : 0;
	return 0;
}

static bool named(const void *state, uint64_t frame)
{
	const struct pyproc *py = state;

	return py && py->layout && PY_FRAME_CODE(frame);
}

static const char *mark(const void *state, uint64_t frame, char *buf, size_t size)
{
	const struct pyproc *py = state;

	switch (PY_FRAME_CODE(frame) ? 0 : PY_FRAME_INDEX(frame)) {
	case PY_MARK_FAULT: return "[Python frames cut here: memory that could not be read]";
	case PY_MARK_THREAD: return "[Python frames: the interpreter does not list this thread]";
	case PY_MARK_VERSION: break;
	default: return "[Python frames: damaged]";
	}
	if (!py || !py->version)
		return "[Python frames: version older than 3.11]";
	snprintf(buf, size, "[Python frames: version %u.%u is not known, 3.11 to 3.13 are]", py->version >> 24,
		 py->version >> 16 & 255);
	return buf;
}

static uint64_t function_of(uint64_t frame)
{
	return frame & (PY_CODE_MASK | RT_FRAME_BIT);
}

static int head(void *state, const struct rt_mem *m, uint64_t frame, struct runtime_head *ret)
{
	const struct pyproc *py = state;
	struct py_code c;
	int r = py_code_read(m, py->code_type, PY_FRAME_CODE(frame), &c);

	if (r == 0)
		memcpy(ret->bytes, &c, sizeof(c));
	return r;
}

static int text(void *state, const struct rt_mem *m, const struct runtime_head *h, uint64_t frame, char *buf,
		size_t size, const char **tier)
{
	(void)tier;
	const struct pyproc *py = state;
	struct py_code c;

	memcpy(&c, h->bytes, sizeof(c));
	return py_frame_text(py->layout, m, &c, PY_FRAME_INDEX(frame), buf, size);
}

const struct runtime_kind runtime_python = {
	.module = "python",
	.function = "Python function",
	.take = take,
	.has = has,
	.attach = attach,
	.free = free,
	.named = named,
	.mark = mark,
	.function_of = function_of,
	.head = head,
	.text = text,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Python interpreters in processes: found by what they export in their dynamic symbols, which stay in stripped files.
 * The names of a frame are read when it arrives. A code object may be freed and its memory used for another one, so
 * while the process lives each look compares what the object says now with what it said then. */
#include "sym/proc/python.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "runtime/python/python.h"
#include "sym/elf/elfsym.h"
#include "sym/proc/int.h"

struct pyname {
	UT_hash_handle hh; /* by frame */
	uint64_t frame;
	struct py_code code;
	const char *text; /* in sym.names */
	bool lost;
};

struct pyproc {
	const struct py_layout *layout; /* NULL: version not known */
	uint32_t version;		/* Py_Version; 0: older than 3.11, which has none */
	uint64_t code_type;
	struct pyname *names;
};

#define FRAME_KEY(f) ((f) | PY_FRAME_SET)

/* -- the file -- */

static int take_symbol(void *arg, const Elf64_Sym *sym, const char *name, uint64_t room)
{
	struct pyfile *f = arg;
	const struct {
		const char *name;
		uint64_t *to;
	} wanted[] = {
		{ "_PyRuntime", &f->runtime },
		{ "_PyEval_EvalFrameDefault", &f->eval },
		{ "Py_Version", &f->version },
		{ "PyCode_Type", &f->code_type },
	};

	(void)room;
	if (strncmp(name, "Py", 2) && strncmp(name, "_Py", 3))
		return 0;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (strlen(wanted[i].name) != elfsym_name_len(name) ||
		    strncmp(name, wanted[i].name, elfsym_name_len(name)))
			continue;
		*wanted[i].to = sym->st_value;
		if (wanted[i].to == &f->eval)
			f->eval_len = sym->st_size;
	}
	return 0;
}

static const struct pyfile *look_at(struct sym *s, struct ufile *f)
{
	struct elf e;

	if (!f->py_tried && !f->mem && ufile_open(s, f)) {
		f->py_tried = true;
		if (elf_open(&e, (struct elf_src){ .fd = f->fd, .size = f->key.size }) == 0) {
			if (f->seg || elf_segments(&e, &f->seg, &f->nseg) == 0)
				(void)elfsym_each(&e, SHT_DYNSYM, take_symbol, &f->py);
			elf_close(&e);
		}
		if (f->loaded)
			ufile_close(s, f); /* else its symbols will be asked for */
	}
	return f->py.runtime && f->py.eval && f->py.code_type ? &f->py : NULL;
}

/* -- the process -- */

struct memory {
	int fd;
};

static int read_memory(void *ctx, uint64_t addr, void *buf, size_t n)
{
	const struct memory *m = ctx;
	ssize_t r;

	if (addr > INT64_MAX)
		return -EFAULT;
	r = pread(m->fd, buf, n, (off_t)addr);
	if (r < 0)
		return -errno;
	return (size_t)r == n ? 0 : r == 0 ? -ESRCH : -EFAULT; /* 0: the process has no memory any more */
}

static int open_memory(struct sym *s, const struct uproc *p)
{
	_cleanup_close_ int dir = p->dead ? -ESRCH : proc_open(s, p);
	int fd;

	if (dir < 0)
		return -ESRCH;
	fd = openat(dir, "mem", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void forget_names(struct pyproc *py)
{
	struct pyname *n, *tmp;

	HASH_ITER (hh, py->names, n, tmp) {
		HASH_DEL(py->names, n);
		free(n);
	}
}

void python_free(struct uproc *p)
{
	if (!p->py)
		return;
	forget_names(p->py);
	free(p->py);
	p->py = NULL;
}

/* The interpreter's file, and what is added to its link addresses. */
static const struct pyfile *find_file(struct sym *s, const struct uproc *p, uint64_t *ret_bias)
{
	for (size_t i = 0; i < p->maps.n; i++) {
		const struct umap *m = &p->maps.v[i];
		const struct pyfile *f;
		uint64_t vaddr;

		if (!m->exec || m->stale || !m->f)
			continue;
		f = look_at(s, m->f);
		if (!f || !elf_seg_vaddr(m->f->seg, m->f->nseg, m->off, true, &vaddr))
			continue;
		*ret_bias = m->start - vaddr;
		return f;
	}
	return NULL;
}

int sym_python_attach(struct sym *s, uint32_t tgid, uint64_t start, struct py_proc *ret)
{
	struct uproc *p = proc_find(s, tgid, start);
	uint64_t bias = 0, version = 0;
	const struct pyfile *f = p ? find_file(s, p, &bias) : NULL;
	struct memory mem = { -1 };
	_cleanup_close_ int fd = -1;
	int r = 0;

	if (!f)
		return -ENOENT;
	fd = mem.fd = open_memory(s, p);
	if (fd < 0)
		return fd;
	if (f->version)
		r = read_memory(&mem, f->version + bias, &version, sizeof(version));
	if (r < 0)
		return r;
	if (!p->py)
		p->py = calloc(1, sizeof(*p->py));
	if (!p->py)
		return -ENOMEM;
	if (p->py->code_type != f->code_type + bias || p->py->version != (uint32_t)version)
		forget_names(p->py); /* another program was executed */
	p->py->version = (uint32_t)version;
	p->py->layout = py_layout_of((uint32_t)version);
	p->py->code_type = f->code_type + bias;
	*ret = p->py->layout ? p->py->layout->walk : (struct py_proc){ 0 };
	ret->start = start;
	ret->eval = f->eval + bias;
	ret->eval_len = f->eval_len;
	ret->interp = p->py->layout ? f->runtime + bias + p->py->layout->interp : 0;
	return 0;
}

/* -- names -- */

static const char *mark_text(struct sym *s, const struct pyproc *py, uint32_t mark)
{
	char buf[128];

	switch (mark) {
	case PY_MARK_FAULT: return "[Python frames cut here: memory that could not be read]";
	case PY_MARK_THREAD: return "[Python frames: the interpreter does not list this thread]";
	case PY_MARK_VERSION: break;
	default: return "[Python frames: damaged]";
	}
	if (!py || !py->version)
		return "[Python frames: version older than 3.11]";
	snprintf(buf, sizeof(buf), "[Python frames: version %u.%u is not known, 3.11 to 3.13 are]", py->version >> 24,
		 py->version >> 16 & 255);
	return strset_add(&s->names, buf);
}

static struct pyname *keep(struct pyproc *py, uint64_t frame)
{
	struct pyname *n;

	if (HASH_COUNT(py->names) >= SYM_MAX_PYTHON_FRAMES)
		forget_names(py);
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->frame = frame;
	HASH_ADD(hh, py->names, frame, sizeof(n->frame), n);
	if (!n->hh.tbl) {
		free(n);
		return NULL;
	}
	return n;
}

/* NULL: it is kept nowhere and cannot be read; *why. */
static const char *name_frame(struct sym *s, struct pyproc *py, const struct py_mem *m, uint64_t frame, int *why)
{
	char text[PY_MAX_TEXT];
	struct py_code code, again;
	struct pyname *n;

	frame = FRAME_KEY(frame);
	HASH_FIND(hh, py->names, &frame, sizeof(frame), n);
	if (!m)
		return n ? n->text : NULL;
	*why = py_code_read(m, py->code_type, PY_FRAME_CODE(frame), &code);
	if (*why < 0 || (n && !memcmp(&n->code, &code, sizeof(code))))
		return n ? n->text : NULL;
	*why = py_frame_text(py->layout, m, &code, PY_FRAME_INDEX(frame), text, sizeof(text));
	if (*why == 0)
		*why = py_code_read(m, py->code_type, PY_FRAME_CODE(frame), &again);
	if (*why == 0 && memcmp(&code, &again, sizeof(code)))
		*why = -ENOENT; /* freed meanwhile: what was read may be anything */
	if (*why < 0)
		return n ? n->text : NULL;
	n = n ? n : keep(py, frame);
	if (!n)
		return NULL;
	n->code = code;
	n->text = strset_add(&s->names, text);
	return n->text;
}

void sym_python_learn(struct sym *s, uint32_t tgid, uint64_t start, const uint64_t *frames, size_t n)
{
	struct uproc *p = proc_find(s, tgid, start);
	struct memory mem = { -1 };
	const struct py_mem m = { read_memory, &mem };
	_cleanup_close_ int fd = -1;
	int why;

	if (!p || !p->py || !p->py->layout)
		return;
	fd = mem.fd = open_memory(s, p);
	for (size_t i = 0; i < n && fd >= 0; i++)
		if (PY_FRAME_CODE(frames[i]))
			(void)name_frame(s, p->py, &m, frames[i], &why);
}

bool python_symbol(struct sym *s, struct uproc *p, uint64_t frame, struct symbol *ret)
{
	struct memory mem = { -1 };
	const struct py_mem m = { read_memory, &mem };
	struct pyproc *py = p ? p->py : NULL;
	_cleanup_close_ int fd = -1;
	int why = -ESRCH;

	*ret = (struct symbol){ .module = SYM_PYTHON, .addr = frame };
	if (!PY_FRAME_CODE(frame)) {
		ret->name = mark_text(s, py, PY_FRAME_INDEX(frame));
		return ret->name;
	}
	if (py && py->layout) {
		/* What was read when the frame arrived is what it was called then. */
		ret->name = name_frame(s, py, NULL, frame, &why);
		if (!ret->name) {
			fd = mem.fd = open_memory(s, p);
			why = fd < 0 ? fd : 0;
		}
		if (!ret->name && fd >= 0)
			ret->name = name_frame(s, py, &m, frame, &why);
	}
	if (!ret->name)
		ret->name = why == -ESRCH    ? "[Python function: the process is gone, its name was not read]"
			    : why == -ENOENT ? "[Python function: freed before its name was read]"
			    : why == -EACCES || why == -EPERM
				    ? "[Python function: no permission to read the process's memory]"
				    : "[Python function: its name could not be read]";
	return true;
}

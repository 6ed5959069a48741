/* SPDX-License-Identifier: Apache-2.0 */
/* Language runtimes in processes: found by what they export in their dynamic symbols, which stay in stripped files.
 * The names of a frame are read when it arrives. A function may be freed or moved, and its memory used for another one.
 * So while the process lives, each look compares the memory with what it was before. */
#include "sym/proc/runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "sym/elf/elfsym.h"
#include "sym/proc/int.h"

static const struct runtime_kind *const kinds[RUNTIMES] = { [RUNTIME_PYTHON] = &runtime_python,
							    [RUNTIME_V8] = &runtime_v8,
							    [RUNTIME_HOTSPOT] = &runtime_hotspot,
							    [RUNTIME_GO] = &runtime_go };

struct rtname {
	UT_hash_handle hh; /* by frame */
	uint64_t frame;
	struct runtime_head head;
	const char *text, *module; /* in sym.names */
	bool part;		   /* there may be more to say */
};

struct rtproc {
	enum runtime which;
	void *state;
	struct ufile *f; /* where it was found, with a reference, and by how much it is moved */
	uint64_t bias;
	struct rtname *names;
	struct rtproc *former; /* of the program that the process was before, for frames that came then; or NULL */
};

#define FRAME_KEY(f) ((f) | RT_FRAME_SET)

/* -- the file -- */

struct look {
	struct ufile *f;
	const struct elf *e;
};

static int take_symbol(void *arg, const Elf64_Sym *sym, const char *name, uint64_t room)
{
	const struct look *l = arg;
	const size_t len = elfsym_name_len(name);

	(void)room;
	for (unsigned i = 0; i < RUNTIMES; i++)
		if (kinds[i]->take)
			kinds[i]->take(l->f, l->e, sym, name, len);
	return 0;
}

/* The runtime that a file has, or RUNTIMES. */
static enum runtime look_at(struct sym *s, struct ufile *f)
{
	struct elf e;
	unsigned i = 0;

	if (!f->rt_tried && !f->mem && ufile_open(s, f)) {
		f->rt_tried = true;
		if (elf_open(&e, (struct elf_src){ .fd = f->fd, .size = f->key.size }) == 0) {
			for (unsigned k = 0; k < RUNTIMES; k++)
				if (kinds[k]->look)
					kinds[k]->look(f, &e);
			if (f->seg || elf_segments(&e, &f->seg, &f->nseg) == 0)
				(void)elfsym_each(&e, SHT_DYNSYM, take_symbol, &(struct look){ f, &e });
			if (f->v8) /* not all of its versions export all that is wanted */
				(void)elfsym_each(&e, SHT_SYMTAB, take_symbol, &(struct look){ f, &e });
			elf_close(&e);
		}
		if (f->loaded)
			ufile_close(s, f); /* else its symbols will be asked for */
	}
	while (i < RUNTIMES && !kinds[i]->has(f))
		i++;
	return (enum runtime)i;
}

void runtime_file_free(struct ufile *f)
{
	free(f->v8);
	f->v8 = NULL;
	free(f->hotspot);
	f->hotspot = NULL;
	free(f->go);
	f->go = NULL;
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
	return (size_t)r == n ? 0 : r == 0 && n ? -ESRCH : -EFAULT; /* 0: the process has no memory any more */
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

static void forget_names(struct rtproc *rt)
{
	struct rtname *n, *tmp;

	HASH_ITER (hh, rt->names, n, tmp) {
		HASH_DEL(rt->names, n);
		free(n);
	}
}

static void state_free(struct sym *s, struct rtproc *rt)
{
	if (!rt)
		return;
	state_free(s, rt->former);
	forget_names(rt);
	kinds[rt->which]->free(rt->state);
	ufile_put(s, rt->f);
	free(rt);
}

void runtime_free(struct sym *s, struct uproc *p)
{
	state_free(s, p->rt);
	p->rt = NULL;
}

/* Whether a file is worth a look for the wanted runtimes. */
static bool may_have(const struct ufile *f, unsigned wanted)
{
	for (unsigned i = 0; i < RUNTIMES; i++)
		if (wanted & 1u << i && (!kinds[i]->file || !strcmp(kinds[i]->file, f->module)))
			return true;
	return false;
}

/* The file of a runtime, and what is added to its link addresses. */
static struct ufile *find_file(struct sym *s, const struct uproc *p, unsigned wanted, enum runtime *ret,
			       uint64_t *ret_bias)
{
	for (size_t i = 0; i < p->maps.n; i++) {
		const struct umap *m = &p->maps.v[i];
		uint64_t vaddr;

		if (!m->exec || m->stale || !m->f || !may_have(m->f, wanted))
			continue;
		*ret = look_at(s, m->f);
		if (*ret == RUNTIMES || !(wanted & 1u << *ret) ||
		    !elf_seg_vaddr(m->f->seg, m->f->nseg, m->off, true, &vaddr))
			continue;
		*ret_bias = m->start - vaddr;
		return m->f;
	}
	return NULL;
}

/* The state of the process; a new one if the process has executed another program. */
static struct rtproc *take_state(struct sym *s, struct uproc *p, enum runtime which, struct ufile *f, uint64_t bias)
{
	struct rtproc *former = p->rt;

	if (former && former->which == which && former->f == f && former->bias == bias)
		return former;
	p->rt = calloc(1, sizeof(*p->rt));
	if (!p->rt) {
		state_free(s, former);
		return NULL;
	}
	if (former) {
		state_free(s, former->former); /* one is kept */
		former->former = NULL;
	}
	ufile_ref(s, f);
	*p->rt = (struct rtproc){ .which = which, .f = f, .bias = bias, .former = former };
	return p->rt;
}

int sym_runtime_attach(struct sym *s, uint32_t tgid, uint64_t start, unsigned wanted, struct sym_runtime *ret)
{
	struct uproc *p = proc_find(s, tgid, start);
	enum runtime which = RUNTIMES;
	uint64_t bias = 0;
	struct ufile *f = p ? find_file(s, p, wanted, &which, &bias) : NULL;
	struct memory mem = { -1 };
	const struct rt_mem m = { read_memory, &mem };
	_cleanup_close_ int fd = -1;
	struct rtproc *rt;
	int r;

	if (!f)
		return -ENOENT;
	fd = mem.fd = open_memory(s, p);
	if (fd < 0)
		return fd;
	rt = take_state(s, p, which, f, bias);
	if (!rt)
		return -ENOMEM;
	*ret = (struct sym_runtime){ .which = which };
	r = kinds[which]->attach(f, bias, &m, &rt->state, ret);
	ret->walk.start = start;
	return r;
}

/* -- names -- */

static struct rtname *keep(struct rtproc *rt, uint64_t frame)
{
	struct rtname *n;

	if (HASH_COUNT(rt->names) >= SYM_MAX_RUNTIME_FRAMES)
		forget_names(rt);
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->frame = frame;
	HASH_ADD(hh, rt->names, frame, sizeof(n->frame), n);
	if (!n->hh.tbl) {
		free(n);
		return NULL;
	}
	return n;
}

/* A function that was named at another place of its: without the place. NULL: it never was. */
static struct rtname *name_elsewhere(struct sym *s, struct rtproc *rt, uint64_t frame)
{
	const uint64_t function = kinds[rt->which]->function_of(frame);
	struct rt_function all[SYM_MAX_LINES], f;
	char text[RT_MAX_TEXT];
	struct rtname *n, *tmp;
	const char *module;

	HASH_ITER (hh, rt->names, n, tmp) {
		if (!n->text || kinds[rt->which]->function_of(n->frame) != function)
			continue;
		f = all[rt_text_functions(n->text, all, SYM_MAX_LINES) - 1];
		module = n->module;
		snprintf(text, sizeof(text), "%.*s%s%.*s", (int)f.name_len, f.name, f.file_len ? " at " : "",
			 (int)f.file_len, f.file_len ? f.file : "");
		tmp = keep(rt, frame);
		if (tmp) {
			tmp->text = strset_add(&s->names, text);
			tmp->module = module;
		}
		return tmp;
	}
	return NULL;
}

/* NULL: it is kept nowhere and cannot be read; *reason. */
static struct rtname *name_frame(struct sym *s, struct rtproc *rt, const struct rt_mem *m, uint64_t frame, int *reason)
{
	const struct runtime_kind *k = kinds[rt->which];
	struct runtime_head head = { { 0 } }, again = { { 0 } };
	char text[RT_MAX_TEXT], module[64];
	const char *tier = "";
	struct rtname *n;
	bool part;

	frame = FRAME_KEY(frame);
	HASH_FIND(hh, rt->names, &frame, sizeof(frame), n);
	if (!m)
		return n && !n->part ? n : NULL;
	*reason = k->head(rt->state, m, frame, &head);
	if (*reason < 0 || (n && !n->part && !memcmp(&n->head, &head, sizeof(head))))
		return n;
	*reason = k->text(rt->state, m, &head, frame, text, sizeof(text), &tier);
	part = *reason > 0;
	if (*reason >= 0)
		*reason = k->head(rt->state, m, frame, &again);
	if (*reason == 0 && memcmp(&head, &again, sizeof(head)))
		*reason = -ENOENT; /* freed meanwhile: what was read may be anything */
	if (*reason < 0)
		return n;
	n = n ? n : keep(rt, frame);
	if (!n)
		return NULL;
	n->head = head;
	n->part = part;
	n->text = strset_add(&s->names, text);
	snprintf(module, sizeof(module), "%s%s", k->module, tier);
	n->module = strset_add(&s->names, module);
	return n;
}

void sym_runtime_learn(struct sym *s, uint32_t tgid, uint64_t start, const uint64_t *frames, size_t n)
{
	struct uproc *p = proc_find(s, tgid, start);
	struct memory mem = { -1 };
	const struct rt_mem m = { read_memory, &mem };
	_cleanup_close_ int fd = -1;
	int reason;

	if (!p || !p->rt)
		return;
	for (size_t i = 0; i < n; i++) {
		if (!kinds[p->rt->which]->named(p->rt->state, frames[i]))
			continue;
		if (fd < 0)
			fd = mem.fd = open_memory(s, p);
		if (fd < 0)
			return;
		(void)name_frame(s, p->rt, &m, frames[i], &reason);
	}
}

/* Why a function has no name. */
static const char *unnamed(struct sym *s, const struct runtime_kind *k, int reason)
{
	char buf[128];

	snprintf(buf, sizeof(buf), "[%s: %s]", k->function,
		 reason == -ESRCH			 ? "the process is gone, its name was not read"
		 : reason == -ENOENT			 ? "freed before its name was read"
		 : reason == -EACCES || reason == -EPERM ? "no permission to read the process's memory"
							 : "its name could not be read");
	return strset_add(&s->names, buf);
}

bool runtime_symbol(struct sym *s, struct uproc *p, uint64_t frame, struct symbol *ret)
{
	struct memory mem = { -1 };
	const struct rt_mem m = { read_memory, &mem };
	struct rtproc *rt = p ? p->rt : NULL;
	_cleanup_close_ int fd = -1;
	int reason = -ESRCH;
	struct rtname *n;
	char buf[128];

	*ret = (struct symbol){ .module = rt ? kinds[rt->which]->module : "", .addr = frame };
	if (!rt) {
		ret->name = "[function of a language runtime: the process is gone, its name was not read]";
		return true;
	}
	/* A name that was read when the frame arrived is the name that it had then. */
	n = name_frame(s, rt, NULL, frame, &reason);
	if (!n && rt->former && (n = name_frame(s, rt->former, NULL, frame, &reason)))
		ret->module = kinds[rt->former->which]->module;
	if (!n && !kinds[rt->which]->named(rt->state, frame)) {
		ret->name = strset_add(&s->names, kinds[rt->which]->mark(rt->state, frame, buf, sizeof(buf)));
		return ret->name;
	}
	if (!n) {
		fd = mem.fd = open_memory(s, p);
		reason = fd < 0 ? fd : 0;
	}
	if (!n && fd >= 0)
		n = name_frame(s, rt, &m, frame, &reason);
	if (!n)
		n = name_elsewhere(s, rt, FRAME_KEY(frame));
	if (n && n->module)
		ret->module = n->module;
	ret->name = n ? n->text : unnamed(s, kinds[rt->which], reason);
	return ret->name;
}

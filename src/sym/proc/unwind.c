/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the unwinding table of a file when the file is first met. */
#include "sym/proc/unwind.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "sym/elf/open.h"
#include "sym/proc/int.h"

#define KERNEL_MINORBITS 20 /* Source: include/linux/kdev_t.h */

/* A table that has been put; files with one build id share it. */
struct uwtab {
	struct utab_key key;
	struct uwplace place;
	UT_hash_handle hh;
};

void sym_unwind_begin(struct sym *s, const struct sym_unwind_sink *sink)
{
	s->uw_sink = *sink;
}

static void put_table(struct sym *s, struct ufile *f, const struct elf *e)
{
	struct ehtab t;

	if (ehtab_load(e, &t) < 0)
		return;
	if (s->uw_sink.put(s->uw_sink.ctx, &t, &f->uw.index) == 0) {
		f->uw.nindex = t.nindex;
		f->uw.base = t.base;
	}
	ehtab_done(&t);
}

static void share_table(struct sym *s, struct ufile *f, const struct elf *e)
{
	struct utab_key key = { .size = e->src.size, .uid = f->uid };
	struct uwtab *ut = NULL;

	if (e->nbuild_id == 0) {
		put_table(s, f, e);
		return;
	}
	memcpy(key.build_id, e->build_id, e->nbuild_id);
	HASH_FIND(hh, s->uw_tabs, &key, sizeof(key), ut);
	if (ut) {
		f->uw = ut->place;
		return;
	}
	put_table(s, f, e);
	ut = calloc(1, sizeof(*ut));
	if (!ut)
		return;
	ut->key = key;
	ut->place = f->uw;
	HASH_ADD(hh, s->uw_tabs, key, sizeof(ut->key), ut);
	if (!ut->hh.tbl)
		free(ut);
}

static void tell_file(struct sym *s, const struct ufile *f)
{
	const struct elf_seg *x = NULL;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (unsigned i = 0; i < f->nseg; i++) {
		if (!(f->seg[i].flags & PF_X))
			continue;
		if (x)
			return; /* several */
		x = &f->seg[i];
	}
	if (!x || f->mem || !f->uw.nindex || !s->uw_sink.file)
		return;
	const struct uw_file_key key = {
		.ino = f->key.ino,
		.size = f->key.size,
		.dev = major(f->key.dev) << KERNEL_MINORBITS | minor(f->key.dev),
	};
	const struct uw_file v = {
		.off = x->off & ~(page - 1),
		.end = ROUND_UP(x->off + x->filesz, page),
		.delta = x->vaddr - x->off - f->uw.base,
		.index = f->uw.index,
		.nindex = f->uw.nindex,
	};

	s->uw_sink.file(s->uw_sink.ctx, &key, &v);
}

void ufile_unwind(struct sym *s, struct ufile *f, const struct elf *e)
{
	if (f->uw_tried || !s->uw_sink.put)
		return;
	f->uw_tried = true;
	if (f->seg || elf_segments(e, &f->seg, &f->nseg) == 0)
		share_table(s, f, e);
	tell_file(s, f);
}

/* Makes the table of a file whose symbols nobody has asked for yet. */
static void look_at(struct sym *s, struct ufile *f)
{
	struct elf e;

	if (f->uw_tried || !ufile_open(s, f))
		return;
	if (elf_open(&e, (struct elf_src){ .fd = f->fd, .mem = f->mem, .size = f->key.size }) == 0) {
		ufile_unwind(s, f, &e);
		elf_close(&e);
	}
	f->uw_tried = true;
}

int sym_unwind_areas(struct sym *s, uint32_t tgid, uint64_t start, struct uw_area *v, size_t cap, size_t *ret_n)
{
	struct uproc *p = proc_get(s, tgid, start);
	size_t n = 0;
	int r;

	if (!p)
		return -ENOMEM;
	r = p->dead ? -ESRCH : proc_read(s, p);
	if (r < 0)
		return r;
	for (size_t i = 0; i < p->maps.n && n < cap; i++) {
		const struct umap *m = &p->maps.v[i];
		uint64_t vaddr;

		if (!m->exec || m->stale || !m->f)
			continue;
		look_at(s, m->f);
		if (!m->f->uw.nindex || !elf_seg_vaddr(m->f->seg, m->f->nseg, m->off, true, &vaddr))
			continue;
		v[n++] = (struct uw_area){
			.start = m->start,
			.end = m->end,
			.bias = m->start - vaddr + m->f->uw.base,
			.index = m->f->uw.index,
			.nindex = m->f->uw.nindex,
		};
	}
	*ret_n = n;
	return 0;
}

void sym_unwind_learn(struct sym *s, uint32_t tgid, uint64_t start)
{
	struct uproc *p = proc_find(s, tgid, start);

	for (size_t i = 0; p && i < p->maps.n; i++)
		if (p->maps.v[i].exec && p->maps.v[i].f)
			look_at(s, p->maps.v[i].f);
}

void sym_unwind_file(struct sym *s, const char *path)
{
	struct stat st;
	_cleanup_close_ int fd = open_path_regular(AT_FDCWD, path, &st);
	struct ufile *f = fd >= 0 ? ufile_get(s, fd, &st, path) : NULL;

	if (!f)
		return;
	look_at(s, f);
	ufile_put(s, f);
}

void sym_unwind_free(struct sym *s)
{
	struct uwtab *ut, *tmp;

	HASH_ITER (hh, s->uw_tabs, ut, tmp) {
		HASH_DEL(s->uw_tabs, ut);
		free(ut);
	}
}

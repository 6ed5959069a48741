/* SPDX-License-Identifier: Apache-2.0 */
/* Turns user addresses into names, and names of a file into places in it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "sym/elf/elfsym.h"
#include "sym/elf/open.h"
#include "sym/proc/int.h"
#include "sym/proc/runtime.h"

static bool in_file(struct sym *s, struct uproc *p, const struct umap *m, uint64_t addr, struct symbol *ret)
{
	uint64_t vaddr;

	ufile_load(s, m->f, p->dead ? 0 : p->tgid);
	ret->path = m->f->mem ? NULL : m->f->path;
	if (m->bss) {
		/* After the file's last page, which tells where the memory lies. */
		if (!elf_seg_vaddr(m->f->seg, m->f->nseg, m->off - 1, false, &vaddr))
			return false;
		vaddr += 1 + m->gap + (addr - m->start);
	} else if (!elf_seg_vaddr(m->f->seg, m->f->nseg, addr - m->start + m->off, m->exec, &vaddr)) {
		return false;
	}
	ret->offset = vaddr;
	const struct usym *u = m->f->tab ? symtab_at(m->f->tab, vaddr) : NULL;

	if (!u)
		return false;
	ret->name = demangle(&s->dem, &s->names, m->f->tab->text + u->name);
	ret->offset = vaddr - u->addr;
	ret->addr = addr - ret->offset;
	return ret->name != NULL;
}

/* Code made at run time, named by its maker. */
static bool in_jit(struct sym *s, struct uproc *p, uint64_t addr, struct symbol *ret)
{
	const struct perfsym *e = perfmap_at(&p->jit, addr);

	if (!e)
		return false;
	ret->module = "[jit]";
	ret->name = demangle(&s->dem, &s->names, p->jit.text + e->name);
	ret->offset = addr - e->addr;
	ret->addr = e->addr;
	ret->path = NULL;
	return ret->name != NULL;
}

/* The mapping of an address; looks again when it is in none, or in one that was there once. */
static const struct umap *find_map(struct sym *s, struct uproc *p, uint64_t addr)
{
	const struct umap *m = maps_at(&p->maps, addr);

	if ((!m || m->stale) && proc_retry(s, p))
		m = maps_at(&p->maps, addr);
	return m;
}

bool sym_user(struct sym *s, uint32_t tgid, uint64_t start, uint64_t addr, struct symbol *ret)
{
	struct uproc *p;

	*ret = (struct symbol){ .module = "", .offset = addr };
	if (s->source.user)
		return s->source.user(s->source.ctx, tgid, start, addr, ret);
	p = proc_find(s, tgid, start);
	if (!p) {
		sym_proc_touch(s, tgid, start);
		p = proc_find(s, tgid, start);
	}
	if (rt_is_frame(addr) && (!p || p->rt))
		return runtime_symbol(s, p, addr, ret);
	const struct umap *m = p ? find_map(s, p, addr) : NULL;

	if (!m)
		return false;
	ret->module = m->name;
	ret->offset = addr - m->start;
	if (m->f && in_file(s, p, m, addr, ret))
		return true;
	if (m->f && m->f->is_elf)
		return false;
	ret->offset = addr;
	return m->exec && in_jit(s, p, addr, ret);
}

void sym_proc_mmap(struct sym *s, uint32_t tgid, uint64_t start, uint64_t addr, uint64_t len, uint64_t file_off,
		   const char *path)
{
	struct uproc *p = proc_get(s, tgid, start);

	if (!p || len == 0 || addr + len < addr)
		return;
	if (p->stale && !p->dead && proc_read(s, p) == 0 && maps_at(&p->maps, addr))
		return; /* just read: this one is in */
	struct umap m = { .start = addr, .end = addr + len, .off = file_off, .exec = true };
	bool anon = !path || maps_is_anon(path);
	const char *base = anon ? NULL : strrchr(path, '/');

	m.name = base && base[1] ? strset_add(&s->names, base + 1) : "[anon]";
	if (!m.name)
		return;
	if (!anon && path[0] == '/') {
		struct stat st;
		_cleanup_close_ int dir = p->dead ? -1 : proc_open(s, p);
		char rooted[4096 + 8];

		snprintf(rooted, sizeof(rooted), "root%s", path);
		/* A process that has exited, but still has its number, has no root any more. */
		bool has_root = dir >= 0 && faccessat(dir, "root/", F_OK, 0) == 0;
		_cleanup_close_ int fd = has_root ? open_path_regular(dir, rooted, &st)
						  : open_path_regular(AT_FDCWD, path, &st);

		m.f = fd >= 0 ? ufile_get(s, fd, &st, path) : NULL;
	}
	maps_insert(s, &p->maps, m);
	/* While it lives /proc knows more: deleted files, generated code. Read when next looked at. */
	p->stale = !p->dead;
}

int sym_elf_find(struct sym *s, const char *path, const char *name, uint64_t *ret_off)
{
	struct stat st;
	struct elf e;
	_cleanup_close_ int fd = open_regular(AT_FDCWD, path, true, &st);
	_cleanup_free_ struct elf_seg *seg = NULL;
	uint64_t vaddr;
	unsigned nseg;

	(void)s;
	if (fd < 0)
		return fd;
	int r = elf_open(&e, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size });

	if (r < 0)
		return r;
	r = elfsym_find(&e, name, strlen(name), true, &vaddr);
	if (r == 0)
		r = elf_segments(&e, &seg, &nseg);
	if (r == 0 && !elf_seg_off(seg, nseg, vaddr, ret_off))
		r = -ENOENT;
	elf_close(&e);
	return r;
}

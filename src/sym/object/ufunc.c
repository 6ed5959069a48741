/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the functions of one file for probes, with all their names and the place of their code. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "sym/elf/debugfile.h"
#include "sym/elf/elfsym.h"
#include "sym/elf/minidebug.h"
#include "sym/object/uobj.h"

struct raw {
	struct ufunc f;
	bool exported;
};

struct collect {
	struct arena *a;
	const struct elf *e;
	VEC(struct raw) v;
};

int uobj_code_off(const struct elf *e, uint64_t addr, uint64_t *ret)
{
	for (unsigned i = 0; i < e->nph; i++) {
		const Elf64_Phdr *p = &e->ph[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || addr < p->p_vaddr ||
		    addr - p->p_vaddr >= p->p_filesz || p->p_offset + p->p_filesz < p->p_offset)
			continue;
		*ret = addr - p->p_vaddr + p->p_offset;
		return 0;
	}
	return -ENOENT;
}

static int visit(void *arg, const Elf64_Sym *s, const char *name, uint64_t room)
{
	struct collect *c = arg;
	struct raw r = { .f = { .addr = s->st_value, .size = s->st_size } };

	(void)room;
	if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_size == 0 || uobj_code_off(c->e, s->st_value, &r.f.off) < 0)
		return 0;
	r.exported = ELF64_ST_BIND(s->st_info) != STB_LOCAL;
	r.f.name = arena_strndup(c->a, name, elfsym_name_len(name));
	return arena_exhausted(c->a) ? -ENOMEM : vec_try_push(&c->v, r);
}

/* A stripped file's local symbols. */
static int collect_packed(struct collect *c)
{
	struct minidebug m;
	int r = minidebug_open(c->e, &m);

	if (r < 0)
		return r;
	r = elfsym_each(&m.elf, SHT_SYMTAB, visit, c);
	minidebug_close(&m);
	return r;
}

static int collect(struct collect *c, const struct uobj *o, int tgid)
{
	struct debugfile d;
	int r = elfsym_each(c->e, SHT_SYMTAB, visit, c);

	if (r == -ENOENT && debugfile_open(c->e, o->path, DEBUGFILE_DIR, (uint32_t)tgid, &d) == 0) {
		r = elfsym_each(&d.elf, SHT_SYMTAB, visit, c);
		debugfile_close(&d);
	}
	if (r == -ENOENT)
		r = collect_packed(c);
	if (r == -ENOMEM)
		return r;
	r = elfsym_each(c->e, SHT_DYNSYM, visit, c);
	return r == -ENOMEM ? r : 0;
}

/* Exported names first, then those with fewer underscores in front, then short ones. */
static int by_addr(const void *a, const void *b)
{
	const struct raw *x = a, *y = b;
	size_t ux, uy;

	if (x->f.addr != y->f.addr)
		return x->f.addr < y->f.addr ? -1 : 1;
	if (x->exported != y->exported)
		return x->exported ? -1 : 1;
	ux = strspn(x->f.name, "_");
	uy = strspn(y->f.name, "_");
	if (ux != uy)
		return ux < uy ? -1 : 1;
	if (strlen(x->f.name) != strlen(y->f.name))
		return strlen(x->f.name) < strlen(y->f.name) ? -1 : 1;
	return strcmp(x->f.name, y->f.name);
}

static struct ufuncs *finish(struct collect *c)
{
	struct ufuncs *f = arena_new_obj(c->a, struct ufuncs);

	f->machine = c->e->machine;
	f->go = elf_section(c->e, ".note.go.buildid") || elf_section(c->e, ".gopclntab");
	if (c->v.n)
		qsort(c->v.v, c->v.n, sizeof(*c->v.v), by_addr);
	f->v = arena_new_arr(c->a, struct ufunc, c->v.n + 1);
	for (size_t i = 0; i < c->v.n; i++) {
		const struct ufunc *s = &c->v.v[i].f;

		/* The same symbol stands in both tables. */
		if (f->n && f->v[f->n - 1].addr == s->addr && !strcmp(f->v[f->n - 1].name, s->name))
			continue;
		f->v[f->n++] = *s;
	}
	return f;
}

int uobj_funcs(struct arena *a, const struct uobj *o, int tgid, struct ufuncs **ret)
{
	struct collect c = { .a = a };
	struct uobj_file file;
	int r = uobj_open(o, &file);

	if (r < 0)
		return r;
	c.e = &file.elf;
	r = collect(&c, o, tgid);
	if (r == 0)
		*ret = finish(&c);
	vec_free(&c.v);
	uobj_close(&file);
	return r;
}

const struct ufunc *ufuncs_find(const struct ufuncs *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->v[i].name, name))
			return &f->v[i];
	return NULL;
}

const struct ufunc *ufuncs_at(const struct ufuncs *f, uint64_t off)
{
	const struct ufunc *best = NULL;

	for (size_t i = 0; i < f->n; i++) {
		const struct ufunc *u = &f->v[i];

		if (off >= u->off && off - u->off < u->size && (!best || u->off > best->off))
			best = u;
	}
	return best;
}

int ufunc_code(const struct uobj *o, const struct ufunc *f, uint8_t **ret)
{
	_cleanup_free_ uint8_t *p = NULL;
	struct uobj_file file;
	int r;

	if (f->size > UFUNC_MAX_CODE)
		return -EFBIG;
	r = uobj_open(o, &file);
	if (r < 0)
		return r;
	if (f->off > file.elf.src.size || f->size > file.elf.src.size - f->off)
		r = -ENODATA;
	else if (!(p = malloc(f->size)))
		r = -ENOMEM;
	if (r == 0)
		r = elf_read(&file.elf.src, f->off, p, f->size);
	uobj_close(&file);
	if (r == 0)
		*ret = take_ptr(p);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Walks ELF symbol tables. Source: elf(5), gABI "Symbol Table". */
#include "sym/elf/elfsym.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/walk.h"
#include "sym/sym.h"

#define ELFSYM_CHUNK 2048u /* symbols read at a time */

size_t elfsym_name_len(const char *name)
{
	size_t n = strnlen(name, SYMTAB_MAX_NAME);
	const char *at = n ? memchr(name + 1, '@', n - 1) : NULL;

	return at ? (size_t)(at - name) : n;
}

static void sym_from32(Elf64_Sym *d, const Elf32_Sym *s)
{
	*d = (Elf64_Sym){
		.st_name = s->st_name,
		.st_info = s->st_info,
		.st_other = s->st_other,
		.st_shndx = s->st_shndx,
		.st_value = s->st_value,
		.st_size = s->st_size,
	};
}

static bool wanted(const Elf64_Sym *s, const char *name)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);

	if (s->st_shndx == SHN_UNDEF || s->st_shndx >= SHN_LORESERVE || name[0] == '\0')
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT)
		return true;
	/* Labels of assembler code; "$x" marks code and data on ARM. */
	return type == STT_NOTYPE && name[0] != '$' && name[0] != '.';
}

struct walk {
	const struct elf *e;
	const char *str;
	size_t nstr;
	elfsym_fn fn;
	void *arg;
};

static int visit(const struct walk *w, const Elf64_Sym *s)
{
	if (s->st_name >= w->nstr || !wanted(s, w->str + s->st_name))
		return 0;
	uint64_t room = UINT32_MAX;

	if (s->st_shndx < w->e->nsh) {
		const Elf64_Shdr *sh = &w->e->sh[s->st_shndx];

		if (!(sh->sh_flags & SHF_ALLOC) || (sh->sh_flags & SHF_TLS))
			return 0;
		room = s->st_value >= sh->sh_addr && s->st_value - sh->sh_addr < sh->sh_size
			       ? sh->sh_size - (s->st_value - sh->sh_addr)
			       : 0;
	}
	return w->fn(w->arg, s, w->str + s->st_name, room);
}

static int walk_table(const struct walk *w, const Elf64_Shdr *sh, uint64_t n)
{
	size_t size = w->e->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	_cleanup_free_ char *raw = malloc(ELFSYM_CHUNK * size);

	if (!raw)
		return -ENOMEM;
	for (uint64_t i = 0; i < n;) {
		size_t k = n - i < ELFSYM_CHUNK ? (size_t)(n - i) : ELFSYM_CHUNK;
		int r = elf_read(&w->e->src, sh->sh_offset + i * size, raw, k * size);

		for (size_t j = 0; r == 0 && j < k; j++) {
			Elf64_Sym s;

			if (w->e->is64)
				memcpy(&s, raw + j * size, sizeof(s));
			else
				sym_from32(&s, (const Elf32_Sym *)raw + j);
			r = visit(w, &s);
		}
		if (r != 0)
			return r;
		i += k;
	}
	return 0;
}

int elfsym_each(const struct elf *e, uint32_t sh_type, elfsym_fn fn, void *arg)
{
	const Elf64_Shdr *sh = elf_section_of_type(e, sh_type);
	size_t size = e->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	_cleanup_free_ char *str = NULL;
	struct walk w = { .e = e, .fn = fn, .arg = arg };

	if (!sh || sh->sh_link >= e->nsh || sh->sh_size < size)
		return -ENOENT;
	if (sh->sh_size / size > SYM_MAX_SYMBOLS_PER_FILE)
		return -E2BIG;
	if (sh->sh_offset > e->src.size || sh->sh_size > e->src.size - sh->sh_offset)
		return -ENODATA;
	int r = elf_section_read(e, &e->sh[sh->sh_link], ELF_MAX_STRTAB, &str, &w.nstr);

	if (r < 0)
		return r;
	w.str = str;
	return walk_table(&w, sh, sh->sh_size / size);
}

static int add(void *arg, const Elf64_Sym *s, const char *name, uint64_t room)
{
	unsigned type = ELF64_ST_TYPE(s->st_info), rank = 0;
	uint64_t size = s->st_size ? s->st_size : room;

	if (s->st_size)
		rank |= SYMRANK_SIZED;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		rank |= SYMRANK_FUNC;
	else if (type == STT_OBJECT)
		rank |= SYMRANK_OBJECT;
	if (ELF64_ST_BIND(s->st_info) != STB_LOCAL)
		rank |= SYMRANK_EXPORTED;
	return size ? symtab_add(arg, s->st_value, size, name, elfsym_name_len(name), rank) : 0;
}

int elfsym_load(const struct elf *e, uint32_t sh_type, struct symtab *t)
{
	size_t nraw = t->nraw, ntext = t->ntext;
	int r = elfsym_each(e, sh_type, add, t);

	if (r < 0) {
		t->nraw = nraw;
		t->ntext = ntext;
	}
	return r;
}

struct finding {
	const char *name;
	size_t len;
	bool code;
	uint64_t addr;
};

static int match(void *arg, const Elf64_Sym *sym, const char *name, uint64_t room)
{
	struct finding *f = arg;

	(void)room;
	if ((f->code && ELF64_ST_TYPE(sym->st_info) == STT_OBJECT) || elfsym_name_len(name) != f->len ||
	    memcmp(name, f->name, f->len) != 0)
		return 0;
	f->addr = sym->st_value;
	return WALK_END;
}

int elfsym_find(const struct elf *e, const char *name, size_t len, bool code, uint64_t *ret)
{
	struct finding f = { .name = name, .len = len, .code = code };

	if (elfsym_each(e, SHT_SYMTAB, match, &f) != WALK_END && elfsym_each(e, SHT_DYNSYM, match, &f) != WALK_END)
		return -ENOENT;
	*ret = f.addr;
	return 0;
}

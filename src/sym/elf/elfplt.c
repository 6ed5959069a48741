/* SPDX-License-Identifier: Apache-2.0 */
/* Names the entries of the procedure linkage table. The linker gives them the order of .rela.plt and no symbols.
 * Source: x86-64 psABI "Procedure Linkage Table"; AArch64 sysvabi. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "sym/elf/elfsym.h"

#define PLT_MAX_ENTRIES (64u << 10)
#define PLT_ENTRY 16u /* bytes, on both machines */

struct plt {
	const Elf64_Shdr *sec;
	unsigned head; /* bytes before the first entry */
};

/* .plt.sec holds only entries; .plt begins with the resolver's stub. */
static bool find_plt(const struct elf *e, struct plt *p)
{
	p->sec = e->machine == EM_X86_64 ? elf_section(e, ".plt.sec") : NULL;
	p->head = 0;
	if (!p->sec) {
		p->sec = elf_section(e, ".plt");
		p->head = e->machine == EM_X86_64 ? PLT_ENTRY : 2 * PLT_ENTRY;
	}
	return p->sec && (e->machine == EM_X86_64 || e->machine == EM_AARCH64);
}

static int add_entries(struct symtab *t, const struct plt *p, const Elf64_Rela *rel, size_t n, const Elf64_Sym *sym,
		       size_t nsym, const char *str, size_t nstr)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t idx = ELF64_R_SYM(rel[i].r_info);
		char name[SYMTAB_MAX_NAME];

		if (idx == 0 || idx >= nsym || sym[idx].st_name >= nstr)
			continue;
		const char *of = str + sym[idx].st_name;
		int len = snprintf(name, sizeof(name), "%.*s@plt", (int)elfsym_name_len(of), of);

		if (len >= (int)sizeof(name))
			continue;
		int r = symtab_add(t, p->sec->sh_addr + p->head + i * PLT_ENTRY, PLT_ENTRY, name, (size_t)len,
				   SYMRANK_SIZED);

		if (r < 0)
			return r;
	}
	return 0;
}

int elfsym_load_plt(const struct elf *e, struct symtab *t)
{
	struct plt p;
	_cleanup_free_ char *rel = NULL, *sym = NULL, *str = NULL;
	size_t nrel, nsym, nstr;
	const Elf64_Shdr *sh = elf_section(e, ".rela.plt");

	if (!e->is64 || !sh || sh->sh_type != SHT_RELA || !find_plt(e, &p))
		return -ENOENT;
	size_t n = sh->sh_size / sizeof(Elf64_Rela);

	/* Only when every entry has its relocation. */
	if (n == 0 || n > PLT_MAX_ENTRIES || p.sec->sh_size != p.head + n * PLT_ENTRY || sh->sh_link >= e->nsh)
		return -ENOENT;
	const Elf64_Shdr *ds = &e->sh[sh->sh_link];

	if (ds->sh_type != SHT_DYNSYM || ds->sh_link >= e->nsh)
		return -ENOENT;
	int r = elf_section_read(e, sh, PLT_MAX_ENTRIES * sizeof(Elf64_Rela), &rel, &nrel);

	if (r == 0)
		r = elf_section_read(e, ds, ELF_MAX_STRTAB, &sym, &nsym);
	if (r == 0)
		r = elf_section_read(e, &e->sh[ds->sh_link], ELF_MAX_STRTAB, &str, &nstr);
	if (r < 0)
		return r;
	return add_entries(t, &p, (const Elf64_Rela *)rel, n, (const Elf64_Sym *)sym, nsym / sizeof(Elf64_Sym), str,
			   nstr);
}

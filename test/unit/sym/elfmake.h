/* SPDX-License-Identifier: Apache-2.0 */
/* A 64-bit ELF file in memory from a few sections, with one executable and one writable segment. */
#ifndef DWELL_TEST_ELFMAKE_H
#define DWELL_TEST_ELFMAKE_H
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "base/strb.h"
#include "sym/elf/elf.h"

#define ELFMAKE_CODE 0x1000 /* address and offset of 4096 bytes of code … */
#define ELFMAKE_DATA 0x3000 /* … and of data, at offset 0x2000 */

struct elfmake_section {
	const char *name;
	uint32_t type;
	uint64_t addr;
	const void *data;
	size_t size;
};

/* The bytes are malloc'ed (strb). The strings of a symbol table are in the section before it. */
static inline void elfmake(struct strb *b, const struct elfmake_section *v, unsigned n)
{
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_DYN,
			 .e_machine = EM_X86_64,
			 .e_phoff = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 2,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = (uint16_t)(n + 2),
			 .e_shstrndx = (uint16_t)(n + 1) };
	Elf64_Phdr ph[2] = {
		{ .p_type = PT_LOAD,
		  .p_flags = PF_R | PF_X,
		  .p_offset = ELFMAKE_CODE,
		  .p_vaddr = ELFMAKE_CODE,
		  .p_filesz = 4096,
		  .p_memsz = 4096 },
		{ .p_type = PT_LOAD,
		  .p_flags = PF_R | PF_W,
		  .p_offset = 0x2000,
		  .p_vaddr = ELFMAKE_DATA,
		  .p_filesz = 4096,
		  .p_memsz = 8192 },
	};
	Elf64_Shdr *sh = calloc(n + 2, sizeof(*sh));
	struct strb names = { 0 };

	strb_add(b, &h, sizeof(h));
	strb_add(b, ph, sizeof(ph));
	strb_fill(b, '\0', ELFMAKE_DATA - b->n);
	strb_addc(&names, '\0');
	for (unsigned i = 0; i < n; i++) {
		sh[i + 1] = (Elf64_Shdr){ .sh_name = (uint32_t)names.n,
					  .sh_type = v[i].type,
					  .sh_addr = v[i].addr,
					  .sh_offset = b->n,
					  .sh_size = v[i].size,
					  .sh_link = v[i].type == SHT_DYNSYM ? i : 0,
					  .sh_flags = v[i].addr ? SHF_ALLOC : 0 };
		strb_add(b, v[i].data, v[i].size);
		strb_add(&names, v[i].name, strlen(v[i].name) + 1);
	}
	sh[n + 1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = b->n, .sh_size = names.n };
	strb_add(b, names.s, names.n);
	h.e_shoff = b->n;
	strb_add(b, sh, (n + 2) * sizeof(*sh));
	memcpy(b->s, &h, sizeof(h));
	strb_free(&names);
	free(sh);
}

static inline int elfmake_open(const struct strb *b, struct elf *e)
{
	return elf_open(e, (struct elf_src){ .fd = -1, .mem = (const uint8_t *)b->s, .size = b->n });
}
#endif

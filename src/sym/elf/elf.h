/* SPDX-License-Identifier: Apache-2.0 */
/* Reading ELF files that anybody may have written. Not libelf: it maps files or trusts sizes in
 * ways that cannot be bounded here, and a mapped file that its owner cuts kills the reader with
 * SIGBUS. Only what symbols need is read, through pread(), into memory of our own. */
#ifndef DWELL_SYM_ELF_ELF_H
#define DWELL_SYM_ELF_ELF_H
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_MAX_SEGMENTS 256u
#define ELF_MAX_SECTIONS 65280u /* SHN_LORESERVE: no extended numbering */
#define ELF_MAX_SHSTRTAB (4u << 20)
#define ELF_MAX_STRTAB (256u << 20)
#define ELF_MAX_NOTES 4096u /* of one section or segment */
#define ELF_MAX_BUILD_ID 64u

/* Where bytes come from: a file, or memory when mem is set. Owns nothing. */
struct elf_src {
	int fd;
	const uint8_t *mem;
	uint64_t size;
};

struct elf_seg { /* a PT_LOAD */
	uint64_t off, vaddr, filesz, memsz;
	uint32_t flags; /* PF_* */
};

struct elf {
	struct elf_src src;
	bool is64;
	uint16_t type, machine;
	Elf64_Phdr *ph; /* all, converted */
	unsigned nph;
	Elf64_Shdr *sh;
	unsigned nsh;
	char *shstr; /* section names, NUL-terminated */
	size_t nshstr;
	uint8_t build_id[ELF_MAX_BUILD_ID];
	unsigned nbuild_id;
};

/* All of len bytes at off, or -ENODATA, -errno. */
int elf_read(const struct elf_src *src, uint64_t off, void *buf, size_t len);
/* Headers, section names and build id. Broken section headers are left out (nsh 0), since the
 * program headers alone tell where code is. -ENOEXEC: no ELF file of this machine's byte order;
 * -ENOMEM. */
int elf_open(struct elf *e, struct elf_src src);
void elf_close(struct elf *e);
/* The first section of this name, or NULL. */
const Elf64_Shdr *elf_section(const struct elf *e, const char *name);
/* The first one after `after` (NULL: of all), or NULL. */
const Elf64_Shdr *elf_section_next(const struct elf *e, const char *name, const Elf64_Shdr *after);
const Elf64_Shdr *elf_section_of_type(const struct elf *e, uint32_t type);
/* A section's bytes with a NUL after them, malloc'ed; -ENOENT, -EFBIG over max, -ENODATA … */
int elf_section_read(const struct elf *e, const Elf64_Shdr *sh, size_t max, char **ret, size_t *ret_len);
/* The PT_LOADs, malloc'ed; the number may be 0. */
int elf_segments(const struct elf *e, struct elf_seg **ret, unsigned *ret_n);
/* File offset to the address the file was linked for, as mapped with (exec) or without PROT_EXEC. Pages are mapped
 * whole, so an offset next to a segment counts for it. False: in no segment. */
bool elf_seg_vaddr(const struct elf_seg *seg, unsigned n, uint64_t off, bool exec, uint64_t *ret);
/* The reverse, within what the file holds. */
bool elf_seg_off(const struct elf_seg *seg, unsigned n, uint64_t vaddr, uint64_t *ret);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over the symbols in an ELF file. */
#ifndef DWELL_SYM_ELF_ELFSYM_H
#define DWELL_SYM_ELF_ELFSYM_H
#include "sym/elf/elf.h"
#include "sym/elf/symtab.h"

/* Called for each defined function, object and label. size 0: the file does not tell; room: from
 * the symbol to the end of its section. Non-zero stops and is returned. */
typedef int (*elfsym_fn)(void *arg, const Elf64_Sym *sym, const char *name, uint64_t room);

/* Symbols of the section of this type (SHT_SYMTAB or SHT_DYNSYM). 0, -ENOENT when there is none,
 * -E2BIG over SYM_MAX_SYMBOLS_PER_FILE, -EFBIG for the strings, -ENODATA for a damaged table. */
int elfsym_each(const struct elf *e, uint32_t sh_type, elfsym_fn fn, void *arg);
/* The link address of a symbol by its name of len bytes, without version: of the full table, else the dynamic one.
 * code: no data. -ENOENT. */
int elfsym_find(const struct elf *e, const char *name, size_t len, bool code, uint64_t *ret);
/* Adds them to a table. On error the table is as before. */
int elfsym_load(const struct elf *e, uint32_t sh_type, struct symtab *t);
/* Adds "foo@plt" for the entries of the procedure linkage table, where its form is known. */
int elfsym_load_plt(const struct elf *e, struct symtab *t);
/* Length of a name without its version ("memcpy@@GLIBC_2.14"). */
size_t elfsym_name_len(const char *name);
#endif

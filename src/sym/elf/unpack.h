/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks compressed sections of ELF files: deflate and zstd, in the form of the gABI and in GNU's older one
 * (.zdebug_*). */
#ifndef DWELL_SYM_ELF_UNPACK_H
#define DWELL_SYM_ELF_UNPACK_H
#include "sym/elf/elf.h"

/* A larger claim of size is none: deflate packs to a thousandth at best, a block of zstd holds 128 KiB in 4 bytes. */
#define UNPACK_MAX_RATIO_ZLIB 1040u
#define UNPACK_MAX_RATIO_ZSTD 32768u

/* Reads a section by its name (".debug_info"; ".zdebug_info" is looked for, too) and unpacks it where it is compressed.
 * At most max bytes. *ret is malloc'ed. -ENODATA: there is none; -EFBIG; -EBADMSG: damaged; -EOPNOTSUPP: compressed in
 * another way, or by zstd where Debian's libzstd1 is not installed; -ENOMEM. */
int elf_section_unpack(const struct elf *e, const char *name, uint64_t max, uint8_t **ret, uint64_t *ret_n);
/* The same of the next section of this name after *at (NULL: the first), which *at is then. */
int elf_section_unpack_next(const struct elf *e, const char *name, const Elf64_Shdr **at, uint64_t max, uint8_t **ret,
			    uint64_t *ret_n);
#endif

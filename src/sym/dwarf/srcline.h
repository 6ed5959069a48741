/* SPDX-License-Identifier: Apache-2.0 */
/* Turns addresses of user programs into source lines, with the functions that the compiler inlined there. Reads
 * foreign debug information, DWARF 2 to 5, within bounds. */
#ifndef DWELL_SYM_DWARF_SRCLINE_H
#define DWELL_SYM_DWARF_SRCLINE_H
#include <stddef.h>
#include <stdint.h>
#include "sym/elf/debugfile.h"
#include "sym/elf/elf.h"

#define SRCLINE_MAX_BYTES (512ull << 20)      /* sections of one file, unpacked; -EFBIG above */
#define SRCLINE_MAX_CACHE ((size_t)128 << 20) /* the cache of its units, apart from them */
#define SRCLINE_MAX_STEPS (50u << 20)	      /* entries read for one file */
#define SRCLINE_MAX_SCOPES (1u << 20)	      /* functions and inlined ones of one unit; further ones are left out */
#define SRCLINE_MAX_RANGES (1u << 21)	      /* their ranges of addresses */
#define SRCLINE_MAX_FRAMES 32u		      /* of one address; further ones, near the outermost, are left out */

struct srcline; /* the debug information of one file */

struct srcframe {
	const char *func;	 /* as the linker knows it, else as in the source; NULL: unknown */
	const char *file;	 /* where it is at this address; NULL: unknown */
	const char *def_file;	 /* where it is defined */
	uint32_t line, def_line; /* 0: unknown */
};

/* alt and place: as dwarf_read_types(). -ENODATA: there is no debug information; -EFBIG: more than the limits;
 * -EOPNOTSUPP: as elf_section_unpack(); -EBADMSG: damaged. e and alt may be closed afterwards, place is copied. */
int srcline_open(const struct elf *e, const struct elf *alt, const struct debugplace *place, struct srcline **ret);
/* The debug information of a file that is open and at a path: its own, or that of its debug file. The part that dwz
 * has taken out is included. dir and tgid: as of debugfile_open(); dir NULL: no other file is looked for. As
 * srcline_open(). */
int srcline_open_file(const struct elf *e, const char *path, const char *dir, uint32_t tgid, struct srcline **ret);
void srcline_free(struct srcline *s);
/* The functions at an address as linked: the innermost first, the one with the symbol last. Returns how many, 0:
 * nothing is known. The texts live until the next call. For return addresses, ask for the byte before. */
size_t srcline_at(struct srcline *s, uint64_t addr, struct srcframe ret[SRCLINE_MAX_FRAMES]);
#endif

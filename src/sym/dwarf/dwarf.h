/* SPDX-License-Identifier: Apache-2.0 */
/* Types of user programs: reads DWARF 2 to 5 that anybody may have written and gives it back as BTF, the
 * form in which types/ knows all types. Not libdw: it follows what the file says without bounds of ours. */
#ifndef DWELL_SYM_DWARF_DWARF_H
#define DWELL_SYM_DWARF_DWARF_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sym/elf/debugfile.h"
#include "sym/elf/elf.h"

#define DWARF_MAX_SECTION (512u << 20) /* bytes of one section, unpacked */
#define DWARF_MAX_BYTES (3ull << 30)   /* all sections that are read of one file */
#define DWARF_MAX_STEPS (200u << 20)   /* entries read for one file, those read again included */
#define DWARF_MAX_TYPES (1u << 20)
#define DWARF_MAX_UNITS (1u << 18)
#define DWARF_MAX_ABBREVS (1u << 16)	    /* of one table */
#define DWARF_MAX_TABLES_ABBREVS (1u << 22) /* of all tables of one file: they may overlap */
#define DWARF_MAX_ATTRS 256u		    /* of one abbreviation */
#define DWARF_MAX_DEPTH 256u		    /* nesting of entries */
#define DWARF_MAX_PARAMS 32u		    /* of one function; further ones are left out */
#define DWARF_MAX_NAME 4096u

/* A function with code. */
struct dwarf_func {
	uint64_t addr;	/* as linked */
	uint32_t proto; /* id of its BTF_KIND_FUNC_PROTO: parameters with names, and what it returns */
};

struct dwarf_types {
	uint8_t *btf; /* a complete blob, malloc'ed */
	size_t len;
	struct dwarf_func *funcs; /* by address, malloc'ed */
	size_t nfuncs;
};

/* Types of the parameters and results of all functions of a file, and what these refer to. -ENODATA: the
 * file has no debug information; -EFBIG: more than the limits; -EBADMSG: damaged (what was read before the
 * damage is not given). alt: the file to which dwz has moved what several files have in common, or NULL: types
 * in there are unknown then. place: where e is, for the files with
 * split debug information that it names, or NULL: what is in those is unknown then. Free with dwarf_types_done(). */
int dwarf_read_types(const struct elf *e, const struct elf *alt, const struct debugplace *place,
		     struct dwarf_types *ret);
/* The same with all named types and with variables (BTF_KIND_VAR) that have one place in memory, whether a function has
 * to do with them or not. */
int dwarf_read_all_types(const struct elf *e, const struct elf *alt, const struct debugplace *place,
			 struct dwarf_types *ret);
/* The same of a file that is at a path, or of its debug file if it has no debug information itself. The part that
 * dwz has taken out of it is included. tgid: as of debugfile_open(). all: as dwarf_read_all_types(). */
int dwarf_read_file_types(const struct elf *e, const char *path, uint32_t tgid, bool all, struct dwarf_types *ret);
void dwarf_types_done(struct dwarf_types *t);
#endif

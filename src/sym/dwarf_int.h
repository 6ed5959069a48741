/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the DWARF reader: dwarf.c reads entries, dwarf_btf.c makes types of them.
 * Source: DWARF Debugging Information Format, version 5, chapter 7 (and 4, 3, 2 for older forms). */
#ifndef DWELL_SYM_DWARF_INT_H
#define DWELL_SYM_DWARF_INT_H
#include "sym/dwarf.h"

enum { /* tags, of those that matter */
	TAG_ARRAY = 0x01, TAG_CLASS = 0x02, TAG_ENUM = 0x04, TAG_PARAM = 0x05, TAG_MEMBER = 0x0d,
	TAG_POINTER = 0x0f, TAG_REFERENCE = 0x10, TAG_STRUCT = 0x13, TAG_SUBROUTINE = 0x15,
	TAG_TYPEDEF = 0x16, TAG_UNION = 0x17, TAG_INHERITANCE = 0x1c, TAG_PTR_TO_MEMBER = 0x1f,
	TAG_SUBRANGE = 0x21, TAG_BASE = 0x24, TAG_CONST = 0x26, TAG_ENUMERATOR = 0x28,
	TAG_SUBPROGRAM = 0x2e, TAG_VOLATILE = 0x35, TAG_RESTRICT = 0x37, TAG_UNSPECIFIED = 0x3b,
	TAG_RVALUE_REF = 0x42, TAG_ATOMIC = 0x47,
};
enum { ENC_BOOL = 2, ENC_FLOAT = 4, ENC_SIGNED = 5, ENC_SIGNED_CHAR = 6, ENC_UNSIGNED_CHAR = 8, ENC_UTF = 0x10 };

struct dw_section {
	const uint8_t *p;
	uint64_t n;
	uint8_t *own; /* to be freed, or NULL */
};

struct dw_abbrev {
	uint64_t code;
	uint32_t tag;
	bool children;
	const uint8_t *attrs; /* name and form pairs, up to 0 0: checked when the table was read */
};

struct dw_table { /* one set of abbreviations */
	uint64_t off;
	struct dw_abbrev *v;
	size_t n, cap;
};

/* Where the sections of a file begin in ours. */
struct dw_base {
	uint64_t info, abbrev, str, line_str, str_offsets, addr;
};

struct dw_unit {
	const struct dw_base *base; /* of its file */
	uint64_t off, first, end; /* in .debug_info: header, first entry, end */
	uint64_t abbrev, str_base, addr_base;
	unsigned version, addr_size, off_size;
};

/* An entry: its attributes that matter. Offsets are those in .debug_info; 0: not there. */
struct dw_die {
	const struct dw_unit *u;
	uint64_t off, next; /* next: the entry behind it (its first child, if it has children) */
	uint32_t tag;	    /* 0: end of a list of children */
	bool children, declaration, has_low, has_size, has_value, has_bound, has_data_bit;
	const char *name;
	uint64_t type, origin, sibling;
	uint64_t low, size, encoding, location, bit_size, bit_off, data_bit;
	uint64_t count; /* elements */
	int64_t value;	/* of an enumerator */
};

/* The sections of a file, and behind each of them that of the file it shares with others (dwz). */
struct dw {
	struct dw_section info, abbrev, str, line_str, str_offsets, addr;
	struct dw_base own, alt; /* own: all 0 */
	bool has_alt;
	struct dw_unit *units;
	size_t nunits, capunits;
	struct dw_table *tables;
	size_t ntables, captables;
	uint64_t steps;
};

/* Loads the sections and finds the units. d must stay where it is. -ENODATA, -EFBIG, -EBADMSG, -ENOMEM. */
int dw_open(struct dw *d, const struct elf *e, const struct elf *alt);
void dw_close(struct dw *d);
const struct dw_unit *dw_unit_at(const struct dw *d, uint64_t off);
/* The entry at an offset of a unit. -EBADMSG; -EFBIG when the steps are used up. */
int dw_die_read(struct dw *d, const struct dw_unit *u, uint64_t off, struct dw_die *ret);
/* The entry at an offset that another one refers to. -ENOENT: outside. */
int dw_die_at(struct dw *d, uint64_t off, struct dw_die *ret);
/* Walks the direct children: *at is 0 at first. 1: ret is one; 0: no more; or an error. */
int dw_child_next(struct dw *d, const struct dw_die *parent, uint64_t *at, struct dw_die *ret);
#endif

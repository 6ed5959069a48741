/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the DWARF reader: dwarf.c reads entries, btf.c makes types of them.
 * Source: DWARF Debugging Information Format, version 5, chapter 7 (and 4, 3, 2 for older forms). */
#ifndef DWELL_SYM_DWARF_INT_H
#define DWELL_SYM_DWARF_INT_H
#include <string.h>
#include "base/vec.h"
#include "base/step.h"
#include "sym/dwarf/dwarf.h"

enum { /* the tags that are read */
       TAG_ARRAY = 0x01,
       TAG_CLASS = 0x02,
       TAG_ENUM = 0x04,
       TAG_PARAM = 0x05,
       TAG_MEMBER = 0x0d,
       TAG_POINTER = 0x0f,
       TAG_REFERENCE = 0x10,
       TAG_STRUCT = 0x13,
       TAG_SUBROUTINE = 0x15,
       TAG_TYPEDEF = 0x16,
       TAG_UNION = 0x17,
       TAG_INHERITANCE = 0x1c,
       TAG_INLINED = 0x1d,
       TAG_PTR_TO_MEMBER = 0x1f,
       TAG_SUBRANGE = 0x21,
       TAG_BASE = 0x24,
       TAG_CONST = 0x26,
       TAG_ENUMERATOR = 0x28,
       TAG_SUBPROGRAM = 0x2e,
       TAG_VARIABLE = 0x34,
       TAG_VOLATILE = 0x35,
       TAG_RESTRICT = 0x37,
       TAG_UNSPECIFIED = 0x3b,
       TAG_RVALUE_REF = 0x42,
       TAG_ATOMIC = 0x47,
};
enum { ENC_BOOL = 2, ENC_FLOAT = 4, ENC_SIGNED = 5, ENC_SIGNED_CHAR = 6, ENC_UNSIGNED_CHAR = 8, ENC_UTF = 0x10 };

/* -- bytes -- */

struct rd {
	const uint8_t *p, *end;
	bool bad;
};

static inline uint64_t rd_fixed(struct rd *r, unsigned n)
{
	uint64_t v = 0;

	if ((size_t)(r->end - r->p) < n) {
		r->bad = true;
		r->p = r->end;
		return 0;
	}
	memcpy(&v, r->p, n); /* files of this machine's byte order only, see elf_open() */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v >>= 64 - 8 * n;
#endif
	r->p += n;
	return v;
}

static inline uint64_t rd_uleb(struct rd *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; r->p < r->end; shift += 7) {
		uint8_t b = *r->p++;

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	r->bad = true;
	return 0;
}

static inline int64_t rd_sleb(struct rd *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; r->p < r->end;) {
		uint8_t b = *r->p++;

		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
		if (b & 0x80)
			continue;
		if (shift < 64 && (b & 0x40))
			v |= ~0ull << shift;
		return (int64_t)v;
	}
	r->bad = true;
	return 0;
}

static inline void rd_skip(struct rd *r, uint64_t n)
{
	if (n > (uint64_t)(r->end - r->p)) {
		r->bad = true;
		n = (uint64_t)(r->end - r->p);
	}
	r->p += n;
}

/* The length in front of a unit or table, which then ends r. *ret_off_size: bytes of an offset in there, 4 or 8. False:
 * it is cut. Source: DWARF 5, section 7.4. */
static inline bool rd_initial_length(struct rd *r, unsigned *ret_off_size)
{
	uint64_t len = rd_fixed(r, 4);

	*ret_off_size = 4;
	if (len == 0xffffffff) {
		*ret_off_size = 8;
		len = rd_fixed(r, 8);
	}
	if (r->bad || len > (uint64_t)(r->end - r->p))
		return false;
	r->end = r->p + len;
	return true;
}

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

struct dw_table { /* one set of abbreviations; units that follow each other often share one */
	uint64_t off;
	bool tried; /* read, with this result: */
	int error;
	VEC(struct dw_abbrev) abbrevs;
};

/* Where the sections of a file begin in ours. */
struct dw_base {
	uint64_t info, abbrev, str, line_str, str_offsets, addr, line;
};

struct dw_unit {
	const struct dw_base *base; /* of its file */
	uint64_t off, first, end;   /* in .debug_info: header, first entry, end */
	uint64_t abbrev, str_base, addr_base, rnglists_base;
	uint64_t dwo_id;	  /* of a skeleton and its split part; 0: neither */
	uint64_t ranges_base;	  /* before DWARF 5: where the ranges of a split part begin in .debug_ranges … */
	uint64_t dwo_ranges_base; /* … as its skeleton says */
	unsigned version, addr_size, off_size;
	uint32_t table; /* number of its abbreviations */
};

/* An entry: its attributes that matter. Offsets are those in .debug_info; 0: not there. */
struct dw_die {
	const struct dw_unit *u;
	uint64_t off, next; /* next: the entry after it (its first child, if it has children) */
	uint32_t tag;	    /* 0: end of a list of children */
	bool children, declaration, has_low, has_size, has_value, has_bound, has_data_bit;
	bool at_address; /* a variable that has one place in memory */
	const char *name;
	uint64_t type, origin, sibling;
	uint64_t signature; /* the entry in a type unit that this one stands for */
	uint64_t low, size, encoding, location, bit_size, bit_off, data_bit;
	uint64_t count; /* elements */
	int64_t value;	/* of an enumerator */
	/* of what has code: */
	uint64_t high;	/* its end, or its length */
	uint64_t entry; /* where it is entered: an address, or counted from its start */
	uint64_t ranges, stmt_list, decl_file, decl_line, call_file, call_line;
	bool has_high, high_is_addr, has_ranges, ranges_index, has_lines, has_decl_file, has_entry, entry_is_addr;
	const char *linkage_name, *comp_dir;
	const char *dwo_name; /* of a skeleton: where its split part is */
};

/* The value of an attribute. */
enum val_kind { VAL_NONE, VAL_NUM, VAL_TEXT, VAL_REF, VAL_BLOCK };

struct val {
	enum val_kind kind;
	uint64_t n; /* number; offset in .debug_info; length of the block */
	bool is_signed, is_addr, is_index;
	const char *s;
	const uint8_t *p;
};

/* A type unit: another unit names its type by a number. */
struct dw_signature {
	uint64_t signature, off; /* off: of the entry, as in .debug_info */
};

/* The sections of a file, and after each of them that of the file it shares with others (dwz). The type units of
 * DWARF 4 (.debug_types) are between the two of .debug_info. */
struct dw {
	struct dw_section info, abbrev, str, line_str, str_offsets, addr, line, ranges, rnglists;
	struct dw_base own, alt; /* own: all 0 */
	bool has_alt;
	uint64_t types_at, types_end;	     /* in info: .debug_types */
	VEC(struct dw_unit) units;	     /* by offset */
	VEC(struct dw_signature) signatures; /* by number */
	struct dw_table *tables;	     /* by offset */
	size_t ntables;
	uint64_t nabbrevs; /* of all tables */
	uint64_t steps, max_steps;
	uint64_t room;	  /* bytes that may still be loaded */
	uint64_t loaded;  /* bytes */
	struct dw *count; /* where steps and room are counted: here, or at the skeletons of a split part */
	bool want_lines;
};

/* Loads the sections (lines: .debug_line, too), at most max_bytes, and finds the units. d must stay where it is.
 * -ENODATA, -EFBIG, -EBADMSG, -ENOMEM; -EOPNOTSUPP: as elf_section_unpack(). */
int dw_open(struct dw *d, const struct elf *e, const struct elf *alt, bool lines, uint64_t max_bytes);
/* A further section, which the caller frees (own). */
int dw_load_section(struct dw *d, const struct elf *e, const char *name, struct dw_section *ret);
/* Puts all sections of a name after what is in `to`, whose memory is its own; nothing if there is none. *ret_at: where
 * they begin. */
int dw_append_sections(struct dw *d, const struct elf *e, const char *name, struct dw_section *to, uint64_t *ret_at);
/* Puts .debug_types, which DWARF 4 has, after .debug_info; nothing if there is none. */
int dw_append_types(struct dw *d, const struct elf *e, const char *name);
/* Finds the units of the sections, which are loaded. Errors as above. */
int dw_find_units(struct dw *d);
void dw_close(struct dw *d);
const struct dw_unit *dw_unit_at(const struct dw *d, uint64_t off);
/* The entry at an offset of a unit. -EBADMSG; -EFBIG when the steps are used up. */
int dw_die_read(struct dw *d, const struct dw_unit *u, uint64_t off, struct dw_die *ret);
/* The entry at an offset that another one refers to. -ENOENT: outside. */
int dw_die_at(struct dw *d, uint64_t off, struct dw_die *ret);
/* The text at an offset; NULL: outside, or too long. */
const char *dw_text_at(const struct dw_section *s, uint64_t off);
/* Entry i of a table of offsets or addresses; UINT64_MAX: outside. */
uint64_t dw_indexed(const struct dw_section *s, uint64_t base, uint64_t i, unsigned size);
/* A value of a form; r->bad when it is cut or its size unknown. */
struct val dw_form_read(const struct dw *d, const struct dw_unit *u, struct rd *r, uint64_t form, int64_t implicit);
/* Walks the direct children: *at is 0 at first. */
struct step dw_child_next(struct dw *d, const struct dw_die *parent, uint64_t *at, struct dw_die *ret);
#endif

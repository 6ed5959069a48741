/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the units of a file's debug information, which srcline.c asks by address and srcfind.c by name and line.
 * Private to src/sym. */
#ifndef DWELL_SYM_DWARF_SRCUNIT_H
#define DWELL_SYM_DWARF_SRCUNIT_H
#include "sym/dwarf/dwline.h"
#include "sym/dwarf/split.h"
#include "sym/dwarf/srcline.h"

struct range {
	uint64_t lo, hi;
	uint32_t of; /* unit, or scope */
};
struct ranges { /* as VEC() has it */
	struct range *v;
	size_t n, cap;
};

struct scope { /* a function, or one inlined into the scope that it is in */
	uint64_t die;
	uint32_t first, nranges; /* in unit.ranges */
	uint32_t end;		 /* the scope after all that are in this one */
	uint32_t call_file, call_line;
};

struct unit { /* what is kept of one */
	bool tried, lines_tried;
	struct dw_die first; /* its first entry */
	struct dw *part;     /* of a skeleton: where its entries are; NULL: not there */
	struct dw_lines lines;
	VEC(struct scope) scopes; /* each is followed by those in it */
	struct ranges ranges;	  /* of the scopes */
	struct ranges funcs;	  /* of those that are no inlined ones, by address */
};

struct srcline {
	struct dw d;
	struct dw_split split;
	struct unit *units;	  /* as d.units */
	struct ranges map;	  /* the addresses of units, in order */
	size_t cached;		  /* bytes */
	bool zero;		  /* there can be code at address 0 */
	struct srccopies *copies; /* srcfind.c; NULL: not read yet */
};

/* Adds all ranges of an entry; base: where its unit begins. -EFBIG, -ENOMEM. */
int srcunit_ranges(struct srcline *s, const struct dw *d, const struct dw_die *e, uint64_t base, uint32_t of,
		   struct ranges *to);
/* Opens the part of a skeleton that is in another file. *ret: its first entry; as it was: there is none. */
void srcunit_open_part(struct srcline *s, struct unit *u, struct dw_die *ret);
/* Where the entries of a unit are. */
struct dw *srcunit_part(struct srcline *s, const struct unit *u);
/* The files of a unit; NULL: it has none. */
struct dw_lines *srcunit_files(struct srcline *s, struct unit *u);
/* Forgets what was read of it. */
void srcunit_drop(struct unit *u);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the line table of a unit. Private to src/sym. Source: DWARF 5, section 6.2 (and 4, 3, 2 for older
 * headers). */
#ifndef DWELL_SYM_DWARF_DWLINE_H
#define DWELL_SYM_DWARF_DWLINE_H
#include "sym/dwarf/int.h"

#define DWLINE_MAX_FILES (1u << 16) /* of one unit, and directories */
#define DWLINE_MAX_FORMATS 16u	    /* of what a table of files says of each */
#define DWLINE_MAX_ROWS (1u << 22)  /* of one unit; damaged or hostile above */
#define DWLINE_MAX_PATH 4096u

struct dw_row { /* from addr on */
	uint64_t addr;
	uint32_t file, line; /* line 0: of no line in the source */
};

struct dw_seq { /* rows that follow each other: [lo, hi) */
	uint64_t lo, hi;
	uint32_t first, n;
};

struct dw_file {
	const char *name; /* NULL: none */
	uint64_t dir;
	char *path; /* once asked for; owned */
};

struct dw_lines {
	const char *comp_dir;
	VEC(struct dw_file) files; /* by number as entries and rows have it: the first is 0 or 1 */
	VEC(const char *) dirs;	   /* by number; 0 is where the compiler ran */
	VEC(struct dw_row) rows;
	VEC(struct dw_seq) seqs; /* by address */
	bool has_rows;
	bool want_stmts; /* set before the rows are made: keep statements, too */
	/* Where statements begin, in the order of the rows; several lines may begin at one address. If rows of one line
	 * follow each other, only the first is kept. */
	VEC(struct dw_row) stmts;
	/* of the header: */
	struct rd program;
	unsigned version, min_inst, line_range, opcode_base;
	int line_base;
	bool stmt_at_first;
	const uint8_t *oplens;
};

/* The files of the table of a unit whose first entry is first. -ENODATA: it has none; -EBADMSG, -EFBIG, -ENOMEM. */
int dw_lines_open(struct dw *d, const struct dw_die *first, struct dw_lines *ret);
/* Its rows, too. zero: there can be code at address 0. */
int dw_lines_run(struct dw_lines *l, bool zero);
void dw_lines_done(struct dw_lines *l);
/* The row of an address, or NULL. */
const struct dw_row *dw_lines_at(const struct dw_lines *l, uint64_t addr);
/* The path of a file, with its directories; NULL: unknown. Lives with l. */
const char *dw_lines_path(struct dw_lines *l, uint64_t file);
size_t dw_lines_bytes(const struct dw_lines *l);
#endif

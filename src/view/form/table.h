/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of named values: columns under a heading for people, JSON objects for programs. */
#ifndef DWELL_VIEW_FORM_TABLE_H
#define DWELL_VIEW_FORM_TABLE_H
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/jsonw.h"
#include "base/strb.h"

#define TABLE_REST (-INT_MAX) /* width of one column: to the left, what the others leave of `columns` */
#define TABLE_COLUMNS 32      /* of a line */

enum cell_kind {
	CELL_TEXT,   /* s; NULL: none */
	CELL_NAME,   /* s; NULL or "": people see none, programs see it */
	CELL_CUT,    /* s, for people cut to the width of its column */
	CELL_UINT,   /* u */
	CELL_INT,    /* i */
	CELL_NS,     /* u: people see a unit */
	CELL_NO_NS,  /* u: people see none, as it is the time of nothing */
	CELL_NUMBER, /* d, with `digits` after the point; NAN: none */
	CELL_SHARE,  /* d in percent, as CELL_NUMBER; people see the sign */
	CELL_LIST,   /* s: JSON, for programs only */
};

struct cell {
	const char *name; /* heading, member; NULL: not shown */
	enum cell_kind kind;
	int width; /* of the column; negative: to the left */
	int digits;
	union {
		const char *s;
		uint64_t u;
		int64_t i;
		double d;
	} v;
};

/* A cell with a heading for people and another name for programs: one description of both forms of output. */
struct column {
	struct cell cell;   /* its name is the heading; NULL: only programs see it */
	const char *member; /* of JSON; NULL: only people see it */
	int digits;	    /* of a number in JSON */
};

struct table {
	FILE *out;
	const char *type; /* "type" of the objects */
	bool json;
	bool begun;  /* the heading stands, or there is none */
	int columns; /* of a line, for TABLE_REST */
	int fit;     /* columns of the terminal, 0: none; longer lines are cut, "..." at their end */
	int gap;     /* blanks between columns, 0: two; a column without name and text makes a wider one */
	int error;   /* -errno of writing; sticky */
};

/* Writes a line; the heading before the first. All lines of a table have the same cells. No line ends with blanks. */
void table_line(struct table *t, const struct cell *cells, size_t n);
/* As table_line(); which of the two names counts is the table's form. n is at most TABLE_COLUMNS. */
void table_columns(struct table *t, const struct column *columns, size_t n);
/* Writes the members of columns into an object that is open. */
void table_members(struct jsonw *j, const struct column *columns, size_t n);
/* Only for people: writes the heading, unless it stands. Only names and widths of the cells are used. */
void table_heading(struct table *t, const struct cell *cells, size_t n);
/* Only for people: writes a line of hyphens as wide as each column. */
void table_rule(struct table *t, const struct cell *cells, size_t n);
#endif

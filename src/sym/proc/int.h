/* SPDX-License-Identifier: Apache-2.0 */
/* Declares struct sym: the symboliser's tables of kernel symbols, files and processes. Private to src/sym. */
#ifndef DWELL_SYM_PROC_INT_H
#define DWELL_SYM_PROC_INT_H
#include "sym/elf/demangle.h"
#include "sym/proc/kallsyms.h"
#include "sym/proc/proc.h"
#include "sym/dwarf/srcline.h"
#include "sym/elf/strset.h"
#include "sym/sym.h"
#include "sym/proc/ufile.h"
#include "sym/proc/unwind.h"

struct sym {
	struct strset names; /* everything that struct symbol points to */
	struct ksyms k;
	bool k_tried;
	int k_code;	  /* of the last load of k */
	uint64_t k_at_ns; /* when k was loaded, CLOCK_MONOTONIC */
	struct ufiles files;
	struct uprocs procs;
	struct demangler dem;
	struct sym_unwind_sink uw_sink; /* put NULL: no tables are wanted */
	struct uwtab *uw_tabs;		/* uthash, by build id */
	struct ufile *line_file;	/* its lines are kept, with a reference; NULL: none */
	struct srcline *lines;		/* NULL: it has none */
	struct sym_source source;	/* kernel != NULL: names come from there alone */
	const char *debug_dir;		/* root of separate debug files; tests put their own */
};

_Static_assert(SYM_MAX_LINES == SRCLINE_MAX_FRAMES, "frames of one address");

void sym_unwind_free(struct sym *s);
#endif

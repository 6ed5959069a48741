/* SPDX-License-Identifier: Apache-2.0 */
/* Opens split debug information: what a compiler left in a .dwo file for each skeleton unit of a program, or what
 * was combined from these in "PROGRAM.dwp". Source: DWARF 5, section 7.3.2 and 7.3.5; before it GNU's extension of
 * DWARF 4 (https://gcc.gnu.org/wiki/DebugFission and DebugFissionDWP). */
#ifndef DWELL_SYM_DWARF_SPLIT_H
#define DWELL_SYM_DWARF_SPLIT_H
#include "sym/dwarf/int.h"
#include "sym/elf/debugfile.h"

#define SPLIT_MAX_COLUMNS 16u /* sections of a package that its index tells of */
#define SPLIT_WORK 1000u      /* looking for a file counts as much as reading this many entries */

/* The package of a program, once it was looked for. */
struct dw_package {
	bool tried, open;
	struct dw_section index, info, abbrev, str, str_offsets, rnglists;
};

struct dw_split {
	struct dw *main; /* the skeletons */
	char *path;	 /* NULL: split parts are not looked for */
	uint32_t tgid;
	struct dw_package package;
};

/* Prepares for a file whose sections main has, and which is at place (NULL: nothing is looked for). main must stay
 * where it is. -ENOMEM. */
int dw_split_init(struct dw_split *s, struct dw *main, const struct debugplace *place);
void dw_split_done(struct dw_split *s);
/* Opens the split part of a skeleton unit; its first entry is given. The caller closes *ret by dw_close() before it
 * closes main and calls dw_split_done(). *ret_unit is the unit in it. -ENOENT: it is not there, or another one is;
 * else as dw_open(). Lines and addresses are those of the skeleton. */
int dw_split_open(struct dw_split *s, const struct dw_die *skeleton, struct dw *ret, const struct dw_unit **ret_unit);
#endif

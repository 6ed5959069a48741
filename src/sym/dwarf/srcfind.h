/* SPDX-License-Identifier: Apache-2.0 */
/* Finds addresses by what the source says: the statements of a line, and the copies of a function that the compiler
 * inlined. Reads foreign debug information, within the bounds of srcline.h. */
#ifndef DWELL_SYM_DWARF_SRCFIND_H
#define DWELL_SYM_DWARF_SRCFIND_H
#include "sym/dwarf/srcline.h"

/* A place in the code. Texts live during the call that gives it. */
struct srcplace {
	uint64_t addr;	  /* as linked */
	const char *file; /* its path; of a copy, where it was called; NULL: unknown */
	uint32_t line;	  /* 0: unknown */
};

/* Receives each place. Not 0 ends the search, which returns it. */
typedef int (*srcfind_fn)(void *arg, const struct srcplace *p);

/* Where statements begin (is_stmt of the line table), in the files whose base names want() likes, copies of inlined
 * functions included. 0, -errno as srcline_open(), or what fn returned. */
int srcfind_statements(struct srcline *s, bool (*want)(void *arg, const char *base), srcfind_fn fn, void *arg);
/* Where the inlined copies of a function are entered: by its name in the source or as the linker knows it. */
int srcfind_copies(struct srcline *s, const char *func, srcfind_fn fn, void *arg);
/* Forgets what was read of copies. srcline_free() calls it. */
void srcfind_done(struct srcline *s);
#endif

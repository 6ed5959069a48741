/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the unwinding tables of processes: which mappings have one, and its place in the map of tables that BPF
 * programs read. Uses the symboliser's mappings and files (maps.h, ufile.h), which handle deleted files,
 * containers and the vdso. */
#ifndef DWELL_SYM_PROC_UNWIND_H
#define DWELL_SYM_PROC_UNWIND_H
#include "sym/unwind/ehtab.h"
#include "sym/sym.h"

/* Where tables go. put() copies a table and tells the element where its index begins; <0: no room. Tables
 * stay there: each file, and each build id of one owner, comes once. */
struct sym_unwind_sink {
	int (*put)(void *ctx, const struct ehtab *t, uint32_t *ret_place);
	/* A file that has a table (its own, or that of its build id); may be NULL. */
	void (*file)(void *ctx, const struct uw_file_key *key, const struct uw_file *f);
	void *ctx;
};

/* From now on tables are made. Before processes are looked at. */
void sym_unwind_begin(struct sym *s, const struct sym_unwind_sink *sink);
/* Reads the process's mappings and gives those with a table, sorted, at most cap. 0, or -ESRCH (it has
 * exited), -ENOMEM. start as in sym_proc_touch(). */
int sym_unwind_areas(struct sym *s, uint32_t tgid, uint64_t start, struct uw_area *v, size_t cap, size_t *ret_n);
/* Makes the tables of the files that a process mapped, as far as they are known, although it has exited: for
 * the next one that maps them. */
void sym_unwind_learn(struct sym *s, uint32_t tgid, uint64_t start);
/* Makes the table of a file. */
void sym_unwind_file(struct sym *s, const char *path);
#endif

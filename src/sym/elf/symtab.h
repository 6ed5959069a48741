/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the symbols of one file: a compact table sorted by address. */
#ifndef DWELL_SYM_ELF_SYMTAB_H
#define DWELL_SYM_ELF_SYMTAB_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many symbols before an address are looked at for one that is long enough to cover it. */
#define SYMTAB_LOOK_BACK 64u
/* Longer names are cut: hostile tables may name one long text many times. */
#define SYMTAB_MAX_NAME 8192u
#define SYMTAB_MAX_TEXT (128u << 20) /* all names of one file, bytes */

struct usym {
	uint64_t addr; /* as linked */
	uint32_t size; /* bytes; at most 4 GiB - 1 */
	uint32_t name; /* offset in symtab.text */
};

struct symtab {
	struct usym *v; /* sorted, one per address; valid after symtab_finish() */
	size_t n;
	char *text;
	size_t ntext, captext;
	struct symtab_raw *raw; /* while being built */
	size_t nraw, capraw;
	unsigned refs; /* for the owner's use */
};

/* Rank of a name among those of one address: larger is shown. The highest bit in which two ranks differ decides. Equal
 * ranks are decided by leading underscores, then by length. */
enum {
	SYMRANK_EXPORTED = 1, /* global or weak */
	SYMRANK_OBJECT = 2,
	SYMRANK_FUNC = 4,
	SYMRANK_SIZED = 8,
};

/* Adds a symbol. Unsized symbols (no SYMRANK_SIZED) get as size the most they can cover (the rest
 * of the section) and end at the next symbol. 0, -E2BIG past SYM_MAX_SYMBOLS_PER_FILE or
 * SYMTAB_MAX_TEXT, -ENOMEM. */
int symtab_add(struct symtab *t, uint64_t addr, uint64_t size, const char *name, size_t len, unsigned rank);
/* Sorts and keeps the best name of each address. 0 or -ENOMEM. */
int symtab_finish(struct symtab *t);
void symtab_done(struct symtab *t); /* frees the contents */
/* The symbol covering addr, or NULL. */
const struct usym *symtab_at(const struct symtab *t, uint64_t addr);
size_t symtab_bytes(const struct symtab *t);
#endif

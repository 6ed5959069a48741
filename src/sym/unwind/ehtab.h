/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles .eh_frame of an ELF file to unwinding tables: rows of 8 bytes (base/unwindfmt.h). Files are foreign:
 * everything is bounded, and what is damaged or cannot be expressed is left out. */
#ifndef DWELL_SYM_UNWIND_EHTAB_H
#define DWELL_SYM_UNWIND_EHTAB_H
#include "base/unwindfmt.h"
#include "sym/elf/elf.h"

#define EH_MAX_SECTION (512u << 20) /* bytes of .eh_frame */
#define EH_MAX_SPAN (1ull << 30)    /* bytes of code from the first function described to the last */
#define EH_MAX_ROWS (1u << 24)	    /* of one file */
#define EH_MAX_FDES (1u << 23)	    /* functions described in one file */
#define EH_MAX_CIES (1u << 20)
#define EH_MAX_STATES 16u /* DW_CFA_remember_state within each other */
/* Code between two functions that belongs to none of them: less is padding, and not worth a row. */
#define EH_MAX_PADDING 16u

struct ehtab {
	uint64_t base;	 /* link address of the first bucket, a multiple of UW_BUCKET */
	uint64_t *index; /* nindex elements; rows count from 0 */
	uint32_t nindex;
	uint64_t *rows; /* ascending; the first at 0, the last ends the table (UW_NONE) */
	uint32_t nrows;
};

/* Compiles the table of an open file. -ENOENT: there is nothing to compile; -EOPNOTSUPP: another machine's
 * or a 32-bit file; -EFBIG: more than the limits; -ENODATA, -ENOMEM. ret is the caller's: ehtab_done(). */
int ehtab_load(const struct elf *e, struct ehtab *ret);
void ehtab_done(struct ehtab *t); /* accepts empty ones */
/* Called for each stretch of code that is a function, or a part of one, as link addresses; other than 0 ends. */
typedef int (*ehtab_fn)(void *ctx, uint64_t start, uint64_t end);
/* All that .eh_frame describes, in its order. 0, what fn returned, or an error as of ehtab_load(). */
int ehtab_functions(const struct elf *e, ehtab_fn fn, void *ctx);
/* The rule for a link address as a program would find it; UW_NONE outside. For tests and tools. */
uint32_t ehtab_at(const struct ehtab *t, uint64_t addr);
#endif

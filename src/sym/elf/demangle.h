/* SPDX-License-Identifier: Apache-2.0 */
/* Turns mangled names of C++ and Rust into readable ones. */
#ifndef DWELL_SYM_ELF_DEMANGLE_H
#define DWELL_SYM_ELF_DEMANGLE_H
#include <stddef.h>
#include <stdint.h>
#include "base/hash_try.h"
#include "sym/elf/strset.h"

/* Readable names are cut there. */
#define DEMANGLE_MAX_OUT 8192u
/* Back-references let a short name unfold to any length. Names that could unfold to more bytes than
 * this stay as they are (about 1 in 10,000 real ones). */
#define DEMANGLE_MAX_GROWTH (16u << 20)
/* The same bound once names have produced DEMANGLE_BUDGET bytes: hostile programs cannot keep us
 * busy. */
#define DEMANGLE_TIGHT_GROWTH (64u << 10)
#define DEMANGLE_BUDGET (64u << 20)

struct demangled {	 /* a name already done */
	const char *raw; /* in the set of strings */
	const char *shown;
	UT_hash_handle hh;
};

struct demangler {
	struct demangled *done;
	uint64_t spent; /* bytes produced */
};

/* The name to show for raw, without parameters: itself when it is not mangled. In ss; NULL without
 * memory. */
const char *demangle(struct demangler *d, struct strset *ss, const char *raw);
void demangler_free(struct demangler *d);
/* An upper bound of the bytes that demangling may produce; saturates. */
uint64_t demangle_growth(const char *raw);
#endif

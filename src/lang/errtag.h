/* SPDX-License-Identifier: Apache-2.0 */
/* Tags of diagnostics as string constants named like themselves, so that a wrong tag does not compile:
 * diag_error(d, at, D_SYNTAX, "…"). */
#ifndef DWELL_LANG_ERRTAG_H
#define DWELL_LANG_ERRTAG_H
#include <stddef.h>

#define ERRTAG(tag, text) extern const char tag[];
#include "lang/errtag.def"
#undef ERRTAG

struct errtag {
	const char *tag, *text;
};
/* All tags, in the order of errtag.def; *ret_n is their number. */
const struct errtag *errtag_all(size_t *ret_n);
/* The row of a tag by name, or NULL. */
const struct errtag *errtag_find(const char *tag);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of a recording, for programs that choose views of it. */
#ifndef DWELL_VIEW_EXPORT_CONTENTS_H
#define DWELL_VIEW_EXPORT_CONTENTS_H
#include <stdio.h>
#include "store/file/recquery.h"

/* As one JSON object: where it was made, when, programs, and what views can be made of. 0; < 0 with *err, of the
 * recording; < 0 without a message: out could not be written. */
int contents_put(struct recread *r, FILE *out, struct err *err);
/* As lines: where, what is left of what limits have taken, the programs. 0 or -errno of writing. */
int contents_text(const struct recread *r, FILE *out);
#endif

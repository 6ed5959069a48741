/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a recorded run again, as text or JSON, the way it was printed live. */
#ifndef DWELL_ENGINE_REPRINT_H
#define DWELL_ENGINE_REPRINT_H
#include <stdio.h>
#include "base/err.h"
#include "engine/listener.h"
#include "store/file/recquery.h"
#include "view/text/text.h"

/* Options of the run that are kept where they are false here. */
struct reprint_opts {
	bool json, quiet, flowindent, verbose;
};

struct reprint;
/* file, to and out live until reprint_free(). 0 or -ENOMEM. */
int reprint_open(struct recread *file, const struct reprint_opts *opts, const struct listener *to, FILE *out,
		 struct reprint **ret);
/* Prints the next row, which is given as well. An error with a message: the recording cannot be read; without: out
 * cannot be written. */
struct step reprint_next(struct reprint *r, struct row *ret, struct err *err);
/* After the last row: aggregations that no printa() has shown. < 0: out cannot be written. */
int reprint_finish(struct reprint *r);
/* The recording ended in order: its run was not killed. */
bool reprint_ended(const struct reprint *r);
struct text_view *reprint_view(struct reprint *r);
void reprint_free(struct reprint *r); /* accepts NULL */
#endif

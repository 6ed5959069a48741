/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the table of -c: calls, errors and time by system call. */
#ifndef DWELL_STRACE_SUMMARY_H
#define DWELL_STRACE_SUMMARY_H
#include <stdint.h>
#include <stdio.h>
#include "store/recording.h"

#define SUMMARY_CALLS 512u /* numbers; those above are one row */

struct summary {
	struct summary_row {
		uint64_t calls, errors, ns;
	} of[SUMMARY_CALLS + 1];
};

/* A row of dlib/strace/count.d; others are of no interest. */
void summary_row(struct summary *s, const struct rec_schema *schema, const struct row *row);
void summary_print(const struct summary *s, FILE *out);
#endif

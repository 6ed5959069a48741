/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is made: complete, or not there. It is written under another name in the same folder and then renamed. So
 * a reader never sees half of a file, and a failure leaves the old one. */
#ifndef DWELL_BASE_OUTFILE_H
#define DWELL_BASE_OUTFILE_H
#include <stdbool.h>
#include <stdio.h>
#include "base/err.h"

struct outfile {
	FILE *f;
	const char *path; /* NULL: standard output */
	char *temp;	  /* the temporary file; NULL: f is path itself (a device, a pipe) */
};

/* Opens path for writing, NULL or "-": standard output. A file of that name is replaced by outfile_end(), when the
 * new one is complete. 0 or -errno with *err. */
int outfile_begin(struct outfile *o, const char *path, struct err *err);
/* Ends it: with e == 0 the file gets its name, else it is removed. e: 0, or -errno of what filled it, which is
 * returned; *err is set, unless it is already. -EPIPE has no message: nobody reads standard output any more. */
int outfile_end(struct outfile *o, int e, struct err *err);
/* Can it be made? Nothing of it stays. For what takes time before it writes. 0 or -errno with *err. */
int outfile_try(const char *path, struct err *err);
/* Does the name end so, with something before it? path may be NULL. */
bool outfile_is(const char *path, const char *suffix);
#endif

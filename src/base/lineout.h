/* SPDX-License-Identifier: Apache-2.0 */
/* A stream for a file that others write to as well, such as a command of -c that has dwell's standard output. It writes
 * whole lines at once, so that lines of others do not come into the middle of ours. */
#ifndef DWELL_BASE_LINEOUT_H
#define DWELL_BASE_LINEOUT_H
#include <stdio.h>

/* Lines are put together up to this many bytes, which a pipe takes as one. A longer line is written alone, with one
 * call. Source: pipe(7), PIPE_BUF. */
#define LINEOUT_PACKET ((size_t)4096)
/* The bytes after which a line that does not end is written in parts. */
#define LINEOUT_MAX_LINE ((size_t)16 << 20)

/* fflush() writes the beginning of a line, too. The descriptor stays the caller's; fclose() does the rest. NULL: out of
 * memory. */
FILE *lineout_open(int fd);
#endif

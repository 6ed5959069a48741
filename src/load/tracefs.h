/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the kernel's list of events, and the formats of their records, from tracefs. */
#ifndef DWELL_LOAD_TRACEFS_H
#define DWELL_LOAD_TRACEFS_H
#include <stddef.h>
#include "base/err.h"

/* Opens tracefs as a directory: the mounted one, or else a private mount that nobody else sees and
 * that goes away with the descriptor. The caller closes *ret_fd. -ENODEV: the kernel has none. */
int tracefs_open(int *ret_fd, struct err *err);
/* Reads a file below dirfd as text. *ret is malloc'ed and NUL-terminated. */
int tracefs_read(int dirfd, const char *path, char **ret, size_t *ret_len);
#endif

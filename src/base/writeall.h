/* SPDX-License-Identifier: Apache-2.0 */
/* Writes all of a buffer to a file descriptor. */
#ifndef DWELL_BASE_WRITEALL_H
#define DWELL_BASE_WRITEALL_H
#include <stddef.h>

/* Writes all n bytes to fd, through signals. 0, or -errno; some bytes may be written then. Source: write(2). */
int write_all(int fd, const void *p, size_t n);
#endif

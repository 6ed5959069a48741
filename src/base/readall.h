/* SPDX-License-Identifier: Apache-2.0 */
/* Reads all of a file, a pipe or a socket, or all that a buffer holds. */
#ifndef DWELL_BASE_READALL_H
#define DWELL_BASE_READALL_H
#include <stddef.h>

struct strb;

/* Reads n bytes of fd, fewer only where it ends, through signals and short reads; *ret: how many. 0, or -errno. */
int read_all(int fd, void *buf, size_t n, size_t *ret);
/* The same of a thing that has n bytes: -EIO if it ends before. */
int read_exactly(int fd, void *buf, size_t n);
/* Appends all that fd has to b. 0, or -errno: -EFBIG if that is more than max bytes (b has some of them then), or
 * -ENOMEM, also if b has failed before. */
int read_stream(int fd, struct strb *b, size_t max);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Makes sockets for servers, and drops the privileges with which a server was started. */
#ifndef DWELL_LAUNCHER_LISTEN_H
#define DWELL_LAUNCHER_LISTEN_H
#include <stdint.h>

#define LISTEN_NOBODY 65534 /* the user that servers become */

/* host: an IPv4 or IPv6 address in numbers; NULL: 127.0.0.1. *port 0: any that is free; filled. A descriptor that is
 * bound and listening, or -errno; -EINVAL: host is no address. */
int listen_tcp(const char *host, uint64_t *port);
/* For nobody but this user. A socket that an ended server has left is replaced; any other file is not (-EADDRINUSE). */
int listen_unix(const char *path);
/* This process, a child of the one that measures, becomes nobody, without capabilities, and ends with its parent. 0 or
 * -errno. */
int listen_confine(void);
#endif

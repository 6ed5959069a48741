/* SPDX-License-Identifier: Apache-2.0 */
/* The way into a server: its socket, the token of permitted users, and the address that a user opens. */
#ifndef DWELL_LAUNCHER_ENTRANCE_H
#define DWELL_LAUNCHER_ENTRANCE_H
#include <stdint.h>
#include <stdio.h>
#include "base/arena.h"
#include "engine/listener.h"
#include "serve/serve.h"

struct entrance {
	const char *unix_path; /* a unix socket, or NULL: TCP on loopback */
	uint64_t port;	       /* of TCP; 0: any that is free, filled by entrance_open() */
	char token[SERVE_TOKEN_LEN + 1];
	const char *hosts[3]; /* names by which the server may be called; ends with NULL */
};

/* Listens, makes the token, and fills c with both, the names and the cookie, which are in `n` and the arena. n must
 * stay where it is. 0 or -errno, told. */
int entrance_open(struct entrance *n, struct arena *a, struct serve_config *c, const struct listener *to);
/* Prints the address with the token: a line. On a terminal it also says how to open it from elsewhere. */
void entrance_tell(const struct entrance *n, FILE *out);
/* Removes the unix socket, if it is one. */
void entrance_close(const struct entrance *n);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the two processes of `dwell serve`. The launcher keeps its privileges, and only starts tracers. The server
 * reads requests of strangers, and has no privileges. */
#ifndef DWELL_LAUNCHER_PAIR_H
#define DWELL_LAUNCHER_PAIR_H
#include "engine/listener.h"
#include "launcher/servedir.h"
#include "serve/serve.h"

/* Before the folder or the socket is made: from now on signals wait for the launcher. */
void pair_hold_signals(void);
/* The command line of the live view: the trackers of the default set, and stacks. In the arena; ends with NULL. */
char *const *pair_overview(struct arena *a, const struct servedir *dir);
/* overview: of SERVE_OVERVIEW, or (c->fleet, dir NULL) the command line to which a question is added. Splits into
 * launcher and server, which listens on c->listen_fd; returns in the launcher when the server has ended. program: what
 * the user calls dwell. 0 or -errno, told. */
int pair_run(struct serve_config *c, char *const *overview, const struct servedir *dir, const char *program,
	     const struct listener *to);
#endif

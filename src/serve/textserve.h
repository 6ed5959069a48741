/* SPDX-License-Identifier: Apache-2.0 */
/* Serves one text over HTTP, as Prometheus asks for it: GET /metrics. The measuring process hands over a new text
 * now and then. However often and slowly the text is asked for, that costs the measuring process nothing. */
#ifndef DWELL_SERVE_TEXTSERVE_H
#define DWELL_SERVE_TEXTSERVE_H
#include <stddef.h>
#include "base/err.h"

#define TEXTSERVE_CONNECTIONS_MAX 32   /* that have asked; then the oldest goes */
#define TEXTSERVE_STRANGERS_MAX 64     /* that have not; then the oldest goes */
#define TEXTSERVE_HEAD_S 10	       /* so long they may take to ask */
#define TEXTSERVE_PATIENCE_S 20	       /* a connection that lasts longer is closed, in any state */
#define TEXTSERVE_START_MS 10000       /* what textserve_wait() waits: a busy machine starts slowly */
#define TEXTSERVE_TEXT_MAX (16u << 20) /* bytes */

struct textserve_config {
	int listen_fd;		  /* bound and listening; closed at the end */
	const char *const *hosts; /* what Host may say, up to NULL; NULL: anything */
	int feed_fd;		  /* texts come from here: textserve_feed(); its end ends the server */
};
/* Serves until the feed ends. 0, or -errno with *err when it could not begin. */
int textserve(const struct textserve_config *c, struct err *err);
/* The two ends of a feed. 0 or -errno. */
int textserve_pair(int *ret_in, int *ret_out);
/* Waits until the server at the other end listens. 0; -EPIPE: it has ended; -ETIMEDOUT after TEXTSERVE_START_MS. */
int textserve_wait(int in);
/* Hands over a text; never waits: a server that is late gets the next one. 0; -EPIPE: there is no server any more. */
int textserve_feed(int in, const char *text, size_t n);
#endif

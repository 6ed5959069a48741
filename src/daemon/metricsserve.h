/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the metrics of a run over HTTP (--metrics), from a process of its own that has no privileges. */
#ifndef DWELL_DAEMON_METRICSSERVE_H
#define DWELL_DAEMON_METRICSSERVE_H
#include "engine/listener.h"
#include "latency/window/metrics.h"

struct metricsserve;
/* where: "PORT", "HOST:PORT", "[HOST]:PORT" (addresses; 127.0.0.1 unless said, port 0: any), or "unix:PATH". close_fd:
 * closed in the other process, or -1. Starts it, before threads are. 0 or -errno, told; LISTENER_WRONG: `where` cannot
 * be meant. */
int metricsserve_start(const char *where, int close_fd, const struct listener *to, struct metricsserve **ret);
/* "http://127.0.0.1:9435/metrics" or "unix:/path" */
const char *metricsserve_where(const struct metricsserve *s);
/* Hands over what there is. Says once when the other process has gone. */
void metricsserve_feed(struct metricsserve *s, struct metrics *m, uint64_t now);
void metricsserve_stop(struct metricsserve *s); /* accepts NULL */
#endif

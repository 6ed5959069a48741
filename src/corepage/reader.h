/* SPDX-License-Identifier: Apache-2.0 */
/* Brings questions from the server of a core's page to the process that has the core, and answers them there. */
#ifndef DWELL_COREPAGE_READER_H
#define DWELL_COREPAGE_READER_H
#include "core/shell.h"
#include "serve/serve.h"

/* The server's side: serve_config's start and stop. ctx points to the socket, which keeps the order of packets. It does
 * not wait: what the reader has no time for yet stays in the socket. -EBUSY: too much does. */
int reader_start(void *ctx, enum serve_kind kind, const char *text, size_t n, struct serve_child *ret, struct err *err);
/* An answer has a limit of CPU time, and its pipe may be closed: there is nothing to stop. */
void reader_stop(void *ctx, uint64_t id);

/* Bytes of memory that the reader and each answer may have of their own: a hostile heap must not take all of the
 * machine's. The dominators of a heap of 10 GB need less. A question that needs more is answered with "out of memory".
 */
#define READER_MEMORY_MAX (UINT64_C(8) << 30)
/* Sets that limit for this process and its children, or keeps a lower one. 0 or -errno. */
int reader_limit(void);

/* The other side: answers until the server has gone. s: a shell with an open core and JSON. 0 or -errno. */
int reader_run(struct shell *s, int sock);
#endif

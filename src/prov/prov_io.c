/* SPDX-License-Identifier: Apache-2.0 */
/* Provider io: requests to block devices. A request begins as a struct bio (block_bio_queue). It is
 * done when the struct request that carries it is completed, which may have been merged from several
 * (the first is named), or with devices that have no requests, when the bio is.
 * Source: DTrace guide, "io Provider"; block/blk-core.c submit_bio_noacct_nocheck(),
 * block/blk-mq.c blk_update_request(), block/bio.c bio_endio(). */
#include "base/cleanup.h"
#include "prov/stable.h"

#define BIO(expr) .args = {{"struct bio *", expr, "bio", false}}
#define IO_X                                                                                         \
	.xargs = {{"bufinfo_t *", 0, NULL}, {"devinfo_t *", 0, NULL}, {"fileinfo_t *", 0, NULL}},    \
	.nxargs = 3
#define NO_WAIT                                                                                      \
	"no tracepoint tells that a thread waits for a request; sched:::sleep with stack() shows who waits"

static const struct stable_row io_rows[] = {
	{.name = "done", .tp = "block_rq_complete", .cond = "(uintptr_t)rq->bio != 0", BIO("rq->bio"), IO_X},
	{.name = "done", .tp = "block_bio_complete", BIO("bio"), IO_X, .also = true},
	{.name = "start", .tp = "block_bio_queue", BIO("bio"), IO_X},
	{.name = "wait-done", .why = NO_WAIT},
	{.name = "wait-start", .why = NO_WAIT},
};

STABLE_PROVIDER(io, IO);

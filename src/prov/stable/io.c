/* SPDX-License-Identifier: Apache-2.0 */
/* Provider io: requests to block devices. A request begins as a struct bio (block_bio_queue). It is done when the
 * struct request that carries it is completed. That may have been merged from several (the first is named). With
 * devices that have no requests, it is done when the bio is.
 * A thread waits for requests while it sleeps marked with in_iowait (io_schedule()). For which of them is not
 * known there: the arguments are those of no request. It has waited when it runs again (see sched.c).
 * Source: DTrace guide, "io Provider"; kernel/sched/core.c io_schedule_prepare(); block/blk-core.c
 * submit_bio_noacct_nocheck(), block/blk-mq.c blk_update_request(), block/bio.c bio_endio(). */
#include "base/cleanup.h"
#include "prov/stable/stable.h"

#define BIO(expr) .args = { { "struct bio *", expr, "bio", false } }
#define IO_X \
	.xargs = { { "bufinfo_t *", 0, NULL }, { "devinfo_t *", 0, NULL }, { "fileinfo_t *", 0, NULL } }, .nxargs = 3
#define WAITS "sdt:::sched_switch /curthread->in_iowait && !arg0 && arg3/ { self->dwell_iowait = 1; }\n"
#define WAITED "sdt:::sched_exit_tp /self->dwell_iowait/ { self->dwell_iowait = 0; }\n"

static const struct stable_row io_rows[] = {
	{ .name = "done", .tp = "block_rq_complete", .cond = "(uintptr_t)rq->bio != 0", BIO("rq->bio"), IO_X },
	{ .name = "done", .tp = "block_bio_complete", BIO("bio"), IO_X, .also = true },
	{ .name = "start", .tp = "block_bio_queue", BIO("bio"), IO_X },
	{ .name = "wait-done",
	  .tp = "sched_exit_tp",
	  .cond = "is_switch && self->dwell_iowait",
	  BIO("(struct bio *)0"),
	  IO_X,
	  .before = WAITS,
	  .after = WAITED,
	  .is_next = true },
	{ .name = "wait-start",
	  .tp = "sched_switch",
	  .cond = "!preempt && prev_state != 0 && prev->in_iowait",
	  BIO("(struct bio *)0"),
	  IO_X },
};

STABLE_PROVIDER(io, IO);

/* SPDX-License-Identifier: Apache-2.0 */
/* Watches a fleet: looks again and again for hosts that became slower (fleet/ask/change.h). It tells each once, with
 * what else changed then, and hands it to a webhook and a program (fleet/ask/notify.h). How often a quiet fleet has a
 * false one is measured (test/perf/fleetwatch.py, doc/measured.md). */
#ifndef DWELL_FLEET_ASK_WATCH_H
#define DWELL_FLEET_ASK_WATCH_H
#include "base/optrow.h"
#include "engine/listener.h"
#include "fleet/ask/show.h"

#define WATCH_EVERY_NS (60 * UINT64_C(1000000000))
#define WATCH_FROM_NS (600 * UINT64_C(1000000000))
#define WATCH_LAG_NS (5 * UINT64_C(1000000000))	       /* the youngest seconds may not be there yet */
#define WATCH_LAG_LONG_NS (120 * UINT64_C(1000000000)) /* … minutes, of ranges above half an hour */
#define WATCH_NROWS 5u

struct watch {
	struct askshow show; /* from_ns: the range of one look */
	uint64_t every_ns, back_ns;
	const char *webhook, *program, *state; /* state: a file of what was told; or NULL */
	bool (*stop)(void *ctx);
	void *ctx;
};
/* Options of it that are no others' (base/optrow.h). */
extern const struct optrow watch_rows[WATCH_NROWS];
/* Watches until stop(). A later failure is reported to the listener and retried. 0, or -errno: with *err it could not
 * begin; without, out could not be written. */
int watch_run(struct watch *o, const struct listener *to, struct err *err);
#endif

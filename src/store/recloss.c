/* SPDX-License-Identifier: Apache-2.0 */
#include "store/recloss.h"
#include "base/cleanup.h"
#include "base/recfmt.h"

/* By enum rec_counter. */
static const char *const losses[] = {
	[CNT_FIRINGS] = "firings",
	[CNT_DROP_PRINCIPAL] = "records: buffer full",
	[CNT_DROP_AGG] = "aggregation full",
	[CNT_DROP_DYN] = "variables: no space",
	[CNT_DROP_SPEC] = "speculation: buffer full",
	[CNT_DROP_SPEC_BUSY] = "speculation: none free, some are being cleaned",
	[CNT_DROP_SPEC_UNAVAIL] = "speculation: none free",
	[CNT_DROP_STRTRUNC] = "strings cut",
	[CNT_COMPAT] = "system calls of 32-bit programs",
	[CNT_DROP_SCRATCH] = "firings: no scratch memory",
	[CNT_RECURSION] = "firings: skipped by the kernel",
	[CNT_TIMER_MISSES] = "timer firings on busy CPUs",
	[CNT_TRACK_FULL] = "tracker: no room for an open event",
	[CNT_TRACK_DEEP] = "tracker: too many openings of a key",
	[CNT_TRACK_LIMITED] = "slow events beyond the limit per second",
	[CNT_TRACK_LOST] = "tracker: events that never ended",
	[CNT_TRACK_EXITED] = "tracker: events open when their thread ended",
	[CNT_FLIGHT_MISSED] = "flight recorder: no ring of the CPU",
	[CNT_UNRECORDED] = "rows beyond the limit of size",
	[CNT_TIMER_DUE] = "timer periods",
	[CNT_TIMER_IDLE] = "timer periods of idle CPUs",
	[CNT_TIMER_ASLEEP] = "timer firings that idle CPUs did not make",
	[CNT_CALL_MISSED] = "calls without a return",
};
_Static_assert(ARRAY_SIZE(losses) == REC_NLOSSES, "each loss has a name");

const char *recloss_name(uint32_t kind)
{
	return losses[kind];
}

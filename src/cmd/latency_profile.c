/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell latency profile FILE`: shows the distribution of latencies in the last minute, 5 minutes, hour and
 * day. */
#include "cmd/latency.h"
#include "cmd/viewcmd.h"

static const struct viewcmd view = {
	.command = "latency profile",
	.view = &view_profile,
	.no_file = true,
	.synopsis = "latency profile [--from TIME] [--to TIME] [--keys N] [--hist] [--json] FILE|FOLDER|PID...",
	.notes = "\tof recordings, of a daemon's folder, or of a process that records",
	.missing = "a recording, a folder or a process is missing",
};

const struct command latency_profile = { "profile",
					 "percentiles of the last minute, 5 minutes, hour and day of a recording",
					 .view = &view };

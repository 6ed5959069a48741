/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell latency diff A B`: shows which latencies changed, and by how much, between two recordings, two
 * stretches of one, or a stretch and the rest of its recording. */
#include "cmd/latency.h"
#include "cmd/viewcmd.h"

static const struct viewcmd view = {
	.command = "latency diff",
	.view = &view_diff,
	.no_file = true,
	.synopsis = "latency diff [--from TIME] [--to TIME] A [--from TIME] [--to TIME] B\n"
		    "latency diff [--from TIME] [--to TIME] B    with the rest of the recording",
	.missing = "two recordings are compared, or two stretches of one",
};

const struct command latency_diff = { "diff", "what changed between two recordings, or stretches of one",
				      .view = &view };

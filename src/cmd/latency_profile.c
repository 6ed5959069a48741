/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency profile FILE`: how latencies were distributed in the last minute, 5 minutes, hour and day. */
#include <getopt.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "view/text/profileprint.h"

#define KEYS_SHOWN 10

struct profile_cmd {
	struct profile p;
};

static const struct optrow rows[] = {
	{ .name = "from",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct profile_cmd, p.asked.from),
	  .arg = "TIME",
	  .help = "what is between, not what was last: 30s after the beginning, -1m before the end" },
	{ .name = "to",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct profile_cmd, p.asked.to),
	  .arg = "TIME",
	  .help = "… and up to there" },
	{ .name = "hist",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct profile_cmd, p.bars),
	  .help = "the distribution as bars" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct profile_cmd, p.json), .help = "as JSON Lines" },
	{ .name = "keys",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct profile_cmd, p.keys),
	  .value = RECFILE_HIST_KEYS,
	  .arg = "N",
	  .help = "how many keys of each source are shown (" OPTABLE_TEXT(KEYS_SHOWN) ")" },
};
static const struct optable options = {
	.command = "latency profile",
	.synopsis = "latency profile [--from TIME] [--to TIME] [--keys N] [--hist] [--json] FILE|FOLDER|PID...",
	.notes = "\tof recordings, of a daemon's folder, or of a process that records",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};

static int run_profile(int argc, char **argv)
{
	struct profile_cmd c = { .p = { .keys = KEYS_SHOWN, .out = stdout } };
	struct recset set;
	struct err err = { 0 };
	int e = cmd_options(&options, &c, argc, argv);

	if (e)
		return e < 0 ? EXIT_OK : e;
	if (optind == argc)
		return cmd_words(&options, NULL, "a recording, a folder or a process is missing");
	c.p.set = &set;
	e = recset_open(&set, argv + optind, (size_t)(argc - optind), cmd_left_out, &err);
	if (e == 0)
		e = profileprint(&c.p, &err);
	e = e < 0 && err.msg[0] ? cmd_fail("%s", err.msg) : cmd_written(e);
	recset_close(&set);
	return e;
}

const struct latency_command latency_profile = {
	"profile", "percentiles of the last minute, 5 minutes, hour and day of a recording", run_profile
};

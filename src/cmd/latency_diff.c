/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency diff A B`: which latencies changed between two recordings, or two stretches of one, or a stretch and
 * the rest of its recording, and by how much. */
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "latency/diff.h"
#include "view/text/diffprint.h"

#define KEYS_COMPARED 50

struct diff_cmd {
	struct diff d;
	struct diff_print print;
	size_t nsides;
	struct latency_range asked; /* of the recording that comes next */
	unsigned min_percent;
};

static int take_side(void *command, char *word, struct err *err);

static const struct optrow rows[] = {
	{ .name = "all",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct diff_cmd, print.all),
	  .help = "what has not changed as well" },
	{ .name = "from",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct diff_cmd, asked.from),
	  .arg = "TIME",
	  .help = "of the recording behind it: 30s after its beginning, -1m before its end" },
	{ .name = "to",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct diff_cmd, asked.to),
	  .arg = "TIME",
	  .help = "… and up to there" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct diff_cmd, print.json), .help = "as JSON Lines" },
	{ .name = "keys",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct diff_cmd, d.keys),
	  .value = RECFILE_HIST_KEYS,
	  .arg = "N",
	  .help = "how many keys of each source are compared (" OPTABLE_TEXT(KEYS_COMPARED) ")" },
	{ .name = "min",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct diff_cmd, min_percent),
	  .value = DIFF_PERCENT_MAX,
	  .arg = "PERCENT",
	  .help = "that a quantile must differ by to be called changed (3)" },
};
static const struct optable options = {
	.command = "latency diff",
	.synopsis = "latency diff [--from TIME] [--to TIME] A [--from TIME] [--to TIME] B\n"
		    "latency diff [--from TIME] [--to TIME] B    with the rest of the recording",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
	.word = take_side,
};

static int take_side(void *command, char *word, struct err *err)
{
	struct diff_cmd *c = command;

	if (c->nsides == 2)
		return optable_words(&options, word, NULL, cmd_name(), err);
	c->d.side[c->nsides].path = word;
	c->d.side[c->nsides++].asked = c->asked;
	c->asked = (struct latency_range){ 0 };
	return 0;
}

/* One side with a stretch: against the rest of it. */
static void take_rest(struct diff_cmd *c)
{
	struct diff_side *side = c->d.side;

	c->d.rest = true;
	c->nsides = 2;
	side[1].path = side[0].path;
	side[1].asked = side[0].asked;
	side[0].asked = (struct latency_range){ 0 };
}

static int run_diff(int argc, char **argv)
{
	struct diff_cmd c = { .d = { .keys = KEYS_COMPARED, .opts = CMP_DEFAULT }, .print.out = stdout };
	struct err err = { 0 };
	int e = cmd_options(&options, &c, argc, argv);

	if (e == 0 && c.nsides == 1 && (c.d.side[0].asked.from || c.d.side[0].asked.to))
		take_rest(&c);
	if (c.min_percent)
		c.d.opts.min_shift = c.min_percent / 100.0;
	if (e == 0 && (c.nsides != 2 || c.asked.from || c.asked.to))
		e = cmd_words(&options, NULL, "two recordings are compared, or two stretches of one");
	if (e == 0)
		e = diff_run(&c.d, cmd_left_out, &err) < 0 ? cmd_fail("%s", err.msg)
							   : cmd_written(diffprint(&c.d, &c.print));
	diff_done(&c.d);
	return e < 0 ? EXIT_OK : e;
}

const struct latency_command latency_diff = { "diff", "what changed between two recordings, or stretches of one",
					      run_diff };

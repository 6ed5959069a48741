/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the slow events of recordings, each with its cause and its chain, as `dwell latency` showed them during the
 * run, as text or JSON Lines. They are printed as they are read, so that a long recording takes little memory. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/summary/slowshow.h"
#include "view/view.h"

#define MAX_WORST 1000

#define WORST .kind = OPT_NUMBER, .at = offsetof(struct slowshow, worst), .value = MAX_WORST, .asked = true

static const struct optrow options[] = {
	{ .name = "over",
	  .kind = OPT_TIME,
	  .at = offsetof(struct slowshow, over_ns),
	  .value = 1,
	  .asked = true,
	  .arg = "TIME",
	  .help = "events are slow from here on, for all trackers (each has its own)" },
	{ .name = "top", WORST, .arg = "N", .help = "not each event: with the summary, the N slowest" },
	{ .name = "worst", WORST, .arg = "N" }, /* its name once */
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct slowshow, comm),
	  .asked = true,
	  .arg = "NAME",
	  .help = "events of these programs only" },
	{ .name = "by",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct slowshow, by),
	  .asked = true,
	  .arg = "GROUP",
	  .help = "a table for each container, cgroup, unit or user" },
	{ .name = "all",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct slowshow, all),
	  .help = "each event, also where many within a second are alike" },
	{ .name = "idle",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct slowshow, idle),
	  .help = "waits for something to do, and sleeps, too" },
	{ .letter = 'v',
	  .kind = OPT_FLAG,
	  .at = offsetof(struct slowshow, cost),
	  .help = "with the cost of dwell's own probes" },
};

static int draw(const void *asked, const struct view_job *job, FILE *out, struct err *err)
{
	_cleanup_(slowshow_done) struct slowshow s = *(const struct slowshow *)asked;
	int e = view_causes(job, &s.causes, err);

	s.out = out;
	s.json = view_is_json(job);
	s.recorded = true;
	s.columns = (int)job->env->columns;
	if (e == 0 && slowshow_prepare(&s) < 0)
		e = err_set(err, -ENOMEM, "out of memory");
	return e < 0 ? e : slowshow_replay(&s, &job->set, err);
}

/* All is read while it is printed. */
static int read_nothing(void *state, const struct view_job *job, struct err *err)
{
	(void)state;
	(void)job;
	(void)err;
	return 0;
}

static const struct view_form forms[] = { { .name = "text", .draw = draw },
					  { .name = "json",
					    .help = "JSON Lines",
					    .served = "latency.json",
					    .type = "application/x-ndjson",
					    .draw = draw },
					  {} };

const struct view view_latency = { .name = "latency",
				   .words = { "latency" },
				   .options = options,
				   .noptions = ARRAY_SIZE(options),
				   .forms = forms,
				   .plain = "text",
				   .several = true,
				   .size = sizeof(struct slowshow),
				   .read = read_nothing };

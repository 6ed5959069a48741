/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the view of what changed between recordings. */
#include <errno.h>
#include <stdint.h>
#include "base/cleanup.h"
#include "view/summary/diffprint.h"
#include "view/view.h"

#define KEYS_COMPARED 50
#define TEXT_OF(constant) TEXT(constant)
#define TEXT(text) #text

struct diff_view {
	struct diff d;
	bool all;
	struct latency_range asked; /* of the recording that comes next */
	size_t given;
	unsigned min_percent;
};

static const struct optrow options[] = {
	{ .name = "all",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct diff_view, all),
	  .help = "also values that have not changed" },
	{ .name = "from",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct diff_view, asked.from),
	  .asked = true,
	  .arg = "TIME",
	  .help = "of the recording: 30s after its beginning, -1m before its end" },
	{ .name = "to",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct diff_view, asked.to),
	  .asked = true,
	  .arg = "TIME",
	  .help = "… and up to there" },
	{ .name = "keys",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct diff_view, d.keys),
	  .value = RECFILE_HIST_KEYS,
	  .arg = "N",
	  .help = "how many keys of each source are compared (" TEXT_OF(KEYS_COMPARED) ")" },
	{ .name = "min",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct diff_view, min_percent),
	  .value = DIFF_PERCENT_MAX,
	  .arg = "PERCENT",
	  .help = "that a quantile must differ by to be called changed (3)" },
};

static void init(void *state)
{
	struct diff_view *c = state;

	c->d.keys = KEYS_COMPARED;
	c->d.opts = CMP_DEFAULT;
}

static void given(void *state)
{
	struct diff_view *c = state;

	c->d.side[c->given++].asked = c->asked;
	c->asked = (struct latency_range){ 0 };
}

static int check(void *state, const struct view_job *job, struct err *err)
{
	struct diff_view *c = state;
	struct diff_side *side = c->d.side;

	if (job->nsources == 1 && (side[0].asked.from || side[0].asked.to)) { /* against the rest of it */
		c->d.rest = true;
		side[1].asked = side[0].asked;
		side[0].asked = (struct latency_range){ 0 };
	}
	if ((job->nsources < 2 && !c->d.rest) || c->asked.from || c->asked.to)
		return err_set(err, -ENODATA, "two recordings are compared, or two stretches of one");
	if (c->min_percent)
		c->d.opts.min_shift = c->min_percent / 100.0;
	return 0;
}

static int make(void *state, const struct view_job *job, struct err *err)
{
	struct diff_view *c = state;

	for (size_t i = 0; i < 2; i++)
		c->d.side[i].path = (char *)(uintptr_t)job->source[c->d.rest ? 0 : i].path;
	return diff_run(&c->d, job->env->left_out, err);
}

static void done(void *state)
{
	diff_done(&((struct diff_view *)state)->d);
}

static int draw(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct diff_view *c = state;
	const struct diff_print o = { .out = out, .json = view_is_json(job), .all = c->all };

	(void)err;
	return diffprint(&c->d, &o);
}

static const struct view_form forms[] = { { .name = "text", .draw = draw },
					  { .name = "json",
					    .help = "as JSON Lines",
					    .served = "diff.json",
					    .type = "application/x-ndjson",
					    .draw = draw },
					  {} };

const struct view view_diff = { .name = "diff",
				.words = { "latency", "diff" },
				.options = options,
				.noptions = ARRAY_SIZE(options),
				.forms = forms,
				.plain = "text",
				.max_sources = 2,
				.compares = VIEW_BEFORE_AFTER,
				.size = sizeof(struct diff_view),
				.init = init,
				.given = given,
				.check = check,
				.read = make,
				.done = done };

/* SPDX-License-Identifier: Apache-2.0 */
/* The view "profile": percentiles of latencies in the last minute, 5 minutes, hour and day. */
#include "base/cleanup.h"
#include "view/summary/profileprint.h"
#include "view/view.h"

#define KEYS_SHOWN 10
#define TEXT_OF(constant) TEXT(constant)
#define TEXT(text) #text

static const struct optrow options[] = {
	{ .name = "from",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct profile, asked.from),
	  .arg = "TIME",
	  .help = "the stretch in between, not the last one: 30s after the beginning, -1m before the end" },
	{ .name = "to",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct profile, asked.to),
	  .arg = "TIME",
	  .help = "… and up to there" },
	{ .name = "hist", .kind = OPT_FLAG, .at = offsetof(struct profile, bars), .help = "the distribution as bars" },
	{ .name = "keys",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct profile, keys),
	  .value = RECFILE_HIST_KEYS,
	  .arg = "N",
	  .help = "how many keys of each source are shown (" TEXT_OF(KEYS_SHOWN) ")" },
};

static void init(void *state)
{
	((struct profile *)state)->keys = KEYS_SHOWN;
}

static int draw(const void *asked, const struct view_job *job, FILE *out, struct err *err)
{
	struct profile p = *(const struct profile *)asked;

	p.set = &job->set;
	p.out = out;
	p.json = view_is_json(job);
	return profileprint(&p, err);
}

static const struct view_form forms[] = { { .name = "text", .draw = draw },
					  { .name = "json", .help = "as JSON Lines", .draw = draw },
					  {} };

const struct view view_profile = { .name = "profile",
				   .words = { "latency", "profile" },
				   .options = options,
				   .noptions = ARRAY_SIZE(options),
				   .forms = forms,
				   .plain = "text",
				   .several = true,
				   .size = sizeof(struct profile),
				   .init = init };

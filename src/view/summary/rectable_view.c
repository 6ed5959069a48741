/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of a recording as views: any by its name, and those that the page asks for. */
#include "base/cleanup.h"
#include "base/num.h"
#include "view/summary/reportview.h"

static const struct optrow options[] = {
	VIEW_OPTIONS_TIMES(struct report_view, which.range.from, which.range.to),
	{ .name = "longest",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct report_view, longest),
	  .value = INT32_MAX,
	  .asked = true,
	  .arg = "N" },
	{ .name = "over", .kind = OPT_TIME, .at = offsetof(struct report_view, which.over), .asked = true, .arg = "T" },
	{ .name = "under",
	  .kind = OPT_TIME,
	  .at = offsetof(struct report_view, which.under),
	  .asked = true,
	  .arg = "T" },
	{ .name = "tracker",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct report_view, which.tracker),
	  .asked = true,
	  .arg = "NAME" },
};
#define TIMES 2 /* of these: what all tables have */

/* Times after the beginning become those of the recording's clock. */
static struct rec_range local(struct recread *f, struct rec_range r)
{
	uint64_t begun = recread_begun(f);

	return (struct rec_range){ r.from ? begun + r.from : 0, r.to ? begun + r.to : INT64_MAX };
}

static int draw(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct report_view *v = state;
	struct recread *f = job->source[0].file;
	struct rectable_opts o = {
		.which = v->which, .json = view_is_json(job), .why = job->env->why, .why_arg = job->env->why_arg
	};

	o.which.longest = v->longest;
	o.which.range = local(f, v->which.range);
	return rectable_put(f, v->table, &o, out, err);
}

#define INIT(name) \
	static void init_##name(void *state) \
	{ \
		((struct report_view *)state)->table = #name; \
	}
INIT(slow)
INIT(loss)
INIT(cost)
#undef INIT

#define FORMS(id, served_name) \
	static const struct view_form id##_forms[] = { { .name = "text", .draw = draw }, \
						       { .name = "json", \
							 .help = "JSON Lines", \
							 .served = served_name, \
							 .type = served_name ? "application/x-ndjson" : NULL, \
							 .draw = draw }, \
						       {} };
FORMS(table, NULL)
FORMS(slow, "slow.json")
FORMS(loss, "losses.json")
FORMS(cost, "costs.json")
#undef FORMS

#define NAMED(id, n) \
	{ \
		.name = #id, .words = { "report", "--table", #id }, .options = options, .noptions = n, \
		.forms = id##_forms, .plain = "text", .max_sources = 1, .opens = true, \
		.size = sizeof(struct report_view), .init = init_##id \
	}
const struct view view_table = { .name = "table",
				 .words = { "report", "--table" },
				 .options = options,
				 .noptions = ARRAY_SIZE(options),
				 .forms = table_forms,
				 .plain = "text",
				 .max_sources = 1,
				 .opens = true,
				 .size = sizeof(struct report_view) };
const struct view view_slow = NAMED(slow, ARRAY_SIZE(options));
const struct view view_loss = NAMED(loss, TIMES);
const struct view view_cost = NAMED(cost, TIMES);

/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell features`: its options. */
#include <string.h>
#include "base/cleanup.h"
#include "base/columns.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "load/caps_show.h"

struct features {
	bool json;
};

static const struct optrow rows[] = {
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct features, json), .help = "JSON Lines" },
};
static const struct optable options = {
	.command = "features",
	.synopsis = "features [options]",
	.notes = "\tShows what this kernel can do, what not, and why.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};

static int show(const struct features *f)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct typesrc *ts = NULL;
	struct caps_row *v;
	size_t n;
	int r;

	typesrc_open_kernel(&ts, NULL);
	r = caps_report(ts, a, &v, &n);
	if (r < 0) {
		r = cmd_fail("failed to probe the kernel: %s", strerror(-r));
	} else if (f->json) {
		r = cmd_written(caps_show_json(stdout, v, n));
	} else {
		caps_show(stdout, v, n, columns_of_terminal());
		r = cmd_written(0);
	}
	typesrc_free(ts);
	arena_free(a);
	return r;
}

static int features(int argc, char **argv)
{
	struct features f = { 0 };
	int e = cmd_options(&options, &f, argc, argv);

	if (e == 0 && optind < argc)
		e = cmd_words(&options, argv[optind], NULL);
	return e ? e : show(&f);
}

const struct command cmd_features = { "features", "what this kernel can do, what not, and why", features,
				      .options = &options };

/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell fleet latency`, `why`, `heat` …: questions to the store. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/fleet.h"
#include "fleet/ask.h"
#include "view/form/table.h"

#define LAST_DEFAULT_NS (5 * 60 * NSEC_PER_SEC)
#define TOP_DEFAULT 20
#define TOP_MAX 100000

struct ask_cmd {
	struct click_options store;
	struct ask_what what;
	uint64_t from_ns, to_ns; /* ago */
	bool by_host, json;
	unsigned top;
	struct table table;
};

/* "web*,role=db" */
static int take_hosts(void *member, const struct optrow *o, const char *arg, struct err *err)
{
	struct ask_what *w = member;
	char *list = strdup(arg), *save = NULL; /* lives as long as the command */

	(void)o;
	if (!list)
		return err_set(err, -ENOMEM, "out of memory");
	for (char *s = strtok_r(list, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
		if (w->nselectors == ASK_SELECTORS_MAX)
			return err_set(err, -EINVAL, "fleet: --hosts: %u names and labels at most", ASK_SELECTORS_MAX);
		w->selectors[w->nselectors++] = s;
	}
	return 0;
}

#define WHAT_ROWS \
	FLEET_STORE_ROWS(struct ask_cmd, store), \
		{ .name = "hosts", \
		  .kind = OPT_CALL, \
		  .at = offsetof(struct ask_cmd, what), \
		  .arg = "LIST", \
		  .help = "only these: names, NAME*, and labels NAME=VALUE, with commas between", \
		  .take = take_hosts }, \
	{ \
		.name = "tenant", .kind = OPT_TEXT, .at = offsetof(struct ask_cmd, what.tenant), .arg = "NAME", \
		.help = "(default)" \
	}
#define RANGE_ROWS \
	{ .name = "tracker", \
	  .kind = OPT_TEXT, \
	  .at = offsetof(struct ask_cmd, what.series), \
	  .arg = "NAME", \
	  .help = "only this tracker, or @aggregation" }, \
		{ .name = "from", \
		  .kind = OPT_TIME, \
		  .at = offsetof(struct ask_cmd, from_ns), \
		  .arg = "TIME", \
		  .help = "what is younger than this (5m)", \
		  .value = 1 }, \
	{ \
		.name = "to", .kind = OPT_TIME, .at = offsetof(struct ask_cmd, to_ns), .arg = "TIME", \
		.help = "and older than this (0)", .value = 0 \
	}
#define IDLE_ROW \
	{ \
		.name = "idle", .kind = OPT_FLAG, .at = offsetof(struct ask_cmd, what.idle), \
		.help = "waits for something to do, too" \
	}
#define JSON_ROW \
	{ \
		.name = "json", .kind = OPT_FLAG, .at = offsetof(struct ask_cmd, json), .help = "JSON Lines" \
	}
#define TOP_ROW \
	{ \
		.name = "top", .kind = OPT_NUMBER, .at = offsetof(struct ask_cmd, top), .arg = "N", \
		.help = "lines (20)", .value = TOP_MAX \
	}

static const struct optrow hosts_rows[] = { WHAT_ROWS, JSON_ROW };
static const struct optrow latency_rows[] = {
	WHAT_ROWS,
	RANGE_ROWS,
	{ .name = "by-host", .kind = OPT_FLAG, .at = offsetof(struct ask_cmd, by_host), .help = "each host by itself" },
	JSON_ROW
};
static const struct optrow why_rows[] = { WHAT_ROWS, RANGE_ROWS, TOP_ROW, IDLE_ROW, JSON_ROW };
static const struct optrow flame_rows[] = { WHAT_ROWS, RANGE_ROWS, IDLE_ROW };
static const struct optrow range_rows[] = { WHAT_ROWS, RANGE_ROWS };

/* Reads the options, opens the store. 0; EXIT_* > 0 after a message; < 0: done (--help). */
static int begin(struct ask_cmd *a, const char *name, const struct optrow *rows, size_t n, int argc, char **argv,
		 bool words, struct click **ret)
{
	char command[32], synopsis[96];
	struct optable t = { .command = command, .synopsis = synopsis, .rows = rows, .n = n, .leading = words };
	uint64_t now = clock_ns(CLOCK_REALTIME);
	struct err err = { 0 };
	int e;

	snprintf(command, sizeof(command), "fleet %s", name);
	snprintf(synopsis, sizeof(synopsis), "fleet %s [options]%s", name, words ? " [-- options of the view]" : "");
	*a = (struct ask_cmd){ .store.database = TABLES_DATABASE,
			       .what.tenant = "default",
			       .from_ns = LAST_DEFAULT_NS,
			       .top = TOP_DEFAULT };
	e = cmd_options(&t, a, argc, argv);
	if (e == 0 && !words && optind < argc)
		e = cmd_words(&t, argv[optind], NULL);
	if (e == 0)
		e = fleet_store(&a->store);
	if (e)
		return e;
	if (a->to_ns >= a->from_ns)
		return cmd_wrong("%s: --from is to be longer ago than --to", command);
	a->what.range = (struct ask_range){ (now - a->from_ns) / NSEC_PER_SEC, (now - a->to_ns) / NSEC_PER_SEC + 1 };
	a->table = (struct table){ .out = stdout, .json = a->json };
	e = click_open(&a->store, ret, &err);
	if (e == 0)
		e = tables_check(*ret, &err);
	return e < 0 ? cmd_fail("%s", err.msg) : 0;
}

/* A question whose answer is printed line by line. */
struct question {
	const char *name;
	const struct optrow *rows;
	size_t n;
	const char *type; /* of its JSON objects */
	int (*ask)(struct click *c, struct ask_cmd *a, struct err *err);
};

static int answer(const struct question *q, int argc, char **argv)
{
	struct ask_cmd a;
	struct click *c = NULL;
	struct err err = { 0 };
	int e = begin(&a, q->name, q->rows, q->n, argc, argv, false, &c);

	if (e)
		return e < 0 ? EXIT_OK : e;
	a.table.type = q->type;
	e = q->ask(c, &a, &err);
	click_close(c);
	if (e < 0)
		return cmd_fail("%s", err.msg);
	if (!a.table.begun && !a.json)
		cmd_msg("there is nothing in this range");
	return cmd_written(a.table.error);
}

/* -- hosts -- */

static int on_host(void *ctx, const struct ask_host *h)
{
	struct ask_cmd *a = ctx;
	char labels[200];
	const struct cell cells[] = { { "host", CELL_TEXT, -24, 0, { .s = h->host } },
				      { "site", CELL_TEXT, -12, 0, { .s = h->site } },
				      { "silent_s", CELL_UINT, 8, 0, { .u = h->silent } },
				      { "clock_ms", CELL_NUMBER, 9, 1, { .d = (double)h->clock / 1e6 } },
				      { "gap_s", CELL_UINT, 8, 0, { .u = h->gaps } },
				      { "dwell", CELL_TEXT, -8, 0, { .s = h->dwell } },
				      { "kernel", CELL_TEXT, -20, 0, { .s = h->kernel } },
				      { "labels", CELL_TEXT, -1, 0, { .s = labels } } };

	snprintf(labels, sizeof(labels), "%s", h->labels);
	for (char *s = labels; *s; s++)
		*s = *s == '\n' ? ',' : *s;
	table_line(&a->table, cells, ARRAY_SIZE(cells));
	return a->table.error;
}

static int hosts_answer(struct click *c, struct ask_cmd *a, struct err *err)
{
	return ask_hosts(c, &a->what, on_host, a, err);
}

int fleet_hosts(int argc, char **argv)
{
	static const struct question q = { "hosts", hosts_rows, ARRAY_SIZE(hosts_rows), "host", hosts_answer };

	return answer(&q, argc, argv);
}

/* -- latency -- */

static struct cell quantile(const char *name, const struct histsum *h, double q)
{
	double v = histsum_quantile(h, &ask_histdesc, q);

	return (struct cell){ name, CELL_NS, 10, 0, { .u = isnan(v) || v < 0 ? 0 : (uint64_t)v } };
}

static int on_sum(void *ctx, const struct ask_sum *s)
{
	struct ask_cmd *a = ctx;
	const struct cell cells[] = { { "tracker", CELL_TEXT, -16, 0, { .s = s->series } },
				      { a->by_host ? "host" : NULL, CELL_TEXT, -24, 0, { .s = s->host } },
				      { a->by_host ? NULL : "hosts", CELL_UINT, 6, 0, { .u = s->hosts } },
				      { "count", CELL_UINT, 12, 0, { .u = s->h.count } },
				      quantile("p50", &s->h, 0.5),
				      quantile("p90", &s->h, 0.9),
				      quantile("p99", &s->h, 0.99),
				      quantile("p99.9", &s->h, 0.999),
				      { "max", CELL_NS, 10, 0, { .u = s->h.max } } };

	table_line(&a->table, cells, ARRAY_SIZE(cells));
	return a->table.error;
}

static int latency_answer(struct click *c, struct ask_cmd *a, struct err *err)
{
	return ask_sums(c, &a->what, a->by_host, on_sum, a, err);
}

int fleet_latency(int argc, char **argv)
{
	static const struct question q = { "latency", latency_rows, ARRAY_SIZE(latency_rows), "latency",
					   latency_answer };

	return answer(&q, argc, argv);
}

/* -- why -- */

static int on_cause(void *ctx, const struct ask_cause *s)
{
	struct ask_cmd *a = ctx;
	const struct cell cells[] = { { "total", CELL_NS, 10, 0, { .u = s->total } },
				      { "max", CELL_NS, 10, 0, { .u = s->max } },
				      { "events", CELL_UINT, 10, 0, { .u = s->events } },
				      { "hosts", CELL_UINT, 6, 0, { .u = s->hosts } },
				      { "tracker", CELL_TEXT, -12, 0, { .s = s->tracker } },
				      { "cause", CELL_TEXT, -1, 0, { .s = *s->cause ? s->cause : "-" } } };

	table_line(&a->table, cells, ARRAY_SIZE(cells));
	return a->table.error;
}

static int why_answer(struct click *c, struct ask_cmd *a, struct err *err)
{
	return ask_causes(c, &a->what, a->top, on_cause, a, err);
}

int fleet_why(int argc, char **argv)
{
	static const struct question q = { "why", why_rows, ARRAY_SIZE(why_rows), "cause", why_answer };

	return answer(&q, argc, argv);
}

/* -- flame -- */

static int on_stack(void *ctx, const char *stack, uint64_t ns)
{
	struct ask_cmd *a = ctx;

	a->table.begun = true;
	printf("%s %" PRIu64 "\n", stack, ns / 1000);
	return ferror(stdout) ? -EIO : 0;
}

static int flame_answer(struct click *c, struct ask_cmd *a, struct err *err)
{
	return ask_stacks(c, &a->what, on_stack, a, err);
}

int fleet_flame(int argc, char **argv)
{
	static const struct question q = { "flame", flame_rows, ARRAY_SIZE(flame_rows), NULL, flame_answer };

	return answer(&q, argc, argv);
}

/* -- heat, hist: a recording for the views -- */

static int view(const char *name, int argc, char **argv)
{
	char folder[] = "/tmp/dwell-fleet-XXXXXX", path[sizeof(folder) + 16];
	char **words = calloc((size_t)argc + 4, sizeof(*words));
	struct ask_cmd a;
	struct click *c = NULL;
	struct err err = { 0 };
	int n = 0, e = begin(&a, name, range_rows, ARRAY_SIZE(range_rows), argc, argv, true, &c);

	if (e || !words) {
		free(words);
		return e < 0 ? EXIT_OK : e ? e : cmd_fail("out of memory");
	}
	if (!mkdtemp(folder)) {
		free(words);
		click_close(c);
		return cmd_fail("%s: %s", folder, strerror(errno));
	}
	snprintf(path, sizeof(path), "%s/fleet.dwell", folder);
	e = ask_recording(c, &a.what, path, &err);
	click_close(c);
	words[n++] = (char *)(uintptr_t)name;
	words[n++] = path;
	for (int i = optind; i < argc; i++)
		words[n++] = argv[i];
	optind = 0;
	e = e < 0 ? cmd_fail("%s", err.msg) : cmd_by_name(n, words);
	unlink(path);
	rmdir(folder);
	free(words);
	return e;
}

int fleet_heat(int argc, char **argv)
{
	return view("heat", argc, argv);
}

int fleet_hist(int argc, char **argv)
{
	return view("hist", argc, argv);
}

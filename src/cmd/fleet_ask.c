/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell fleet latency`, `why`, `heat` …: questions to the store. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/caught.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/fleet.h"
#include "cmd/viewcmd.h"
#include "fleet/ask/opts.h"
#include "fleet/ask/watch.h"

/* The options of one question, which last as long as this. */
struct question {
	char command[32], synopsis[96];
	struct optrow rows[FLEET_STORE_NROWS + ASKOPTS_MAX];
	struct optable t;
};

static void make_question(struct question *q, const char *name, unsigned of)
{
	static const struct optrow store[FLEET_STORE_NROWS] = { FLEET_STORE_ROWS(struct askshow, store) };

	snprintf(q->command, sizeof(q->command), "fleet %s", name);
	snprintf(q->synopsis, sizeof(q->synopsis), "fleet %s [options]%s", name,
		 of == ASKOPTS_VIEW ? " [-- options of the view]" : "");
	memcpy(q->rows, store, sizeof(store));
	q->t = (struct optable){ .command = q->command,
				 .synopsis = q->synopsis,
				 .rows = q->rows,
				 .n = FLEET_STORE_NROWS,
				 .leading = of == ASKOPTS_VIEW };
	q->t.n += askopts_rows(of, q->rows + q->t.n);
}

static void usage(const struct command *self, FILE *out)
{
	struct question q;

	make_question(&q, self->name, askopts_of(self->name));
	optable_help(&q.t, cmd_name(), out);
}

/* Reads the options, opens the store. 0; EXIT_* > 0 after a message; < 0: done (--help). */
static int begin(struct askshow *a, const char *name, int argc, char **argv, struct click **ret)
{
	unsigned of = askopts_of(name);
	struct question q;
	struct err err = { 0 };
	int e;

	make_question(&q, name, of);
	askshow_init(a);
	e = cmd_options(&q.t, a, argc, argv);
	if (e == 0 && of != ASKOPTS_VIEW && optind < argc)
		e = cmd_words(&q.t, argv[optind], NULL);
	if (e == 0)
		e = fleet_store(&a->store);
	if (e)
		return e;
	e = askshow_open(a, clock_ns(CLOCK_REALTIME), ret, &err);
	return e == -EINVAL && !err.msg[0] ? cmd_wrong("%s: --from is to be longer ago than --to", q.command)
					   : cmd_failed(e, &err);
}

/* argv[0]: its name. */
static int answer(int argc, char **argv)
{
	const struct askshow_question *q = askopts_question(argv[0]);
	struct askshow a;
	struct click *c = NULL;
	struct err err = { 0 };
	int e = begin(&a, argv[0], argc, argv, &c);

	if (e)
		return e;
	e = askshow_answer(q, c, &a, &err);
	click_close(c);
	if (e == 0 && !a.table.begun && !a.json)
		cmd_msg("%s", q->nothing ? q->nothing : "there is nothing in this range");
	return cmd_ended(e, &err);
}

/* A recording for a view, which reads the options from optind on. */
static int show_view(const struct viewcmd *v, int argc, char **argv)
{
	char folder[] = "/tmp/dwell-fleet-XXXXXX", path[sizeof(folder) + 16];
	struct askshow a;
	struct click *c = NULL;
	struct err err = { 0 };
	int first, e = begin(&a, v->command, argc, argv, &c);

	if (e)
		return e;
	if (!mkdtemp(folder)) {
		click_close(c);
		return cmd_fail("%s: %s", folder, strerror(errno));
	}
	snprintf(path, sizeof(path), "%s/fleet.dwell", folder);
	e = ask_recording(c, &a.what, argv + optind, v == &viewcmd_hist, path, &err);
	click_close(c);
	first = optind - 1; /* in the place of the program's name */
	optind = 0;
	e = e < 0 ? cmd_fail("%s", err.msg) : viewcmd_of(v, path, argc - first, argv + first);
	unlink(path);
	rmdir(folder);
	return e;
}

static int heat(int argc, char **argv)
{
	return show_view(&viewcmd_heat, argc, argv);
}

static int hist(int argc, char **argv)
{
	return show_view(&viewcmd_hist, argc, argv);
}

#define PART(part, function, text) const struct command fleet_##part = { #part, text, function, .usage = usage }
PART(hosts, answer, "the machines: when they were heard of, labels, gaps");
PART(latency, answer, "how long things take, by tracker");
PART(why, answer, "what slow events waited for");
PART(flame, answer, "stacks of slow events, folded");
PART(outliers, answer, "hosts that are slower than their peers");
PART(top, answer, "hosts and keys that cost most time");
PART(programs, answer, "programs that hosts were asked to run, and their ends");
PART(changes, answer, "hosts that became slower, and when");
PART(diff, answer, "what changed: hosts and the rest, or now and earlier");
PART(heat, heat, "a heat map; options of `dwell heat`");
PART(hist, hist, "distributions; options of `dwell hist`");

/* -- watch -- */

/* The options of `changes`, but for the end of the range, and its own. */
static void make_watch(struct question *q, struct optrow rows[WATCH_NROWS + ARRAY_SIZE(q->rows)])
{
	size_t n = WATCH_NROWS;

	make_question(q, "changes", askopts_of("changes"));
	memcpy(rows, watch_rows, sizeof(watch_rows));
	for (size_t i = 0; i < q->t.n; i++)
		if (strcmp(q->rows[i].name, "to") != 0)
			rows[n++] = q->rows[i];
	q->t = (struct optable){
		.command = "fleet watch",
		.synopsis = "fleet watch [options]",
		.notes = "Looks again and again for hosts that became slower in the last 10 minutes (--from).",
		.rows = rows,
		.n = n
	};
}

static void watch_usage(const struct command *self, FILE *out)
{
	struct optrow rows[WATCH_NROWS + ARRAY_SIZE(((struct question *)0)->rows)];
	struct question q;

	(void)self;
	make_watch(&q, rows);
	optable_help(&q.t, cmd_name(), out);
}

static int watch(int argc, char **argv)
{
	struct watch w = { .every_ns = WATCH_EVERY_NS, .stop = fleet_stop };
	struct optrow rows[WATCH_NROWS + ARRAY_SIZE(((struct question *)0)->rows)];
	struct question q;
	struct err err = { 0 };
	int e;

	make_watch(&q, rows);
	askshow_init(&w.show);
	w.show.from_ns = WATCH_FROM_NS;
	e = cmd_options(&q.t, &w, argc, argv);
	if (e == 0 && optind < argc)
		e = cmd_words(&q.t, argv[optind], NULL);
	if (e == 0)
		e = fleet_store(&w.show.store);
	if (e)
		return e;
	caught_begin();
	return cmd_ended(watch_run(&w, &cmd_listener, &err), &err);
}

const struct command fleet_watch = { "watch", "tells when hosts become slower: here, a webhook, a program", watch,
				     .usage = watch_usage };

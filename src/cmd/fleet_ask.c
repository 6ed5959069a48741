/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell fleet latency`, `why`, `heat` …: questions to the store. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/fleet.h"
#include "cmd/viewcmd.h"
#include "fleet/askshow.h"

#define TOP_MAX 100000

/* --hosts, --except: "web*,role=db" */
static int take_names(void *show, const struct optrow *o, const char *arg, struct err *err)
{
	const bool hosts = !strcmp(o->name, "hosts");
	char *list = strdup(arg); /* lives as long as the command */
	int e = !list ? -ENOMEM : hosts ? askshow_hosts(show, list) : askshow_except(show, list);

	if (e == -E2BIG)
		return err_set(err, -EINVAL, "fleet: --%s: %u names%s at most", o->name, ASK_SELECTORS_MAX,
			       hosts ? " and labels" : "");
	return e < 0 ? err_set(err, e, "out of memory") : 0;
}

/* Which questions have a row, after those of the store. */
enum {
	HOSTS = 1 << ASKSHOW_HOSTS,
	LATENCY = 1 << ASKSHOW_LATENCY,
	WHY = 1 << ASKSHOW_WHY,
	FLAME = 1 << ASKSHOW_FLAME,
	OUTLIERS = 1 << ASKSHOW_OUTLIERS,
	VIEW = 1 << (ASKSHOW_OUTLIERS + 1),
	ALL = VIEW * 2 - 1
};

static const struct {
	unsigned of;
	struct optrow row;
} rows[] = {
	{ ALL,
	  { .name = "hosts",
	    .kind = OPT_CALL,
	    .arg = "LIST",
	    .help = "only these: names, NAME*, and labels NAME=VALUE, with commas between",
	    .take = take_names } },
	{ ALL,
	  { .name = "except",
	    .kind = OPT_CALL,
	    .arg = "LIST",
	    .help = "not these: names, NAME*",
	    .take = take_names } },
	{ ALL,
	  { .name = "tenant",
	    .kind = OPT_TEXT,
	    .at = offsetof(struct askshow, what.tenant),
	    .arg = "NAME",
	    .help = "(default)" } },
	{ ALL & ~HOSTS,
	  { .name = "tracker",
	    .kind = OPT_TEXT,
	    .at = offsetof(struct askshow, what.series),
	    .arg = "NAME",
	    .help = "only this tracker, or @aggregation" } },
	{ ALL & ~HOSTS,
	  { .name = "from",
	    .kind = OPT_TIME,
	    .at = offsetof(struct askshow, from_ns),
	    .arg = "TIME",
	    .help = "what is younger than this (5m)",
	    .value = 1 } },
	{ ALL & ~HOSTS,
	  { .name = "to",
	    .kind = OPT_TIME,
	    .at = offsetof(struct askshow, to_ns),
	    .arg = "TIME",
	    .help = "and older than this (0)" } },
	{ WHY,
	  { .name = "top",
	    .kind = OPT_NUMBER,
	    .at = offsetof(struct askshow, top),
	    .arg = "N",
	    .help = "lines (20)",
	    .value = TOP_MAX } },
	{ LATENCY,
	  { .name = "by-host",
	    .kind = OPT_FLAG,
	    .at = offsetof(struct askshow, by_host),
	    .help = "each host by itself" } },
	{ WHY | FLAME,
	  { .name = "idle",
	    .kind = OPT_FLAG,
	    .at = offsetof(struct askshow, what.idle),
	    .help = "waits for something to do, too" } },
	{ HOSTS | LATENCY | WHY | OUTLIERS,
	  { .name = "json", .kind = OPT_FLAG, .at = offsetof(struct askshow, json), .help = "JSON Lines" } },
};

/* The options of one question, which last as long as this. */
struct question {
	char command[32], synopsis[96];
	struct optrow rows[FLEET_STORE_NROWS + ARRAY_SIZE(rows)];
	struct optable t;
};

static void make_question(struct question *q, const char *name, unsigned of)
{
	static const struct optrow store[FLEET_STORE_NROWS] = { FLEET_STORE_ROWS(struct askshow, store) };

	snprintf(q->command, sizeof(q->command), "fleet %s", name);
	snprintf(q->synopsis, sizeof(q->synopsis), "fleet %s [options]%s", name,
		 of == VIEW ? " [-- options of the view]" : "");
	memcpy(q->rows, store, sizeof(store));
	q->t = (struct optable){ .command = q->command,
				 .synopsis = q->synopsis,
				 .rows = q->rows,
				 .n = FLEET_STORE_NROWS,
				 .leading = of == VIEW };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].of & of)
			q->rows[q->t.n++] = rows[i].row;
}

/* Which question a part is; VIEW: it shows a view. */
static unsigned which_of(const char *name)
{
	unsigned i = 0;

	while (i <= ASKSHOW_OUTLIERS && strcmp(askshow_questions[i].name, name) != 0)
		i++;
	return i;
}

static void usage(const struct command *self, FILE *out)
{
	struct question q;

	make_question(&q, self->name, 1u << which_of(self->name));
	optable_help(&q.t, cmd_name(), out);
}

/* Reads the options, opens the store. 0; EXIT_* > 0 after a message; < 0: done (--help). */
static int begin(struct askshow *a, const char *name, int argc, char **argv, struct click **ret)
{
	unsigned of = 1u << which_of(name);
	struct question q;
	struct err err = { 0 };
	int e;

	make_question(&q, name, of);
	askshow_init(a);
	e = cmd_options(&q.t, a, argc, argv);
	if (e == 0 && of != VIEW && optind < argc)
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
	const struct askshow_question *q = &askshow_questions[which_of(argv[0])];
	struct askshow a;
	struct click *c = NULL;
	struct err err = { 0 };
	int e = begin(&a, argv[0], argc, argv, &c);

	if (e)
		return e;
	e = askshow_answer(q, c, &a, &err);
	click_close(c);
	if (e == 0 && !a.table.begun && !a.json)
		cmd_msg(q == &askshow_questions[ASKSHOW_OUTLIERS] ? "no host is slower than its peers for sure"
								  : "there is nothing in this range");
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
	e = ask_recording(c, &a.what, path, &err);
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
PART(heat, heat, "a heat map; options of `dwell heat`");
PART(hist, hist, "distributions; options of `dwell hist`");

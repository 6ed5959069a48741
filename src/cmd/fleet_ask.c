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

/* "web*,role=db" */
static int take_hosts(void *show, const struct optrow *o, const char *arg, struct err *err)
{
	char *list = strdup(arg); /* lives as long as the command */
	int e = list ? askshow_hosts(show, list) : -ENOMEM;

	(void)o;
	if (e == -E2BIG)
		return err_set(err, -EINVAL, "fleet: --hosts: %u names and labels at most", ASK_SELECTORS_MAX);
	return e < 0 ? err_set(err, e, "out of memory") : 0;
}

/* Which questions have a row, after those of the store. */
enum {
	HOSTS = 1 << ASKSHOW_HOSTS,
	LATENCY = 1 << ASKSHOW_LATENCY,
	WHY = 1 << ASKSHOW_WHY,
	FLAME = 1 << ASKSHOW_FLAME,
	VIEW = 1 << (ASKSHOW_FLAME + 1),
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
	    .take = take_hosts } },
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
	{ HOSTS | LATENCY | WHY,
	  { .name = "json", .kind = OPT_FLAG, .at = offsetof(struct askshow, json), .help = "JSON Lines" } },
};

/* Reads the options, opens the store. 0; EXIT_* > 0 after a message; < 0: done (--help). */
static int begin(struct askshow *a, const char *name, unsigned of, int argc, char **argv, struct click **ret)
{
	char command[32], synopsis[96];
	struct optrow own[FLEET_STORE_NROWS + ARRAY_SIZE(rows)] = { FLEET_STORE_ROWS(struct askshow, store) };
	struct optable t = {
		.command = command, .synopsis = synopsis, .rows = own, .n = FLEET_STORE_NROWS, .leading = of == VIEW
	};
	struct err err = { 0 };
	int e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].of & of)
			own[t.n++] = rows[i].row;
	snprintf(command, sizeof(command), "fleet %s", name);
	snprintf(synopsis, sizeof(synopsis), "fleet %s [options]%s", name,
		 of == VIEW ? " [-- options of the view]" : "");
	askshow_init(a);
	e = cmd_options(&t, a, argc, argv);
	if (e == 0 && of != VIEW && optind < argc)
		e = cmd_words(&t, argv[optind], NULL);
	if (e == 0)
		e = fleet_store(&a->store);
	if (e)
		return e;
	e = askshow_open(a, clock_ns(CLOCK_REALTIME), ret, &err);
	return e == -EINVAL && !err.msg[0] ? cmd_wrong("%s: --from is to be longer ago than --to", command)
					   : cmd_failed(e, &err);
}

static int answer(unsigned which, int argc, char **argv)
{
	const struct askshow_question *q = &askshow_questions[which];
	struct askshow a;
	struct click *c = NULL;
	struct err err = { 0 };
	int e = begin(&a, q->name, 1u << which, argc, argv, &c);

	if (e)
		return e < 0 ? EXIT_OK : e;
	e = askshow_answer(q, c, &a, &err);
	click_close(c);
	if (e == 0 && !a.table.begun && !a.json)
		cmd_msg("there is nothing in this range");
	return cmd_ended(e, &err);
}

int fleet_hosts(int argc, char **argv)
{
	return answer(ASKSHOW_HOSTS, argc, argv);
}

int fleet_latency(int argc, char **argv)
{
	return answer(ASKSHOW_LATENCY, argc, argv);
}

int fleet_why(int argc, char **argv)
{
	return answer(ASKSHOW_WHY, argc, argv);
}

int fleet_flame(int argc, char **argv)
{
	return answer(ASKSHOW_FLAME, argc, argv);
}

/* A recording for a view, which reads the options from optind on. */
static int view(const struct viewcmd *v, int argc, char **argv)
{
	char folder[] = "/tmp/dwell-fleet-XXXXXX", path[sizeof(folder) + 16];
	struct askshow a;
	struct click *c = NULL;
	struct err err = { 0 };
	int first, e = begin(&a, v->command, VIEW, argc, argv, &c);

	if (e)
		return e < 0 ? EXIT_OK : e;
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

int fleet_heat(int argc, char **argv)
{
	return view(&viewcmd_heat, argc, argv);
}

int fleet_hist(int argc, char **argv)
{
	return view(&viewcmd_hist, argc, argv);
}

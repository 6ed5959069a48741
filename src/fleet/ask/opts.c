/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options of questions: which hosts, which time, what of it. */
#include "fleet/ask/opts.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/summary/diffprint.h"

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

/* --by: "host,key" */
static int take_by(void *member, const struct optrow *o, const char *arg, struct err *err)
{
	_cleanup_free_ char *list = strdup(arg);
	char *save = NULL;
	unsigned by = 0;

	(void)o;
	for (char *s = list ? strtok_r(list, ",", &save) : NULL; s; s = strtok_r(NULL, ",", &save)) {
		unsigned i = 0;

		while (i < ASK_NBY && strcmp(ask_by_names[i], s) != 0)
			i++;
		if (i == ASK_NBY)
			return err_set(err, -EINVAL, "fleet top: --by %s: host, tracker, key, comm and cause are known",
				       s);
		by |= 1u << i;
	}
	*(unsigned *)member = by;
	return by ? 0 : err_set(err, -EINVAL, "fleet top: --by is empty");
}

/* The questions that have an option, in the order of the options, after those of the store. */
enum {
	HOSTS = 1 << ASKSHOW_HOSTS,
	LATENCY = 1 << ASKSHOW_LATENCY,
	WHY = 1 << ASKSHOW_WHY,
	FLAME = 1 << ASKSHOW_FLAME,
	OUTLIERS = 1 << ASKSHOW_OUTLIERS,
	TOP = 1 << ASKSHOW_TOP,
	DIFF = 1 << ASKSHOW_DIFF,
	PROGRAMS = 1 << ASKSHOW_PROGRAMS,
	CHANGES = 1 << ASKSHOW_CHANGES,
	ALL = ASKOPTS_VIEW * 2 - 1
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
	{ ALL & ~(HOSTS | PROGRAMS),
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
	    .help = "rows younger than this (5m)",
	    .value = 1 } },
	{ ALL & ~HOSTS,
	  { .name = "to",
	    .kind = OPT_TIME,
	    .at = offsetof(struct askshow, to_ns),
	    .arg = "TIME",
	    .help = "and older than this (0)" } },
	{ WHY | TOP,
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
	{ TOP,
	  { .name = "by",
	    .kind = OPT_CALL,
	    .at = offsetof(struct askshow, by),
	    .arg = "LIST",
	    .help = "the columns by which time is added up: host, tracker, key, comm, cause (host,tracker,key)",
	    .take = take_by } },
	{ DIFF,
	  { .name = "earlier",
	    .kind = OPT_TIME,
	    .at = offsetof(struct askshow, earlier_ns),
	    .arg = "TIME",
	    .help = "compared with the same so long before; else --hosts with the rest",
	    .value = 1 } },
	{ DIFF,
	  { .name = "all",
	    .kind = OPT_FLAG,
	    .at = offsetof(struct askshow, all),
	    .help = "also values that have not changed" } },
	{ DIFF,
	  { .name = "min",
	    .kind = OPT_NUMBER,
	    .at = offsetof(struct askshow, min_percent),
	    .arg = "PERCENT",
	    .help = "that a quantile must differ by to be called changed (3)",
	    .value = DIFF_PERCENT_MAX } },
	{ WHY | FLAME | TOP,
	  { .name = "idle",
	    .kind = OPT_FLAG,
	    .at = offsetof(struct askshow, what.idle),
	    .help = "waits for something to do, too" } },
	{ HOSTS | LATENCY | WHY | OUTLIERS | TOP | DIFF | PROGRAMS | CHANGES,
	  { .name = "json", .kind = OPT_FLAG, .at = offsetof(struct askshow, json), .help = "JSON Lines" } },
};
_Static_assert(ARRAY_SIZE(rows) <= ASKOPTS_MAX, "there is room");

static unsigned number(const char *name)
{
	unsigned i = 0;

	while (i < ASKSHOW_NQUESTIONS && strcmp(askshow_questions[i].name, name) != 0)
		i++;
	return i;
}

unsigned askopts_of(const char *name)
{
	return 1u << number(name);
}

const struct askshow_question *askopts_question(const char *name)
{
	return &askshow_questions[number(name)];
}

size_t askopts_rows(unsigned of, struct optrow ret[ASKOPTS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].of & of)
			ret[n++] = rows[i].row;
	return n;
}

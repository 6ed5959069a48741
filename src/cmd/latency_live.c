/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency`: slow events as they happen, each with its cause and its chain, and every few seconds a summary. The
 * programs that measure are those of dlib/latency, named by the trackers asked for. */
#include <getopt.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/latency_daemon.h"
#include "cmd/latency_live.h"
#include "latency/latencysum.h"
#include "cmd/optable.h"
#include "cmd/run.h"
#include "view/text/whyprint.h"
#include "latency/slowwait.h"
#include "load/cpus.h"
#include "run/session.h"
#include "store/flight.h"
#include "view/text/flighttext.h"

#define JSON_VERSION 1
#define SUMMARY_NS 5000000000ull
#define MAX_WORST 1000
#define MAX_RATE 10000
#define REQUESTS_NESTED "8"    /* within each other, with ,nested */
#define CONTROL "control=1024" /* of ordinary events one in so many */
#define FILTERED_LIMIT 5000    /* slow events of a tracker in a second */

/* The trackers that are shipped; those with a star are the default. */
static const char *const trackers[] = { "*wakeup",  "*offcpu",	"*block",    "*irq",  "*softirq", "*lock",
					"*reclaim", "syscall",	"fsync",     "futex", "connect",  "netrx",
					"nettx",    "process",	"workqueue", "fault", "throttle", "request",
					"filelock", "mmaplock", "fs",	     "socket" };

static void list_trackers(FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(trackers); i++)
		fprintf(out, "%s%s", i ? " " : "", trackers[i] + (trackers[i][0] == '*'));
	fputc('\n', out);
}

/* -- events -- */

static void json_link(struct jsonw *j, const struct chain_link *k)
{
	const struct chain_wait *w = &k->wait;

	jsonw_object(j, NULL);
	jsonw_str(j, "how", chain_how_name(k->how));
	jsonw_str(j, "evidence", chain_evidence(k));
	jsonw_bool(j, "inferred", k->inferred);
	jsonw_u64(j, "tid", w->tid);
	jsonw_u64(j, "overlap_ns", k->overlap);
	jsonw_u64(j, "delay_ns", w->to - w->from);
	jsonw_str(j, "comm", w->comm);
	jsonw_str(j, "operation", w->op);
	jsonw_str(j, "cause", w->words);
	jsonw_str(j, "object", w->object);
	jsonw_end_object(j);
}

static void json_wait(struct jsonw *j, const struct slowwait *w)
{
	jsonw_str(j, "cause", w->cause);
	jsonw_str(j, "class", cause_class_name(w->class));
	jsonw_str(j, "operation", w->wait.op);
	jsonw_str(j, "object", w->wait.object);
	if (w->wait.by_tid) {
		jsonw_u64(j, "by_tid", w->wait.by_tid);
		jsonw_str(j, "by_comm", w->wait.by_comm);
	}
}

static void json_chain(struct jsonw *j, const struct slowwait *w, const struct chain *ch)
{
	struct strb sentence = { 0 };

	chain_sentence(ch, &sentence);
	jsonw_strn(j, "sentence", strb_str(&sentence), sentence.n);
	jsonw_bool(j, "inferred", w->wait.inferred);
	jsonw_array(j, "chain");
	for (unsigned i = 1; i < ch->n; i++)
		json_link(j, &ch->links[i]);
	jsonw_end_array(j);
	jsonw_bool(j, "cycle", ch->cycle);
	strb_free(&sentence);
}

static void event_json(const struct live *l, const struct slow_event *e, const struct slowwait *w,
		       const struct chain *ch, struct strb *b)
{
	struct jsonw j = jsonw_to(b);

	jsonw_object(&j, NULL);
	jsonw_str(&j, "type", "latency-slow");
	jsonw_u64(&j, "version", JSON_VERSION);
	jsonw_str(&j, "tracker", e->tracker->name);
	jsonw_str(&j, "how", slow_how_name(e->fixed.how));
	jsonw_u64(&j, "start", e->fixed.start);
	jsonw_u64(&j, "delay_ns", e->fixed.delay);
	jsonw_u64(&j, "pid", e->fixed.pid);
	jsonw_u64(&j, "tid", e->fixed.tid);
	jsonw_str(&j, "comm", e->fixed.comm);
	json_wait(&j, w);
	json_chain(&j, w, ch);
	if (l->has_flight)
		flightjson(&j, "flight", &l->flight);
	jsonw_end_object(&j);
	jsonw_line(&j);
}

static int kept_cmp(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return x->delay < y->delay ? 1 : x->delay > y->delay ? -1 : 0;
}

/* Of the worst, one more; the least of them goes when there are enough. */
static int keep(struct live *l, const struct rec_slow *s, struct strb *b)
{
	struct kept k = { s->delay, s->tracker, strb_take(b) };

	if (!k.text || vec_try_push(&l->worst_kept, k) < 0) {
		free(k.text);
		return -ENOMEM;
	}
	if (l->worst_kept.n <= l->worst)
		return 0;
	qsort(l->worst_kept.v, l->worst_kept.n, sizeof(k), kept_cmp);
	free(l->worst_kept.v[--l->worst_kept.n].text);
	return 0;
}

void live_put_worst(struct live *l)
{
	if (l->worst_kept.n)
		qsort(l->worst_kept.v, l->worst_kept.n, sizeof(struct kept), kept_cmp);
	for (size_t i = 0; i < l->worst_kept.n; i++) {
		fputs(l->worst_kept.v[i].text, l->out);
		if (l->sum) /* not of recordings */
			latencysum_slow(l->sum, l->worst_kept.v[i].tracker);
		free(l->worst_kept.v[i].text);
	}
	l->worst_kept.n = 0;
}

static bool is_idle(const struct live *l, const struct slowwait *w)
{
	return w->wait.idle && !l->idle;
}

static bool wants_flight(void *ctx, const struct slow_event *e)
{
	struct live *l = ctx;
	struct slowwait w;

	return slowfilter_wants(&l->filter, e) && slowwait_make(l->causes, l->sym, e, &w) == 0 && !is_idle(l, &w);
}

void live_flight(void *ctx, const struct row *row)
{
	struct live *l = ctx;

	l->has_flight = flight_open(row->data, row->len, &l->flight) == 0;
}

/* 1: shown as it is to be; 0: the text view shows what was noted, too. */
static int show_event(struct live *l, const struct slow_event *e)
{
	struct strb b = { 0 };
	struct slowwait w;
	struct chain ch;
	int r;

	if (!e->tracker || e->fixed.how == SLOW_CONTROL || (l->recordings && e->fixed.delay < l->over_ns))
		return 1;
	r = slowwait_make(l->causes, l->sym, e, &w);
	if (r < 0)
		return r;
	if (l->has_flight)
		chain_name_holder(&w.wait, &l->flight);
	chains_add(l->chains, &w.wait);
	if (!slowfilter_wants(&l->filter, e)) {
		l->filtered++;
		return 1;
	}
	if (is_idle(l, &w)) {
		l->idle_left_out++;
		return 1;
	}
	chains_build(l->chains, &w.wait, &ch);
	if (!l->idle && chain_is_idle(&ch)) {
		l->idle_left_out++;
		return 1;
	}
	if (!l->worst)
		latencysum_slow(l->sum, e->fixed.tracker);
	if (l->has_flight)
		chain_complete(&ch, &l->flight);
	if (l->json)
		event_json(l, e, &w, &ch, &b);
	else
		live_event_text(l, e, &ch, &b);
	if (l->worst) {
		r = keep(l, &e->fixed, &b);
		return r < 0 ? r : 1;
	}
	r = live_group(l, e, &ch, &b);
	if (r <= 0) {
		strb_free(&b);
		return r < 0 ? r : 1;
	}
	r = b.failed ? -ENOMEM : fwrite(b.s, 1, b.n, l->out) == b.n ? 0 : -errno;
	strb_free(&b);
	return r < 0 ? r : !l->stacks;
}

/* -- the run -- */

/* As they are now: they may adapt, or be changed by dwell ctl. */
static void note_thresholds(struct live *l)
{
	uint64_t ns;

	for (uint32_t i = 0; l->session && i < l->schema->ntrackers; i++)
		if (session_get(l->session, l->schema->trackers[i].name, "threshold", &ns) == 0)
			latencysum_threshold(l->sum, i, ns);
}

static void summary_json(struct live *l, uint64_t now, uint64_t ns)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	jsonw_object(&w, NULL);
	jsonw_str(&w, "type", "latency-summary");
	jsonw_u64(&w, "version", JSON_VERSION);
	jsonw_u64(&w, "time", now);
	jsonw_u64(&w, "interval_ns", ns);
	jsonw_u64(&w, "idle", l->idle_left_out);
	jsonw_u64(&w, "filtered", l->filtered);
	latencysum_json(l->sum, now, &w);
	jsonw_end_object(&w);
	jsonw_line(&w);
	fputs(strb_str(&b), l->out);
	strb_free(&b);
}

static int summary(struct live *l, uint64_t now, bool final)
{
	uint64_t ns = latencysum_interval(l->sum, now, final);

	live_put_worst(l);
	live_put_groups(l, UINT64_MAX);
	note_thresholds(l);
	if (l->json) {
		summary_json(l, now, ns);
	} else {
		latencysum_text(l->sum, l->out, ns, now, l->cost);
		if (l->idle_left_out)
			fprintf(l->out, "not shown: %llu sleeps and waits for something to do (--idle)\n",
				(unsigned long long)l->idle_left_out);
		if (slowfilter_any(&l->filter))
			fprintf(l->out, "not shown: %llu slow events of others; the table has all processes\n",
				(unsigned long long)l->filtered);
		fputc('\n', l->out);
	}
	l->last = now;
	l->idle_left_out = l->filtered = 0;
	return fflush(l->out) != 0 || ferror(l->out) ? (errno ? -errno : -EIO) : 0;
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out)
{
	struct live *l = ctx;

	l->last = clock_ns(CLOCK_MONOTONIC);
	l->to_wall = (int64_t)(clock_ns(CLOCK_REALTIME) - l->last);
	l->schema = schema;
	l->sym = sym;
	l->out = out;
	l->causes = why_causes(why);
	if (!l->causes)
		return EXIT_ERROR;
	if (daemon_schema(l->daemon, schema) < 0)
		return cmd_fail("out of memory");
	return chains_new(&l->chains) < 0 || latencysum_new(schema, &l->sum) < 0 ? cmd_fail("out of memory") : 0;
}

/* Who looks at a terminal must not wait for the first event to know that something goes on. */
static void say_begin(const struct live *l)
{
	char every[UNITS_EXACT_LEN];
	size_t n = l->schema->ntrackers;

	if (l->json || l->daemon || !isatty(fileno(l->out) < 0 ? STDOUT_FILENO : fileno(l->out)))
		return;
	fprintf(l->out, "%zu tracker%s: slow events %s, a summary every %s; Ctrl-C ends\n", n, n == 1 ? "" : "s",
		l->worst ? "with the summary" : "as they happen", units_exact_ns(l->every_ns, every));
	fflush(l->out);
}

static int on_ready(void *ctx, struct session *s, long target)
{
	struct live *l = ctx;
	int opened;

	l->filter.root = (uint32_t)target;
	opened = slowfilter_open(&l->filter);
	if (opened)
		return opened;
	l->session = s;
	for (size_t i = 0; i < l->schema->ntrackers; i++) {
		const char *name = l->schema->trackers[i].name;
		int e = l->over_ns ? session_set(s, name, "threshold", l->over_ns) : 0;

		/* The limit counts events of others as well, and the worst may come last: here most are left out. */
		if (e == 0 && (slowfilter_any(&l->filter) || l->worst))
			e = session_set(s, name, "limit", FILTERED_LIMIT);
		if (e == 0 && l->rate)
			e = session_set(s, name, "rate", l->rate);
		if (e < 0)
			return cmd_fail("tracker %s: cannot be set: %s", name, strerror(-e));
	}
	say_begin(l);
	l->last = clock_ns(CLOCK_MONOTONIC);
	latencysum_begin(l->sum, l->last);
	return 0;
}

int live_event(struct live *l, const struct row *row)
{
	const struct recfmt *f = row->id >= 1 && row->id <= l->schema->nfmts ? l->schema->fmts[row->id - 1] : NULL;
	int r = 1;

	for (size_t i = 0; f && i < f->nacts && r > 0; i++)
		if (f->acts[i].kind == ACT_SLOW) {
			struct slow_event e = slow_event(l->schema, &f->acts[i], row->data);

			r = show_event(l, &e);
		}
	return r;
}

static int on_row(void *ctx, const struct row *row)
{
	struct live *l = ctx;
	int r = 1;

	daemon_row(l->daemon, row);
	if (slowfilter_row(&l->filter, l->schema, row))
		return 1;
	if (l->daemon && !l->json) /* losses are among the metrics; notes are for who looks after it */
		return row->kind != ROW_NOTE && row->kind != ROW_FAULT;
	switch (row->kind) {
	case ROW_EVENT:
		r = live_event(l, row);
		l->has_flight = false;
		break;
	case ROW_FLIGHT: break;
	case ROW_DROPS: r = !l->json && latencysum_limited(l->sum, row); break;
	case ROW_NOTE:
	case ROW_FAULT: r = 0; break;
	default: r = latencysum_add(l->sum, row); r = r < 0 ? r : 1;
	}
	return r;
}

/* Also when there is nothing to tell: it is over when it is over. */
static int on_taken(void *ctx)
{
	struct live *l = ctx;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	live_put_groups(l, now + (uint64_t)l->to_wall);
	return (l->daemon && !l->json) || now - l->last < l->every_ns ? 0 : summary(l, now, false);
}

static int on_finish(void *ctx)
{
	struct live *l = ctx;

	daemon_stopping(l->daemon);
	return l->daemon && !l->json ? 0 : summary(l, clock_ns(CLOCK_MONOTONIC), true);
}

static void on_tick(void *ctx, struct recorder *recorder, bool hangup)
{
	struct live *l = ctx;

	daemon_tick(l->daemon, recorder, hangup);
}

/* -- options -- */

/* Beside its slow events a recording has some that are not: what the slow ones have in common says little alone. */
static void add_control(struct live *l)
{
	struct latency_args *a = &l->args;
	bool given = false;

	if ((!l->record || l->slow_only) && !l->daemon)
		return;
	for (size_t i = 0; i + 1 < a->v.n; i++)
		given |= !strncmp(a->v.v[i], "control=", 8);
	if (!given)
		latency_args_add2(a, "-x", CONTROL);
}

/* What can only be a file, a folder or a process. */
static bool is_recording(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(trackers); i++)
		if (!strcmp(trackers[i] + (trackers[i][0] == '*'), name))
			return false;
	return access(name, F_OK) == 0 || strspn(name, "0123456789") == strlen(name);
}

/* A recording can be asked whose delays they were, too. */
static void add_tracker(struct live *l, const char *name)
{
	struct latency_args *a = &l->args;
	const char *whose = arena_printf(a->arena, "whose/%s", name);

	latency_args_program(a, name);
	if (l->record && !l->slow_only && latency_args_has_program(a, whose))
		latency_args_program(a, whose);
}

static int take_tracker(struct live *l, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(trackers); i++)
		if (!strcmp(trackers[i] + (trackers[i][0] == '*'), name)) {
			add_tracker(l, name);
			return 0;
		}
	cmd_msg("latency: there is no tracker or command '%s'; trackers are:", name);
	list_trackers(stderr);
	return EXIT_USAGE;
}

/* "BEGIN,END[,arg0][,nested]" */
static int take_request(void *live, const struct optrow *o, const char *arg)
{
	struct live *l = live;
	struct latency_args *a = &l->args;
	const char *end = strchr(arg, ','), *by = end ? strchr(end + 1, ',') : NULL;
	bool numbered = by && !strncmp(by, ",arg0", 5), nested = by && !strcmp(by + (numbered ? 5 : 0), ",nested");

	(void)o;
	if (!end || l->request || (by && !nested && strcmp(by, ",arg0") != 0)) {
		cmd_msg("--request: %s%s",
			l->request ? "may be given once" : "wants two probes: BEGIN,END[,arg0][,nested]; not ",
			l->request ? "" : arg);
		return EXIT_USAGE;
	}
	l->request = true;
	latency_args_program(a, "usdt");
	latency_args_add2(a, "--begin", arena_strndup(a->arena, arg, (size_t)(end - arg)));
	latency_args_add2(a, "--end", arena_strndup(a->arena, end + 1, by ? (size_t)(by - end - 1) : strlen(end + 1)));
	latency_args_add2(a, "--by", numbered ? "1" : "0");
	latency_args_add2(a, "--nested", nested ? REQUESTS_NESTED : "1");
	return 0;
}

static bool named_before(char **names, int i)
{
	for (int k = 0; k < i; k++)
		if (!strcmp(names[k], names[i]))
			return true;
	return false;
}

static int take_trackers(struct live *l, int n, char **names)
{
	int e = 0;

	for (int i = 0; i < n && e == 0; i++)
		e = named_before(names, i) ? 0 : take_tracker(l, names[i]);
	if (n > 0 || l->request)
		return e;
	latency_args_add2(&l->args, "-x", "zdepends"); /* those that this kernel has the probes for */
	for (size_t i = 0; i < ARRAY_SIZE(trackers); i++)
		if (trackers[i][0] == '*')
			add_tracker(l, trackers[i] + 1);
	return e;
}

/* "N/s" */
static int take_rate(void *rate, const struct optrow *o, const char *arg)
{
	char *copy = strdup(arg), *slash = copy ? strstr(copy, "/s") : NULL;
	int e;

	if (slash && !slash[2])
		*slash = '\0';
	e = copy ? optable_number(o, copy, rate) : EXIT_ERROR;
	free(copy);
	return e;
}

static int take_flight(void *args, const struct optrow *o, const char *arg)
{
	struct latency_args *a = args;
	uint64_t ns;
	int e = optable_time(o->name, arg, 1, &ns);

	if (e == 0 && (ns < OPTIONS_FLIGHT_MIN || ns > OPTIONS_FLIGHT_MAX)) {
		cmd_msg("--flight: '%s' is out of bounds: the flight recorder looks back for 1ms to 60s", arg);
		return EXIT_USAGE;
	}
	if (e == 0)
		latency_args_add2(a, "-x", arena_printf(a->arena, "flight=%lluns", (unsigned long long)ns));
	return e;
}

static int take_cgroup(void *live, const struct optrow *o, const char *arg)
{
	struct live *l = live;

	(void)o;
	l->filter.cgroup = slowfilter_cgroup(l->args.arena, arg);
	return 0;
}

static void on_given(void *live, const struct optrow *o)
{
	struct live *l = live;

	if (o->live)
		l->live_only = o;
	l->daemon_option |= o->text == daemon_mark;
}

static void list_words(FILE *out)
{
	fputs("\nTrackers: ", out);
	list_trackers(out);
	fputs("\nOther commands, each with --help:\n", out);
	latency_list_commands(out);
}

static const struct optrow rows[] = {
	{ .name = "over",
	  .kind = OPT_TIME,
	  .at = offsetof(struct live, over_ns),
	  .value = 1,
	  .arg = "TIME",
	  .help = "events are slow from here on, for all trackers (each has its own)" },
	{ .name = "worst",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct live, worst),
	  .value = MAX_WORST,
	  .arg = "N",
	  .help = "not each event: with the summary, the N slowest" },
	{ .name = "rate",
	  .kind = OPT_CALL,
	  .take = take_rate,
	  .at = offsetof(struct live, rate),
	  .value = MAX_RATE,
	  .live = true,
	  .arg = "N/s",
	  .help = "thresholds follow, so that about N events a second are slow" },
	{ .name = "request",
	  .kind = OPT_CALL,
	  .take = take_request,
	  .live = true,
	  .arg = "BEGIN,END[,arg0][,nested]",
	  .help = "between two probes of a thread, or with one arg0" },
	{ .letter = 'p',
	  LATENCY_PASS(struct live, args),
	  .live = true,
	  .arg = "PID",
	  .help = "events of this process and its descendants only" },
	{ .letter = 'c',
	  LATENCY_PASS(struct live, args),
	  .live = true,
	  .arg = "COMMAND, -- COMMAND...",
	  .help = "run it, and only events of it and its descendants" },
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct live, filter.comm),
	  .arg = "NAME, --cgroup PATH, --container ID",
	  .help = "events of these only" },
	{ .name = "cgroup", .kind = OPT_CALL, .take = take_cgroup, .live = true, .arg = "PATH" },
	{ .name = "container",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct live, filter.container),
	  .live = true,
	  .arg = "ID" },
	{ .name = "all",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct live, all),
	  .help = "each event, also where many within a second are alike" },
	{ .name = "idle",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct live, idle),
	  .help = "waits for something to do, and sleeps, too" },
	{ .name = "flight",
	  .kind = OPT_CALL,
	  .take = take_flight,
	  .at = offsetof(struct live, args),
	  .live = true,
	  .arg = "TIME",
	  .help = "with what the CPUs did for so long before each, up to its end (all of it: -v)" },
	{ .name = "stacks",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct live, stacks),
	  .live = true,
	  .text = " (dwell report has them)",
	  .help = "with what was noted of each event" },
	{ .name = "every",
	  .kind = OPT_TIME,
	  .at = offsetof(struct live, every_ns),
	  .value = 1,
	  .live = true,
	  .arg = "TIME",
	  .help = "between summaries (5s)" },
	{ .name = "for", LATENCY_FOR(struct live, args), .live = true, .help = "end after this time; else Ctrl-C" },
	{ .name = "slow-only",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct live, slow_only),
	  .live = true,
	  .help = "--record keeps slow events and histograms only, which costs less than half" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct live, json), .help = "JSON Lines" },
	{ .name = "record",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct live, record),
	  .live = true,
	  .arg = "FILE",
	  .help = "keep what was measured (dwell report FILE)" },
	{ .letter = 'v',
	  .kind = OPT_FLAG,
	  .at = offsetof(struct live, cost),
	  .help = "with the cost of dwell's own probes" },
	{ .letter = 'x',
	  LATENCY_PASS(struct live, args),
	  .live = true,
	  .arg = "OPTION[=VALUE]",
	  .help = "as of dwell" },
	{ 0 },
	{ .name = "daemon",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct live, as_daemon),
	  .live = true,
	  .help = "record for months: in files that take turns; slow events only with --json" },
	DAEMON_ROWS(struct live, daemon_opts),
};
static const struct optable options = {
	.command = "latency",
	.synopsis =
		"latency [TRACKER...] [options] [-- COMMAND...]\n"
		"latency [--over TIME] [--worst N] [--comm NAME] [--idle] [--all] [--json] FILE|FOLDER|PID...   of recordings",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
	.given = on_given,
	.more = list_words,
};

static int take_recordings(struct live *l, int n, char **names)
{
	l->recordings = names;
	l->nrecordings = (size_t)n;
	return l->live_only ? latency_not_recorded(&options, l->live_only, names[0]) : 0;
}

/* Rings of 1 MB hold the slow events of seconds, at their limit: memory is for others. Many CPUs have as much together
 * as few, each at least what hundreds of slow events take. */
#define RING_KB_MOST 1024u
#define RING_KB_LEAST 32u
#define RING_CPUS 8u /* that have the most */

/* The kernel takes a table for as many elements as an associative array may have: the shipped trackers keep few in each
 * of many. */
#define DYNVARSIZE "dynvarsize=4m"

static const char *bufsize(struct arena *a)
{
	struct cpulist online = { 0 };
	unsigned kb = RING_KB_MOST;

	if (cpulist_online(&online) < 0)
		kb = RING_KB_LEAST;
	for (unsigned n = RING_CPUS; n < online.n && kb > RING_KB_LEAST; n *= 2)
		kb /= 2;
	cpulist_done(&online);
	return arena_printf(a, "bufsize=%uk", kb);
}

static int check(const struct live *l)
{
	if (l->slow_only && !l->record)
		cmd_msg("latency: --slow-only is about what --record keeps");
	else if (l->as_daemon && l->record)
		cmd_msg("latency: a daemon records into files of its own: --state FOLDER in place of --record");
	else if (l->daemon_option && !l->as_daemon)
		cmd_msg("latency: --state, --rotate-size, --rotate-age, --keep, --keep-size and --metrics go with --daemon");
	else
		return 0;
	return EXIT_USAGE;
}

static int prepare(struct live *l, int argc, char **argv)
{
	struct latency_args *a = &l->args;
	int e;

	latency_args_add(a, "-q");
	latency_args_add2(a, "-x", bufsize(a->arena));
	latency_args_add2(a, "-x", DYNVARSIZE);
	e = optable_read(&options, l, argc, argv);
	if (e == 0 && optind < argc && is_recording(argv[optind]))
		return take_recordings(l, argc - optind, argv + optind);
	if (e == 0)
		e = check(l);
	if (e == 0)
		e = take_trackers(l, argc - optind, argv + optind);
	if (e)
		return e;
	if (l->as_daemon && !(l->daemon = daemon_new(&l->daemon_opts)))
		return cmd_fail("out of memory");
	if (l->cost)
		latency_args_add2(a, "-x", "cost");
	if (l->json)
		latency_args_add(a, "--json");
	if (l->record)
		latency_args_add2(a, "--record", l->record);
	slowfilter_program(&l->filter, a);
	add_control(l);
	return daemon_begin(l->daemon, a);
}

static int live_main(int argc, char **argv)
{
	struct live l = { .every_ns = SUMMARY_NS, .columns = latency_columns(), .daemon_opts = DAEMON_DEFAULT };
	struct run_show show = { .ctx = &l,
				 .open = on_open,
				 .row = on_row,
				 .taken = on_taken,
				 .finish = on_finish,
				 .ready = on_ready,
				 .flight = live_flight,
				 .wants_flight = wants_flight };
	int e;

	latency_args_init(&l.args);
	e = latency_take_command(&argc, argv, &show.command);
	if (e == 0)
		e = prepare(&l, argc, argv);
	if (e == 0 && !l.json && !l.worst && !l.stacks && !l.all && slowgroups_new(&l.groups) < 0)
		e = cmd_fail("out of memory");
	if (e == 0 && l.recordings) {
		e = live_replay(&l);
	} else if (e == 0) {
		show.tick = l.daemon ? on_tick : NULL;
		show.lasting = l.daemon != NULL;
		optind = 1;
		e = run_and_show((int)l.args.v.n - 1, l.args.v.v, &show);
	}
	for (size_t i = 0; i < l.worst_kept.n; i++)
		free(l.worst_kept.v[i].text);
	vec_free(&l.worst_kept);
	slowgroups_free(l.groups);
	slowfilter_done(&l.filter);
	latencysum_free(l.sum);
	chains_free(l.chains);
	daemon_free(l.daemon);
	latency_args_done(&l.args);
	return e < 0 ? EXIT_OK : e;
}

const struct latency_command latency_live = { NULL, "slow events as they happen, with their causes", live_main };

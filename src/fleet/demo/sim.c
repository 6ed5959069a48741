/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/demo/sim.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "fleet/ask/ask.h"
#include "fleet/wire/rows.h"
#include "store/file/statedir.h"

#define SLOW_ROWS_MAX 20000u /* of the recording */
#define HELLO_S 30
#define SIM_TOGETHER 15u /* seconds in one message, of the past */
#define IDS 4096u	 /* of slow events in a second */

const struct sim_fault sim_faults[SIM_NFAULTS] = {
	{ 16, "block", "sdb", "writeback", "io",
	  "vmlinux`io_schedule;vmlinux`folio_wait_writeback;vmlinux`__filemap_fdatawait_range;vmlinux`ext4_sync_file;"
	  "vmlinux`do_fsync;vmlinux`__x64_sys_fsync",
	  40 },
	{ 8, "lock", "", "mutex: a table's lock", "lock",
	  "vmlinux`schedule;vmlinux`futex_wait_queue;vmlinux`futex_wait;vmlinux`do_futex;vmlinux`__x64_sys_futex", 25 },
	{ 5, "wakeup", "", "a CPU: others ran", "cpu",
	  "vmlinux`__schedule;vmlinux`schedule;vmlinux`schedule_hrtimeout_range;vmlinux`ep_poll", 15 },
};

struct host {
	char subject[BUS_SUBJECT_MAX];
	double scale;
	unsigned shift; /* s */
	struct batch hist, slow;
	unsigned ids;	/* of this second */
	uint64_t worst; /* ns: of this second, of the series with the fault */
};

#define TALLY_MAX 64u
struct tally { /* a series of the recording */
	char series[64];
	uint64_t count;
};

struct kept { /* batches */
	struct strb *v;
	size_t n, cap;
};

struct sim {
	const struct sim_options *o;
	const struct listener *to;
	struct bus *bus;
	struct kept hists, slows; /* the recording's rows */
	struct batch filling;
	size_t nrows;
	unsigned nslow[SIM_SECONDS_MAX]; /* slow events of each second */
	struct tally tally[TALLY_MAX];	 /* series of the recording */
	size_t ntally;
	const char *faulty[SIM_NFAULTS]; /* the series of each fault */
	uint64_t first, seconds;	 /* of the recording: s since 1970, and how many */
	struct host *hosts;
	uint64_t second, faults_from; /* s since 1970: the one that is being sent; … */
	struct rec_bucket buckets[AGG_HIST_NBUCKETS];
	struct err *err;
};

void sim_name(unsigned i, char ret[32])
{
	static const char *const roles[] = { "web", "db", "cache" };
	static const unsigned of[] = { 0, 0, 1, 0, 0, 2, 0, 0, 1, 0 };

	snprintf(ret, 32, "%s-%02u", roles[of[i % ARRAY_SIZE(of)]], i + 1);
}

/* -- the recording -- */

static int keep(struct sim *s, struct kept *v, enum batch_kind kind)
{
	struct strb b = s->filling.b;
	int e = b.failed ? -ENOMEM : vec_try_push(v, b);

	if (e < 0)
		return err_set(s->err, e, "out of memory");
	memset(&s->filling.b, 0, sizeof(s->filling.b)); /* it is the list's now */
	batch_begin(&s->filling, kind);
	return 0;
}

static void count_series(struct sim *s, const struct batch_hist *h)
{
	size_t i = 0;

	while (i < s->ntally && strcmp(s->tally[i].series, h->series) != 0)
		i++;
	if (i == s->ntally) {
		if (i == TALLY_MAX || strlen(h->series) >= sizeof(s->tally[i].series))
			return;
		snprintf(s->tally[s->ntally++].series, sizeof(s->tally[i].series), "%s", h->series);
	}
	s->tally[i].count += h->count;
}

/* A fault of a tracker that the recording does not have is one of that with most events which has no fault. */
static void choose_series(struct sim *s)
{
	for (unsigned f = 0; f < s->o->faults; f++) {
		struct tally *most = NULL;

		for (size_t i = 0; i < s->ntally && (!most || strcmp(most->series, sim_faults[f].series) != 0); i++)
			if (s->tally[i].count && (!most || s->tally[i].count > most->count ||
						  !strcmp(s->tally[i].series, sim_faults[f].series)))
				most = &s->tally[i];
		s->faulty[f] = most ? most->series : "";
		if (most && strcmp(most->series, sim_faults[f].series) != 0)
			listener_msg(s->to, "the recording has no %s: %s is made slow in its place",
				     sim_faults[f].series, most->series);
		if (most)
			most->count = 0; /* taken */
	}
}

static int load_hist(void *ctx, const struct rec_column *c, const struct batch_hist *h)
{
	struct sim *s = ctx;

	(void)c;
	count_series(s, h);
	if (h->start < s->first || h->start >= s->first + s->seconds || ++s->nrows > SIM_ROWS_MAX)
		return 0;
	batch_add_hist(&s->filling, h);
	return batch_full(&s->filling) ? keep(s, &s->hists, BATCH_HIST) : 0;
}

static int load_slow(void *ctx, const struct batch_slow *e)
{
	struct sim *s = ctx;
	uint64_t second = e->ended / NSEC_PER_SEC;

	if (second < s->first || second >= s->first + s->seconds || s->nslow[second - s->first]++ >= SIM_SLOW_MAX)
		return 0;
	batch_add_slow(&s->filling, e);
	return batch_full(&s->filling) ? keep(s, &s->slows, BATCH_SLOW) : 0;
}

static int load_rows(struct sim *s, struct recread *rec, const char *path, struct err *err)
{
	struct rows r = { .rec = rec, .recording = path, .causes = s->o->causes, .wall_off = recread_wall_off(rec) };
	struct rec_range all = { 0, 0 };
	int e = 0;

	if (!recread_hist_extent(rec, &all) || all.to < all.from + 2 * NSEC_PER_SEC)
		return err_set(err, -ENODATA, "%s: it has no two seconds of trackers", path);
	s->seconds = (all.to - all.from) / NSEC_PER_SEC;
	if (s->seconds > SIM_SECONDS_MAX)
		s->seconds = SIM_SECONDS_MAX;
	s->first = (all.to + r.wall_off) / NSEC_PER_SEC - s->seconds;
	all.from = all.to - (s->seconds + 1) * NSEC_PER_SEC;
	batch_begin(&s->filling, BATCH_HIST);
	e = rows_hists(&r, all, load_hist, s, err);
	e = e ? e : keep(s, &s->hists, BATCH_SLOW);
	e = e ? e : rows_slow(&r, -1, SLOW_ROWS_MAX, load_slow, s, err);
	e = e ? e : keep(s, &s->slows, BATCH_SLOW);
	batch_free(&s->filling);
	rows_free(&r);
	return e;
}

static int load(struct sim *s, struct err *err)
{
	struct statedir_list l = { 0 };
	const char *path = s->o->recording;
	struct recread *rec = NULL;
	struct stat st;
	int e = stat(path, &st) < 0 ? err_set(err, -errno, "%s: %s", path, strerror(errno)) : 0;

	if (e == 0 && S_ISDIR(st.st_mode)) {
		e = statedir_list(path, &l);
		if (e < 0 || !l.v.n)
			e = err_set(err, -ENOENT, "%s: no daemon's recording is there", path);
		else
			path = l.v.v[l.v.n - 1].path;
	}
	if (e == 0)
		e = recread_open(path, &rec, err);
	if (e == 0)
		e = load_rows(s, rec, path, err);
	recread_close(rec);
	statedir_list_free(&l);
	return e;
}

/* -- a second -- */

/* A number in 0 … 1 that is always the same for these two. */
static double chance(uint64_t a, uint64_t b)
{
	uint64_t x = (a * UINT64_C(0x9e3779b97f4a7c15)) ^ (b * UINT64_C(0xbf58476d1ce4e5b9));

	x = (x ^ (x >> 29)) * UINT64_C(0x94d049bb133111eb);
	return (double)((x ^ (x >> 32)) >> 11) / (double)(UINT64_C(1) << 53);
}

static const struct sim_fault *fault_of(const struct sim *s, unsigned host, const char *series)
{
	for (unsigned i = 0; i < s->o->faults && s->second >= s->faults_from; i++)
		if (sim_faults[i].host == host && !strcmp(s->faulty[i], series))
			return &sim_faults[i];
	return NULL;
}

/* The second of the recording that a host sends now. */
static uint64_t source_second(const struct sim *s, const struct host *h)
{
	return s->first + (s->second + h->shift) % s->seconds;
}

/* Values become `factor` times as large; buckets that fall together are added up. */
static uint32_t scale_buckets(struct sim *s, const struct batch_hist *h, double factor)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < h->nbuckets; i++) {
		uint32_t b = h->buckets[i].index;

		if (b)
			b = aggval_hist_bucket((int64_t)(rechist_middle(&ask_histdesc, b) * factor));
		if (n && s->buckets[n - 1].index >= b) {
			s->buckets[n - 1].count += h->buckets[i].count;
			continue;
		}
		s->buckets[n] = (struct rec_bucket){ .index = b };
		s->buckets[n++].count = h->buckets[i].count;
	}
	return n;
}

static void send_hist(struct sim *s, unsigned i, const struct batch_hist *h)
{
	const struct sim_fault *f = fault_of(s, i, h->series);
	double factor = s->hosts[i].scale * (0.97 + 0.06 * chance(s->second, i)) * (f ? f->factor : 1);
	struct batch_hist out = *h;

	out.start = s->second;
	out.nbuckets = scale_buckets(s, h, factor);
	out.buckets = s->buckets;
	out.sum = (uint64_t)((double)h->sum * factor);
	out.max = (uint64_t)((double)h->max * factor);
	if (f)
		s->hosts[i].worst = out.max;
	batch_add_hist(&s->hosts[i].hist, &out);
}

static int on_hist(void *ctx, const struct batch_hist *h)
{
	struct sim *s = ctx;

	for (unsigned i = 0; i < s->o->hosts; i++)
		if (h->start == source_second(s, &s->hosts[i]))
			send_hist(s, i, h);
	return 0;
}

static void send_slow(struct sim *s, unsigned i, const struct batch_slow *e)
{
	struct host *h = &s->hosts[i];
	struct batch_slow out = *e;

	if (h->ids == IDS)
		return;
	out.recording = "simulated";
	out.id = s->second * IDS + h->ids++;
	out.ended = s->second * NSEC_PER_SEC + e->ended % NSEC_PER_SEC;
	out.delay = (uint64_t)((double)e->delay * h->scale);
	batch_add_slow(&h->slow, &out);
}

static int on_slow(void *ctx, const struct batch_slow *e)
{
	struct sim *s = ctx;

	for (unsigned i = 0; i < s->o->hosts; i++)
		if (e->ended / NSEC_PER_SEC == source_second(s, &s->hosts[i]))
			send_slow(s, i, e);
	return 0;
}

/* The slow event that a fault makes: as long as the longest of its second. */
static void send_faults(struct sim *s)
{
	for (unsigned i = 0; i < s->o->faults; i++) {
		const struct sim_fault *f = &sim_faults[i];
		struct batch_slow e = { .tracker = s->faulty[i],
					.ended = (uint64_t)(chance(s->second, i) * 1e9),
					.pid = 4711,
					.tid = 4711,
					.how = "end",
					.comm = "server",
					.key = f->key,
					.cause = f->cause,
					.class = f->class,
					.stack = f->stack,
					.attrs = "" };

		if (f->host >= s->o->hosts || !s->hosts[f->host].worst)
			continue;
		e.delay = (uint64_t)((double)s->hosts[f->host].worst / s->hosts[f->host].scale);
		send_slow(s, f->host, &e);
		s->hosts[f->host].worst = 0;
	}
}

static int publish(struct sim *s, const struct host *h, const struct batch *b, const char *kind, struct err *err)
{
	char subject[BUS_SUBJECT_MAX + 16], id[BUS_SUBJECT_MAX + 48];

	if (b->b.failed)
		return err_set(err, -ENOMEM, "out of memory");
	if (!b->rows)
		return 0;
	snprintf(subject, sizeof(subject), "%s.%s", h->subject, kind);
	snprintf(id, sizeof(id), "%s.%" PRIu64, subject, s->second);
	return bus_post(s->bus, subject, id, b->b.s, b->b.n, err);
}

static int send_hello(struct sim *s, unsigned i, struct err *err)
{
	struct batch b = { 0 };
	char name[32], labels[64];
	struct batch_host h = {
		.sent = clock_ns(CLOCK_REALTIME), .dwell = DWELL_VERSION, .kernel = "simulated", .labels = labels
	};
	int e;

	sim_name(i, name);
	snprintf(labels, sizeof(labels), "role=%.*s\nrack=%u", (int)strcspn(name, "-"), name, i / 5 + 1);
	batch_begin(&b, BATCH_HOST);
	batch_add_host(&b, &h);
	e = publish(s, &s->hosts[i], &b, "host", err);
	batch_free(&b);
	return e;
}

static void begin_batches(struct sim *s)
{
	for (unsigned i = 0; i < s->o->hosts; i++) {
		batch_begin(&s->hosts[i].hist, BATCH_HIST);
		batch_begin(&s->hosts[i].slow, BATCH_SLOW);
	}
}

static int make_second(struct sim *s, struct err *err)
{
	const struct batch_sink sink = { s, on_hist, on_slow, NULL, NULL, NULL };
	int e = 0;

	for (unsigned i = 0; i < s->o->hosts; i++)
		s->hosts[i].ids = 0;
	for (size_t i = 0; e == 0 && i < s->hists.n; i++)
		e = batch_read(s->hists.v[i].s, s->hists.v[i].n, &sink, err);
	for (size_t i = 0; e == 0 && i < s->slows.n; i++)
		e = batch_read(s->slows.v[i].s, s->slows.v[i].n, &sink, err);
	send_faults(s);
	return e;
}

/* Up to `n` seconds in one batch for each host. */
static int send_seconds(struct sim *s, uint64_t n, struct err *err)
{
	uint64_t first = s->second;
	int e = 0;

	begin_batches(s);
	for (; e == 0 && s->second < first + n; s->second++)
		e = make_second(s, err);
	for (unsigned i = 0; e == 0 && i < s->o->hosts; i++) {
		e = publish(s, &s->hosts[i], &s->hosts[i].hist, "hist", err);
		if (e == 0)
			e = publish(s, &s->hosts[i], &s->hosts[i].slow, "slow", err);
	}
	if (e == 0)
		e = bus_posted(s->bus, err);
	if (e < 0)
		s->second = first;
	return e;
}

/* -- life -- */

static int make_hosts(struct sim *s, struct err *err)
{
	char tenant[BUS_NAME_MAX + 1], site[BUS_NAME_MAX + 1], name[32];

	s->hosts = calloc(s->o->hosts, sizeof(*s->hosts));
	if (!s->hosts)
		return err_set(err, -ENOMEM, "out of memory");
	if (!bus_token(s->o->tenant, tenant) || !bus_token(s->o->site, site))
		return err_set(err, -EINVAL,
			       "a tenant or site has a name with other characters than letters, digits, "
			       "'-', '_' and '.'");
	for (unsigned i = 0; i < s->o->hosts; i++) {
		sim_name(i, name);
		snprintf(s->hosts[i].subject, sizeof(s->hosts[i].subject), "dwell.v1.%s.%s.%s", tenant, site, name);
		s->hosts[i].scale = 0.85 + 0.3 * chance(i, 1);
		s->hosts[i].shift = (unsigned)(chance(i, 2) * (double)s->seconds);
	}
	return 0;
}

static bool is_over(const struct sim *s, uint64_t end)
{
	return s->o->stop(s->o->ctx) || clock_ns(CLOCK_MONOTONIC) >= end;
}

/* Seconds as they become due; those that NATS does not take are tried again. */
static void loop(struct sim *s)
{
	const struct timespec nap = clock_timespec(100 * NSEC_PER_MSEC);
	uint64_t end = s->o->for_ns ? clock_ns(CLOCK_MONOTONIC) + s->o->for_ns : UINT64_MAX, hello = 0;
	bool failing = false;

	while (!is_over(s, end)) {
		uint64_t now = clock_ns(CLOCK_REALTIME) / NSEC_PER_SEC;
		struct err err = { 0 };
		uint64_t late;
		int e = 0;

		if (s->second + SIM_LAG_S > now) {
			nanosleep(&nap, NULL);
			continue;
		}
		for (unsigned i = 0; e == 0 && i < s->o->hosts && now >= hello + HELLO_S; i++)
			e = send_hello(s, i, &err);
		hello = e == 0 && now >= hello + HELLO_S ? now : hello;
		late = now - SIM_LAG_S - s->second + 1;
		e = e < 0 ? e : send_seconds(s, late < SIM_TOGETHER ? late : SIM_TOGETHER, &err);
		if (e < 0 && !failing)
			listener_msg(s->to, "%s; it is tried again", err.msg);
		failing = e < 0;
		if (e < 0)
			nanosleep(&nap, NULL);
	}
}

const struct optrow sim_rows[SIM_NROWS] = {
	FLEET_BUS_ROWS(struct sim_options, bus),
	{ .name = "count",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct sim_options, hosts),
	  .arg = "N",
	  .help = "hosts (20)",
	  .value = SIM_HOSTS_MAX },
	{ .name = "faults",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct sim_options, faults),
	  .arg = "N",
	  .help = "hosts that get a slow disk, lock or CPU (0)",
	  .value = SIM_NFAULTS },
	{ .name = "back",
	  .kind = OPT_TIME,
	  .at = offsetof(struct sim_options, back_ns),
	  .arg = "TIME",
	  .help = "begin with this much of the past (0)" },
	{ .name = "tenant",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct sim_options, tenant),
	  .arg = "NAME",
	  .help = "(default)" },
	{ .name = "site",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct sim_options, site),
	  .arg = "NAME",
	  .help = "(default)" },
	{ .name = "for",
	  .kind = OPT_TIME,
	  .at = offsetof(struct sim_options, for_ns),
	  .arg = "TIME",
	  .help = "end after this",
	  .value = 1 },
};

int sim_run(const struct sim_options *o, const struct listener *to, struct err *err)
{
	_cleanup_free_ struct sim *s = calloc(1, sizeof(*s));
	uint64_t now = clock_ns(CLOCK_REALTIME) / NSEC_PER_SEC, back = o->back_ns / NSEC_PER_SEC;
	int e;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	if (back > SIM_BACK_S)
		return err_set(err, -EINVAL, "--back: two hours at most");
	s->o = o;
	s->to = to;
	s->err = err;
	s->second = now - back - SIM_LAG_S;
	s->faults_from = now - back / 2;
	e = load(s, err);
	choose_series(s);
	if (e == 0)
		e = make_hosts(s, err);
	if (e == 0)
		e = bus_connect(&o->bus, &s->bus, err);
	if (e == 0)
		loop(s);
	for (unsigned i = 0; s->hosts && i < o->hosts; i++) {
		batch_free(&s->hosts[i].hist);
		batch_free(&s->hosts[i].slow);
	}
	for (size_t i = 0; i < s->hists.n; i++)
		strb_free(&s->hists.v[i]);
	for (size_t i = 0; i < s->slows.n; i++)
		strb_free(&s->slows.v[i]);
	vec_free(&s->hists);
	vec_free(&s->slows);
	free(s->hosts);
	bus_close(s->bus);
	return e;
}

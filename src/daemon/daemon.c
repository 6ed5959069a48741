/* SPDX-License-Identifier: Apache-2.0 */
/* Rotates the recordings of the daemon, writes its metrics, and answers its service manager. */
#include "daemon/daemon.h"
#include <signal.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "engine/front/needs.h"
#include "engine/record/metrics.h"
#include "daemon/cgroups.h"
#include "daemon/metricsserve.h"
#include "engine/record/record.h"
#include "daemon/sdnotify.h"
#include "latency/window/metrics.h"
#include "load/bpf_sys.h"

#define LOOK_NS UINT64_C(1000000000)   /* between looks at the file's size */
#define RETRY_NS UINT64_C(30000000000) /* after a recording could not be made */
#define MAXCPU "5%"
#define UNWIND_BYTES (16 << 20) /* of unwinding tables: memory is for others */
#define BACKSTOP 2 /* times the size at which a file gives way to the next: from there on it loses its oldest */

struct daemon {
	struct daemon_opts o;
	const struct listener *to;
	int lock;
	char path[STATEDIR_PATH_LEN];				/* the recording */
	uint64_t begun, looked, fed, notified, watchdog, retry; /* CLOCK_MONOTONIC ns */
	bool ready, failing;
	unsigned one_in; /* of the threads, see metrics_one_in() */
	struct metricsserve *server;
	struct metrics *metrics;
	struct cgroups *cgroups; /* names for its labels */
	int error;		 /* of the metrics, once */
};

struct daemon *daemon_new(const struct daemon_opts *o, const struct listener *to)
{
	struct daemon *d = calloc(1, sizeof(*d));
	const char *given = getenv("STATE_DIRECTORY"); /* of the service manager */

	if (!d)
		return NULL;
	*d = (struct daemon){ .o = *o, .to = to, .lock = -1 };
	if (!o->state)
		d->o.state = given && given[0] == '/' && !strchr(given, ':') ? given : DAEMON_STATE;
	return d;
}

void daemon_free(struct daemon *d)
{
	if (!d)
		return;
	metricsserve_stop(d->server);
	metrics_free(d->metrics);
	cgroups_free(d->cgroups);
	closep(&d->lock);
	free(d);
}

/* -- recordings -- */

/* Room for the file that is written now, too. */
static void retire(const struct daemon *d, const char *keep)
{
	uint64_t room = d->o.keep_bytes > d->o.rotate_bytes ? d->o.keep_bytes - d->o.rotate_bytes : 0;

	statedir_retire(d->o.state, keep, d->o.keep_files, room);
}

static int take_state(struct daemon *d)
{
	pid_t pid;
	int r = statedir_lock(d->o.state, &d->lock, &pid);

	if (r == -EBUSY)
		return listener_fail(
			d->to, -EBUSY,
			"another daemon%s%.0d has the state folder %s: end it, or use another one (--state)",
			pid ? ", process " : "", (int)pid, d->o.state);
	if (r == -EPERM)
		return listener_fail(d->to, -EPERM,
				     "%s: the state folder must be this user's, and nobody else may write there",
				     d->o.state);
	return r < 0 ? listener_fail(d->to, r, "%s: cannot be used as state folder: %s", d->o.state, strerror(-r)) : 0;
}

/* Limits that hold unless others were asked for. */
static void add_defaults(const struct daemon *d, struct request *c)
{
	_cleanup_close_ int stats = bpfsys_enable_run_stats();

	if (!c->opts.unwindsize)
		c->opts.unwindsize = UNWIND_BYTES;
	if (stats < 0) {
		listener_msg(d->to,
			     "the cost of the probes is neither measured nor limited: %s; CAP_SYS_ADMIN or the setting "
			     "kernel.bpf_stats_enabled=1 allow it",
			     strerror(-stats));
		return;
	}
	if (!c->opts.maxcpu[0])
		request_option(c, "maxcpu", MAXCPU);
	c->opts.cost = true;
}

static void on_hangup(int sig)
{
	(void)sig;
}

int daemon_begin(struct daemon *d, struct request *c)
{
	/* A new file is asked for before there is a first one: that is no reason to end. (A handler, which no command
	 * inherits.) */
	static const struct sigaction hangup = { .sa_handler = on_hangup, .sa_flags = SA_RESTART };
	unsigned recovered;
	int e;

	if (!d)
		return 0;
	d->one_in = request_one_in(c);
	e = needs_tracing(NULL, true, d->to);
	if (e)
		return e;
	sigaction(SIGHUP, &hangup, NULL);
	e = take_state(d);
	if (e)
		return e;
	recovered = statedir_recover(d->o.state);
	if (recovered)
		listener_msg(d->to, "%u recording%s of a daemon that was killed: ended in order", recovered,
			     recovered == 1 ? "" : "s");
	retire(d, NULL);
	if (statedir_name(d->o.state, d->path) < 0)
		return listener_fail(d->to, -ENAMETOOLONG, "%s: the name is too long", d->o.state);
	if (d->o.metrics_at && (e = metricsserve_start(d->o.metrics_at, d->lock, d->to, &d->server)))
		return e;
	add_defaults(d, c);
	request_option(c, "record", d->path);
	c->opts.recsize = d->o.rotate_bytes * BACKSTOP;
	d->watchdog = sdnotify_watchdog();
	return 0;
}

static uint64_t file_size(const char *path)
{
	struct statedir_list l = { 0 };
	char dir[STATEDIR_PATH_LEN];
	uint64_t bytes = 0;

	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(path, '/') - path), path);
	statedir_list(dir, &l);
	for (size_t i = 0; i < l.v.n; i++)
		if (!strcmp(l.v.v[i].path, path))
			bytes = l.v.v[i].bytes;
	statedir_list_free(&l);
	return bytes;
}

static void rotate(struct daemon *d, struct recorder *r, uint64_t now, const char *reason)
{
	char next[STATEDIR_PATH_LEN];
	struct err err = { 0 };
	int e = statedir_name(d->o.state, next);

	retire(d, d->path);
	if (e == 0)
		e = recorder_rotate(r, next, &err);
	if (access(next, F_OK) == 0) { /* the new one is there, however the old one ended */
		snprintf(d->path, sizeof(d->path), "%s", next);
		d->begun = now;
		d->failing = false;
		listener_msg(d->to, "%s: goes on in %s", reason, d->path);
	} else if (!d->failing) {
		d->failing = true;
		listener_msg(d->to, "no new recording could be made: %s", err.msg[0] ? err.msg : strerror(-e));
	}
	d->retry = now + RETRY_NS;
	err_done(&err);
}

static void look_at_file(struct daemon *d, struct recorder *r, uint64_t now, bool hangup)
{
	const char *reason = hangup ? "SIGHUP" : NULL;

	if (!reason && now < d->looked + LOOK_NS)
		return;
	d->looked = now;
	if (!reason && now < d->retry && (d->failing || recorder_failed(r)))
		return;
	if (!reason && recorder_failed(r))
		reason = "after an error";
	if (!reason && now >= d->begun + d->o.rotate_ns)
		reason = "by age";
	if (!reason && file_size(d->path) >= d->o.rotate_bytes)
		reason = "by size";
	if (reason)
		rotate(d, r, now, reason);
}

/* -- the run -- */

static bool place_of(void *ctx, uint64_t cgroup, struct metrics_place *ret)
{
	const struct cgroup_names *n = cgroups_find(ctx, cgroup, clock_ns(CLOCK_MONOTONIC));

	if (n)
		*ret = (struct metrics_place){ n->path, n->container, n->pod, n->space };
	return n != NULL;
}

int daemon_schema(struct daemon *d, const struct rec_schema *schema, struct sym *sym, struct causes *causes)
{
	struct metrics_names names = { .causes = causes, .sym = sym, .place = place_of };
	int r;

	if (!d)
		return 0;
	r = metrics_new(schema, clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC), &d->metrics);
	if (r == 0)
		metrics_one_in(d->metrics, d->one_in);
	if (r < 0 || !d->o.metrics_at)
		return r;
	d->cgroups = cgroups_new("");
	names.ctx = d->cgroups;
	return d->cgroups ? metrics_name(d->metrics, &names) : -ENOMEM;
}

void daemon_row(struct daemon *d, const struct row *row)
{
	int r = d ? metrics_add(d->metrics, row) : 0;

	if (r < 0 && !d->error) {
		d->error = r;
		listener_msg(d->to, "metrics are not complete: %s", strerror(-r));
	}
}

static void say_ready(struct daemon *d, uint64_t now)
{
	char text[STATEDIR_PATH_LEN + 64];

	d->ready = true;
	d->begun = d->begun ? d->begun : now;
	listener_msg(d->to, "records into %s%s%s", d->path, d->server ? "; metrics at " : "",
		     d->server ? metricsserve_where(d->server) : "");
	snprintf(text, sizeof(text), "READY=1\nSTATUS=records into %s", d->o.state);
	sdnotify(text);
}

void daemon_tick(struct daemon *d, struct recorder *recorder, bool hangup)
{
	uint64_t now;

	if (!d || !recorder)
		return;
	now = clock_ns(CLOCK_MONOTONIC);
	if (!d->ready)
		say_ready(d, now);
	if (d->watchdog && now >= d->notified + d->watchdog) {
		sdnotify("WATCHDOG=1");
		d->notified = now;
	}
	if (d->server && now >= d->fed + METRICS_PERIOD_NS) {
		metrics_unrecorded(d->metrics, recorder_lost(recorder));
		metricsserve_feed(d->server, d->metrics, now);
		d->fed = now;
	}
	look_at_file(d, recorder, now, hangup);
}

void daemon_stopping(struct daemon *d)
{
	if (d)
		sdnotify("STOPPING=1");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of the session, and what it tells the caller's. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include "base/cleanup.h"
#include "engine/textopts.h"
#include "lib/int.h"
#include "run/session/tmpdir.h"

/* The stream of the view. */
static ssize_t on_write(void *cookie, const char *buf, size_t n)
{
	struct dwell *d = cookie;

	strb_add(&d->text, buf, n);
	return d->text.failed ? 0 : (ssize_t)n;
}

static bool is_type(const char *line, const char *type)
{
	static const char head[] = "{\"type\":\"";

	return !strncmp(line, head, sizeof(head) - 1) && !strncmp(line + sizeof(head) - 1, type, strlen(type));
}

/* Lines that the view has written for this row go to the queue. 0 or -errno. */
static int queue_lines(struct dwell *d, const struct row *row)
{
	const struct rec_probe *probe = rec_schema_probe(d->schema, row->probe);
	const char *s, *end;
	int e = fflush(d->out) != 0 || d->text.failed ? -ENOMEM : 0;

	pthread_mutex_lock(&d->lock);
	for (s = strb_str(&d->text); (end = strchr(s, '\n')); s = end + 1)
		if (!is_type(s, "start\"") && !is_type(s, "end\""))
			queue_put(&d->queue, row, row->kind == ROW_EVENT || row->kind == ROW_FAULT ? probe : NULL, s,
				  (size_t)(end - s));
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	strb_reset(&d->text);
	return e;
}

static int on_consume(void *ctx)
{
	struct dwell *d = ctx;
	struct row row;
	int e = 0;

	while (e == 0 && recording_next(d->rec, &row)) {
		e = text_view_row(d->view, &row);
		if (e == 0)
			e = queue_lines(d, &row);
	}
	recording_release(d->rec);
	return e;
}

static unsigned on_asked(void *ctx)
{
	struct dwell *d = ctx;
	uint64_t n;

	if (read(d->wake, &n, sizeof(n)) < 0)
		return 0;
	return __atomic_exchange_n(&d->asked, 0, __ATOMIC_ACQ_REL);
}

static void on_started(void *ctx)
{
	struct dwell *d = ctx;

	pthread_mutex_lock(&d->lock);
	d->started = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

/* The aggregation's line; that of the view's beginning may stand before it. */
static int show(struct dwell *d, const char *name)
{
	int e = text_view_show_agg(d->view, name);
	const char *line;

	if (e < 0)
		return e;
	if (fflush(d->out) != 0 || d->text.failed)
		return -ENOMEM;
	line = strb_str(&d->text);
	if (is_type(line, "start\""))
		line = strchr(line, '\n') + 1;
	strb_reset(&d->shown);
	strb_add(&d->shown, line, strcspn(line, "\n"));
	strb_reset(&d->text);
	return d->shown.failed ? -ENOMEM : 0;
}

static void on_counted(void *ctx)
{
	struct dwell *d = ctx;

	pthread_mutex_lock(&d->lock);
	if (d->wanted)
		d->shown_error = show(d, d->wanted);
	d->wanted = NULL;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

/* The end of the output: aggregations that nobody has shown. */
static int finish(struct dwell *d)
{
	const struct row end = { .kind = ROW_END, .ts = 0 };
	int e = text_view_finish(d->view);

	return e < 0 ? e : queue_lines(d, &end);
}

static void on_message(void *arg, const char *text)
{
	(void)arg; /* with opts.json the view writes messages as lines */
	(void)text;
}

static void *run(void *arg)
{
	static const char *const nothing = "";
	struct dwell *d = arg;
	const struct session_host host = {
		.fd = d->wake, .asked = on_asked, .started = on_started, .counted = on_counted
	};
	const struct session_config cfg = {
		.img = d->w.image,
		.prog = d->w.prog,
		.reg = d->w.reg,
		.ts = d->w.ts,
		.caps = &d->w.caps,
		.sym = d->w.sym,
		.cg = &d->w.cg,
		.schema = d->schema,
		.rec = d->rec,
		.consume = on_consume,
		.host = &host,
		.ctx = d,
	};
	struct session_result res = { 0 };
	struct session *s = NULL;
	struct err err = { 0 };
	int e = session_new(&cfg, &s, &err);

	if (e == 0)
		e = session_run(s, &res, &err);
	if (e == 0 && res.why == SESSION_CONSUMER)
		e = res.consumer_error;
	session_free(s);
	if (e == 0)
		e = finish(d);
	pthread_mutex_lock(&d->lock);
	d->res = res;
	d->error = e;
	snprintf(d->why_not, sizeof(d->why_not), "%s", err.msg[0] ? err.msg : e < 0 ? strerror(-e) : nothing);
	d->ended = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	err_done(&err);
	return NULL;
}

/* Signals are the caller's: none is taken by a thread of the library's. */
static int start_thread(struct dwell *d)
{
	sigset_t all, before;
	int e;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	e = pthread_create(&d->thread, NULL, run, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	d->joinable = e == 0;
	return -e;
}

static int make_view(struct dwell *d)
{
	const cookie_io_functions_t io = { .write = on_write };
	struct text_opts o = { 0 };

	textopts_fill(&o, &d->req.opts);
	o.json = true;
	o.why = why_words;
	o.why_arg = &d->why;
	d->out = fopencookie(d, "w", io);
	d->schema = session_schema(d->w.prog, d->w.image, &d->w.caps);
	if (!d->out || recording_new_memory(d->schema, &d->rec) < 0 ||
	    text_view_new(d->schema, d->w.sym, &o, d->out, on_message, d, &d->view) < 0)
		return -ENOMEM;
	return 0;
}

int runner_start(struct dwell *d, struct dwell_error *err)
{
	int e;

	if (why_open(&d->why, &d->req.opts, &d->req.to))
		return lib_fail_said(d, err);
	if (make_view(d) < 0)
		return lib_fail(err, DWELL_E_MEMORY, "out of memory");
	tmpdir_clear_dead();
	e = start_thread(d);
	if (e < 0)
		return lib_fail(err, DWELL_E_SYSTEM, "cannot start a thread: %s", strerror(-e));
	pthread_mutex_lock(&d->lock);
	while (!d->started && !d->ended)
		pthread_cond_wait(&d->changed, &d->lock);
	e = d->ended ? d->error : 0;
	pthread_mutex_unlock(&d->lock);
	return e < 0 ? lib_fail(err, DWELL_E_SYSTEM, "failed to enable probes: %s", d->why_not) : DWELL_OK;
}

void runner_ask(struct dwell *d, unsigned what)
{
	const uint64_t one = 1;
	int code = errno;

	__atomic_fetch_or(&d->asked, what, __ATOMIC_ACQ_REL);
	if (write(d->wake, &one, sizeof(one)) < 0)
		errno = code; /* it is readable as it is */
	errno = code;
}

int runner_snapshot(struct dwell *d, const char *name)
{
	int e;

	pthread_mutex_lock(&d->lock);
	d->wanted = name;
	if (!d->ended)
		runner_ask(d, SESSION_ASK_SNAPSHOT);
	while (d->wanted && !d->ended)
		pthread_cond_wait(&d->changed, &d->lock);
	if (d->wanted)
		d->shown_error = show(d, name);
	d->wanted = NULL;
	e = d->shown_error;
	pthread_mutex_unlock(&d->lock);
	return e;
}

void runner_done(struct dwell *d)
{
	if (d->joinable) {
		runner_ask(d, SESSION_ASK_STOP);
		pthread_join(d->thread, NULL);
	}
	text_view_free(d->view);
	recording_free(d->rec);
	if (d->out)
		fclose(d->out);
	why_done(&d->why);
	strb_free(&d->text);
	strb_free(&d->shown);
	queue_item_free(d->held);
	queue_free(&d->queue);
}

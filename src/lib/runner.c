/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the session in a thread, and passes its results to the caller's. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/jsonw.h"
#include "base/wake.h"
#include "engine/run/refuse.h"
#include "engine/textopts.h"
#include "lib/int.h"
#include "run/session/tmpdir.h"

/* The stack of the thread that compiles: that of a program's first thread as a rule. */
#define STACK_BYTES ((size_t)8 << 20)

/* The stream of the view. */
static ssize_t on_write(void *cookie, const char *buf, size_t n)
{
	struct dwell *d = cookie;

	strb_add(&d->text, buf, n);
	return d->text.failed ? 0 : (ssize_t)n;
}

FILE *runner_stream(struct dwell *d)
{
	const cookie_io_functions_t io = { .write = on_write };

	return fopencookie(d, "w", io);
}

int runner_queue(struct dwell *d, const struct row *row)
{
	const struct rec_probe *probe = rec_schema_probe(d->schema, row->probe);
	const char *s, *end;
	int e = fflush(d->out) != 0 || d->text.failed ? -ENOMEM : 0;

	pthread_mutex_lock(&d->lock);
	for (s = strb_str(&d->text); (end = strchr(s, '\n')); s = end + 1)
		if (!jsonw_is_type(s, "start") && !jsonw_is_type(s, "end"))
			queue_put(&d->queue, row, row->kind == ROW_EVENT || row->kind == ROW_FAULT ? probe : NULL, s,
				  (size_t)(end - s));
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	strb_reset(&d->text);
	return e;
}

void runner_message(struct dwell *d, const char *text)
{
	const struct row row = { .kind = ROW_NOTE, .ts = clock_ns(CLOCK_MONOTONIC) };
	_cleanup_(strb_free) struct strb b = { 0 };
	struct jsonw j = jsonw_to(&b);

	jsonw_object(&j, NULL);
	jsonw_str(&j, "type", "message");
	jsonw_u64(&j, "time", row.ts);
	jsonw_str(&j, "text", text);
	jsonw_end_object(&j);
	pthread_mutex_lock(&d->lock);
	queue_put(&d->queue, &row, NULL, strb_str(&b), b.n);
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

static int on_consume(void *ctx)
{
	struct dwell *d = ctx;
	struct row row;
	int e = 0;

	while (e == 0 && recording_next(d->rec, &row)) {
		e = text_view_row(d->view, &row);
		if (e == 0)
			e = runner_queue(d, &row);
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
	if (jsonw_is_type(line, "start"))
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

	return e < 0 ? e : runner_queue(d, &end);
}

static void on_message(void *arg, const char *text)
{
	(void)arg; /* with opts.json the view writes messages as lines */
	(void)text;
}

/* Commands that failed. */
static void tell_targets(const struct dwell *d)
{
	char how[TARGET_HOW_MAX];

	for (size_t i = 0; i < d->targets.n; i++)
		if (target_failed(d->targets.v[i], how, sizeof(how)))
			listener_msg(&d->req.to, "pid %d %s", (int)target_pid(d->targets.v[i]), how);
}

/* Ends the recording. One of a run that has not begun has nothing in it. */
static int end_recording(struct dwell *d, const struct session_result *res)
{
	int e = d->recorder && recorder_close(take_ptr(d->recorder)) ? -EIO : 0;

	if (d->record && !res->started)
		unlink(d->record);
	return e;
}

static int run_session(struct dwell *d, struct session_result *res, struct err *err)
{
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
		.targets = d->targets.v,
		.ntargets = d->targets.n,
		.for_ns = d->req.for_ns,
		.history = d->recorder != NULL,
		.cg = &d->w.cg,
		.schema = d->run_schema,
		.rec = d->rec,
		.consume = on_consume,
		.host = &host,
		.ctx = d,
	};
	struct session *s = NULL;
	int e = session_new(&cfg, &s, err);

	if (e == 0)
		e = session_run(s, res, err);
	if (e == 0 && res->stop == SESSION_CONSUMER)
		e = res->consumer_error;
	session_free(s);
	return e;
}

static void run(struct dwell *d)
{
	struct session_result res = { 0 };
	struct err err = { 0 };
	const char *reason = "";
	int e, recorded;

	d->message_rows = true;
	e = run_session(d, &res, &err);
	if (e == 0)
		e = finish(d);
	if (e < 0)
		reason = err.msg[0] ? err.msg : strerror(-e);
	tell_targets(d);
	targets_free(&d->targets);
	recorded = end_recording(d, &res);
	if (e == 0 && recorded < 0) {
		e = recorded;
		reason = strb_str(&d->said);
	}
	pthread_mutex_lock(&d->lock);
	d->res = res;
	d->error = e;
	snprintf(d->failure, sizeof(d->failure), "%s", reason);
	d->ended = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	err_done(&err);
}

static int compile(struct dwell *d)
{
	int e = targets_open(&d->targets, &d->req);
	long target = targets_first(&d->targets);

	if (e == 0)
		e = compile_open(&d->w, &d->req, target);
	if (e == 0)
		e = compile_parse(&d->w, &d->req, target);
	if (e == 0)
		e = targets_advance(&d->targets, &d->req, &d->w);
	if (e == 0)
		e = compile_image(&d->w, &d->req, target);
	return e ? e : refuse_run(&d->req, &d->w);
}

/* The library's thread. */
static void *work(void *arg)
{
	struct dwell *d = arg;
	int e = compile(d);
	bool go;

	pthread_mutex_lock(&d->lock);
	d->compile_error = e;
	d->compiled = true;
	pthread_cond_broadcast(&d->changed);
	while (e == 0 && !d->go && !d->unwanted)
		pthread_cond_wait(&d->changed, &d->lock);
	go = d->go;
	pthread_mutex_unlock(&d->lock);
	if (go)
		run(d);
	targets_free(&d->targets);
	return NULL;
}

/* Signals are the caller's: none is taken by a thread of the library's. */
static int start_thread(struct dwell *d)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int e = pthread_attr_init(&attr);

	if (e)
		return -e;
	e = pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (e == 0)
		e = pthread_create(&d->thread, &attr, work, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	d->joinable = e == 0;
	return -e;
}

int runner_compile(struct dwell *d)
{
	int e = start_thread(d);

	if (e < 0)
		return e;
	pthread_mutex_lock(&d->lock);
	while (!d->compiled)
		pthread_cond_wait(&d->changed, &d->lock);
	e = d->compile_error;
	pthread_mutex_unlock(&d->lock);
	return e;
}

static int make_view(struct dwell *d)
{
	struct text_opts o = { 0 };

	textopts_fill(&o, &d->req.opts);
	o.json = true;
	o.target = (uint32_t)targets_first(&d->targets);
	o.why = why_words;
	o.why_arg = &d->why;
	d->out = runner_stream(d);
	d->schema = d->run_schema = session_schema(d->w.prog, d->w.image, &d->w.caps);
	if (!d->out || recording_new_memory(d->schema, &d->rec) < 0 ||
	    text_view_new(d->schema, d->w.sym, &o, d->out, on_message, d, &d->view) < 0)
		return -ENOMEM;
	return 0;
}

int runner_start(struct dwell *d, struct dwell_error *err)
{
	struct err why = { 0 };
	int e;

	if (why_open(&d->why, &d->req.opts, &d->req.to, &why) < 0)
		return lib_fail(err, DWELL_E_SYSTEM, "%s", why.msg);
	if (make_view(d) < 0)
		return lib_fail(err, DWELL_E_MEMORY, "out of memory");
	if (d->record && recorder_open(&d->req, d->schema, d->rec, d->w.sym, &d->why, NULL, &d->recorder))
		return lib_fail_messages(d, err);
	tmpdir_clear_dead();
	pthread_mutex_lock(&d->lock);
	d->go = true;
	pthread_cond_broadcast(&d->changed);
	while (!d->started && !d->ended)
		pthread_cond_wait(&d->changed, &d->lock);
	e = d->ended ? d->error : 0;
	pthread_mutex_unlock(&d->lock);
	return e < 0 ? lib_fail(err, DWELL_E_SYSTEM, "failed to enable probes: %s", d->failure) : DWELL_OK;
}

void runner_ask(struct dwell *d, unsigned what)
{
	int code = errno;

	__atomic_fetch_or(&d->asked, what, __ATOMIC_ACQ_REL);
	wake_set(d->wake);
	errno = code;
}

int runner_snapshot(struct dwell *d, const char *name)
{
	int e;

	pthread_mutex_lock(&d->lock);
	d->wanted = name;
	if (!d->ended && d->joinable)
		runner_ask(d, SESSION_ASK_SNAPSHOT);
	while (d->wanted && !d->ended && d->joinable)
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
		pthread_mutex_lock(&d->lock);
		d->unwanted = true;
		pthread_cond_broadcast(&d->changed);
		pthread_mutex_unlock(&d->lock);
		runner_ask(d, SESSION_ASK_STOP);
		pthread_join(d->thread, NULL);
	}
	if (!d->reprint)
		text_view_free(d->view);
	reader_done(d);
	recording_free(d->rec);
	if (d->out)
		fclose(d->out);
	why_done(&d->why);
	strb_free(&d->text);
	strb_free(&d->shown);
	queue_item_free(d->held);
	queue_free(&d->queue);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Implements include/dwell.h: checks arguments and states here, and calls the engine. */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "lib/int.h"

/* Set while there is a handle: a session changes what belongs to the process. */
static bool taken;

int dwell_api_version(void)
{
	return DWELL_API_VERSION;
}

int lib_fail(struct dwell_error *err, int status, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return status;
	*err = (struct dwell_error){ .status = status, .severity = DWELL_ERROR };
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return status;
}

int lib_fail_messages(const struct dwell *d, struct dwell_error *err)
{
	return lib_fail(err, DWELL_E_SYSTEM, "%s", strb_str(&d->said));
}

static void on_message(void *ctx, const char *text)
{
	struct dwell *d = ctx;

	strb_reset(&d->said);
	strb_adds(&d->said, text);
	if (d->message_rows)
		runner_message(d, text);
}

static void on_diag(void *ctx, const struct diag *g)
{
	static const int severities[] = {
		[SEV_NOTE] = DWELL_NOTE, [SEV_WARNING] = DWELL_WARNING, [SEV_ERROR] = DWELL_ERROR
	};
	struct dwell_error e = { .severity = severities[g->sev] };
	struct dwell *d = ctx;

	e.status = g->sev == SEV_ERROR ? DWELL_E_PROGRAM : DWELL_OK;
	if (g->at.src) {
		struct position at = source_position(g->at.src, g->at.off);

		e.line = at.line;
		e.column = at.col;
		e.length = g->at.len;
	}
	snprintf(e.tag, sizeof(e.tag), "%s", g->tag);
	snprintf(e.text, sizeof(e.text), "%s", g->msg);
	snprintf(e.hint, sizeof(e.hint), "%s", g->hint ? g->hint : "");
	vec_push(&d->diags, e);
}

static int init_locks(struct dwell *d)
{
	pthread_condattr_t attr;
	int e = pthread_condattr_init(&attr);

	if (e == 0)
		e = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (e == 0)
		e = pthread_cond_init(&d->changed, &attr);
	pthread_condattr_destroy(&attr);
	return e ? -e : -pthread_mutex_init(&d->lock, NULL);
}

int dwell_open(struct dwell **ret, struct dwell_error *err)
{
	struct dwell *d;
	int e;

	if (!ret)
		return lib_fail(err, DWELL_E_CALL, "dwell_open: no place for the handle");
	if (__atomic_exchange_n(&taken, true, __ATOMIC_ACQ_REL))
		return lib_fail(err, DWELL_E_BUSY, "dwell_open: this process has a handle: close it first");
	d = calloc(1, sizeof(*d));
	if (!d) {
		__atomic_store_n(&taken, false, __ATOMIC_RELEASE);
		return lib_fail(err, DWELL_E_MEMORY, "out of memory");
	}
	d->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	e = d->wake < 0 ? -errno : init_locks(d);
	queue_init(&d->queue);
	request_init(&d->req, "dwell", &(struct listener){ .ctx = d, .message = on_message, .diag = on_diag });
	if (e < 0) {
		dwell_close(d);
		return lib_fail(err, DWELL_E_SYSTEM, "dwell_open: %s", strerror(-e));
	}
	*ret = d;
	return DWELL_OK;
}

static int check_open(const struct dwell *d, const char *function, struct dwell_error *err)
{
	if (!d)
		return lib_fail(err, DWELL_E_CALL, "%s: the handle is NULL", function);
	if (d->stage != LIB_OPEN)
		return lib_fail(err, DWELL_E_CALL, "%s: only before dwell_compile()", function);
	return DWELL_OK;
}

static bool is_of_command(const char *name)
{
	/* These options act on files and standard error of the command `dwell`. */
	static const char *const names[] = { "record", "metrics", "bpflog", "cpp", "ctypes", "dtypes", "tree" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

int dwell_option(struct dwell *d, const char *name, const char *value, struct dwell_error *err)
{
	int e = check_open(d, "dwell_option", err);

	if (e)
		return e;
	if (!name)
		return lib_fail(err, DWELL_E_CALL, "dwell_option: the name is NULL");
	if (is_of_command(name))
		return lib_fail(err, DWELL_E_CALL, "dwell_option: %s is an option of the command only", name);
	e = dopts_set(&d->req.opts, arena_strdup(d->req.arena, name), value ? arena_strdup(d->req.arena, value) : NULL,
		      NULL);
	if (e == -ENOENT)
		return lib_fail(err, DWELL_E_CALL, "dwell_option: there is no option %s", name);
	if (e < 0)
		return lib_fail(err, DWELL_E_CALL, "dwell_option: %s cannot be %s", name, value ? value : "empty");
	return DWELL_OK;
}

int dwell_argument(struct dwell *d, const char *value, struct dwell_error *err)
{
	int e = check_open(d, "dwell_argument", err);
	const char **v;
	size_t n;

	if (e)
		return e;
	if (!value)
		return lib_fail(err, DWELL_E_CALL, "dwell_argument: the value is NULL");
	n = (size_t)d->req.argc;
	v = arena_new_arr(d->req.arena, const char *, n + 2);
	memcpy(v, d->req.argv, n * sizeof(*v));
	v[n] = arena_strdup(d->req.arena, value);
	v[n + 1] = NULL;
	d->req.argv = v;
	d->req.argc++;
	return DWELL_OK;
}

static int check_target(const struct dwell *d, const char *function, struct dwell_error *err)
{
	int e = check_open(d, function, err);

	if (e == 0 && (d->req.words || d->req.pids.n))
		e = lib_fail(err, DWELL_E_CALL, "%s: the program is about a process already", function);
	return e;
}

int dwell_command(struct dwell *d, const char *const *words, struct dwell_error *err)
{
	int e = check_target(d, "dwell_command", err);
	size_t n = 0;
	char **v;

	if (e)
		return e;
	while (words && words[n])
		n++;
	if (!n)
		return lib_fail(err, DWELL_E_CALL, "dwell_command: the command has no words");
	v = arena_new_arr(d->req.arena, char *, n + 1);
	for (size_t i = 0; i < n; i++)
		v[i] = arena_strdup(d->req.arena, words[i]);
	v[n] = NULL;
	d->req.words = v;
	return DWELL_OK;
}

int dwell_process(struct dwell *d, long pid, struct dwell_error *err)
{
	int e = check_target(d, "dwell_process", err);

	if (e)
		return e;
	if (pid <= 0 || pid > INT32_MAX)
		return lib_fail(err, DWELL_E_CALL, "dwell_process: %ld is no number of a process", pid);
	vec_push(&d->req.pids, pid);
	return DWELL_OK;
}

int dwell_limit(struct dwell *d, uint64_t ns, struct dwell_error *err)
{
	if (!d || (d->stage != LIB_OPEN && d->stage != LIB_COMPILED))
		return lib_fail(err, DWELL_E_CALL, "dwell_limit: %s",
				d ? "only before dwell_attach()" : "the handle is NULL");
	if (!ns)
		return lib_fail(err, DWELL_E_CALL, "dwell_limit: the time is 0");
	d->req.for_ns = ns;
	return DWELL_OK;
}

int dwell_record(struct dwell *d, const char *path, struct dwell_error *err)
{
	int e = check_open(d, "dwell_record", err);

	if (e)
		return e;
	if (!path || !path[0])
		return lib_fail(err, DWELL_E_CALL, "dwell_record: a path is missing");
	d->record = arena_strdup(d->req.arena, path);
	d->req.opts.record = d->record;
	return DWELL_OK;
}

/* Refuses options that the program sets itself, and that the library does not support. */
static int refuse_options(const struct dwell *d, struct dwell_error *err)
{
	const struct dopts *o = &d->req.opts;

	if ((o->record[0] && o->record != d->record) || o->metrics[0])
		return lib_fail(err, DWELL_E_PROGRAM, "the options record and metrics are of the command only");
	return DWELL_OK;
}

static int fail_compile(const struct dwell *d, struct dwell_error *err)
{
	for (size_t i = 0; i < d->diags.n; i++)
		if (d->diags.v[i].severity == DWELL_ERROR) {
			if (err)
				*err = d->diags.v[i];
			return DWELL_E_PROGRAM;
		}
	return lib_fail_messages(d, err);
}

int dwell_compile(struct dwell *d, const char *name, const char *text, struct dwell_error *err)
{
	int e = check_open(d, "dwell_compile", err);

	if (e)
		return e;
	if (!name || !text)
		return lib_fail(err, DWELL_E_CALL, "dwell_compile: name and text must not be NULL");
	d->stage = LIB_FAILED;
	request_prog(&d->req, PROG_SCRIPT, arena_strdup(d->req.arena, name));
	d->req.progs.v[0].text = arena_strdup(d->req.arena, text);
	d->req.progs.v[0].size = strlen(text);
	e = runner_compile(d);
	if (e < 0 && !d->joinable)
		return lib_fail(err, DWELL_E_SYSTEM, "cannot start a thread: %s", strerror(-e));
	if (e < 0)
		return fail_compile(d, err);
	e = refuse_options(d, err);
	if (e)
		return e;
	d->stage = LIB_COMPILED;
	return DWELL_OK;
}

size_t dwell_diagnostics(const struct dwell *d)
{
	return d ? d->diags.n : 0;
}

int dwell_diagnostic(const struct dwell *d, size_t i, struct dwell_error *ret)
{
	if (!d || !ret || i >= d->diags.n)
		return DWELL_E_CALL;
	*ret = d->diags.v[i];
	return DWELL_OK;
}

int dwell_attach(struct dwell *d, struct dwell_error *err)
{
	int e;

	if (!d || d->stage != LIB_COMPILED)
		return lib_fail(err, DWELL_E_CALL, "dwell_attach: %s",
				d ? "only once, after dwell_compile()" : "the handle is NULL");
	e = runner_start(d, err);
	d->stage = e ? LIB_FAILED : LIB_ATTACHED;
	return e;
}

int dwell_read(struct dwell *d, const char *path, struct dwell_error *err)
{
	int e = check_open(d, "dwell_read", err);

	if (e)
		return e;
	if (!path)
		return lib_fail(err, DWELL_E_CALL, "dwell_read: the path is NULL");
	e = reader_open(d, path, err);
	d->stage = e ? LIB_FAILED : LIB_READING;
	return e;
}

/* Waits for a row or the end. False: none until then. */
static bool wait_for_row(struct dwell *d, int timeout_ms)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) +
			 (uint64_t)(timeout_ms < 0 ? 0 : timeout_ms) * (NSEC_PER_SEC / 1000);
	const struct timespec ts = clock_timespec(until);
	int e = 0;

	while (!d->queue.first && !d->queue.lost && !d->ended && e != ETIMEDOUT)
		e = timeout_ms < 0 ? pthread_cond_wait(&d->changed, &d->lock)
				   : pthread_cond_timedwait(&d->changed, &d->lock, &ts);
	return d->queue.first || d->queue.lost || d->ended;
}

static bool has_rows(const struct dwell *d)
{
	return d->stage == LIB_ATTACHED || d->stage == LIB_READING;
}

int dwell_next(struct dwell *d, int timeout_ms, const struct dwell_row **ret, struct dwell_error *err)
{
	struct queue_item *i;
	bool any;
	int e;

	if (!d || !ret || !has_rows(d))
		return lib_fail(err, DWELL_E_CALL, "dwell_next: %s",
				d && ret ? "only after dwell_attach() or dwell_read()"
					 : "handle and result must not be NULL");
	queue_item_free(take_ptr(d->held));
	if (d->stage == LIB_READING)
		reader_go_on(d);
	pthread_mutex_lock(&d->lock);
	any = wait_for_row(d, timeout_ms);
	i = queue_take(&d->queue);
	e = d->error;
	pthread_mutex_unlock(&d->lock);
	if (!i && e < 0)
		return lib_fail(err, DWELL_E_SYSTEM, "%s", d->failure);
	if (!i)
		return any ? DWELL_END : DWELL_TIMEOUT;
	d->held = i;
	if (queue_item_parse(i) < 0)
		return lib_fail(err, DWELL_E_MEMORY, "out of memory");
	*ret = &i->row;
	return DWELL_ROW;
}

int dwell_snapshot(struct dwell *d, const char *name, struct dwell_snapshot **ret, struct dwell_error *err)
{
	struct dwell_snapshot *s;
	int e;

	if (!d || !name || !ret)
		return lib_fail(err, DWELL_E_CALL, "dwell_snapshot: handle, name and result must not be NULL");
	if (!has_rows(d))
		return lib_fail(err, DWELL_E_CALL, "dwell_snapshot: only after dwell_attach() or dwell_read()");
	e = runner_snapshot(d, name);
	if (e == -ENOENT)
		return lib_fail(err, DWELL_E_CALL, "dwell_snapshot: the program has no aggregation @%s", name);
	s = e < 0 ? NULL : snapshot_of_line(&d->shown);
	if (!s)
		return lib_fail(err, DWELL_E_MEMORY, "out of memory");
	*ret = s;
	return DWELL_OK;
}

void dwell_stop(struct dwell *d)
{
	if (d)
		runner_ask(d, SESSION_ASK_STOP);
}

int dwell_exit_status(const struct dwell *d)
{
	return d ? d->res.exit_status : 0;
}

void dwell_close(struct dwell *d)
{
	if (!d)
		return;
	runner_done(d);
	compile_done(&d->w);
	request_done(&d->req);
	vec_free(&d->diags);
	strb_free(&d->said);
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
	if (d->wake >= 0)
		close(d->wake);
	free(d);
	__atomic_store_n(&taken, false, __ATOMIC_RELEASE);
}

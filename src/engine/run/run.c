/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a request, loads and attaches the programs, and shows their rows. */
#include <fcntl.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "engine/front/compile.h"
#include "base/lineout.h"
#include "engine/record/metrics.h"
#include "base/plainout.h"
#include "engine/record/record.h"
#include "engine/record/unstarted.h"
#include "engine/run/counters.h"
#include "engine/run/files.h"
#include "engine/run/refaults.h"
#include "engine/run/refuse.h"
#include "engine/run/run.h"
#include "engine/run/targets.h"
#include "engine/textopts.h"
#include "run/session/tmpdir.h"
#include "engine/why.h"
#include "run/session.h"
#include "run/os/signals.h"
#include "view/text/text.h"

/* One run and what it owns. */
#define COUNTERS_EVERY_NS (NSEC_PER_SEC / 2) /* rows come once a second at least, and not to the ns */

struct run {
	struct request *c;
	const struct run_observer *show; /* NULL: the text view shows all */
	struct compile_session w;
	struct why why; /* why() */
	struct targets targets;
	struct recording *rec;
	struct recorder *recorder;
	struct metrics_file *metrics;
	struct text_view *view;
	struct session *session;
	FILE *out;
	bool own_out;
	bool hangup;	  /* SIGHUP, not yet told */
	uint64_t counted; /* when the counters were read last; 0: not yet */
};

/* A probe that fires at several places counts once. */
static size_t count_probes(const struct clause_instance *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->probes.n; i++)
		n += !s->probes.v[i]->also && !s->probes.v[i]->later;
	return n;
}

/* The clause of this text for which probes may be found while it runs; NULL. */
static const struct clause_instance *waiting(const struct run *r, const struct prog_text *p)
{
	for (const struct clause_instance *s = r->w.prog->instances; s; s = s->next)
		for (size_t i = 0; s->at.src == &p->src && i < s->probes.n; i++)
			if (s->probes.v[i]->later)
				return s;
	return NULL;
}

/* The files with the functions of all processes that the text names ("pid*"). */
static void collect_files(const struct run *r, const struct prog_text *p, struct run_files *ret)
{
	struct probe_place at;

	for (const struct clause_instance *s = r->w.prog->instances; s; s = s->next)
		for (size_t i = 0; s->at.src == &p->src && i < s->probes.n; i++) {
			const struct probe *pr = s->probes.v[i];

			if (pr->every_process && !pr->later && strcmp(pr->prov, "pid*") == 0 &&
			    registry_place(pr, 0, &at))
				run_files_add(ret, &at);
		}
}

static const char *count_inlined(const struct run *r, const struct prog_text *p)
{
	size_t n = 0;

	for (const struct clause_instance *s = r->w.prog->instances; s; s = s->next)
		for (size_t i = 0; s->at.src == &p->src && i < s->probes.n; i++)
			n += s->probes.v[i]->inlined;
	return n && !r->c->as_dtrace ? arena_printf(r->c->arena, ", %zu of them inlined cop%s", n, n == 1 ? "y" : "ies")
				     : "";
}

/* With -Z: what comes of a description that matches nothing yet. */
static const char *outlook(const struct run *r, const struct prog_text *p, size_t n)
{
	const struct clause_instance *s = waiting(r, p);
	struct run_files files = { .n = 0 };

	if (!r->c->as_dtrace)
		collect_files(r, p, &files);
	if (files.n)
		return arena_printf(
			r->c->arena,
			": those of all processes in %zu file%s%s, and in files of that name that are mapped later",
			files.n, files.n == 1 ? "" : "s", files.more ? " or more" : "");
	if (n || !r->c->opts.zdefs || r->c->as_dtrace)
		return "";
	if (!s)
		return ": it waits in vain, since only static probes of programs, and functions of modules that it names, are "
		       "found later";
	return registry_is_user(r->w.reg, &s->desc) ? ": it waits for programs that have such static probes"
						    : ": it waits for a kernel module that has such functions";
}

/* $target is 0 without -p and -c: a text that compares with it, and does not ask whether there is one, sees nothing. */
static void notice_target(struct run *r, long target)
{
	for (size_t i = 0; i < r->c->progs.n && !target && !r->c->as_dtrace; i++) {
		const struct prog_text *p = &r->c->progs.v[i];
		const char *text = p->src.text;

		if (p->own || !text || strstr(text, "!$target") ||
		    (!strstr(text, "== $target") && !strstr(text, "==$target")))
			continue;
		listener_msg(&r->c->to,
			     "$target is 0, and no process has this number: -p PID or -c COMMAND is missing");
	}
}

/* Tells, unless quiet, what dtrace(1) tells: "description 'BEGIN' matched 1 probe". */
static void notice_matches(struct run *r)
{
	for (size_t i = 0; i < r->c->progs.n && !r->c->opts.quiet; i++) {
		const struct prog_text *p = &r->c->progs.v[i];
		size_t n = 0;

		if (p->own)
			continue;

		for (const struct clause_instance *s = r->w.prog->instances; s; s = s->next)
			if (s->at.src == &p->src && !s->event_again && !s->scan)
				n += count_probes(s);
		listener_msg(&r->c->to, "%s matched %zu probe%s%s%s", prog_label(r->c, p), n, n == 1 ? "" : "s",
			     count_inlined(r, p), outlook(r, p, n));
	}
}

/* The verifier's log, marked as DTrace marks it. */
static void show_log(void *ctx, const char *log)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	const struct run *r = ctx;

	while (*log) {
		int n = (int)strcspn(log, "\n");

		strb_printf(&b, "BPF: %.*s\n", n, log);
		log += n + (log[n] == '\n');
	}
	if (r->c->to.text)
		r->c->to.text(r->c->to.ctx, strb_str(&b));
}

static int fail_err(struct run *r, const char *what, int code, struct err *err, bool detail)
{
	listener_msg(&r->c->to, "%s%s%s", what, what[0] ? ": " : "", err->msg[0] ? err->msg : strerror(-code));
	if (detail && err->detail)
		show_log(r, err->detail);
	err_done(err);
	return code;
}

/* A command writes to standard output as well. */
static bool shares_output(const struct run *r)
{
	return r->c->commands.n || r->c->words;
}

static int open_output(struct run *r)
{
	r->out = stdout;
	if (!r->c->output && shares_output(r)) {
		r->out = lineout_open(STDOUT_FILENO);
		if (r->out && r->show && isatty(STDOUT_FILENO)) {
			FILE *f = plainout_open(r->out);

			r->out = f ? f : r->out;
		}
		r->own_out = r->out != NULL;
		return r->out ? 0 : listener_fail(&r->c->to, -ENOMEM, "out of memory");
	}
	if (!r->c->output)
		return 0;
	r->out = fopen(r->c->output, "ae");
	if (!r->out)
		return listener_fail(&r->c->to, -errno, "failed to open output file '%s': %s", r->c->output,
				     strerror(errno));
	r->own_out = true;
	return 0;
}

static int close_output(struct run *r)
{
	int e = 0;

	if (r->own_out && fclose(r->out) != 0)
		e = -errno;
	r->own_out = false;
	return e;
}

static int fail_write(const struct run *r, int e)
{
	const char *q = r->c->output ? "'" : "";

	if (e == -EPIPE)
		return e; /* the reader has left: nobody to tell */
	return listener_fail(&r->c->to, e, "failed to write to %s%s%s: %s", q,
			     r->c->output ? r->c->output : "standard output", q, strerror(-e));
}

static int list_probes(struct run *r, long target)
{
	int e = open_output(r), c;

	if (e)
		return e;
	e = compile_list(&r->w, r->c, target, r->out);
	c = close_output(r);
	return c < 0 ? fail_write(r, c) : e;
}

static void show_msg(void *run, const char *text)
{
	const struct run *r = run;

	listener_msg(&r->c->to, "%s", text);
}

/* setopt(): only what concerns the output may change while tracing is active. */
static const char *on_setopt(void *arg, const char *name, const char *value)
{
	struct run *r = arg;
	struct dopts known = r->c->opts;
	int e;

	if (textopts_dynamic(name)) {
		if (dopts_set(&r->c->opts, name, value, NULL) < 0)
			return "Invalid value for specified option";
		textopts_fill(text_view_opts(r->view), &r->c->opts);
		return NULL;
	}
	e = dopts_set(&known, name, value, NULL);
	return e == -ENOENT ? "Invalid option name" : "Operation illegal when tracing is active";
}

static void on_hangup(void *ctx)
{
	struct run *r = ctx;

	r->hangup = true;
}

/* Notes the kernel's counters as they are now. brief: those of what may be gone before the end. */
static int add_counters(struct run *r, bool brief)
{
	struct row row = { .kind = ROW_NOTE, .ts = clock_ns(CLOCK_MONOTONIC), .id = NOTE_COUNTERS };
	_cleanup_(strb_free) struct strb b = { 0 };

	if (!r->show || !r->show->counters)
		return 0;
	if (!brief)
		counters_read(&b, "");
	refaults_read(&b, "");
	row.data = strb_str(&b);
	row.len = b.n;
	return b.failed ? -ENOMEM : recording_append(r->rec, &row);
}

static int on_consume(void *ctx)
{
	struct run *r = ctx;
	struct row row, next;
	bool more;
	int e = 0;

	if (!r->show)
		return text_view_consume(r->view, r->rec);
	if (clock_ns(CLOCK_MONOTONIC) >= r->counted + COUNTERS_EVERY_NS) {
		e = add_counters(r, r->counted != 0);
		r->counted = clock_ns(CLOCK_MONOTONIC);
	}
	if (r->show->tick) {
		r->show->tick(r->show->ctx, r->recorder, r->hangup);
		r->hangup = false;
	}
	more = recording_next(r->rec, &row);
	for (; e >= 0 && more; row = next) {
		bool as_text = false;

		more = recording_next(r->rec, &next);
		if (more && next.kind == ROW_FLIGHT && r->show->flight)
			r->show->flight(r->show->ctx, &next);
		e = r->show->row(r->show->ctx, &row, &as_text);
		if (e >= 0 && as_text)
			e = text_view_row(r->view, &row);
	}
	recording_release(r->rec);
	if (e >= 0 && r->show->taken)
		e = r->show->taken(r->show->ctx);
	return e < 0 ? e : text_view_flush(r->view);
}

static bool wants_flight(void *ctx, const struct slow_event *e)
{
	const struct run_observer *show = ((struct run *)ctx)->show;

	return !show || !show->wants_flight || show->wants_flight(show->ctx, e);
}

/* After Ctrl-C the output goes on on a line of its own, also in quiet mode, as dtrace(1)'s does. */
static void on_stopping(void *ctx, enum session_stop stop)
{
	struct run *r = ctx;

	if (r->counted)
		(void)add_counters(r, false); /* without memory nothing else will work, and says so */
	if (stop == SESSION_SIGNAL && strcmp(r->c->opts.oformat, "json") != 0 &&
	    !(r->show && (r->show->lasting || r->show->apart)))
		text_view_end_line(r->view);
}

static int finish_output(struct run *r, int consumer_error)
{
	int e = consumer_error, closed;

	if (e >= 0 && r->show) {
		e = r->show->finish(r->show->ctx);
	} else if (e >= 0) {
		if (strcmp(r->c->opts.oformat, "json") != 0)
			text_view_end_line(r->view);
		e = text_view_finish(r->view);
	}
	closed = close_output(r);
	if (e >= 0)
		e = closed;
	return e < 0 ? fail_write(r, e) : 0;
}

/* As dtrace(1), which says nothing with -q. Commands of dwell's own say what they could be misunderstood without. */
static void tell_targets(const struct run *r, enum session_stop stop)
{
	bool tells = !r->c->opts.quiet, own = (r->show && !r->show->apart) || r->c->own;
	char how[TARGET_HOW_MAX];

	for (size_t i = 0; i < r->targets.n; i++) {
		bool failed = target_failed(r->targets.v[i], how, sizeof(how));

		if ((failed && (tells || own)) || (tells && stop == SESSION_TARGETS))
			listener_msg(&r->c->to, "pid %d %s", (int)target_pid(r->targets.v[i]), how);
	}
}

static bool is_cut(void)
{
	return signals_cut() != SIGNALS_UNCUT;
}

/* Tells how much is not printed because signals ended the run. */
static int tell_cut(const struct run *r)
{
	_cleanup_(strb_free) struct strb lost = { 0 };
	bool any = text_view_lost(r->view, &lost);

	if (signals_cut() == SIGNALS_BLOCKED)
		return listener_fail(&r->c->to, -ETIMEDOUT,
				     "nobody took the output for %.1f s after the signal: its end is not printed%s%s",
				     (double)SIGNALS_BLOCKED_NS / NSEC_PER_SEC, any ? ", nor are " : "",
				     strb_str(&lost));
	if (signals_cut() == SIGNALS_AGAIN)
		return listener_fail(&r->c->to, -EINTR, "a second signal ended the output: its end is not printed%s%s",
				     any ? ", nor are " : "", strb_str(&lost));
	if (any)
		listener_msg(&r->c->to, "%s still in the buffers after the signal: too much to be shown in %.1f s",
			     strb_str(&lost), (double)SIGNALS_RECORDS_NS / NSEC_PER_SEC);
	return 0;
}

static void fill_text_opts(struct run *r, struct text_opts *t)
{
	textopts_fill(t, &r->c->opts);
	t->verbose = r->c->verbose;
	t->for_picture = r->c->own;
	t->target = (uint32_t)targets_first(&r->targets);
	t->why = why_words;
	t->send = r->c->send;
	t->send_arg = r->c->send_arg;
	t->cut = is_cut;
	t->overdue = signals_overdue;
	t->why_arg = &r->why;
	t->no_final_aggs = r->show != NULL;
	t->tells_exit = !r->c->as_dtrace && !t->json;
}

static int open_recorder(struct run *r, const struct rec_schema *schema)
{
	int e;

	unstarted_begin();
	e = recorder_open(r->c, schema, r->rec, r->w.sym, &r->why, NULL, &r->recorder);
	unstarted_set(e ? NULL : r->c->opts.record);
	if (e == 0 && r->show && r->show->lasting) {
		recorder_no_costs(r->recorder);
		recorder_no_lines(r->recorder);
	}
	return e;
}

/* Ends what the session wrote to. e is what session_run() returned, told. 0 or -errno, told: the first thing that went
 * wrong. */
static int close_outputs(struct run *r, int e, const struct session_result *res)
{
	int shown, recorded, written;

	/* Where nothing was attached, a table of zeros would look as if it had been measured. */
	shown = e < 0 && !res->started && r->show
			? e
			: finish_output(r, res->stop == SESSION_CONSUMER ? res->consumer_error : 0);
	shown = shown ? shown : tell_cut(r);
	recorded = recorder_close(take_ptr(r->recorder));
	written = metrics_close(take_ptr(r->metrics));
	return e ? e : shown ? shown : recorded ? recorded : written;
}

static int run_session(struct run *r, int *ret_status)
{
	struct rec_schema *schema = session_schema(r->w.prog, r->w.image, &r->w.caps);
	struct session_result res = { 0 };
	struct session_config cfg = {
		.img = r->w.image,
		.prog = r->w.prog,
		.reg = r->w.reg,
		.ts = r->w.ts,
		.caps = &r->w.caps,
		.sym = r->w.sym,
		.history = r->c->opts.record[0] != '\0' && !(r->show && r->show->lasting),
		.targets = r->targets.v,
		.ntargets = r->targets.n,
		.for_ns = r->c->for_ns,
		.cg = &r->w.cg,
		.schema = schema,
		.consume = on_consume,
		.stopping = on_stopping,
		.hangup = r->show && r->show->tick ? on_hangup : NULL,
		.ctx = r,
		.wants_flight = wants_flight,
		.log = show_log,
	};
	struct text_opts topts = { 0 };
	struct err err = { 0 };
	bool log = r->c->opts.bpflog;
	int e;

	fill_text_opts(r, &topts);
	if (why_open(&r->why, &r->c->opts, &r->c->to, &err) < 0)
		return listener_fail(&r->c->to, err.code, "%s", err.msg);
	if (recording_new_memory(schema, &r->rec) < 0 ||
	    text_view_new(schema, r->w.sym, &topts, r->out, show_msg, r, &r->view) < 0)
		return listener_fail(&r->c->to, -ENOMEM, "out of memory");
	text_view_on_setopt(r->view, on_setopt, r);
	cfg.rec = r->rec;
	if (r->show && r->show->open(r->show->ctx, schema, r->w.sym, &r->why, r->out, &err) < 0)
		return listener_fail(&r->c->to, err.code, "%s", err.msg);
	if (r->c->opts.record[0] && (e = open_recorder(r, schema)))
		return e;
	if (r->c->opts.metrics[0] &&
	    (e = metrics_open(r->c->opts.metrics, request_one_in(r->c), schema, r->rec, &r->c->to, &r->metrics)))
		return e;
	e = session_new(&cfg, &r->session, &err);
	if (e < 0)
		return fail_err(r, "failed to enable probes", e, &err, log);
	if (r->show && r->show->ready && r->show->ready(r->show->ctx, r->session, targets_first(&r->targets), &err) < 0)
		return listener_fail(&r->c->to, err.code, "%s", err.msg);
	unstarted_commit();
	signals_watch(fileno(r->out));
	e = session_run(r->session, &res, &err);
	if (e < 0) {
		fflush(r->out);
		fail_err(r, "", e, &err, log);
	}
	tell_targets(r, res.stop);
	*ret_status = res.exit_status;
	return close_outputs(r, e, &res);
}

/* -ev */
static int report_stability(struct run *r)
{
	int e = open_output(r), c;

	if (e)
		return e;
	stability_print(&r->w, r->c, r->out);
	c = close_output(r);
	return c < 0 ? fail_write(r, c) : 0;
}

static int compile_and_run(struct run *r, long target, int *ret_status)
{
	int e = compile_image(&r->w, r->c, target);

	if (e)
		return e;
	if ((r->c->disassemble || r->c->opts.showcode) && r->c->to.text) {
		_cleanup_(strb_free) struct strb b = { 0 };

		image_dump(&b, r->w.image);
		r->c->to.text(r->c->to.ctx, strb_str(&b));
	}
	notice_matches(r);
	notice_target(r, target);
	/* a user that checks a foreign text wants to know what a run of it would say; dtrace -e says nothing
	 */
	if (r->c->compile_only && r->c->opts.confined && is_forbidden(r->c, &r->w))
		return refuse_destructive(r->c, &r->w);
	if (r->c->compile_only)
		return r->c->verbose ? report_stability(r) : 0;
	e = refuse_run(r->c, &r->w);
	if (e)
		return e;
	if (r->c->opts.destructive && !r->c->opts.quiet)
		listener_msg(&r->c->to, "allowing destructive actions");
	e = open_output(r);
	if (e)
		return e;
	if (r->c->verbose)
		stability_print(&r->w, r->c, r->out);
	tmpdir_clear_dead();
	return run_session(r, ret_status);
}

static void run_done(struct run *r)
{
	session_free(r->session);
	recorder_close(r->recorder);
	unstarted_remove();
	metrics_close(r->metrics);
	text_view_free(r->view);
	recording_free(r->rec);
	targets_free(&r->targets);
	if (r->own_out)
		fclose(r->out);
	why_done(&r->why);
	compile_done(&r->w);
}

int request_run(struct request *c, const struct run_observer *show, int *ret_status)
{
	struct run r = { .c = c, .show = show };
	int e = targets_open(&r.targets, c), unwanted;
	long target = targets_first(&r.targets);

	ret_status = ret_status ? ret_status : &unwanted;
	*ret_status = 0;
	if (!c->list && !c->compile_only)
		signals_early(!show || !show->tick);
	if (e == 0)
		e = compile_open(&r.w, c, target);
	if (e == 0)
		e = compile_parse(&r.w, c, target);
	if (e == 0)
		e = targets_advance(&r.targets, c, &r.w);
	if (e == 0)
		e = c->list ? list_probes(&r, target) : compile_and_run(&r, target, ret_status);
	run_done(&r);
	signals_late();
	return e;
}

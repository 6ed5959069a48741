/* SPDX-License-Identifier: Apache-2.0 */
/* Records the causes of waits for `dwell stat` with dlib/latency/why.d, in a child process, which sends its table
 * through a pipe. */
#include "stat/statwaits.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/readall.h"
#include "engine/run/run.h"
#include "latency/cause/whytab.h"

#define NO_TABLES "24h" /* from one table to the next: the last one is enough */

/* In the process that traces. */
struct tracing {
	int to;
	bool told; /* that it traces */
	const struct listener *listener;
	struct whytab *table;
	const struct rec_schema *schema;
};

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	struct tracing *t = ctx;
	struct causes *c;
	int e = why_read(why, &c, err);

	(void)out;
	t->schema = schema;
	if (e < 0)
		return e;
	return whytab_new(c, sym, &t->table) < 0 ? err_set(err, -ENOMEM, "out of memory") : 0;
}

static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	struct tracing *t = ctx;

	*ret_text = row->kind == ROW_DROPS || row->kind == ROW_NOTE || row->kind == ROW_FAULT;
	return row->kind == ROW_AGG ? whytab_add(t->table, t->schema, row) : 0;
}

/* The first time all probes are attached. */
static void on_tick(void *ctx, struct recorder *recorder, bool hangup)
{
	struct tracing *t = ctx;

	(void)recorder;
	(void)hangup;
	if (!t->told && write(t->to, "", 1) != 1)
		raise(SIGINT); /* nobody is there any more */
	t->told = true;
}

static void add_wait(struct stat_waits *all, const char *cause, const char *class, const struct why_sum *s)
{
	bool full = all->n == STAT_WAITS_MAX - 1;
	struct stat_wait *w;

	if (!s->count)
		return;
	w = &all->v[full ? all->n : all->n++];
	snprintf(w->cause, sizeof(w->cause), "%s", full ? "others" : cause);
	snprintf(w->class, sizeof(w->class), "%s", full ? "" : class);
	w->count += s->count;
	w->total_ns += s->total;
	w->max_ns = s->max > w->max_ns ? s->max : w->max_ns;
}

static int on_finish(void *ctx)
{
	struct tracing *t = ctx;
	struct stat_waits *all = calloc(1, sizeof(*all));
	const struct why_row *const *rows = NULL;
	struct why_sum brief = whytab_short(t->table, false);
	size_t n = all ? whytab_rows(t->table, false, &rows) : 0;
	ssize_t got;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		add_wait(all, rows[i]->words, cause_class_name(rows[i]->class), &rows[i]->all);
	all->n += all->n == STAT_WAITS_MAX - 1 && all->v[all->n].count;
	all->short_count = brief.count;
	all->short_ns = brief.total;
	got = write(t->to, all, sizeof(*all));
	free(all);
	return got == (ssize_t)sizeof(*all) ? 0 : -EPIPE;
}

void statwaits_request(struct request *c, pid_t target)
{
	c->own = true;
	request_shipped(c, "latency/why");
	request_param(c, "every", NO_TABLES);
	vec_push(&c->pids, (long)target);
}

static _Noreturn void trace(struct request *c, pid_t target, int to)
{
	struct tracing t = { .to = to, .listener = &c->to };
	const struct run_observer show = {
		.ctx = &t, .open = on_open, .row = on_row, .finish = on_finish, .tick = on_tick, .apart = true
	};
	bool failed;

	signal(SIGINT, SIG_DFL); /* the session takes signals its own way */
	signal(SIGTERM, SIG_DFL);
	statwaits_request(c, target);
	failed = request_run(c, &show, NULL) < 0;
	failed |= fflush(stdout) != 0;
	request_done(c);
	whytab_free(t.table);
	_exit(failed);
}

int statwaits_start(struct statwaits *w, struct request *c, pid_t target)
{
	int ends[2];
	char byte;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return listener_fail(&c->to, -errno, "stat: no pipe: %s", strerror(errno));
	fflush(NULL);
	w->pid = fork();
	if (w->pid == 0) {
		close(ends[0]);
		trace(c, target, ends[1]);
	}
	close(ends[1]);
	w->from = ends[0];
	if (w->pid < 0)
		return listener_fail(&c->to, -errno, "stat: --waits: cannot start a process: %s", strerror(errno));
	if (read(w->from, &byte, 1) == 1)
		return 0;
	close(w->from);
	waitpid(w->pid, NULL, 0);
	w->pid = 0;
	return -ECHILD; /* it has said why */
}

int statwaits_finish(struct statwaits *w, struct stat_waits *ret, const struct listener *to)
{
	int e;

	if (!w->pid)
		return 0;
	kill(w->pid, SIGINT);
	e = read_exactly(w->from, ret, sizeof(*ret));
	close(w->from);
	waitpid(w->pid, NULL, 0);
	w->pid = 0;
	return e == 0 ? 0 : listener_fail(to, -ECHILD, "stat: --waits: the process that traces has ended early");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Starts children and keeps their output. The pipe is always emptied, so that no tracer waits for a viewer. If the
 * buffer is full, the oldest output is dropped, and viewers are told how much they missed. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/jsonw.h"
#include "serve/serve_int.h"

#define READ_SIZE (64 << 10)
#define READS_MAX 16			  /* in a row: others want their turn */
#define FORGET_BYTES (SERVE_LOG_MAX / 16) /* at once, since the lines that stay are moved */

bool run_is_job(const struct run *r)
{
	return r->kind == SERVE_CHECK || r->kind == SERVE_PROBES || r->kind == SERVE_VIEW || r->kind == SERVE_FLEET ||
	       r->kind == SERVE_CORE;
}

/* Room for one more: the oldest that has ended and that nobody watches goes. */
static int make_room(struct server *s)
{
	if (s->runs.n < SERVE_RUNS_MAX)
		return 0;
	for (size_t i = 0; i < s->runs.n; i++) {
		struct run *r = s->runs.v[i];

		if (r->ended && !r->waiter && !stream_watched(s, r)) {
			run_free(s, r);
			return 0;
		}
	}
	return -EBUSY;
}

static bool is_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

int run_start(struct server *s, enum serve_kind kind, const char *text, size_t n, struct run **ret, struct err *err)
{
	struct run *r;
	int e = make_room(s);

	if (e < 0)
		return err_set(err, e, "%d programs are running already: stop one first", SERVE_RUNS_MAX);
	r = calloc(1, sizeof(*r));
	if (!r || !(r->program = strndup(text, n)) || vec_try_push(&s->runs, r) < 0) {
		if (r)
			free(r->program);
		free(r);
		return err_set(err, -ENOMEM, "out of memory");
	}
	r->id = ++s->last_run;
	r->kind = kind;
	r->child.out = r->child.err = -1;
	r->began = r->watched = clock_ns(CLOCK_MONOTONIC);
	e = s->c->start(s->c->ctx, kind, text, n, &r->child, err);
	if (e < 0) {
		r->ended = true;
		run_free(s, r);
		return e;
	}
	r->in_file = is_file(r->child.out);
	*ret = r;
	return 0;
}

struct run *run_find(const struct server *s, unsigned long id)
{
	for (size_t i = 0; i < s->runs.n; i++)
		if (s->runs.v[i]->id == id && !run_is_job(s->runs.v[i]))
			return s->runs.v[i];
	return NULL;
}

void run_stop(struct server *s, struct run *r)
{
	if (r->ended || r->stopped)
		return;
	r->stopped = true;
	s->c->stop(s->c->ctx, r->child.id);
}

void run_free(struct server *s, struct run *r)
{
	run_stop(s, r);
	for (size_t i = 0; i < s->runs.n; i++)
		if (s->runs.v[i] == r) {
			memmove(&s->runs.v[i], &s->runs.v[i + 1], (s->runs.n - i - 1) * sizeof(r));
			s->runs.n--;
			break;
		}
	if (r->waiter)
		r->waiter->job = NULL;
	closep(&r->child.out);
	closep(&r->child.err);
	for (size_t i = 0; i < r->lines.n; i++)
		free(r->lines.v[i].s);
	vec_free(&r->lines);
	for (size_t i = 0; i < r->kept.n; i++)
		free(r->kept.v[i].l.s);
	vec_free(&r->kept);
	strb_free(&r->part);
	strb_free(&r->messages);
	free(r->program);
	free(r);
}

/* Whether a line that is being forgotten stays nevertheless. */
static bool keep(struct run *r, struct line l, uint64_t number)
{
	if (!jsonw_is_type(l.s, "message") && !jsonw_is_type(l.s, "diagnostic"))
		return false;
	if (r->kept_bytes + l.n > SERVE_KEPT_MAX || vec_try_push(&r->kept, ((struct kept){ number, l })) < 0)
		return false;
	r->kept_bytes += l.n;
	return true;
}

/* Forgets the oldest lines unless `more` bytes fit: for each line alone a flood would keep the server busy with
 * moving. */
static void forget(struct run *r, size_t more)
{
	size_t k = 0;

	if (r->bytes + more <= SERVE_LOG_MAX)
		return;
	for (; k < r->lines.n && r->bytes + more > SERVE_LOG_MAX - FORGET_BYTES; k++) {
		r->bytes -= r->lines.v[k].n;
		if (!keep(r, r->lines.v[k], r->first + k))
			free(r->lines.v[k].s);
	}
	if (!k)
		return;
	memmove(r->lines.v, r->lines.v + k, (r->lines.n - k) * sizeof(*r->lines.v));
	r->lines.n -= k;
	r->first += k;
}

static void add_line(struct run *r)
{
	size_t n = r->part.n;
	struct line l = { strb_take(&r->part), n };

	forget(r, n);
	if (!l.s || vec_try_push(&r->lines, l) < 0) {
		free(l.s);
		r->skipped++;
		return;
	}
	r->bytes += n;
}

/* Keeps all output of a view, up to a limit. */
static void take_whole(struct run *r, const char *p, size_t n)
{
	if (r->skipped || r->part.n + n > SERVE_VIEW_MAX) {
		r->skipped = 1;
		strb_reset(&r->part);
	} else {
		strb_add(&r->part, p, n);
	}
}

static void take(struct run *r, const char *p, size_t n)
{
	while (n > 0) {
		const char *nl = memchr(p, '\n', n);
		size_t k = nl ? (size_t)(nl - p) : n;

		if (!r->skipping && r->part.n + k > SERVE_LINE_MAX) {
			r->skipping = true;
			strb_reset(&r->part);
		}
		if (!r->skipping)
			strb_add(&r->part, p, k);
		if (nl) {
			if (r->skipping)
				r->skipped++;
			else if (r->part.n > 0)
				add_line(r);
			r->skipping = false;
			k++;
		}
		p += k;
		n -= k;
	}
}

/* Reads from one pipe; false: it is still open. */
static bool drain(struct run *r, int *fd, bool is_out)
{
	char buf[READ_SIZE];

	for (int i = 0; *fd >= 0 && i < READS_MAX; i++) {
		ssize_t n = read(*fd, buf, sizeof(buf));

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		if (n <= 0) {
			close(*fd);
			*fd = -1;
			break;
		}
		if (is_out && r->kind == SERVE_VIEW)
			take_whole(r, buf, (size_t)n);
		else if (is_out)
			take(r, buf, (size_t)n);
		else if (r->messages.n < SERVE_LOG_MAX)
			strb_add(&r->messages, buf, (size_t)n);
	}
	return *fd < 0;
}

bool run_read(struct server *s, struct run *r)
{
	uint64_t before = r->first + r->lines.n;
	bool out = r->in_file || drain(r, &r->child.out, true), err = drain(r, &r->child.err, false);

	if (out && err && !r->ended) {
		if (r->part.n && r->kind != SERVE_VIEW)
			add_line(r);
		r->ended = true;
		if (r->waiter)
			mhd.resume_connection(r->waiter->conn);
		else if (run_is_job(r)) { /* the client has gone */
			run_free(s, r);
			return false;
		}
		return true;
	}
	return r->first + r->lines.n != before;
}

void run_check_times(struct server *s, uint64_t now)
{
	for (size_t i = 0; i < s->runs.n; i++) {
		struct run *r = s->runs.v[i];

		if (r->ended)
			continue;
		if (stream_watched(s, r))
			r->watched = now;
		if (now - r->watched > (run_is_job(r) ? SERVE_ANSWER_S : SERVE_IDLE_S) * NSEC_PER_SEC)
			run_stop(s, r);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the server's loop: one thread, one poll() over the HTTP library, the children's pipes and the request to
 * stop. */
#include "serve/serve.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "serve/serve_int.h"

static int timeout_of(const struct server *s)
{
	MHD_UNSIGNED_LONG_LONG ms;
	int gate = gate_wait_ms(s->gate);

	return mhd.get_timeout(s->http, &ms) == MHD_YES && ms < (unsigned)gate ? (int)ms : gate;
}

/* Outputs of children. Runs may go while this looks at them: each is found again by its number. */
static void read_children(struct server *s, const struct pollfd *p, size_t n, const uint32_t *ids)
{
	for (size_t i = 0; i < n; i++) {
		if (!p[i].revents)
			continue;
		for (size_t k = 0; k < s->runs.n; k++)
			if (s->runs.v[k]->id == ids[i]) {
				struct run *r = s->runs.v[k];

				if (run_read(s, r))
					stream_news(s, r);
				break;
			}
	}
}

static size_t gather(struct server *s, struct pollfd *p, uint32_t *ids)
{
	size_t n = 0;

	for (size_t i = 0; i < s->runs.n; i++) {
		const struct run *r = s->runs.v[i];

		if (r->child.out >= 0 && !r->in_file) {
			ids[n] = r->id;
			p[n++] = (struct pollfd){ r->child.out, POLLIN, 0 };
		}
		if (r->child.err >= 0) {
			ids[n] = r->id;
			p[n++] = (struct pollfd){ r->child.err, POLLIN, 0 };
		}
	}
	return n;
}

static int loop(struct server *s, struct err *err)
{
	const union MHD_DaemonInfo *info = mhd.get_daemon_info(s->http, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd p[3 + 2 * SERVE_RUNS_MAX];
	uint32_t ids[2 * SERVE_RUNS_MAX];

	if (!info)
		return err_set(err, -ENOTSUP, "the HTTP library has no epoll");
	for (;;) {
		size_t n = gather(s, p + 3, ids);
		uint64_t now;

		p[0] = (struct pollfd){ info->epoll_fd, POLLIN, 0 };
		p[1] = (struct pollfd){ s->c->stop_fd, POLLIN, 0 };
		p[2] = (struct pollfd){ gate_fd(s->gate), POLLIN, 0 };
		if (poll(p, n + 3, timeout_of(s)) < 0 && errno != EINTR)
			return err_set(err, -errno, "poll: %s", strerror(errno));
		if (p[1].revents)
			return 0;
		read_children(s, p + 3, n, ids);
		now = clock_ns(CLOCK_MONOTONIC);
		stream_keep_alive(s, now);
		run_check_times(s, now);
		gate_run(s->gate, s->http);
		mhd.run(s->http);
	}
}

int serve(const struct serve_config *c, struct err *err)
{
	struct server s = { .c = c, .began = clock_ns(CLOCK_MONOTONIC) };
	int r = mhd_open(err);

	if (r == 0)
		r = http_start(&s, err);
	if (r == 0)
		r = loop(&s, err);
	s.ending = true;
	stream_wake_all(&s);
	for (size_t i = 0; i < s.runs.n; i++)
		if (s.runs.v[i]->waiter && !s.runs.v[i]->ended)
			mhd.resume_connection(s.runs.v[i]->waiter->conn);
	if (s.http)
		mhd.run(s.http);
	http_stop(&s);
	while (s.runs.n)
		run_free(&s, s.runs.v[s.runs.n - 1]);
	recordings_forget_all(&s);
	vec_free(&s.runs);
	vec_free(&s.streams);
	return r;
}

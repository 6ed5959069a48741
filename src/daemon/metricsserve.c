/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/metricsserve.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "launcher/listen.h"
#include "serve/textserve.h"

#define WHERE_LEN 160
#define HOST_LEN 64

struct metricsserve {
	int in; /* the feed; -1: the server has gone */
	pid_t pid;
	char where[WHERE_LEN];
	const struct listener *to;
	char *socket; /* of unix: removed at the end */
};

struct place {
	char host[HOST_LEN]; /* without brackets */
	uint64_t port;
	char names[3][WHERE_LEN];
	const char *hosts[4]; /* what Host may say; hosts[0] NULL: anything */
};

/* "PORT", "HOST:PORT", "[HOST]:PORT" */
static bool parse(const char *where, struct place *p)
{
	const char *colon = strrchr(where, ':'), *port = colon ? colon + 1 : where;
	size_t n = colon ? (size_t)(colon - where) : 0;
	bool brackets = n >= 2 && where[0] == '[' && where[n - 1] == ']';

	if (num_parse_u64(port, &p->port) < 0 || p->port > UINT16_MAX || n >= HOST_LEN ||
	    (!brackets && memchr(where, ':', n)))
		return false;
	snprintf(p->host, sizeof(p->host), "%.*s", (int)(brackets ? n - 2 : n), where + brackets);
	if (!n || !strcmp(p->host, "localhost"))
		strcpy(p->host, "127.0.0.1");
	return true;
}

/* A page of elsewhere may have a name of its own that leads to loopback: there only our names are answered. A socket on
 * another address answers to any name, because anybody in the network can reach it. */
static void name_hosts(struct place *p)
{
	bool v6 = strchr(p->host, ':') != NULL;
	bool loopback = !strncmp(p->host, "127.", 4) || !strcmp(p->host, "::1");

	snprintf(p->names[0], WHERE_LEN, v6 ? "[%s]:%u" : "%s:%u", p->host, (unsigned)p->port);
	snprintf(p->names[1], WHERE_LEN, "localhost:%u", (unsigned)p->port);
	for (int i = 0; i < 2 && loopback; i++)
		p->hosts[i] = p->names[i];
}

/* The socket; < 0: told. */
static int open_socket(const char *where, struct metricsserve *s, struct place *p)
{
	const struct listener *to = s->to;
	int fd;

	if (!strncmp(where, "unix:", 5)) {
		fd = listen_unix(where + 5);
		if (fd >= 0)
			s->socket = strdup(where + 5);
		snprintf(s->where, sizeof(s->where), "%s", where);
	} else {
		if (!parse(where, p)) {
			return listener_fail(to, LISTENER_WRONG,
					     "--metrics: '%s' is no PORT, ADDRESS:PORT or unix:PATH", where);
		}
		fd = listen_tcp(p->host, &p->port);
		name_hosts(p);
		snprintf(s->where, sizeof(s->where), "http://%s/metrics", p->names[0]);
	}
	if (fd == -EINVAL)
		return listener_fail(to, LISTENER_WRONG,
				     "--metrics: '%s': an address in numbers is wanted, such as 127.0.0.1", where);
	return fd < 0 ? listener_fail(to, fd, "--metrics: cannot listen on %s: %s", where, strerror(-fd)) : fd;
}

/* Runs in the process that serves. 0 or -errno, told. */
static int run_server(const struct listener *to, int listen_fd, int feed, const struct place *p)
{
	const struct textserve_config c = { .listen_fd = listen_fd,
					    .hosts = p->hosts[0] ? p->hosts : NULL,
					    .feed_fd = feed };
	struct err err = { 0 };
	int r;

	/* The feed's end is the word to end, not what a terminal sends to all. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	r = listen_confine();
	if (r < 0)
		return listener_fail(to, r, "--metrics: cannot give up privileges: %s", strerror(-r));
	return textserve(&c, &err) < 0 ? listener_fail(to, err.code, "--metrics: %s", err.msg) : 0;
}

int metricsserve_start(const char *where, int close_fd, const struct listener *to, struct metricsserve **ret)
{
	struct metricsserve *s = calloc(1, sizeof(*s));
	_cleanup_close_ int fd = -1, out = -1;
	struct place p = { 0 };
	int r;

	if (!s)
		return listener_fail(to, -ENOMEM, "out of memory");
	*ret = s;
	s->in = -1;
	s->to = to;
	fd = open_socket(where, s, &p);
	if (fd < 0)
		return fd;
	if (textserve_pair(&s->in, &out) < 0)
		return listener_fail(to, -errno, "--metrics: %s", strerror(errno));
	fflush(stdout);
	s->pid = fork();
	if (s->pid < 0)
		return listener_fail(to, -errno, "--metrics: fork: %s", strerror(errno));
	if (s->pid == 0) {
		close(s->in);
		if (close_fd >= 0)
			close(close_fd);
		_exit(run_server(to, fd, out, &p) < 0);
	}
	closep(&out);
	out = -1;
	r = textserve_wait(s->in);
	if (r == -EPIPE)
		return r; /* it has said why */
	return r < 0 ? listener_fail(to, r, "--metrics: the server does not start: %s", strerror(-r)) : 0;
}

const char *metricsserve_where(const struct metricsserve *s)
{
	return s->where;
}

void metricsserve_feed(struct metricsserve *s, struct metrics *m, uint64_t now)
{
	struct strb b = { 0 };
	int r;

	if (s->in < 0)
		return;
	r = metrics_write(&b, m, now);
	if (r == 0)
		r = textserve_feed(s->in, b.s, b.n);
	if (r == -EPIPE) {
		listener_msg(s->to, "the process that serves the metrics has ended");
		closep(&s->in);
		s->in = -1;
		waitpid(s->pid, NULL, 0); /* it has closed its end: it is ending */
		s->pid = 0;
	}
	strb_free(&b);
}

void metricsserve_stop(struct metricsserve *s)
{
	if (!s)
		return;
	closep(&s->in);
	if (s->pid > 0)
		waitpid(s->pid, NULL, 0);
	if (s->socket)
		unlink(s->socket);
	free(s->socket);
	free(s);
}

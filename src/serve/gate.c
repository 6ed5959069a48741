/* SPDX-License-Identifier: Apache-2.0 */
/* Accepts connections and checks the heads of their requests. The bytes of a head stay in the socket (MSG_PEEK),
 * so that the library finds it whole; edge-triggered epoll tells when more of it has come. */
#include "serve/gate.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/jsonw.h"
#include "base/strb.h"
#include "base/units.h"
#include "serve/head.h"
#include "serve/serve_int.h"

#define DRAIN_READS 64 /* in a turn */
#define RETRY_MS 100   /* after a connection could not be taken: no descriptors, no memory */

enum stage {
	FREE,
	HEAD,	  /* strangers: of whom the head is not whole, … */
	DRAINING, /* … whom the gate has answered, … */
	ASKING,	  /* … whom the library has */
	KNOWN,
	CLOSING, /* shut down; the library has it still */
};

struct guest {
	enum stage stage;
	int fd;
	bool said;	/* something has come of the head */
	bool theirs;	/* the library has told that it has the connection, and will tell when it closes it */
	uint64_t since; /* ns: when it was accepted; of a body: when it began to come */
	uint64_t until; /* ns: when it is closed; 0: not */
	bool has_body;
};

struct gate {
	struct gate_config c;
	int epoll;
	bool more;
	uint64_t retry; /* ns: no earlier */
	unsigned nslots;
	struct guest slots[GATE_SLOTS_MAX];
};

static bool is_stranger(const struct guest *s)
{
	return s->stage == HEAD || s->stage == DRAINING || s->stage == ASKING;
}

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* -- closing -- */

/* The library closes what it has, when it finds that it was shut down. */
static void close_guest(struct guest *s)
{
	if (s->theirs) {
		shutdown(s->fd, SHUT_RDWR);
		s->stage = CLOSING;
		s->until = 0;
		return;
	}
	if (s->stage == HEAD || s->stage == DRAINING)
		close(s->fd);
	*s = (struct guest){ 0 };
}

/* An answer of the gate's own. It fits the socket's buffer: nothing was sent before. */
static void answer(const struct gate *g, struct guest *s, int status, const char *reason)
{
	_cleanup_(strb_free) struct strb body = { 0 }, b = { 0 };

	if (!strcmp(g->c.type, "application/json")) {
		http_error_body(&body, reason);
	} else {
		strb_printf(&body, "%s\n", reason);
	}
	strb_printf(&b,
		    "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
		    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n%s",
		    status, mhd.get_reason_phrase_for((unsigned)status), g->c.type, body.n, strb_str(&body));
	if (send(s->fd, strb_str(&b), b.n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 || shutdown(s->fd, SHUT_WR) < 0) {
		close_guest(s);
		return;
	}
	s->stage = DRAINING;
	s->until = now_ns() + GATE_DRAIN_S * NSEC_PER_SEC;
}

/* A socket that is closed with something unread in it is reset, and the answer lost. */
static void drain(struct guest *s)
{
	char buf[4096];

	for (int i = 0; i < DRAIN_READS; i++) {
		ssize_t n = recv(s->fd, buf, sizeof(buf), MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			close_guest(s);
			return;
		}
	}
}

static void close_late(struct gate *g)
{
	uint64_t now = now_ns();

	for (unsigned i = 0; i < g->nslots; i++) {
		struct guest *s = &g->slots[i];

		if (!s->until || now < s->until)
			continue;
		if (s->stage == HEAD && s->said)
			answer(g, s, MHD_HTTP_REQUEST_TIMEOUT, "the head of the request did not come in time");
		else
			close_guest(s);
	}
}

/* -- room -- */

static struct guest *oldest(struct gate *g, bool known)
{
	struct guest *found = NULL;

	for (unsigned i = 0; i < g->nslots; i++) {
		struct guest *s = &g->slots[i];

		if ((known ? s->stage == KNOWN : is_stranger(s)) && (!found || s->since < found->since))
			found = s;
	}
	return found;
}

static unsigned count(const struct gate *g, bool known)
{
	unsigned n = 0;

	for (unsigned i = 0; i < g->nslots; i++)
		n += known ? g->slots[i].stage == KNOWN : is_stranger(&g->slots[i]);
	return n;
}

static struct guest *free_slot(struct gate *g)
{
	for (unsigned i = 0; i < g->nslots; i++)
		if (g->slots[i].stage == FREE)
			return &g->slots[i];
	return NULL;
}

/* -- heads -- */

static void hand_over(struct guest *s, struct MHD_Daemon *http, int epoll)
{
	struct sockaddr_storage a = { 0 };
	socklen_t n = sizeof(a);
	int fd = s->fd;

	epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
	if (getpeername(fd, (struct sockaddr *)&a, &n) < 0) {
		close_guest(s);
		return;
	}
	s->stage = ASKING;
	if (mhd.add_connection(http, fd, (struct sockaddr *)&a, n) != MHD_YES)
		*s = (struct guest){ 0 }; /* the library has closed it */
}

static void read_head(struct gate *g, struct guest *s, struct MHD_Daemon *http)
{
	char buf[HEAD_MAX];
	struct head_verdict v;
	ssize_t n;

	do
		n = recv(s->fd, buf, sizeof(buf), MSG_PEEK | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		close_guest(s);
		return;
	}
	s->said = true;
	v = head_judge(buf, (size_t)n);
	if (v.is == HEAD_WHOLE) {
		hand_over(s, http, g->epoll);
	} else if (v.is == HEAD_WRONG) {
		answer(g, s, v.status, v.reason);
		if (s->stage == DRAINING)
			drain(s);
	}
}

/* Since `buf` never changes at its beginning, a half-closed connection whose head is not whole would be peeked at once
 * and never again. So its end is an event of its own. */
static void on_event(struct gate *g, struct guest *s, uint32_t events, struct MHD_Daemon *http)
{
	if (s->stage == HEAD)
		read_head(g, s, http);
	else if (s->stage == DRAINING)
		drain(s);
	if (s->stage == HEAD && (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)))
		close_guest(s);
}

/* -- accepting -- */

/* False: none can be taken now. */
static bool admit(struct gate *g, struct MHD_Daemon *http)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET };
	struct guest *s = free_slot(g);
	uint64_t now = now_ns();
	int fd;

	if (!s)
		return false; /* until the library has noticed what was shut down */
	fd = accept4(g->c.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0) {
		g->more = errno != EAGAIN;
		if (g->more && errno != EINTR && errno != ECONNABORTED) {
			g->retry = now + RETRY_MS * (NSEC_PER_SEC / 1000);
			if ((s = oldest(g, false)))
				close_guest(s);
		}
		return false;
	}
	if (count(g, false) >= g->c.strangers)
		close_guest(oldest(g, false));
	*s = (struct guest){ .stage = HEAD, .fd = fd, .since = now, .until = now + g->c.stranger_s * NSEC_PER_SEC };
	e.data.u32 = (uint32_t)(s - g->slots);
	if (epoll_ctl(g->epoll, EPOLL_CTL_ADD, fd, &e) < 0)
		close_guest(s);
	else
		read_head(g, s, http);
	return true;
}

void gate_run(struct gate *g, struct MHD_Daemon *http)
{
	struct epoll_event e[GATE_BATCH];
	int n = epoll_wait(g->epoll, e, GATE_BATCH, 0);

	for (int i = 0; i < n; i++) {
		if (e[i].data.u32 == GATE_SLOTS_MAX)
			g->more = true;
		else
			on_event(g, &g->slots[e[i].data.u32], e[i].events, http);
	}
	close_late(g);
	if (!g->more || now_ns() < g->retry)
		return;
	for (int i = 0; i < GATE_BATCH && admit(g, http); i++)
		;
}

int gate_wait_ms(const struct gate *g)
{
	uint64_t now = now_ns();

	if (!g->more)
		return GATE_TICK_MS;
	return now >= g->retry ? 0 : RETRY_MS;
}

/* -- what the library tells -- */

void gate_on_connection(void *arg, struct MHD_Connection *conn, void **context,
			enum MHD_ConnectionNotificationCode what)
{
	struct gate *g = arg;
	const union MHD_ConnectionInfo *info = mhd.get_connection_info(conn, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct guest *s = *context;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (s)
			*s = (struct guest){ 0 };
		*context = NULL;
		return;
	}
	for (unsigned i = 0; info && i < g->nslots; i++)
		if (g->slots[i].stage == ASKING && g->slots[i].fd == info->connect_fd) {
			g->slots[i].theirs = true;
			*context = &g->slots[i];
		}
}

static struct guest *guest_of(struct MHD_Connection *conn)
{
	const union MHD_ConnectionInfo *info = mhd.get_connection_info(conn, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

bool gate_know(struct gate *g, struct MHD_Connection *conn)
{
	struct guest *s = guest_of(conn);

	if (!s || s->stage != ASKING)
		return s && s->stage == KNOWN;
	if (count(g, true) >= g->c.known) {
		if (!g->c.known_give_way)
			return false;
		close_guest(oldest(g, true));
	}
	s->stage = KNOWN;
	s->until = g->c.known_s ? s->since + g->c.known_s * NSEC_PER_SEC : 0;
	return true;
}

void gate_body(struct gate *g, struct MHD_Connection *conn, uint64_t bytes, bool whole)
{
	struct guest *s = guest_of(conn);

	if (!s || s->stage != KNOWN || g->c.known_s)
		return;
	if (!s->has_body) {
		s->has_body = true;
		s->since = now_ns();
	}
	s->until = whole ? 0 : s->since + GATE_BODY_S * NSEC_PER_SEC + bytes * NSEC_PER_SEC / GATE_BODY_PACE;
}

/* -- life -- */

int gate_fd(const struct gate *g)
{
	return g->epoll;
}

unsigned gate_room(const struct gate *g)
{
	return g->nslots;
}

int gate_new(const struct gate_config *c, struct gate **ret)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLET, .data.u32 = GATE_SLOTS_MAX };
	struct gate *g = calloc(1, sizeof(*g));
	int r;

	if (!g) {
		close(c->listen_fd);
		return -ENOMEM;
	}
	g->c = *c;
	g->nslots = c->strangers + c->known + GATE_CLOSING;
	g->more = true;
	g->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (g->nslots > GATE_SLOTS_MAX)
		r = -EINVAL;
	else
		r = g->epoll < 0 || epoll_ctl(g->epoll, EPOLL_CTL_ADD, c->listen_fd, &e) < 0 ? -errno : 0;
	if (r < 0) {
		gate_free(g);
		return r;
	}
	*ret = g;
	return 0;
}

void gate_free(struct gate *g)
{
	if (!g)
		return;
	for (unsigned i = 0; i < g->nslots && i < GATE_SLOTS_MAX; i++)
		close_guest(&g->slots[i]);
	closep(&g->c.listen_fd);
	closep(&g->epoll);
	free(g);
}

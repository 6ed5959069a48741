/* SPDX-License-Identifier: Apache-2.0 */
/* The server of one text. The text comes as a sealed file in memory: the server maps what cannot change any more. */
#include "serve/textserve.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "serve/serve_int.h"

#define TICK_MS 1000
#define MEMORY_PER_CONNECTION (16 << 10) /* headers that do not fit are refused */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)
#define CONTENT_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

struct texts {
	const struct textserve_config *c;
	struct MHD_Daemon *http;
	struct MHD_Response *text; /* the newest; NULL: none yet */
	struct {
		int fd; /* -1: free */
		uint64_t since;
	} conns[TEXTSERVE_CONNECTIONS_MAX];
};

/* -- the feed -- */

int textserve_pair(int *ret_in, int *ret_out)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd) < 0)
		return -errno;
	*ret_in = fd[0];
	*ret_out = fd[1];
	return 0;
}

union fd_msg {
	struct cmsghdr align;
	char buf[CMSG_SPACE(sizeof(int))];
};

int textserve_feed(int in, const char *text, size_t n)
{
	_cleanup_close_ int fd = memfd_create("metrics", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct iovec byte = { .iov_base = (char[]){ 1 }, .iov_len = 1 };
	union fd_msg u = { 0 };
	struct msghdr m = { .msg_iov = &byte, .msg_iovlen = 1, .msg_control = u.buf, .msg_controllen = sizeof(u.buf) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n || fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return errno ? -errno : -EIO;
	*c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (sendmsg(in, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
		return errno == ECONNRESET ? -EPIPE : -errno;
	return 0;
}

/* The next descriptor of the feed: -EAGAIN: none now; 0: the feed has ended. */
static int receive(int out)
{
	char byte;
	struct iovec v = { .iov_base = &byte, .iov_len = 1 };
	union fd_msg u = { 0 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = u.buf, .msg_controllen = sizeof(u.buf) };
	ssize_t n = recvmsg(out, &m, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	int fd;

	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof(int)))
		return 0;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static struct MHD_Response *response_of(int fd)
{
	struct MHD_Response *r = NULL;
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0 || st.st_size <= 0 || st.st_size > (off_t)TEXTSERVE_TEXT_MAX)
		return NULL;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return NULL;
	r = mhd.create_response_from_buffer((size_t)st.st_size, p, MHD_RESPMEM_MUST_COPY);
	munmap(p, (size_t)st.st_size);
	if (r)
		mhd.add_response_header(r, "Content-Type", CONTENT_TYPE);
	return r;
}

/* False: the feed has ended. */
static bool take_texts(struct texts *t)
{
	int fd;

	while ((fd = receive(t->c->feed_fd)) > 0) {
		struct MHD_Response *r = response_of(fd);

		close(fd);
		if (!r)
			continue;
		if (t->text)
			mhd.destroy_response(t->text); /* requests under way have their own share */
		t->text = r;
	}
	return fd == -EAGAIN;
}

/* -- requests -- */

static enum MHD_Result say(struct MHD_Connection *conn, unsigned status, const char *text)
{
	struct MHD_Response *r = mhd.create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result e;

	if (!r)
		return MHD_NO;
	mhd.add_response_header(r, "Content-Type", "text/plain; charset=utf-8");
	e = mhd.queue_response(conn, status, r);
	mhd.destroy_response(r);
	return e;
}

static bool host_is_ours(const struct texts *t, struct MHD_Connection *conn)
{
	const char *host = mhd.lookup_connection_value(conn, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	for (const char *const *h = t->c->hosts; h && host && *h; h++)
		if (!strcmp(host, *h))
			return true;
	return !t->c->hosts;
}

/* Answered at its headers; what else comes is not read. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *conn, const char *url, const char *method,
				  const char *version, const char *data, size_t *n, void **state)
{
	static char seen;
	struct texts *t = arg;

	(void)version;
	(void)data;
	if (!*state && !strcmp(method, "GET")) { /* answers come at the second call, where connections can be kept */
		*state = &seen;
		return MHD_YES;
	}
	*n = 0;
	if (!host_is_ours(t, conn))
		return say(conn, MHD_HTTP_FORBIDDEN, "asked by another host name than this server's own\n");
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return say(conn, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (strcmp(url, "/metrics") != 0)
		return say(conn, MHD_HTTP_NOT_FOUND, "there is only /metrics\n");
	return t->text ? mhd.queue_response(conn, MHD_HTTP_OK, t->text) :
			 say(conn, MHD_HTTP_SERVICE_UNAVAILABLE, "nothing is measured yet\n");
}

static int socket_of(struct MHD_Connection *conn)
{
	const union MHD_ConnectionInfo *i = mhd.get_connection_info(conn, MHD_CONNECTION_INFO_CONNECTION_FD);

	return i ? i->connect_fd : -1;
}

static void on_connection(void *arg, struct MHD_Connection *conn, void **state, enum MHD_ConnectionNotificationCode what)
{
	struct texts *t = arg;
	int fd = socket_of(conn);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t->conns); i++) {
		bool begins = what == MHD_CONNECTION_NOTIFY_STARTED;

		if (t->conns[i].fd != (begins ? -1 : fd))
			continue;
		t->conns[i].fd = begins ? fd : -1;
		t->conns[i].since = clock_ns(CLOCK_MONOTONIC);
		return;
	}
}

/* Who reads or writes a byte now and then keeps nobody out for long. */
static void close_slow(struct texts *t)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < ARRAY_SIZE(t->conns); i++)
		if (t->conns[i].fd >= 0 && now - t->conns[i].since > TEXTSERVE_PATIENCE_S * NSEC_PER_SEC)
			shutdown(t->conns[i].fd, SHUT_RDWR);
}

static int loop(struct texts *t, struct err *err)
{
	const union MHD_DaemonInfo *info = mhd.get_daemon_info(t->http, MHD_DAEMON_INFO_EPOLL_FD);

	if (!info)
		return err_set(err, -ENOTSUP, "the HTTP library has no epoll");
	for (;;) {
		struct pollfd p[] = { { info->epoll_fd, POLLIN, 0 }, { t->c->feed_fd, POLLIN, 0 } };
		MHD_UNSIGNED_LONG_LONG ms = TICK_MS;

		if (mhd.get_timeout(t->http, &ms) != MHD_YES || ms > TICK_MS)
			ms = TICK_MS;
		if (poll(p, 2, (int)ms) < 0 && errno != EINTR)
			return err_set(err, -errno, "poll: %s", strerror(errno));
		if (p[1].revents && !take_texts(t))
			return 0;
		mhd.run(t->http);
		close_slow(t);
	}
}

int textserve(const struct textserve_config *c, struct err *err)
{
	struct texts t = { .c = c };
	int r = mhd_open(err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(t.conns); i++)
		t.conns[i].fd = -1;
	t.http = mhd.start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, &t, MHD_OPTION_LISTEN_SOCKET, c->listen_fd,
				  MHD_OPTION_CONNECTION_LIMIT, (unsigned)TEXTSERVE_CONNECTIONS_MAX,
				  MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_PER_CONNECTION,
				  MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TEXTSERVE_PATIENCE_S,
				  MHD_OPTION_NOTIFY_CONNECTION, on_connection, &t, MHD_OPTION_END);
	if (!t.http)
		return err_set(err, -EIO, "cannot start the HTTP server");
	r = loop(&t, err);
	mhd.stop_daemon(t.http);
	if (t.text)
		mhd.destroy_response(t.text);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Serves one text. The text comes as a sealed file in memory: the server maps what cannot change any more. */
#include "serve/textserve.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "serve/serve_int.h"

#define MEMORY_PER_CONNECTION (64 << 10) /* as http.c */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)
#define PLAIN "text/plain; charset=utf-8"
#define CONTENT_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

struct texts {
	const struct textserve_config *c;
	struct MHD_Daemon *http;
	struct MHD_Response *text; /* the newest; NULL: none yet */
	struct gate *gate;
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

int textserve_wait(int in)
{
	struct pollfd p = { .fd = in, .events = POLLIN };
	char ready;
	int r = poll(&p, 1, TEXTSERVE_START_MS);

	if (r <= 0)
		return r < 0 ? -errno : -ETIMEDOUT;
	return recv(in, &ready, 1, 0) == 1 ? 0 : -EPIPE;
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
	if (r) {
		mhd.add_response_header(r, "Content-Type", CONTENT_TYPE);
		mhd.add_response_header(r, "Connection", "close");
	}
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
	mhd.add_response_header(r, "Content-Type", PLAIN);
	mhd.add_response_header(r, "Connection", "close");
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
	if (!*state &&
	    !strcmp(method, "GET")) { /* the library wants an answer to a request without a body at the second call */
		*state = &seen;
		return MHD_YES;
	}
	*n = 0;
	/* It has asked: from now on it gives way to connections that asked, not to those that only connect. */
	gate_know(t->gate, conn);
	if (!host_is_ours(t, conn))
		return say(conn, MHD_HTTP_FORBIDDEN, "asked by another host name than this server's own\n");
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return say(conn, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (strcmp(url, "/metrics") != 0)
		return say(conn, MHD_HTTP_NOT_FOUND, "there is only /metrics\n");
	return t->text ? mhd.queue_response(conn, MHD_HTTP_OK, t->text)
		       : say(conn, MHD_HTTP_SERVICE_UNAVAILABLE, "nothing is measured yet\n");
}

static int loop(struct texts *t, struct err *err)
{
	const union MHD_DaemonInfo *info = mhd.get_daemon_info(t->http, MHD_DAEMON_INFO_EPOLL_FD);

	if (!info)
		return err_set(err, -ENOTSUP, "the HTTP library has no epoll");
	for (;;) {
		struct pollfd p[] = { { info->epoll_fd, POLLIN, 0 },
				      { t->c->feed_fd, POLLIN, 0 },
				      { gate_fd(t->gate), POLLIN, 0 } };
		unsigned wait = (unsigned)gate_wait_ms(t->gate);
		MHD_UNSIGNED_LONG_LONG ms;

		if (mhd.get_timeout(t->http, &ms) != MHD_YES || ms > wait)
			ms = wait;
		if (poll(p, ARRAY_SIZE(p), (int)ms) < 0 && errno != EINTR)
			return err_set(err, -errno, "poll: %s", strerror(errno));
		if (p[1].revents && !take_texts(t))
			return 0;
		gate_run(t->gate, t->http);
		mhd.run(t->http);
	}
}

int textserve(const struct textserve_config *c, struct err *err)
{
	const struct gate_config gate = { .listen_fd = c->listen_fd,
					  .strangers = TEXTSERVE_STRANGERS_MAX,
					  .known = TEXTSERVE_CONNECTIONS_MAX,
					  .stranger_s = TEXTSERVE_HEAD_S,
					  .known_s = TEXTSERVE_PATIENCE_S,
					  .known_give_way = true,
					  .type = PLAIN };
	struct texts t = { .c = c };
	int r = mhd_open(err);

	if (r < 0)
		return r;
	r = gate_new(&gate, &t.gate);
	if (r < 0)
		return err_set(err, r, "cannot wait for connections: %s", strerror(-r));
	t.http = mhd.start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, on_request, &t,
				  MHD_OPTION_CONNECTION_LIMIT, gate_room(t.gate), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				  (size_t)MEMORY_PER_CONNECTION, MHD_OPTION_CONNECTION_TIMEOUT,
				  (unsigned)TEXTSERVE_PATIENCE_S, MHD_OPTION_NOTIFY_CONNECTION, gate_on_connection,
				  t.gate, MHD_OPTION_END);
	if (t.http)
		(void)!send(c->feed_fd, ".", 1, MSG_NOSIGNAL); /* for textserve_wait() */
	r = t.http ? loop(&t, err) : err_set(err, -EIO, "cannot start the HTTP server");
	if (t.http)
		mhd.stop_daemon(t.http);
	gate_free(t.gate);
	if (t.text)
		mhd.destroy_response(t.text);
	return r;
}

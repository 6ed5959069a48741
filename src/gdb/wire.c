/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the socket that gdb connects to, reads and writes packets. */
#include "gdb/wire.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/writeall.h"

#define INTERRUPT 3

static int listen_unix(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	mode_t old;
	int e;

	if (fd < 0)
		return -errno;
	if (strlen(path) >= sizeof(a.sun_path)) {
		close(fd);
		return -ENAMETOOLONG;
	}
	strcpy(a.sun_path, path);
	old = umask(0077);
	e = bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 1) < 0 ? -errno : 0;
	umask(old);
	if (e == 0)
		return fd;
	close(fd);
	return e;
}

/* *port: becomes the one that was chosen. */
static int listen_loopback(unsigned *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons((uint16_t)*port),
				 .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, e;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && listen(fd, 1) == 0 &&
	    getsockname(fd, (struct sockaddr *)&a, &n) == 0) {
		*port = ntohs(a.sin_port);
		return fd;
	}
	e = -errno;
	close(fd);
	return e;
}

int wire_open(struct wire *w, const char *where, void (*note)(const char *text), struct err *e)
{
	bool path = strchr(where, '/');
	_cleanup_close_ int fd = -1;
	char *end, text[160];
	unsigned long n = strtoul(where, &end, 10);
	unsigned port = (unsigned)n;
	int on = 1;

	*w = (struct wire){ .in = STDIN_FILENO, .out = STDOUT_FILENO };
	if (!strcmp(where, "-"))
		return 0;
	if (!path && (*end || end == where || n > 65535))
		return err_set(e, -EINVAL, "--gdb takes a port, the path of a socket (with a /), or -: not '%s'",
			       where);
	fd = path ? listen_unix(where) : listen_loopback(&port);
	if (fd < 0)
		return err_set(e, fd, "cannot listen at %s for gdb: %s", where, strerror(-fd));
	if (path)
		snprintf(text, sizeof(text), "waits for gdb: target extended-remote %s", where);
	else
		snprintf(text, sizeof(text), "waits for gdb: target extended-remote 127.0.0.1:%u", port);
	note(text);
	do
		w->in = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	while (w->in < 0 && errno == EINTR);
	if (path)
		unlink(where);
	if (w->in < 0)
		return err_set(e, -errno, "cannot accept gdb's connection: %s", strerror(errno));
	setsockopt(w->in, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	w->out = w->in;
	return 0;
}

void wire_close(struct wire *w)
{
	if (w->in > STDERR_FILENO)
		close(w->in);
	w->in = w->out = -1;
}

/* The next byte, or -errno. */
static int next(struct wire *w)
{
	ssize_t k;

	if (w->at < w->n)
		return w->buf[w->at++];
	do
		k = read(w->in, w->buf, sizeof(w->buf));
	while (k < 0 && errno == EINTR);
	if (k <= 0)
		return k < 0 ? -errno : -ECONNRESET;
	w->n = (size_t)k;
	w->at = 1;
	return w->buf[0];
}

static int digit(int c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : 0;
}

/* Reads from $ to #, and compares the checksum that follows. The length; -EBADMSG: the checksum differs. */
static int body(struct wire *w, char buf[WIRE_MAX + 1])
{
	unsigned sum = 0;
	size_t n = 0;
	int c, hi, lo;

	while ((c = next(w)) >= 0 && c != '#') {
		sum += (unsigned)c;
		if (c == '}') {
			c = next(w);
			if (c < 0)
				return c;
			sum += (unsigned)c;
			c ^= 0x20;
		}
		if (n == WIRE_MAX)
			return -EMSGSIZE;
		buf[n++] = (char)c;
	}
	hi = c < 0 ? c : next(w);
	lo = hi < 0 ? hi : next(w);
	if (lo < 0)
		return lo;
	buf[n] = 0;
	return w->quiet || (sum & 255) == (unsigned)(digit(hi) << 4 | digit(lo)) ? (int)n : -EBADMSG;
}

int wire_get(struct wire *w, char buf[WIRE_MAX + 1])
{
	for (;;) {
		int c = next(w), n;

		if (c < 0)
			return c;
		if (c != '$')
			continue;
		n = body(w, buf);
		if (n < 0 && n != -EBADMSG)
			return n;
		if (!w->quiet && write_all(w->out, n < 0 ? "-" : "+", 1) < 0)
			return -ECONNRESET;
		if (n >= 0)
			return n;
	}
}

int wire_send(struct wire *w, const char *bytes, size_t n)
{
	_cleanup_free_ char *all = malloc(2 * n + 8);
	unsigned sum = 0;
	size_t k = 0;

	if (!all)
		return -ENOMEM;
	all[k++] = '$';
	for (size_t i = 0; i < n; i++) {
		char c = bytes[i];

		if (c == '#' || c == '$' || c == '}' || c == '*') {
			all[k++] = '}';
			sum += '}';
			c ^= 0x20;
		}
		all[k++] = c;
		sum += (unsigned char)c;
	}
	k += (size_t)sprintf(all + k, "#%02x", sum & 255);
	return write_all(w->out, all, k);
}

int wire_text(struct wire *w, const char *text)
{
	return wire_send(w, text, strlen(text));
}

bool wire_stop(struct wire *w)
{
	struct pollfd p = { .fd = w->in, .events = POLLIN };

	while (w->at < w->n || poll(&p, 1, 0) > 0) {
		int c = next(w);

		if (c < 0 || c == INTERRUPT)
			return true;
		if (c == '$') { /* the next packet, which comes too early */
			w->at--;
			return true;
		}
	}
	return false;
}

void wire_hex(char *ret, const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *b = bytes;

	for (size_t i = 0; i < n; i++) {
		ret[2 * i] = digits[b[i] >> 4];
		ret[2 * i + 1] = digits[b[i] & 15];
	}
	ret[2 * n] = 0;
}

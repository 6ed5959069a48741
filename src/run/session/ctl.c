/* SPDX-License-Identifier: Apache-2.0 */
/* Listens on the control socket of a session and answers requests. */
#include "run/session/ctl.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/strb.h"
#include "base/units.h"
#include "run/os/signals.h"

/* A client that says nothing is not waited for: the rings must be read. */
#define PATIENCE_MS 50
#define MAX_ANSWER (1u << 20)
#define BEGINNING_S 10 /* binding and listening take no longer */
/* The folder of the daemon that systemd starts as a user of its own (tools/dwell-latency.service.in). */
#define SERVICE_FOLDER "/run/dwell-latency"
#define CGROUP_SETTING ".threshold@"

struct ctl {
	struct trackers *t; /* NULL: the program has none */
	struct hits *hits;
	int fd;
	char path[CTL_PATH_LEN];
};

/* -- where -- */

static int folder(char path[CTL_PATH_LEN])
{
	const char *home = getenv("XDG_RUNTIME_DIR");
	int n;

	if (geteuid() != 0 && !(home && home[0] == '/'))
		return -ENOENT;
	n = snprintf(path, CTL_PATH_LEN, "%s/dwell", geteuid() == 0 ? "/run" : home);
	return n < 0 || n >= CTL_PATH_LEN ? -ENAMETOOLONG : 0;
}

int ctl_path(uint32_t pid, char path[CTL_PATH_LEN])
{
	char dir[CTL_PATH_LEN];
	int r = folder(dir), n;

	if (r < 0)
		return r;
	n = snprintf(path, CTL_PATH_LEN, "%s/%u.ctl", dir, pid);
	return n < 0 || n >= CTL_PATH_LEN ? -ENAMETOOLONG : 0;
}

/* "…/PID.ctl" → "…/.PID.ctl" */
static int first_path(const char *path, char first[CTL_PATH_LEN])
{
	const char *name = strrchr(path, '/') + 1;
	int n = snprintf(first, CTL_PATH_LEN, "%.*s.%s", (int)(name - path), path, name);

	return n < 0 || n >= CTL_PATH_LEN ? -ENAMETOOLONG : 0;
}

static bool is_ours(const char *dir)
{
	struct stat st;

	return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022);
}

/* The folder is ours alone: anybody who could write there could put another socket in the place of ours. */
static int make_folder(void)
{
	char dir[CTL_PATH_LEN];
	int r = folder(dir);

	if (r < 0)
		return r;
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	return is_ours(dir) ? 0 : -EPERM;
}

static void fill_addr(struct sockaddr_un *a, const char *path)
{
	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(a->sun_path, sizeof(a->sun_path), "%s", path);
}

/* -- opening -- */

/* The socket has another name until it listens: under its own name a client finds a listener, or a dead one. */
static int listen_at(const char *path, const char *first)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;
	mode_t old;
	int r;

	if (fd < 0)
		return -errno;
	fill_addr(&a, first);
	unlink(first); /* of a former process of this number */
	old = umask(0177);
	r = bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ? -errno : 0;
	umask(old);
	if (r < 0)
		return r;
	if (listen(fd, 4) < 0 || rename(first, path) < 0) {
		r = -errno;
		unlink(first);
		return r;
	}
	return take_fd(fd);
}

/* -- what a second signal would leave; in its handler -- */

static struct {
	volatile sig_atomic_t on;
	pid_t owner;
	char path[CTL_PATH_LEN];
} mine;

static void unlink_mine(void)
{
	if (mine.on && getpid() == mine.owner)
		unlink(mine.path);
}

static void note_mine(const struct ctl *c)
{
	strcpy(mine.path, c->path);
	mine.owner = getpid();
	mine.on = 1;
	signals_at_exit(unlink_mine);
}

int ctl_open(struct trackers *t, struct hits *h, struct ctl **ret)
{
	struct ctl *c = calloc(1, sizeof(*c));
	char first[CTL_PATH_LEN];
	int r;

	if (!c)
		return -ENOMEM;
	c->t = t;
	c->hits = h;
	r = ctl_path((uint32_t)getpid(), c->path);
	if (r == 0)
		r = make_folder();
	if (r == 0)
		r = first_path(c->path, first);
	if (r == 0)
		r = c->fd = listen_at(c->path, first);
	if (r < 0) {
		free(c);
		return r;
	}
	note_mine(c);
	*ret = c;
	return 0;
}

void ctl_close(struct ctl *c)
{
	if (!c)
		return;
	close(c->fd);
	unlink(c->path);
	mine.on = 0;
	free(c);
}

int ctl_fd(const struct ctl *c)
{
	return c->fd;
}

/* -- sockets of the dead -- */

static int connect_to(int fd, const char *path);

/* Is it a socket that no process listens at? A connection that is refused says so in every PID namespace. */
static bool is_dead(const char *path)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;

	return fd >= 0 && lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) && connect_to(fd, path) == -ESRCH;
}

/* One that does not listen yet is alive for the moment that this takes. */
static bool is_beginning(const char *path, unsigned long pid)
{
	struct stat st;

	return lstat(path, &st) < 0 || kill((pid_t)pid, 0) == 0 ||
	       clock_ns(CLOCK_REALTIME) < ((uint64_t)st.st_mtime + BEGINNING_S) * NSEC_PER_SEC;
}

/* In the meantime another process may have got the number of the dead one, and put its socket there. So the socket
 * under the other name is looked at once more, and put back if it is alive. */
static void remove_dead(const char *dir, const char *path)
{
	char aside[CTL_PATH_LEN]; /* the first name of our own, which is not in use yet */
	int n = snprintf(aside, sizeof(aside), "%s/.%d.ctl", dir, (int)getpid());

	if (n < 0 || n >= CTL_PATH_LEN || rename(path, aside) < 0)
		return;
	if (is_dead(aside) || renameat2(AT_FDCWD, aside, AT_FDCWD, path, RENAME_NOREPLACE) < 0)
		unlink(aside);
}

void ctl_clear_dead(void)
{
	char dir[CTL_PATH_LEN], path[CTL_PATH_LEN];
	struct dirent *e;
	DIR *d = folder(dir) == 0 && is_ours(dir) ? opendir(dir) : NULL;

	while (d && (e = readdir(d))) {
		const char *number = e->d_name + (e->d_name[0] == '.');
		char *end;
		unsigned long pid = strtoul(number, &end, 10);
		int n = snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);

		if (end == number || strcmp(end, ".ctl") != 0 || n < 0 || n >= CTL_PATH_LEN || !is_dead(path) ||
		    (number != e->d_name && is_beginning(path, pid)))
			continue;
		remove_dead(dir, path);
	}
	if (d)
		closedir(d);
}

/* -- answers -- */

static void put_setting(const struct ctl *c, const char *tracker, unsigned i, struct strb *out)
{
	char time[UNITS_EXACT_LEN];
	uint64_t v = 0;
	bool is_time;
	const char *name = trackers_setting(i, &is_time);

	if (trackers_get(c->t, tracker, name, &v) < 0)
		return;
	if (is_time)
		strb_printf(out, "%s.%s=%s\n", tracker, name, units_exact_ns(v, time));
	else
		strb_printf(out, "%s.%s=%llu\n", tracker, name, (unsigned long long)v);
}

static void list(const struct ctl *c, struct strb *out)
{
	const char *name;
	char time[UNITS_EXACT_LEN];
	uint64_t id, v;
	bool is_time;

	strb_adds(out, "ok\n");
	for (unsigned i = 0; (name = trackers_name(c->t, i)); i++) {
		for (unsigned k = 0; trackers_setting(k, &is_time); k++)
			put_setting(c, name, k, out);
		for (unsigned k = 0; trackers_get_cgroup(c->t, name, k, &id, &v) == 0; k++)
			strb_printf(out, "%s.threshold@%llu=%s\n", name, (unsigned long long)id,
				    units_exact_ns(v, time));
	}
}

static void refuse(struct strb *out, int r, const char *what)
{
	const char *reason = r == -ENOENT   ? "there is no such tracker"
			     : r == -ENOKEY ? "there is no such setting, or it cannot be changed while it runs"
			     : r == -ERANGE ? "the value is out of range"
			     : r == -ENOSPC ? "more cgroups than the tracker has room for (setting cgroups)"
					    : "not a number, or a time such as 10ms";

	strb_printf(out, "error: %s: %s\n", what, reason);
}

static unsigned find_setting(const char *name, bool *is_time)
{
	const char *s;
	unsigned i = 0;

	while ((s = trackers_setting(i, is_time)) && strcmp(s, name) != 0)
		i++;
	return i;
}

/* TRACKER.threshold@CGROUP, by the cgroup's id. */
static void set_cgroup(const struct ctl *c, const char *tracker, const char *cgroup, const char *value,
		       const char *what, struct strb *out)
{
	char time[UNITS_EXACT_LEN];
	uint64_t id, v;
	int r = num_parse_u64(cgroup, &id);

	if (r == 0)
		r = num_parse_period(value, 1, 0, &v);
	if (r == 0)
		r = trackers_set_cgroup(c->t, tracker, id, v);
	if (r == 0)
		strb_printf(out, "ok\n%s=%s\n", what, units_exact_ns(v, time));
	else
		refuse(out, r, what);
}

/* what: "TRACKER.SETTING", cut in two; value: NULL to get it. */
static void one(const struct ctl *c, char *what, const char *value, struct strb *out)
{
	char *dot = strchr(what, '.'), full[CTL_MAX_LINE];
	bool is_time = false;
	uint64_t v = 0;
	int r = -ENOKEY;
	unsigned i = 0;

	snprintf(full, sizeof(full), "%s", what);
	if (dot && value && !strncmp(dot, CGROUP_SETTING, sizeof(CGROUP_SETTING) - 1)) {
		*dot = '\0';
		set_cgroup(c, what, dot + sizeof(CGROUP_SETTING) - 1, value, full, out);
		return;
	}
	if (dot) {
		*dot++ = '\0';
		i = find_setting(dot, &is_time);
		r = value ? is_time ? num_parse_period(value, 1, 0, &v) : num_parse_u64(value, &v) : 0;
		if (r == 0)
			r = value ? trackers_set(c->t, what, dot, v) : trackers_get(c->t, what, dot, &v);
	}
	if (r < 0) {
		refuse(out, r, full);
		return;
	}
	strb_adds(out, "ok\n");
	put_setting(c, what, i, out);
}

/* "begin TIME", "end" */
static void count_hits(const struct ctl *c, const char *what, struct strb *out, int *ret_fd)
{
	uint64_t ns = 0;
	int r = -EINVAL;

	if (!strncmp(what, "begin ", 6))
		r = num_parse_period(what + 6, 1, 0, &ns) < 0 ? -EINVAL
							      : hits_begin(c->hits, ns, clock_ns(CLOCK_MONOTONIC));
	else if (!strcmp(what, "end"))
		r = hits_end(c->hits, ret_fd);
	if (r == 0)
		strb_adds(out, "ok\n");
	else if (r == -EBUSY)
		strb_adds(out, "error: another process counts its firings now; try again when that has ended\n");
	else
		strb_printf(out, "error: it cannot count firings: %s\n", strerror(-r));
}

static void answer(const struct ctl *c, char *line, struct strb *out, int *ret_fd)
{
	char *value;

	if (!strncmp(line, "hits ", 5)) {
		count_hits(c, line + 5, out, ret_fd);
	} else if (!c->t) {
		strb_adds(out, "error: its program has no trackers\n");
	} else if (!strcmp(line, "list")) {
		list(c, out);
	} else if (!strncmp(line, "get ", 4)) {
		one(c, line + 4, NULL, out);
	} else if (!strncmp(line, "set ", 4) && (value = strchr(line, '='))) {
		*value++ = '\0';
		one(c, line + 4, value, out);
	} else {
		strb_adds(out, "error: requests are: list, get TRACKER.SETTING, set TRACKER.SETTING=VALUE\n");
	}
}

/* -- connections -- */

static bool may_ask(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

/* A line without its end; 0, or -errno. */
static int read_line(int fd, char *buf, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t n = 0;

	while (n + 1 < size) {
		char *end;
		ssize_t got = poll(&p, 1, PATIENCE_MS) > 0 ? read(fd, buf + n, size - 1 - n) : 0;

		if (got <= 0)
			return -EIO;
		n += (size_t)got;
		buf[n] = '\0';
		end = memchr(buf, '\n', n);
		if (end) {
			*end = '\0';
			return 0;
		}
	}
	return -E2BIG;
}

/* An answer that does not fit the socket's buffer is dropped: its reader does not read. */
static void send_answer(int to, const struct strb *out, int file)
{
	struct iovec text = { (char *)(uintptr_t)strb_str(out), out->n };
	union { /* aligned */
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr h;
	} u = { { 0 } };
	struct msghdr m = { .msg_iov = &text, .msg_iovlen = 1 };

	if (file >= 0) {
		m.msg_control = u.room;
		m.msg_controllen = sizeof(u.room);
		u.h.cmsg_len = CMSG_LEN(sizeof(int));
		u.h.cmsg_level = SOL_SOCKET;
		u.h.cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(&u.h), &file, sizeof(file));
	}
	sendmsg(to, &m, MSG_NOSIGNAL);
}

void ctl_serve(struct ctl *c)
{
	_cleanup_close_ int file = -1;
	_cleanup_close_ int fd = accept4(c->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	_cleanup_(strb_free) struct strb out = { 0 };
	char line[CTL_MAX_LINE];

	if (fd < 0 || !may_ask(fd) || read_line(fd, line, sizeof(line)) < 0)
		return;
	answer(c, line, &out, &file);
	send_answer(fd, &out, file);
}

/* -- the other side -- */

/* Reads a piece, and takes a file that comes with it. */
static ssize_t take_piece(int fd, char *buf, size_t size, int *file)
{
	struct iovec text = { buf, size };
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr h;
	} u;
	struct msghdr m = {
		.msg_iov = &text, .msg_iovlen = 1, .msg_control = u.room, .msg_controllen = sizeof(u.room)
	};
	ssize_t n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	struct cmsghdr *h = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	int got;

	if (!h || h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS || h->cmsg_len != CMSG_LEN(sizeof(got)))
		return n;
	memcpy(&got, CMSG_DATA(h), sizeof(got));
	if (*file >= 0)
		close(got);
	else
		*file = got;
	return n;
}

static int receive_all(int fd, char **ret, int *file)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	char buf[4096];
	ssize_t n;

	while ((n = take_piece(fd, buf, sizeof(buf), file)) > 0 && b.n < MAX_ANSWER)
		strb_add(&b, buf, (size_t)n);
	if (n < 0)
		return -errno;
	*ret = strdup(strb_str(&b));
	return *ret ? 0 : -ENOMEM;
}

static int connect_to(int fd, const char *path)
{
	struct sockaddr_un a;

	fill_addr(&a, path);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return 0;
	return errno == ENOENT || errno == ECONNREFUSED ? -ESRCH : -errno;
}

int ctl_request_file(uint32_t pid, const char *line, char **ret, int *ret_fd)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), file = -1;
	char path[CTL_PATH_LEN], text[CTL_MAX_LINE];
	int r = ctl_path(pid, path), n;

	*ret_fd = -1;
	if (fd < 0)
		return -errno;
	if (r == 0)
		r = connect_to(fd, path);
	if (r == -ESRCH && geteuid() == 0) {
		snprintf(path, sizeof(path), SERVICE_FOLDER "/dwell/%u.ctl", pid);
		r = connect_to(fd, path);
	}
	if (r < 0)
		return r;
	n = snprintf(text, sizeof(text), "%s\n", line);
	if (n < 0 || (size_t)n >= sizeof(text))
		return -E2BIG;
	if (send(fd, text, (size_t)n, MSG_NOSIGNAL) != n)
		return -errno;
	r = receive_all(fd, ret, &file);
	*ret_fd = r < 0 ? -1 : take_fd(file);
	return r;
}

int ctl_request(uint32_t pid, const char *line, char **ret)
{
	_cleanup_close_ int fd = -1;

	return ctl_request_file(pid, line, ret, &fd);
}

/* Adds the sessions of one folder. */
static int add_sessions(const char *dir, struct strb *b)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *end;

	if (!d)
		return errno == ENOENT ? 0 : -errno;
	while ((e = readdir(d))) {
		unsigned long n = strtoul(e->d_name, &end, 10);
		uint32_t pid = (uint32_t)n;

		if (end != e->d_name && !strcmp(end, ".ctl") && n > 0 && n <= INT32_MAX)
			strb_add(b, &pid, sizeof(pid));
	}
	closedir(d);
	return 0;
}

int ctl_sessions(uint32_t **ret)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	char dir[CTL_PATH_LEN];
	int r = folder(dir), n;

	*ret = NULL;
	if (r == 0)
		r = add_sessions(dir, &b);
	if (r == 0 && geteuid() == 0)
		r = add_sessions(SERVICE_FOLDER "/dwell", &b);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (b.failed)
		return -ENOMEM;
	n = (int)(b.n / sizeof(uint32_t));
	*ret = n ? (uint32_t *)(void *)strb_take(&b) : NULL;
	return n;
}

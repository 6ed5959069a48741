/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a dwell for each request. Requests and answers are packets on a socket pair; pipes go with the answer. */
#include "launcher/launch.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "launcher/viewargs.h"

enum op { OP_START, OP_STOP };

struct ask {
	uint32_t op, kind;
	uint64_t id;
	uint32_t n; /* bytes of text that follow */
};

struct answer {
	int32_t error;
	uint64_t id;
};

struct child {
	uint64_t id;
	pid_t pid;
	int err; /* its standard error, too: open until it has ended */
};

struct launcher {
	int sock;
	char *const *overview;
	const struct servedir *dir;
	unsigned user; /* of children that need no privileges */
	VEC(struct child) children;
	uint64_t last;
	pid_t server;
	int status; /* of the server, once it has ended */
	bool ended;
};

/* -- the server's side -- */

static int receive_answer(int sock, struct answer *a, int fds[2])
{
	union {
		char buf[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { a, sizeof(*a) };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};
	ssize_t n;

	do
		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*a))
		return n < 0 ? -errno : -EPIPE;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		    c->cmsg_len == CMSG_LEN(2 * sizeof(int)))
			memcpy(fds, CMSG_DATA(c), 2 * sizeof(int));
	return 0;
}

int launch_start(void *ctx, enum serve_kind kind, const char *text, size_t n, struct serve_child *ret, struct err *err)
{
	struct ask ask = { .op = OP_START, .kind = kind, .n = (uint32_t)n };
	struct iovec iov[2] = { { &ask, sizeof(ask) }, { (void *)text, n } };
	struct answer a = { 0 };
	int sock = *(int *)ctx, fds[2] = { -1, -1 }, r;

	if (writev(sock, iov, 2) < 0)
		return err_set(err, -errno, "cannot ask for a tracer: %s", strerror(errno));
	r = receive_answer(sock, &a, fds);
	if (r == 0)
		r = a.error;
	if (r == 0 && (fds[0] < 0 || fds[1] < 0))
		r = -EPROTO;
	if (r < 0)
		return err_set(err, r, "cannot start a tracer: %s", strerror(-r));
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	*ret = (struct serve_child){ fds[0], fds[1], a.id };
	return 0;
}

void launch_stop(void *ctx, uint64_t id)
{
	struct ask ask = { .op = OP_STOP, .id = id };
	ssize_t n = write(*(int *)ctx, &ask, sizeof(ask));

	(void)n; /* the launcher has gone: so have its children */
}

/* -- the launcher's side -- */

#define ARGS_MAX VIEWARGS_MAX
#define VIEW_FD 3			/* the recording that a view is of; the next one: to compare with */
#define FD_HIGH 16			/* descriptors are moved out of the way first */
#define VIEW_CPU_S 60			/* a hostile recording must not keep a CPU busy for ever */
#define VIEW_MEMORY (UINT64_C(4) << 30) /* address space */
#define RUN_MEMORY \
	(UINT64_C(2) << 30) /* of a program's tracer, without what it shares with the kernel (rings, maps) \
			     */

/* How a child is started: its command line, its files, and its privileges. */
struct plan {
	char *argv[ARGS_MAX + 1];
	int files[2];	   /* VIEW_FD …; -1: none */
	bool unprivileged; /* reads what strangers wrote */
	bool raw;	   /* no child at all: files[0] is the answer */
	bool to_file;	   /* what it writes has no bound that would fit into memory, and is of use when whole */
};

/* The command line for a request. Such a run leaves dwell itself out, and is stopped when it costs too much, because
 * other people write the programs. */
static void command_of(enum serve_kind kind, char *text, char *argv[])
{
	static char *const run[] = { "dwell", "--json",	    "-x", "confined",	    "-x", "noself",
				     "-x",    "maxcpu=25%", "-x", "switchrate=5hz", "-x", "snapshotrate=1s",
				     "-n",    NULL };
	static char *const check[] = { "dwell", "--json", "-e", "-x", "confined", "-n", NULL };
	static char *const probes[] = { "dwell", "--json", "-l", "-x", "confined", "-n", NULL };
	static char *const *const of[] = { [SERVE_RUN] = run, [SERVE_CHECK] = check, [SERVE_PROBES] = probes };
	size_t n = 0;

	for (; of[kind][n]; n++)
		argv[n] = of[kind][n];
	argv[n++] = text;
	argv[n] = NULL;
}

int launch_drop(unsigned user)
{
	if (geteuid() == 0 &&
	    (setgroups(0, NULL) < 0 || setresgid(user, user, user) < 0 || setresuid(user, user, user) < 0))
		return -errno;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

/* Makes what is in files the descriptors from VIEW_FD on. */
static int give_files(const int files[2])
{
	int high[2] = { -1, -1 };

	for (int i = 0; i < 2; i++)
		if (files[i] >= 0 && (high[i] = fcntl(files[i], F_DUPFD_CLOEXEC, FD_HIGH)) < 0)
			return -errno;
	for (int i = 0; i < 2; i++)
		if (high[i] >= 0 && dup2(high[i], VIEW_FD + i) < 0)
			return -errno;
	return 0;
}

static void become(const struct launcher *l, const struct plan *p, int out, int err)
{
	static const struct rlimit cpu = { VIEW_CPU_S, VIEW_CPU_S }, memory = { VIEW_MEMORY, VIEW_MEMORY },
				   data = { RUN_MEMORY, RUN_MEMORY };
	int null = open("/dev/null", O_RDONLY);
	char *const *argv = p->argv[0] ? p->argv : l->overview;
	sigset_t none;

	sigemptyset(&none);
	setpgid(0, 0); /* Ctrl-C is the launcher's */
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0 ||
	    give_files(p->files) < 0)
		_exit(127);
	if (p->unprivileged &&
	    (setrlimit(RLIMIT_CPU, &cpu) < 0 || setrlimit(RLIMIT_AS, &memory) < 0 || launch_drop(l->user) < 0))
		_exit(127);
	if (p->argv[0] && !p->unprivileged && setrlimit(RLIMIT_DATA, &data) < 0)
		_exit(127);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* a change of user forgets it */
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv("/proc/self/exe", argv);
	_exit(127);
}

/* The recording `source` as file i of the plan; path: as the child finds it. */
static int plan_file(const struct launcher *l, struct plan *p, int i, const char *source, char *path, size_t size)
{
	int fd = servedir_open(l->dir, source, l->user, path, size);

	if (fd < 0)
		return fd;
	if (!path[0]) {
		p->files[i] = fd;
		snprintf(path, size, "/dev/fd/%d", VIEW_FD + i);
	}
	return 0;
}

/* A view of a recording. */
static int plan_view(const struct launcher *l, struct arena *a, char *text, struct plan *p)
{
	char *path = arena_alloc(a, PATH_MAX), *other = arena_alloc(a, PATH_MAX);
	struct viewargs v;
	int e = viewargs_make(a, text, path, other, &v);

	if (e == 0)
		e = plan_file(l, p, 0, v.source, path, PATH_MAX);
	if (e == 0 && v.other)
		e = plan_file(l, p, 1, v.other, other, PATH_MAX);
	if (e == 0 && v.file && v.source[0] == 'u')
		e = -ENOTSUP; /* the client has sent it */
	p->unprivileged = true;
	p->raw = v.file && p->files[0] >= 0;
	p->to_file = v.file && !p->raw; /* of the live view, which is still being written */
	memcpy(p->argv, v.argv, sizeof(v.argv));
	return e;
}

static int plan(const struct launcher *l, struct arena *a, enum serve_kind kind, char *text, struct plan *ret)
{
	*ret = (struct plan){ .files = { -1, -1 } };
	if (kind == SERVE_VIEW)
		return plan_view(l, a, text, ret);
	if (kind == SERVE_FLEET) {
		size_t n = 0;

		for (; l->overview[n] && n < ARGS_MAX - 1; n++)
			ret->argv[n] = l->overview[n];
		ret->argv[n] = text;
		ret->unprivileged = true;
		return 0;
	}
	if (kind == SERVE_OVERVIEW)
		servedir_forget_live(l->dir);
	else
		command_of(kind, text, ret->argv);
	return 0;
}

/* A file without a name, gone with the last descriptor of it: one for the server, one for the child. */
static int make_file(const struct servedir *d, int out[2])
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/copy-XXXXXX", d->dir.path);
	out[0] = mkostemp(path, O_CLOEXEC);
	if (out[0] < 0)
		return -errno;
	unlink(path);
	out[1] = fcntl(out[0], F_DUPFD_CLOEXEC, 0);
	return out[1] < 0 ? -errno : 0;
}

static int spawn(struct launcher *l, const struct plan *p, int fds[2], uint64_t *id)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };
	int r = p->to_file ? make_file(l->dir, out) : pipe2(out, O_CLOEXEC) < 0 ? -errno : 0;
	pid_t pid = -1;

	if (r == 0 && (pipe2(err, O_CLOEXEC) < 0 || (pid = fork()) < 0))
		r = -errno;
	else if (r == 0 && pid == 0)
		become(l, p, out[1], err[1]);
	closep(&out[1]);
	if (r == 0) {
		struct child c = { ++l->last, pid, err[1] };

		*id = c.id;
		vec_push(&l->children, c);
		fds[0] = out[0];
		fds[1] = err[0];
		return 0;
	}
	closep(&out[0]);
	closep(&err[0]);
	closep(&err[1]);
	return r;
}

/* Fills fds and *id with what the server gets. */
static int start(struct launcher *l, enum serve_kind kind, char *text, int fds[2], uint64_t *id)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct plan p;
	int e = plan(l, a, kind, text, &p);

	if (e == 0 && p.raw) {
		fds[0] = take_fd(p.files[0]);
		fds[1] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		e = fds[1] < 0 ? -errno : 0;
	} else if (e == 0) {
		e = spawn(l, &p, fds, id);
	}
	closep(&p.files[0]);
	closep(&p.files[1]);
	arena_free(a);
	return e;
}

static void answer(struct launcher *l, const struct answer *a, const int fds[2])
{
	union {
		char buf[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { (void *)a, sizeof(*a) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (a->error == 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(2 * sizeof(int));
		memcpy(CMSG_DATA(c), fds, 2 * sizeof(int));
	}
	sendmsg(l->sock, &m, MSG_NOSIGNAL);
}

/* One packet of the server. False: it has gone. */
static bool serve_ask(struct launcher *l)
{
	static char buf[sizeof(struct ask) + SERVE_PROGRAM_MAX + 1];
	ssize_t n = recv(l->sock, buf, sizeof(buf) - 1, 0);
	struct answer a = { 0 };
	int fds[2] = { -1, -1 };
	struct ask ask;

	if (n < (ssize_t)sizeof(ask))
		return n < 0 && errno == EINTR;
	memcpy(&ask, buf, sizeof(ask));
	buf[n] = '\0';
	if (ask.op == OP_STOP) {
		for (size_t i = 0; i < l->children.n; i++)
			if (l->children.v[i].id == ask.id)
				kill(l->children.v[i].pid, SIGINT);
		return true;
	}
	if (ask.op != OP_START || ask.kind > SERVE_FLEET || (ask.kind == SERVE_FLEET) != !l->dir ||
	    ask.n != (size_t)n - sizeof(ask))
		a.error = -EPROTO;
	else
		a.error = start(l, ask.kind, buf + sizeof(ask), fds, &a.id);
	answer(l, &a, fds);
	closep(&fds[0]);
	closep(&fds[1]);
	return true;
}

/* Says what the child could not say itself. Never waits: its pipe may be full. */
static void tell_end(const struct child *c, int status)
{
	struct pollfd p = { c->err, POLLOUT, 0 };
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (sig && sig != SIGINT && sig != SIGTERM && poll(&p, 1, 0) == 1 && p.revents == POLLOUT)
		dprintf(c->err, "dwell: killed: %s\n", strsignal(sig));
}

static void note_end(struct launcher *l, pid_t pid, int status)
{
	if (pid == l->server) {
		l->ended = true;
		l->status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	}
	for (size_t i = 0; i < l->children.n; i++)
		if (l->children.v[i].pid == pid) {
			tell_end(&l->children.v[i], status);
			close(l->children.v[i].err);
			l->children.v[i--] = l->children.v[--l->children.n];
		}
}

static void reap(struct launcher *l)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		note_end(l, pid, status);
}

/* All children end; those that do not within a second are killed. */
static void end_children(struct launcher *l)
{
	struct timespec nap = { 0, 50 * 1000 * 1000 };

	for (size_t i = 0; i < l->children.n; i++)
		kill(l->children.v[i].pid, SIGTERM);
	for (int k = 0; k < 20 && l->children.n; k++) {
		nanosleep(&nap, NULL);
		reap(l);
	}
	for (size_t i = 0; i < l->children.n; i++)
		kill(l->children.v[i].pid, SIGKILL);
}

void launch_hold_signals(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGTERM);
	sigaddset(ret, SIGHUP);
	sigaddset(ret, SIGQUIT);
	sigaddset(ret, SIGCHLD);
	sigprocmask(SIG_BLOCK, ret, NULL);
}

int launch_loop(int sock, int stop_fd, pid_t server, char *const *overview, const struct servedir *dir, unsigned user)
{
	struct launcher l = {
		.sock = sock, .overview = overview, .dir = dir, .user = user, .server = server, .status = 1
	};
	_cleanup_close_ int signals = -1;
	struct signalfd_siginfo si;
	int status = 0;
	sigset_t set;

	launch_hold_signals(&set);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	sigaddset(&set, SIGPIPE); /* the client that wanted the end of a child may have gone */
	sigprocmask(SIG_BLOCK, &set, NULL);
	while (signals >= 0 && !l.ended) {
		struct pollfd p[] = { { signals, POLLIN, 0 }, { sock, POLLIN, 0 } };

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
		if (p[0].revents && read(signals, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
			if (si.ssi_signo != SIGCHLD)
				closep(&stop_fd), stop_fd = -1;
			reap(&l);
		}
		if (p[1].revents && !l.ended && !serve_ask(&l)) {
			pid_t pid = waitpid(server, &status, 0);

			note_end(&l, pid, status);
			break;
		}
	}
	end_children(&l);
	vec_free(&l.children);
	closep(&stop_fd);
	return l.status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs on the remote machine: reads frames, starts a dwell, and sends its output back. */
#include "hosts/agent.h"
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "run/session/tmpdir.h"

#define PIECE 65536
#define TICK_MS 100
#define GRACE_NS (5 * NSEC_PER_SEC) /* from the interrupt to the kill, when nobody is there any more */
#define COPIES "/.cache/dwell-host/"

struct agent {
	struct wire_request request;
	struct strb in; /* from standard input */
	char *memory;	/* of the request */
	pid_t pid;
	int out, err, aggs; /* what the run writes; -1: closed */
	struct strb held;   /* of aggs, not yet whole */
	struct tmpdir dir;
	char record[PATH_MAX];
	uint64_t heard, lost; /* CLOCK_MONOTONIC ns; lost 0: the other end is there */
	bool killed, in_ended;
};

/* All of it; a reader that takes nothing for as long as he may be silent has gone. */
static int put_all(const struct agent *a, const char *p, size_t n)
{
	struct pollfd fd = { .fd = STDOUT_FILENO, .events = POLLOUT };

	while (n) {
		ssize_t done;

		if (poll(&fd, 1, (int)a->request.patience_ms) == 0)
			return -ETIMEDOUT;
		done = write(STDOUT_FILENO, p, n < PIPE_BUF ? n : PIPE_BUF);
		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		p += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

static void lose(struct agent *a)
{
	if (a->lost)
		return;
	a->lost = clock_ns(CLOCK_MONOTONIC);
	kill(a->pid, SIGINT);
}

static void put(struct agent *a, enum wire_kind kind, const void *p, size_t n)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	if (a->lost)
		return;
	wire_put(&b, kind, p, n);
	if (b.failed || put_all(a, b.s, b.n) < 0)
		lose(a);
}

/* Passes output of the run in *fd on as frames. False: there is nothing more for now. */
static bool pass_text(struct agent *a, int *fd, enum wire_kind kind)
{
	char buf[PIECE];
	ssize_t n = read(*fd, buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		close(take_fd(*fd));
		return false;
	}
	put(a, kind, buf, (size_t)n);
	return true;
}

static void pass_aggs(struct agent *a)
{
	char buf[PIECE];
	ssize_t n = read(a->aggs, buf, sizeof(buf));
	size_t len;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close(take_fd(a->aggs));
		return;
	}
	strb_add(&a->held, buf, (size_t)n);
	while (a->held.n >= sizeof(len)) {
		memcpy(&len, a->held.s, sizeof(len));
		if (a->held.n - sizeof(len) < len)
			return;
		while (a->out >= 0 && pass_text(a, &a->out, WIRE_OUT)) /* was printed before */
			;
		put(a, WIRE_AGGS, a->held.s + sizeof(len), len);
		wire_drop(&a->held, sizeof(len) + len);
	}
}

/* -- the other end -- */

static int read_in(struct agent *a)
{
	char buf[PIECE];
	ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

	if (n < 0 && errno == EINTR)
		return 0;
	if (n <= 0)
		return -EPIPE;
	strb_add(&a->in, buf, (size_t)n);
	a->heard = clock_ns(CLOCK_MONOTONIC);
	return a->in.failed ? -ENOMEM : 0;
}

static void hear(struct agent *a)
{
	struct wire_frame f;
	size_t at = 0;

	if (read_in(a) < 0) {
		a->in_ended = true;
		lose(a);
		return;
	}
	while (wire_next(&a->in, &at, WIRE_REQUEST_MAX, &f).more)
		if (f.kind == WIRE_INTERRUPT)
			kill(a->pid, SIGINT);
	wire_drop(&a->in, at);
}

static int await_request(struct agent *a, struct err *err)
{
	struct wire_frame f;
	size_t at = 0;
	struct step s;
	int r;

	while (!(s = wire_next(&a->in, &at, WIRE_REQUEST_MAX, &f)).more && !s.error)
		if (read_in(a) < 0)
			return err_set(err, -EPIPE, "standard input ended: `dwell --host` starts this");
	r = s.error;
	if (s.more && f.kind == WIRE_REQUEST) {
		a->memory = malloc(f.n + 1);
		if (!a->memory)
			return -ENOMEM;
		memcpy(a->memory, f.p, f.n);
		r = wire_take_request(a->memory, f.n, &a->request);
	} else if (s.more) {
		r = -EPROTO;
	}
	wire_drop(&a->in, r < 0 ? 0 : at);
	return r < 0 ? err_set(err, r, "standard input has no request: `dwell --host` starts this") : 0;
}

/* -- the run -- */

static void forget_copy(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return;
	path[n] = '\0';
	if (!strstr(path, COPIES))
		return;
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
}

static void run_child(agent_fn *run, const struct agent *a, int out, int err, int aggs, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), status;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	setsid();
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	status = run(&a->request, a->request.record ? a->record : NULL, aggs);
	fflush(NULL);
	_exit(status);
}

static int start(struct agent *a, agent_fn *run)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 }, aggs[2] = { -1, -1 };
	pid_t parent = getpid();

	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		return -errno;
	if (a->request.merge && pipe2(aggs, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	a->pid = fork();
	if (a->pid < 0)
		return -errno;
	if (a->pid == 0)
		run_child(run, a, out[1], err[1], aggs[1], parent);
	closep(&out[1]);
	closep(&err[1]);
	closep(&aggs[1]);
	a->out = out[0];
	a->err = err[0];
	a->aggs = aggs[0];
	fcntl(a->out, F_SETFL, O_NONBLOCK);
	fcntl(a->err, F_SETFL, O_NONBLOCK);
	if (a->aggs >= 0)
		fcntl(a->aggs, F_SETFL, O_NONBLOCK);
	return 0;
}

static void check_patience(struct agent *a)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now > a->heard + a->request.patience_ms * UINT64_C(1000000))
		lose(a);
	if (a->lost && now > a->lost + GRACE_NS && !a->killed) {
		kill(a->pid, SIGKILL);
		a->killed = true;
	}
}

/* Until the run has closed what it wrote to. */
static void attend(struct agent *a)
{
	while (a->out >= 0 || a->err >= 0 || a->aggs >= 0) {
		struct pollfd fds[] = { { .fd = a->in_ended ? -1 : STDIN_FILENO, .events = POLLIN },
					{ .fd = a->err, .events = POLLIN },
					{ .fd = a->aggs, .events = POLLIN },
					{ .fd = a->out, .events = POLLIN } };

		check_patience(a);
		if (a->killed) /* commands of -c may still hold them */
			return;
		if (poll(fds, ARRAY_SIZE(fds), TICK_MS) <= 0)
			continue;
		if (fds[0].revents)
			hear(a);
		if (fds[1].revents)
			pass_text(a, &a->err, WIRE_ERR);
		if (fds[3].revents && a->out >= 0)
			pass_text(a, &a->out, WIRE_OUT);
		if (fds[2].revents)
			pass_aggs(a);
	}
}

static void send_record(struct agent *a)
{
	_cleanup_close_ int fd = a->request.record ? open(a->record, O_RDONLY | O_CLOEXEC) : -1;
	char buf[PIECE];
	ssize_t n;

	while (fd >= 0 && !a->lost && (n = read(fd, buf, sizeof(buf))) > 0)
		put(a, WIRE_RECORD, buf, (size_t)n);
}

static void finish(struct agent *a)
{
	int status = 0;
	uint8_t code;

	while (waitpid(a->pid, &status, 0) < 0 && errno == EINTR)
		;
	send_record(a);
	code = WIFEXITED(status) ? (uint8_t)WEXITSTATUS(status) : (uint8_t)(128 + WTERMSIG(status));
	put(a, WIRE_STATUS, &code, 1);
}

int agent(agent_fn *run, struct err *err)
{
	static const char ready[] = WIRE_READY "\n";
	struct agent a = { .out = -1, .err = -1, .aggs = -1, .request = { .patience_ms = 10000 } };
	int r = put_all(&a, ready, sizeof(ready) - 1);

	if (r == 0)
		r = await_request(&a, err);
	if (r == 0 && a.request.forget)
		forget_copy();
	if (r == 0 && a.request.record) {
		r = tmpdir_make(TMPDIR_LIVE, 0700, false, &a.dir);
		if (r == 0)
			snprintf(a.record, sizeof(a.record), "%s/run.dwell", a.dir.path);
	}
	if (r == 0)
		r = start(&a, run);
	if (r == 0) {
		attend(&a);
		finish(&a);
	}
	tmpdir_remove(&a.dir);
	wire_free_request(&a.request);
	strb_free(&a.in);
	strb_free(&a.held);
	free(a.memory);
	return r < 0 && err->code == 0 ? err_set(err, r, "%s", strerror(-r)) : r;
}

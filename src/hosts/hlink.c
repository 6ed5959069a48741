/* SPDX-License-Identifier: Apache-2.0 */
/* Starts ssh, copies dwell to the other machine when it is needed, and moves frames without blocking. */
#include "hosts/hlink.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include "base/cleanup.h"

#define PIECE 65536

__attribute__((format(printf, 2, 3))) static void refuse(struct hlink *l, const char *fmt, ...)
{
	va_list ap;

	if (l->refusal[0])
		return;
	va_start(ap, fmt);
	vsnprintf(l->refusal, sizeof(l->refusal), fmt, ap);
	va_end(ap);
}

/* -- ssh -- */

static void exec_ssh(char *const *argv, int in, int out, int err)
{
	setsid(); /* Ctrl-C is ours: we tell the other end */
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "cannot run ssh: %s\n", strerror(errno));
	_exit(127);
}

/* file: what it reads, which is closed; -1: a pipe. */
static void spawn(struct hlink *l, char *const *argv, int file)
{
	int in[2] = { file, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 };

	if ((file < 0 && pipe2(in, O_CLOEXEC) < 0) || pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0) {
		refuse(l, "%s", strerror(errno));
		l->state = HLINK_ENDED;
	} else {
		fflush(NULL);
		l->pid = fork();
		if (l->pid == 0)
			exec_ssh(argv, in[0], out[1], err[1]);
	}
	closep(&in[0]);
	closep(&out[1]);
	closep(&err[1]);
	l->in = in[1];
	l->out = out[0];
	l->err = err[0];
	for (int i = 0; i < 3; i++) {
		int fd = i == 0 ? l->in : i == 1 ? l->out : l->err;

		if (fd >= 0)
			fcntl(fd, F_SETFL, O_NONBLOCK);
	}
	if (l->pid < 0) {
		refuse(l, "%s", strerror(errno));
		l->state = HLINK_ENDED;
	}
}

static void begin(struct hlink *l)
{
	struct place_argv a;

	l->state = HLINK_GREETING;
	l->lacks = false;
	strb_reset(&l->from);
	strb_reset(&l->to);
	strb_reset(&l->messages);
	place_run(&l->place, &l->common->ssh, &a);
	spawn(l, a.argv, -1);
}

static void begin_copy(struct hlink *l)
{
	int file = open(l->common->binary, O_RDONLY | O_CLOEXEC);
	struct place_argv a;

	if (file < 0) {
		refuse(l, "cannot read %s, which is to be copied: %s", l->common->binary, strerror(errno));
		l->state = HLINK_ENDED;
		return;
	}
	l->state = HLINK_COPYING;
	l->copied = true;
	strb_reset(&l->messages);
	place_copy(&l->place, &l->common->ssh, &a);
	spawn(l, a.argv, file);
}

void hlink_start(struct hlink *l, const struct hlink_common *common, size_t host)
{
	l->common = common;
	l->host = host;
	l->in = l->out = l->err = -1;
	l->status = -1;
	begin(l);
}

/* -- what comes -- */

static void on_need(struct hlink *l, const char *system)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "Linux %s", l->common->machine);
	if (strcmp(system, wanted) != 0)
		refuse(l, "the host is %s, and %s is for %s: --host-binary names a dwell for it", system,
		       l->common->binary, wanted);
	else if (l->copied)
		refuse(l,
		       "dwell was copied to the host and is not there: is its ~/.cache writable, and not mounted noexec?");
}

/* The login shell's words, then dwell's line. */
static void read_greeting(struct hlink *l)
{
	size_t at = 0;
	char *end;

	while (l->state == HLINK_GREETING && l->from.n > at && (end = memchr(l->from.s + at, '\n', l->from.n - at))) {
		char *line = l->from.s + at;

		*end = '\0';
		at = (size_t)(end - l->from.s) + 1;
		if (!strcmp(line, WIRE_READY)) {
			l->state = HLINK_RUNNING;
			strb_add(&l->to, l->common->request.s, l->common->request.n);
		} else if (!strncmp(line, WIRE_NEED, sizeof(WIRE_NEED) - 1)) {
			l->lacks = true;
			on_need(l, line + sizeof(WIRE_NEED) - 1);
		}
	}
	wire_drop(&l->from, at);
	if (l->state == HLINK_GREETING && l->from.n > HLINK_GREETING_MAX)
		hlink_kill(l, "the login shell there prints without end");
}

static void read_frames(struct hlink *l)
{
	struct wire_frame f;
	size_t at = 0;
	struct step s = step_more();
	int r = 0;

	while (r == 0 && (s = wire_next(&l->from, &at, WIRE_FRAME_MAX, &f)).more) {
		if (f.kind == WIRE_STATUS && f.n == 1) {
			l->status = (uint8_t)f.p[0];
			close(take_fd(l->in));
		} else {
			r = l->common->frame(l->common->ctx, l->host, &f);
		}
	}
	r = s.error ? s.error : r;
	wire_drop(&l->from, at);
	if (r == -EPROTO)
		hlink_kill(l, "the answer is not of this version of dwell");
	else if (r < 0)
		hlink_kill(l, strerror(-r));
}

static void on_out(struct hlink *l)
{
	char buf[PIECE];
	ssize_t n = read(l->out, buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close(take_fd(l->out));
		return;
	}
	strb_add(&l->from, buf, (size_t)n);
	if (l->state == HLINK_GREETING)
		read_greeting(l);
	if (l->state == HLINK_RUNNING)
		read_frames(l);
}

/* Messages of ssh and of the shell there. */
static void on_err(struct hlink *l)
{
	char buf[HLINK_MESSAGES_MAX];
	ssize_t n = read(l->err, buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close(take_fd(l->err));
		return;
	}
	if (l->state == HLINK_RUNNING) {
		struct wire_frame f = { WIRE_ERR, buf, (size_t)n };

		l->common->frame(l->common->ctx, l->host, &f);
		return;
	}
	strb_add(&l->messages, buf, (size_t)n);
	if (l->messages.n > HLINK_MESSAGES_MAX)
		wire_drop(&l->messages, l->messages.n - HLINK_MESSAGES_MAX);
}

static void on_in(struct hlink *l)
{
	ssize_t n = l->to.n ? write(l->in, l->to.s, l->to.n) : 0;

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		close(take_fd(l->in)); /* the end of its output tells why */
	else if (n > 0)
		wire_drop(&l->to, (size_t)n);
}

/* -- its end -- */

/* Lines become one. */
static const char *reason(struct hlink *l, int status)
{
	char *s;
	size_t n;

	if (l->messages.n == 0)
		strb_printf(&l->messages,
			    WIFEXITED(status) ? "ssh ended with status %d" : "ssh was killed by signal %d",
			    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	s = l->messages.s;
	for (n = l->messages.n; n && strchr("\r\n", s[n - 1]); n--)
		;
	s[n] = '\0';
	for (size_t i = 0; i < n; i++)
		if (s[i] == '\n' || s[i] == '\r')
			s[i] = i && s[i - 1] == ' ' ? ' ' : ';';
	return s;
}

static void on_end(struct hlink *l)
{
	enum hlink_state state = l->state;
	int status = 0;

	while (waitpid(l->pid, &status, 0) < 0 && errno == EINTR)
		;
	l->pid = 0;
	closep(&l->in);
	l->in = -1;
	l->state = HLINK_ENDED;
	if (l->status >= 0 || l->refusal[0])
		return;
	if (l->interrupted)
		refuse(l, "interrupted before it had begun there");
	else if (state == HLINK_GREETING && l->lacks)
		begin_copy(l);
	else if (state == HLINK_COPYING && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		begin(l);
	else if (state == HLINK_COPYING)
		refuse(l, "dwell could not be copied there: %s", reason(l, status));
	else if (state == HLINK_GREETING)
		refuse(l, "%s", reason(l, status));
	else
		refuse(l, "the connection ended before the run did: the host ends the run by itself");
}

void hlink_poll(const struct hlink *l, struct pollfd fds[HLINK_FDS])
{
	fds[0] = (struct pollfd){ .fd = l->to.n ? l->in : -1, .events = POLLOUT };
	fds[1] = (struct pollfd){ .fd = l->out, .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = l->err, .events = POLLIN };
}

void hlink_handle(struct hlink *l, const struct pollfd fds[HLINK_FDS])
{
	if (l->state == HLINK_ENDED)
		return;
	if (fds[0].revents && l->in >= 0)
		on_in(l);
	if (fds[2].revents && l->err >= 0)
		on_err(l);
	if (fds[1].revents && l->out >= 0)
		on_out(l);
	if (l->out < 0 && l->err < 0)
		on_end(l);
}

void hlink_send(struct hlink *l, enum wire_kind kind)
{
	if (l->state == HLINK_RUNNING) {
		if (l->in >= 0 && (kind == WIRE_INTERRUPT || !l->to.n))
			wire_put(&l->to, kind, NULL, 0);
	} else if (kind == WIRE_INTERRUPT && l->state != HLINK_ENDED) {
		l->interrupted = true;
		if (l->pid > 0)
			kill(l->pid, SIGTERM);
	}
}

void hlink_kill(struct hlink *l, const char *text)
{
	refuse(l, "%s", text);
	if (l->pid > 0)
		kill(l->pid, SIGTERM);
	closep(&l->out); /* a child of ssh may still have them open */
	closep(&l->err);
	l->out = l->err = -1;
}

void hlink_free(struct hlink *l)
{
	closep(&l->in);
	closep(&l->out);
	closep(&l->err);
	if (l->pid > 0) {
		kill(l->pid, SIGKILL);
		waitpid(l->pid, NULL, 0);
	}
	strb_free(&l->to);
	strb_free(&l->from);
	strb_free(&l->messages);
}

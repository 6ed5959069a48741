/* SPDX-License-Identifier: Apache-2.0 */
/* A question is a packet with the writing ends of two pipes, for its answer and for messages. The reader makes ready
 * what the question needs, which stays; a child then answers, and cannot spoil it. */
#include "corepage/reader.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "corepage/question.h"

#define TEXT_MAX 128	/* bytes of a question */
#define ANSWER_CPU_S 60 /* a hostile heap must not keep a CPU busy for ever */

union control {
	char buf[CMSG_SPACE(2 * sizeof(int))];
	struct cmsghdr align;
};

/* -- the server's side -- */

static int send_question(int sock, const char *text, size_t n, const int fds[2])
{
	union control control = { 0 };
	struct iovec iov = { (void *)(uintptr_t)text, n };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.buf, .msg_controllen = sizeof(control.buf)
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(c), fds, 2 * sizeof(int));
	if (sendmsg(sock, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return errno == EAGAIN ? -EBUSY : -errno;
	return 0;
}

int reader_start(void *ctx, enum serve_kind kind, const char *text, size_t n, struct serve_child *ret, struct err *err)
{
	int out[2] = { -1, -1 }, messages[2] = { -1, -1 }, r = 0;

	if (kind != SERVE_CORE || n > TEXT_MAX)
		return err_set(err, -EINVAL, "this is no question");
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(messages, O_CLOEXEC) < 0 || fcntl(out[0], F_SETFL, O_NONBLOCK) < 0 ||
	    fcntl(messages[0], F_SETFL, O_NONBLOCK) < 0)
		r = -errno;
	if (r == 0)
		r = send_question(*(int *)ctx, text, n, (const int[]){ out[1], messages[1] });
	closep(&out[1]);
	closep(&messages[1]);
	if (r == 0) {
		*ret = (struct serve_child){ out[0], messages[0], 0 };
		return 0;
	}
	closep(&out[0]);
	closep(&messages[0]);
	return err_set(err, r, "the core cannot be asked: %s", strerror(-r));
}

void reader_stop(void *ctx, uint64_t id)
{
	(void)ctx;
	(void)id;
}

/* -- the reader's side -- */

/* A packet; *n 0: the server has gone. */
static int receive_question(int sock, char text[TEXT_MAX + 1], size_t *n, int fds[2])
{
	union control control;
	struct iovec iov = { text, TEXT_MAX };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.buf, .msg_controllen = sizeof(control.buf)
	};
	ssize_t got;

	do
		got = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	*n = (size_t)got;
	text[got] = '\0';
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		    c->cmsg_len == CMSG_LEN(2 * sizeof(int)))
			memcpy(fds, CMSG_DATA(c), 2 * sizeof(int));
	return 0;
}

/* Opens the heap, or its dominators, for a question. */
static int make_ready(struct shell *s, const struct question *q)
{
	struct js_graph *graph;
	struct js_heap *heap;

	return q->dominators ? shell_graph(s, &graph) : shell_heap(s, &heap);
}

/* In a process of its own. */
_Noreturn static void answer(struct shell *s, const struct question *q, const int fds[2])
{
	static const struct rlimit cpu = { ANSWER_CPU_S, ANSWER_CPU_S };
	FILE *out = fdopen(fds[0], "w");

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!out || setrlimit(RLIMIT_CPU, &cpu) < 0)
		_exit(1);
	s->out = out;
	if (shell_line(s, q->line) < 0)
		dprintf(fds[1], "%s\n", s->err.msg);
	fflush(out);
	_exit(0);
}

/* Answers one, or says why not. */
static void serve_question(struct shell *s, const char *text, const int fds[2])
{
	struct question q;
	int r = question_read(text, &q);

	if (r < 0) {
		dprintf(fds[1], "this is no question\n");
		return;
	}
	r = make_ready(s, &q);
	if (r < 0) {
		dprintf(fds[1], "%s\n", s->err.code ? s->err.msg : strerror(-r));
		err_done(&s->err);
		return;
	}
	switch (fork()) {
	case -1: dprintf(fds[1], "no process for the answer: %s\n", strerror(errno)); break;
	case 0: answer(s, &q, fds);
	default: break;
	}
}

int reader_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_DATA, &l) < 0)
		return -errno;
	l.rlim_max = l.rlim_max < READER_MEMORY_MAX ? l.rlim_max : READER_MEMORY_MAX;
	l.rlim_cur = l.rlim_cur < l.rlim_max ? l.rlim_cur : l.rlim_max;
	return setrlimit(RLIMIT_DATA, &l) < 0 ? -errno : 0;
}

int reader_run(struct shell *s, int sock)
{
	char text[TEXT_MAX + 1];
	size_t n = 1;
	int r = 0;

	signal(SIGCHLD, SIG_IGN); /* nobody waits for the answers' processes */
	signal(SIGPIPE, SIG_IGN); /* the page may have gone */
	while (r == 0) {
		int fds[2] = { -1, -1 };

		r = receive_question(sock, text, &n, fds);
		if (r == 0 && !n)
			break;
		if (r == 0 && fds[0] >= 0 && fds[1] >= 0)
			serve_question(s, text, fds);
		closep(&fds[0]);
		closep(&fds[1]);
	}
	return r;
}

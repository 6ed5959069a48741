/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/ask/notify.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/findprog.h"
#include "base/vec.h"
#include "base/writeall.h"
#include "fleet/wire/curl.h"

#define NAP_MS 20
#define ADDRESS_MAX 2048

struct message {
	char *text;
	size_t n;
	bool hook, program; /* the receivers that it still is to go to */
	unsigned tries;
	uint64_t next; /* CLOCK_MONOTONIC ns */
};
struct notify {
	CURL *easy;
	char *webhook, *program; /* or NULL */
	VEC(struct message) messages;
};

static int open_webhook(struct notify *x, const char *webhook, struct err *err)
{
	_cleanup_fclose_ FILE *f = *webhook == '@' ? fopen(webhook + 1, "re") : NULL;
	char line[ADDRESS_MAX];
	int e = curl_load(err);

	if (e < 0)
		return e;
	if (*webhook == '@' && (!f || !fgets(line, sizeof(line), f)))
		return err_set(err, f ? -EINVAL : -errno, "the address of the webhook cannot be read from %s",
			       webhook + 1);
	if (f)
		line[strcspn(line, "\r\n")] = '\0';
	x->webhook = strdup(f ? line : webhook);
	x->easy = curl.curl_easy_init();
	if (!x->webhook || !x->easy)
		return err_set(err, -ENOMEM, "out of memory");
	if (strncmp(x->webhook, "http://", 7) != 0 && strncmp(x->webhook, "https://", 8) != 0)
		return err_set(err, -EINVAL, "the webhook's address is to begin with https:// or http://");
	return 0;
}

int notify_open(const char *webhook, const char *program, struct notify **ret, struct err *err)
{
	struct notify *x = calloc(1, sizeof(*x));
	int e = x ? 0 : err_set(err, -ENOMEM, "out of memory");

	if (e == 0 && webhook)
		e = open_webhook(x, webhook, err);
	if (e == 0 && program) {
		x->program = findprog(program);
		if (!x->program)
			e = err_set(err, -ENOENT, "there is no program %s", program);
	}
	if (e < 0) {
		notify_free(x);
		return e;
	}
	*ret = x;
	return 0;
}

void notify_add(struct notify *x, const char *text, size_t n, const struct listener *to)
{
	struct message m = { .n = n, .hook = x->webhook, .program = x->program };

	if (!m.hook && !m.program)
		return;
	m.text = x->messages.n < NOTIFY_QUEUE_MAX ? malloc(n + 1) : NULL;
	if (m.text) {
		memcpy(m.text, text, n);
		m.text[n] = '\0';
	}
	if (!m.text || vec_try_push(&x->messages, m) < 0) {
		free(m.text);
		listener_msg(to, "too many messages wait: one is given up");
	}
}

/* -- the webhook -- */

static size_t ignore(char *p, size_t size, size_t n, void *ctx)
{
	(void)p;
	(void)ctx;
	return size * n;
}

/* 0; -EAGAIN: to be tried again; else -errno. */
static int post(struct notify *x, const struct message *m, struct err *err)
{
	struct curl_slist *headers = curl.curl_slist_append(NULL, "Content-Type: application/json");
	CURLcode r = CURLE_OUT_OF_MEMORY;
	long status = 0;

	if (headers) {
		curl.curl_easy_reset(x->easy);
		curl.curl_easy_setopt(x->easy, CURLOPT_URL, x->webhook);
		curl.curl_easy_setopt(x->easy, CURLOPT_NOSIGNAL, 1L);
		curl.curl_easy_setopt(x->easy, CURLOPT_PROTOCOLS_STR, "http,https");
		curl.curl_easy_setopt(x->easy, CURLOPT_TIMEOUT, (long)NOTIFY_WAIT_S);
		curl.curl_easy_setopt(x->easy, CURLOPT_HTTPHEADER, headers);
		curl.curl_easy_setopt(x->easy, CURLOPT_POSTFIELDS, m->text);
		curl.curl_easy_setopt(x->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)m->n);
		curl.curl_easy_setopt(x->easy, CURLOPT_WRITEFUNCTION, ignore);
		r = curl.curl_easy_perform(x->easy);
		curl.curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
	}
	curl.curl_slist_free_all(headers);
	/* Without the address: it may have a secret. */
	if (r != CURLE_OK)
		return err_set(err, -EAGAIN, "the webhook: %s", curl.curl_easy_strerror(r));
	if (status >= 200 && status < 300)
		return 0;
	return err_set(err, status == 408 || status == 429 || status >= 500 ? -EAGAIN : -EPROTO,
		       "the webhook answers %ld", status);
}

/* -- the program -- */

/* A file in memory that is read from its beginning. */
static int make_input(const struct message *m)
{
	int fd = memfd_create("message", MFD_CLOEXEC);

	if (fd >= 0 && (write_all(fd, m->text, m->n) < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		return -EIO;
	}
	return fd < 0 ? -errno : fd;
}

/* In the child: nothing but system calls. */
static void become(const char *program, int in, int null)
{
	char *argv[] = { (char *)(uintptr_t)program, NULL };
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	dup2(in, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	execv(program, argv);
	_exit(127);
}

static int await_end(pid_t pid, struct err *err)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + NOTIFY_WAIT_S * NSEC_PER_SEC;
	const struct timespec nap = clock_timespec(NAP_MS * NSEC_PER_MSEC);
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (clock_ns(CLOCK_MONOTONIC) > end) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			return err_set(err, -EAGAIN, "the program did not end within %d s, and was killed",
				       NOTIFY_WAIT_S);
		}
		nanosleep(&nap, NULL);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return err_set(err, -EAGAIN, "the program ended with %s %d", WIFEXITED(status) ? "status" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static int execute(const struct notify *x, const struct message *m, struct err *err)
{
	_cleanup_close_ int in = make_input(m), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	pid_t pid;

	if (in < 0 || null < 0)
		return err_set(err, -EAGAIN, "the program gets no message: %s", strerror(in < 0 ? -in : errno));
	pid = fork();
	if (pid == 0)
		become(x->program, in, null);
	if (pid < 0)
		return err_set(err, -EAGAIN, "the program is not started: %s", strerror(errno));
	return await_end(pid, err);
}

/* -- all -- */

/* Whether it is done with. */
static bool deliver(struct notify *x, struct message *m, uint64_t now, const struct listener *to)
{
	struct err err = { 0 };
	int e = m->hook ? post(x, m, &err) : 0;

	m->hook &= e == -EAGAIN;
	if (e < 0)
		listener_msg(to, "%s%s", err.msg, e == -EAGAIN ? "" : ": the message is given up");
	e = m->program ? execute(x, m, &err) : 0;
	m->program &= e == -EAGAIN;
	if (e < 0)
		listener_msg(to, "%s", err.msg);
	m->next = now + (NOTIFY_RETRY_NS << m->tries);
	if (++m->tries < NOTIFY_TRIES)
		return !m->hook && !m->program;
	if (m->hook || m->program)
		listener_msg(to, "a message is given up after %u attempts", m->tries);
	return true;
}

size_t notify_turn(struct notify *x, uint64_t now, const struct listener *to)
{
	size_t n = 0;

	for (size_t i = 0; i < x->messages.n; i++) {
		struct message *m = &x->messages.v[i];

		if (now >= m->next && deliver(x, m, now, to))
			free(m->text);
		else
			x->messages.v[n++] = *m;
	}
	x->messages.n = n;
	return n;
}

void notify_free(struct notify *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->messages.n; i++)
		free(x->messages.v[i].text);
	vec_free(&x->messages);
	if (x->easy)
		curl.curl_easy_cleanup(x->easy);
	free(x->webhook);
	free(x->program);
	free(x);
}

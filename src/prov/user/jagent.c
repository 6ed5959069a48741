/* SPDX-License-Identifier: Apache-2.0 */
/* Talks to the agent of the provider java in a JVM: lines over a socket, each question answered by lines and a last
 * one, "." or
 * "! what is wrong". The JVM may be anybody's: what it sends is bounded. */
#include "prov/user/jvm.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "base/writeall.h"

#define ANSWER_WAIT_S 60	/* it may transform many classes */
#define ANSWER_MAX (256u << 20) /* bytes of one answer */
#define LOADING_MAX 10000u	/* classes that wait; further ones go on without probes */
#define LINE_MAX_BYTES (64u << 10)

/* A class that is being loaded. */
struct loading {
	struct loading *next;
	unsigned idx;
	char name[];
};

struct jagent {
	int fd, pid;
	uint64_t sites;
	bool gone;
	struct loading *first, **last; /* that came between answers */
	unsigned nloading;
	char *name; /* of the one that was given last */
	char buf[LINE_MAX_BYTES];
	size_t from, to;
};

/* The next line; NULL: the connection ended, or the line is too long. It is good until the next call. */
static char *next_line(struct jagent *j)
{
	for (;;) {
		char *nl = memchr(j->buf + j->from, '\n', j->to - j->from);
		ssize_t n;

		if (nl) {
			char *line = j->buf + j->from;

			*nl = '\0';
			j->from = (size_t)(nl + 1 - j->buf);
			return line;
		}
		memmove(j->buf, j->buf + j->from, j->to - j->from);
		j->to -= j->from;
		j->from = 0;
		if (j->to == sizeof(j->buf)) {
			j->gone = true;
			return NULL;
		}
		do
			n = read(j->fd, j->buf + j->to, sizeof(j->buf) - j->to);
		while (n < 0 && errno == EINTR);
		if (n <= 0) {
			j->gone = true;
			return NULL;
		}
		j->to += (size_t)n;
	}
}

/* Takes a line that is no answer. Without memory the class goes on without probes. */
static bool take_event(struct jagent *j, const char *line)
{
	struct loading *l;
	unsigned idx;
	int at = 0;

	if (sscanf(line, "loading %u %n", &idx, &at) != 1 || !at)
		return false;
	l = j->nloading < LOADING_MAX ? malloc(sizeof(*l) + strlen(line + at) + 1) : NULL;
	if (l) {
		j->nloading++;
		l->next = NULL;
		l->idx = idx;
		strcpy(l->name, line + at);
		*j->last = l;
		j->last = &l->next;
	}
	return true;
}

bool jagent_next_loading(struct jagent *j, unsigned *ret_idx, const char **ret_name)
{
	struct loading *l;

	for (;;) {
		struct pollfd p = { .fd = j->fd, .events = POLLIN };
		char *line;

		if (j->first || j->gone)
			break;
		if (!memchr(j->buf + j->from, '\n', j->to - j->from) && poll(&p, 1, 0) <= 0)
			break;
		line = next_line(j);
		if (line)
			(void)take_event(j, line); /* others are of no use now */
	}
	l = j->first;
	if (!l)
		return false;
	j->first = l->next;
	j->nloading--;
	if (!j->first)
		j->last = &j->first;
	*ret_idx = l->idx;
	free(j->name);
	j->name = strdup(l->name);
	free(l);
	*ret_name = j->name ? j->name : "";
	return true;
}

int jagent_fd(const struct jagent *j)
{
	return j->fd;
}

bool jagent_is_gone(const struct jagent *j)
{
	return j->gone;
}

/* FNV-1a over all that the agent is made of. */
void jagent_version(char ret[JAGENT_VERSION])
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < asset_java_jar_size; i++)
		h = (h ^ (unsigned char)asset_java_jar[i]) * 0x100000001b3ull;
	for (size_t i = 0; i < asset_java_lib_size; i++)
		h = (h ^ (unsigned char)asset_java_lib[i]) * 0x100000001b3ull;
	snprintf(ret, JAGENT_VERSION, "%016llx", (unsigned long long)h);
}

/* Its first line. The agents of older dwells tell no version. */
static int greet(struct jagent *j, struct err *err)
{
	char ours[JAGENT_VERSION], its[JAGENT_VERSION] = "";
	unsigned long long at;
	const char *line = next_line(j);

	if (!line || sscanf(line, "sites %llu %*u %16s", &at, its) < 1)
		return err_set(err, -EPROTO, "the agent in process %d does not say where its places are", j->pid);
	jagent_version(ours);
	if (strcmp(ours, its) != 0)
		return err_set(
			err, -EBUSY,
			"the JVM %d has the agent of another dwell, which stays in it: trace it with that dwell, "
			"or start it anew",
			j->pid);
	j->sites = at;
	return 0;
}

int jagent_new(int fd, int pid, struct jagent **ret, struct err *err)
{
	const struct timeval wait = { .tv_sec = ANSWER_WAIT_S };
	struct jagent *j = calloc(1, sizeof(*j));
	int r;

	if (!j) {
		close(fd);
		return err_set(err, -ENOMEM, "out of memory");
	}
	j->fd = fd;
	j->pid = pid;
	j->last = &j->first;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	r = greet(j, err);
	if (r < 0) {
		close(fd);
		free(j);
		return r;
	}
	*ret = j;
	return 0;
}

uint64_t jagent_sites(const struct jagent *j)
{
	return j->sites;
}

int jagent_say(struct jagent *j, const char *line, struct err *err)
{
	size_t n = strlen(line);

	while (n) {
		ssize_t k = send(j->fd, line, n, MSG_NOSIGNAL);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return err_set(err, -EPIPE, "the agent in process %d is gone", j->pid);
		line += k;
		n -= (size_t)k;
	}
	return 0;
}

int jagent_ask(struct jagent *j, const char *question, void (*fn)(void *arg, char *line), void *arg, struct err *err)
{
	size_t all = 0;
	int r = jagent_say(j, question, err);
	char *line;

	while (r == 0 && all < ANSWER_MAX && (line = next_line(j))) {
		all += strlen(line) + 1;
		if (take_event(j, line))
			continue;
		if (!strcmp(line, "."))
			return 0;
		if (line[0] == '!')
			return err_set(err, -EREMOTEIO, "the agent in process %d: %s", j->pid,
				       line + 1 + (line[1] == ' '));
		if (fn)
			fn(arg, line);
	}
	return r < 0 ? r : err_set(err, -EPIPE, "the agent in process %d does not answer", j->pid);
}

void jagent_free(struct jagent *j)
{
	if (!j)
		return;
	jagent_ask(j, "off\n", NULL, NULL, NULL);
	for (struct loading *l = j->first, *next; l; l = next) {
		next = l->next;
		free(l);
	}
	free(j->name);
	close(j->fd);
	free(j);
}

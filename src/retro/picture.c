/* SPDX-License-Identifier: Apache-2.0 */
/* Views of a trace: each has a D program, which is asked of the trace, and records what the view shows. */
#include "retro/picture.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "replay/trace/trace.h"
#include "retro/retro.h"

/* Times are the recorded ones. */
#define BEGIN_CALL "syscall:::entry { self->t = timestamp; } "
static const struct {
	const char *command, *text;
	const char *head; /* of the picture; NULL: the usual one */
} asks[] = {
	{ "timeline",
	  BEGIN_CALL
	  "syscall:::return /self->t/ { span(execname, probefunc, self->t, timestamp - self->t); self->t = 0; }",
	  NULL },
	{ "flame",
	  BEGIN_CALL "syscall:::return /self->t/ { @calls_ns[execname, probefunc, jstack()] = sum(timestamp - self->t);"
		     " self->t = 0; }",
	  "Time in system calls" },
};

static bool is_trace(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[sizeof(TRACE_MAGIC) - 1];

	return fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	       memcmp(magic, TRACE_MAGIC, sizeof(magic)) == 0;
}

bool retro_draws(struct recnow *l, const char *command, const char *path, const char **ret_head)
{
	for (size_t i = 0; i < ARRAY_SIZE(asks); i++) {
		if (strcmp(asks[i].command, command) != 0 || !is_trace(path))
			continue;
		l->trace = path;
		l->asked = asks[i].text;
		*ret_head = asks[i].head ? asks[i].head : *ret_head;
		return true;
	}
	return false;
}

int retro_picture(struct recnow *l, struct request *c)
{
	FILE *f = fopen(l->trace, "re");
	int e = f ? recnow_place(l, &c->to)
		  : listener_fail(&c->to, -errno, "cannot read %s: %s", l->trace, strerror(errno)),
	    status;

	if (e == 0) {
		c->opts.quiet = true;
		c->own = true;
		request_prog(c, PROG_NAME, l->asked);
		request_option(c, "record", l->path);
		c->output = "/dev/null";
		e = retro_run(c, l->trace, f, &status);
	} else if (f) {
		fclose(f);
	}
	request_done(c);
	return e;
}

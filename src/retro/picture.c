/* SPDX-License-Identifier: Apache-2.0 */
/* Views of a trace: most read a recording of its system calls (asrec.c); stacks come from a D program, which is asked
 * of the trace, and for which the recorded program runs again. */
#include "retro/picture.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "replay/trace/trace.h"
#include "retro/asrec.h"
#include "retro/retro.h"

#define STACKS \
	"syscall:::entry { self->t = timestamp; } " \
	"syscall:::return /self->t/ { @calls_ns[execname, probefunc, jstack()] = sum(timestamp - self->t); self->t = 0; }"
#define STACKS_WHOLE "of a trace the time in its system calls is drawn: it has no samples of CPUs and no wake-ups"

static const struct ask {
	const char *view;
	const char *text;	/* the D program; NULL: its system calls are enough */
	const char *head;	/* of the picture; or NULL */
	const char *by, *whole; /* of struct view_made */
	const char *refused;	/* why it cannot be shown so; or NULL */
	bool brief;		/* it shows no single short calls */
} asks[] = {
	{ .view = "flame", .text = STACKS, .head = "Time in system calls", .whole = STACKS_WHOLE },
	{ .view = "stacks", .text = STACKS, .whole = STACKS_WHOLE },
	{ .view = "heat", .head = "System calls", .by = "@syscall_name" },
	{ .view = "hist", .head = "System calls", .by = "@syscall_name", .brief = true },
	{ .view = "latency", .brief = true },
	{ .view = "profile", .brief = true },
	{ .view = "diff", .brief = true },
	{ .view = "why", .brief = true },
	{ .view = "check",
	  .refused = "a trace is of one program, and a check looks at a machine: dwell why and dwell latency take it" },
	{ .view = "stuck",
	  .refused = "a trace is over, and nobody waits any more: dwell why and dwell latency take it" },
	{ .view = "values",
	  .refused = "a trace has no aggregations: dwell hist --json has the distributions of its calls" },
};

static const struct ask *ask_of(const char *view)
{
	static const struct ask others = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(asks); i++)
		if (!strcmp(asks[i].view, view))
			return &asks[i];
	return &others;
}

/* A pipe is not read: others will. */
static bool is_trace(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[sizeof(TRACE_MAGIC) - 1];
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       read(fd, magic, sizeof(magic)) == sizeof(magic) && memcmp(magic, TRACE_MAGIC, sizeof(magic)) == 0;
}

/* Where the next one goes: its name is the trace's, in a folder of its own. 0 or -errno with *err. */
static int place(struct retro_pictures *p, const char *trace, struct err *err)
{
	int r = p->folder.path ? 0 : tmpdir_make(TMPDIR_LIVE, 0700, true, &p->folder);
	_cleanup_free_ char *own = NULL;
	const char *base = strrchr(trace, '/');
	char *path = NULL;

	if (r == 0 && asprintf(&own, "%s/%zu", p->folder.path, p->paths.n) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	if (r == 0 && mkdir(own, 0700) < 0)
		r = -errno;
	if (r < 0)
		return err_set(err, r, "cannot make a folder for the recording: %s", strerror(-r));
	if (asprintf(&path, "%s/%s", own, base ? base + 1 : trace) < 0 || vec_try_push(&p->paths, path) < 0) {
		free(path);
		return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

static int ask(struct request *c, const char *text, const char *trace, struct err *err)
{
	FILE *f = fopen(trace, "re");
	int status;

	if (!f)
		return err_set(err, -errno, "%s", strerror(errno));
	c->opts.quiet = true;
	c->own = true;
	c->output = "/dev/null";
	request_prog(c, PROG_NAME, text);
	return retro_run(c, trace, f, &status);
}

int retro_picture(void *arg, const char *view, const char *path, struct view_made *ret, struct err *err)
{
	const struct ask *a = ask_of(view);
	struct retro_pictures *p = arg;
	struct request c;
	int e;

	if (!is_trace(path))
		return 0;
	if (a->refused)
		return err_set(err, -EINVAL, "%s: %s", path, a->refused);
	e = place(p, path, err);
	if (e < 0)
		return e;
	*ret = (struct view_made){ p->paths.v[p->paths.n - 1], a->head, a->by, a->whole };
	p->begin(&c);
	request_option(&c, "record", ret->path);
	e = a->text ? ask(&c, a->text, path, err) : asrec_write(&c, path, a->brief, err);
	request_done(&c);
	if (e < 0 && err->msg[0])
		err_prefix(err, "%s: ", path);
	return e;
}

int retro_picture_path(struct retro_pictures *p, const char *view, const char **path, struct err *err)
{
	struct view_made made = { 0 };
	int e = retro_picture(p, view, *path, &made, err);

	*path = e == 0 && made.path ? made.path : *path;
	return e;
}

void retro_pictures_done(struct retro_pictures *p)
{
	for (size_t i = 0; i < p->paths.n; i++)
		free(p->paths.v[i]);
	vec_free(&p->paths);
	tmpdir_remove(&p->folder);
}

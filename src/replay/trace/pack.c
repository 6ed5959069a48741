/* SPDX-License-Identifier: Apache-2.0 */
/* Packs a trace: copies the files that it refers to into it, so that another machine can replay it. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "replay/trace/int.h"

static bool is_same(FILE *f, const char *path)
{
	struct stat a, b;

	return fstat(fileno(f), &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int copy(struct trace_in *in, const char *path, struct err *e)
{
	struct trace_out *out = NULL;
	struct trace_event ev;
	int r = trace_create(path, trace_head(in), &out), closed;

	if (r == 0)
		trace_pack_all(out);
	while (r == 0 && trace_next(in, &ev))
		r = trace_append(out, ev.kind, ev.data, ev.size, NULL, 0);
	if (r == 0)
		r = trace_flush(out);
	closed = trace_close(out);
	r = r < 0 ? r : closed;
	if (r < 0)
		return err_set(e, r, "cannot write to %s: %s", path, strerror(-r));
	if (trace_ended_by(in) == TRACE_DAMAGED)
		return err_set(e, -EBADMSG, "the recording is damaged: %s has the part before that", path);
	return 0;
}

int trace_pack(FILE *f, const char *path, struct err *e)
{
	struct trace_in *in = NULL;
	int r;

	if (is_same(f, path)) {
		fclose(f);
		return err_set(e, -EINVAL, "%s is the recording itself", path);
	}
	r = trace_open(f, &in);
	if (r < 0)
		return err_set(e, r, "%s", trace_words(r));
	r = copy(in, path, e);
	trace_done(in);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rows of a recording in place of a run's, when the caller asks for them, in the caller's thread. */
#include <string.h>
#include "base/cleanup.h"
#include "lib/int.h"

int reader_open(struct dwell *d, const char *path, struct dwell_error *err)
{
	const struct reprint_opts opts = { .json = true };
	struct err reason = { 0 };
	int e = recread_open(path, &d->file, &reason);

	if (e < 0) {
		e = lib_fail(err, DWELL_E_SYSTEM, "%s", reason.msg);
		err_done(&reason);
		return e;
	}
	d->schema = recread_schema(d->file);
	d->message_rows = true;
	d->out = runner_stream(d);
	if (!d->out || reprint_open(d->file, &opts, &d->req.to, d->out, &d->reprint) < 0)
		return lib_fail(err, DWELL_E_MEMORY, "out of memory");
	d->view = reprint_view(d->reprint);
	return DWELL_OK;
}

void reader_go_on(struct dwell *d)
{
	const struct row end = { .kind = ROW_END };
	struct err err = { 0 };
	struct row row = { 0 };
	int e = 0;

	while (!d->ended && !d->queue.first && !d->queue.lost) {
		const struct step s = reprint_next(d->reprint, &row, &err);

		d->ended = !s.more;
		e = s.more ? runner_queue(d, &row) : s.error;
		if (d->ended && e == 0)
			e = reprint_finish(d->reprint);
		if (d->ended && e == 0)
			e = runner_queue(d, &end);
		if (e < 0) {
			snprintf(d->failure, sizeof(d->failure), "%s", err.msg[0] ? err.msg : strerror(-e));
			d->error = e;
			d->ended = true;
		}
	}
	err_done(&err);
}

void reader_done(struct dwell *d)
{
	reprint_free(d->reprint);
	recread_close(d->file);
}

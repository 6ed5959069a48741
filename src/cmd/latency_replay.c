/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency FILE…`: the slow events of recordings. */
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/latency_live.h"
#include "engine/why.h"

int live_replay(struct latency_view *l)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct recset set;
	struct err err = { 0 };
	struct dopts opts;
	struct why why;
	int e;

	l->show.out = stdout;
	l->show.recorded = true;
	dopts_init(&opts, a);
	e = why_open(&why, &opts, &cmd_listener);
	l->show.causes = e ? NULL : why_causes(&why);
	if (e == 0 && !l->show.causes)
		e = EXIT_ERROR;
	if (e == 0) {
		e = recset_open(&set, l->recordings, l->nrecordings, cmd_left_out, &err);
		if (e == 0)
			e = slowshow_replay(&l->show, &set, &err);
		e = e < 0 ? cmd_fail("%s", err.msg) : cmd_written(0);
		recset_close(&set);
	}
	why_done(&why);
	arena_free(a);
	return e;
}

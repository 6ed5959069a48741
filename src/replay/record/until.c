/* SPDX-License-Identifier: Apache-2.0 */
/* Records one run after the other, and keeps the first that fails. */
#include <unistd.h>
#include "replay/rec.h"

int rec_until_fail(struct rec_opts *o, unsigned most, unsigned *ret_runs, struct rec_result *ret, struct err *e)
{
	int x = 0;

	ret->status = 0;
	for (*ret_runs = 0; *ret_runs < most && x == 0 && ret->status == 0; ++*ret_runs) {
		if (o->chaos && *ret_runs)
			o->chaos++;
		x = rec_run(o, ret, e);
	}
	if (x == 0 && ret->status == 0)
		unlink(o->trace);
	return x;
}

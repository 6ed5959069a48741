/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the commands that read stacks. */
#include "cmd/stackopts.h"
#include <errno.h>
#include "base/num.h"
#include "cmd/cmd.h"

int stackopts_time(const char *option, const char *arg, uint64_t *ret)
{
	if (num_parse_period(arg, 1000000000, 0, ret) == 0)
		return 0;
	cmd_msg("--%s: '%s' is no time, like 10s or 500ms", option, arg);
	return EXIT_USAGE;
}

int stackopts_take(struct stacksrc_opts *o, int option, const char *arg)
{
	switch (option) {
	case STACKOPT_BY:
		o->by = arg;
		return 0;
	case STACKOPT_FROM:
		return stackopts_time("from", arg, &o->from_ns);
	case STACKOPT_TO:
		return stackopts_time("to", arg, &o->to_ns);
	case STACKOPT_PER_THREAD:
		o->per_thread = true;
		return 0;
	case STACKOPT_ADDRESSES:
		o->addresses = true;
		return 0;
	default:
		return -ENOENT;
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/latency_daemon.h"
#include <errno.h>
#include "base/num.h"
#include "cmd/cmd.h"

const char daemon_mark[] = " (of --daemon)";

int daemon_take_size(void *bytes, const struct optrow *o, const char *arg, struct err *err)
{
	uint64_t *ret = bytes;

	if (num_parse_size(arg, ret) == 0 && *ret >= DAEMON_ROTATE_MIN && *ret <= INT64_MAX / 4)
		return 0;
	return err_set(err, -EINVAL, "--%s: '%s' is no size from %llum on, like 64m or 2g", o->name, arg,
		       (unsigned long long)(DAEMON_ROTATE_MIN >> 20));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the values of options: times and numbers with their limits. */
#include "base/optrow.h"
#include <errno.h>
#include "base/num.h"

int optrow_time(const char *name, const char *arg, uint64_t least, uint64_t *ret, struct err *err)
{
	uint64_t ns;

	if (num_parse_time(arg, &ns) == 0) {
		if (ns >= least) {
			*ret = ns;
			return 0;
		}
		if (least > 1)
			return err_set(err, -EINVAL, "--%s: '%s' is less than the least, %gms", name, arg,
				       (double)least / 1e6);
	}
	return err_set(err, -EINVAL, "--%s: '%s' is no time, like 30s, 1.5ms or 10us", name, arg);
}

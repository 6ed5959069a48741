/* SPDX-License-Identifier: Apache-2.0 */
/* Decides by -e which calls, signals and results are shown. */
#ifndef DWELL_STRACE_FILTER_H
#define DWELL_STRACE_FILTER_H
#include <stdbool.h>
#include <stdint.h>
#include "base/strb.h"
#include "strace/call.h"

struct filter {
	bool call[CALL_NR_MAX];
	bool others;	  /* calls that the table does not have */
	uint64_t signals; /* 1 << (signal - 1) */
	unsigned status;  /* enum trail_status */
};

void filter_init(struct filter *f); /* all */
/* "trace=file,!close", "signal=none", "status=failed", "openat". -EINVAL and what is wrong in *reason. */
int filter_parse(struct filter *f, const char *expression, struct strb *reason);
#endif

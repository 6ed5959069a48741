/* SPDX-License-Identifier: Apache-2.0 */
/* Finds how a system call is recorded. */
#ifndef DWELL_REPLAY_TRACEE_POLICY_H
#define DWELL_REPLAY_TRACEE_POLICY_H
#include <stdint.h>
#include "strace/call.h"

enum policy_do {
	POLICY_STOP, /* it cannot be recorded */
	POLICY_NONE, /* there is no such call: the kernel says ENOSYS */
	POLICY_RESULT,
	POLICY_MAP,
	POLICY_DENY,
	POLICY_OWN,
	POLICY_TASK, /* it makes a task */
};
struct policy {
	enum policy_do act;
	int error; /* of POLICY_DENY */
};
struct policy policy_of(uint64_t nr);
/* Never NULL: a number that the table does not have is a call without arguments. */
const struct call_desc *policy_call(uint64_t nr);
/* "openat", or "number 999"; buf has 32 bytes. */
const char *policy_name(uint64_t nr, char buf[32]);
#define IOCTL_UNKNOWN (-1)
#define IOCTL_DENIED (-2)
/* Bytes that the ioctl writes, or one of IOCTL_*. */
int policy_ioctl(uint64_t request);
#endif

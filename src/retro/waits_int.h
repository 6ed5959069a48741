/* SPDX-License-Identifier: Apache-2.0 */
/* Types that waits.c (who ends which wait) and waitshow.c (sums of them) share. */
#ifndef DWELL_RETRO_WAITS_INT_H
#define DWELL_RETRO_WAITS_INT_H
#include <stdio.h>
#include "retro/waitfds.h"

enum wait_end {
	END_UNKNOWN, /* somebody outside of the recording, or a thing that is not followed */
	END_WAKE,    /* a futex call of another thread */
	END_EXIT,    /* the end of a thread or process */
	END_WRITE,
	END_READ,
	END_CLOSE,
	END_TIME, /* as long as it wanted to wait */
	END_SIGNAL,
	END_KINDS
};
enum wait_on { ON_NOTHING, ON_FUTEX, ON_PIPE, ON_SOCKET, ON_EVENT, ON_TIMER, ON_CHILD, ON_KINDS };
struct wait {
	struct doer who;
	uint32_t nr;
	enum wait_on on;
	enum wait_end end;
	struct doer by; /* of END_WAKE … END_CLOSE, END_SIGNAL; tid 0: nobody of the recording */
	uint32_t signo; /* of END_SIGNAL */
	uint64_t took;	/* ns */
	uint64_t late;	/* of it, after what ended it; 0: not known */
};
/* Sorts v. 0 or -errno. */
int waits_show(struct wait *v, size_t n, bool json, FILE *out);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Scope-bound release of locals, and small helpers used everywhere. */
#ifndef DWELL_BASE_CLEANUP_H
#define DWELL_BASE_CLEANUP_H
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

static inline void freep(void *p)
{
	free(*(void **)p);
}
static inline void closep(int *fd)
{
	if (*fd >= 0) {
		int saved = errno;
		close(*fd);
		errno = saved;
	}
}
static inline void fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}
#define _cleanup_free_ _cleanup_(freep)
#define _cleanup_close_ _cleanup_(closep)
#define _cleanup_fclose_ _cleanup_(fclosep)

/* Gives the value away and clears the variable, so that its cleanup does nothing. */
#define take_ptr(p) \
	__extension__({ \
		__typeof__(p) t_ = (p); \
		(p) = NULL; \
		t_; \
	})
#define take_fd(fd) \
	__extension__({ \
		int t_ = (fd); \
		(fd) = -1; \
		t_; \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ROUND_UP(x, to) (((x) + ((to)-1)) / (to) * (to))
#endif

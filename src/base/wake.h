/* SPDX-License-Identifier: Apache-2.0 */
/* One thread wakes another by an eventfd, which does not block. */
#ifndef DWELL_BASE_WAKE_H
#define DWELL_BASE_WAKE_H
#include <stdint.h>
#include <unistd.h>

/* The descriptor is readable from now on. */
static inline void wake_set(int fd)
{
	const uint64_t one = 1;
	ssize_t n = write(fd, &one, sizeof(one));

	(void)n; /* it is readable already */
}

/* It is not any more. */
static inline void wake_clear(int fd)
{
	uint64_t v;
	ssize_t n = read(fd, &v, sizeof(v));

	(void)n; /* it was not */
}
#endif

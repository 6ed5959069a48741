/* SPDX-License-Identifier: Apache-2.0 */
#include "base/writeall.h"
#include <errno.h>
#include <unistd.h>

int write_all(int fd, const void *p, size_t n)
{
	const char *b = p;

	while (n) {
		ssize_t k = write(fd, b, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return k < 0 ? -errno : -EIO;
		b += k;
		n -= (size_t)k;
	}
	return 0;
}

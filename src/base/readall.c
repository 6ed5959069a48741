/* SPDX-License-Identifier: Apache-2.0 */
#include "base/readall.h"
#include <errno.h>
#include <unistd.h>
#include "base/strb.h"

#define PIECE 65536u /* bytes of a stream that are read at once */

int read_all(int fd, void *buf, size_t n, size_t *ret)
{
	size_t have = 0;

	while (have < n) {
		const ssize_t got = read(fd, (char *)buf + have, n - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	*ret = have;
	return 0;
}

int read_exactly(int fd, void *buf, size_t n)
{
	size_t got;
	int e = read_all(fd, buf, n, &got);

	return e < 0 ? e : got == n ? 0 : -EIO;
}

int read_stream(int fd, struct strb *b, size_t max)
{
	char buf[PIECE];
	size_t have = 0, got = sizeof(buf);

	while (got == sizeof(buf)) {
		int e = read_all(fd, buf, sizeof(buf), &got);

		if (e < 0)
			return e;
		if (got > max - have)
			return -EFBIG;
		strb_add(b, buf, got);
		have += got;
	}
	return b->failed ? -ENOMEM : 0;
}

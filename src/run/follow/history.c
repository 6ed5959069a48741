/* SPDX-License-Identifier: Apache-2.0 */
/* Appends processes and mappings to the recording, first from /proc, then from the side band. */
#include "run/follow/history.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "run/os/signals.h"

#define NAME_MAX_BYTES 4096 /* of a path in a row; longer ones are cut */

int64_t history_clock(void)
{
	return (int64_t)(clock_ns(CLOCK_MONOTONIC) - clock_ns(CLOCK_BOOTTIME));
}

static int append(struct recording *rec, uint64_t ts, const struct rec_proc *p, const char *name)
{
	size_t n = strnlen(name, NAME_MAX_BYTES);
	struct row row = { .kind = ROW_PROC, .ts = ts, .len = sizeof(*p) + n + 1 };
	_cleanup_free_ uint8_t *data = malloc(row.len);

	if (!data)
		return -ENOMEM;
	memcpy(data, p, sizeof(*p));
	memcpy(data + sizeof(*p), name, n);
	data[sizeof(*p) + n] = '\0';
	row.data = data;
	return recording_append(rec, &row);
}

int history_event(struct recording *rec, int64_t clock, const struct side_event *e)
{
	static const uint32_t kinds[] = {
		[SIDE_FORK] = PROC_FORK,
		[SIDE_EXEC] = PROC_EXEC,
		[SIDE_EXIT] = PROC_EXIT,
		[SIDE_MMAP] = PROC_MMAP,
	};
	struct rec_proc p = { .kind = kinds[e->kind], .tgid = e->tgid };

	if (e->kind == SIDE_FORK)
		p.parent = e->parent;
	if (e->kind == SIDE_MMAP) {
		p.addr = e->addr;
		p.len = e->len;
		p.off = e->off;
	}
	return append(rec, e->time + (uint64_t)clock, &p, e->path ? e->path : "");
}

/* Reads /proc/PID/stat: its parent, name, and start in clock ticks. */
static bool read_stat(int proc, const char *pid, struct rec_proc *p, char *name, size_t size, uint64_t *ticks)
{
	_cleanup_close_ int dir = openat(proc, pid, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int fd = dir < 0 ? -1 : openat(dir, "stat", O_RDONLY | O_CLOEXEC);
	char buf[1024], *open, *close;
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);

	if (n <= 0)
		return false;
	buf[n] = '\0';
	open = strchr(buf, '(');
	close = strrchr(buf, ')'); /* the name may hold anything */
	if (!open || !close || close < open ||
	    sscanf(close,
		   ") %*c %" SCNu32 " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64,
		   &p->parent, ticks) != 2)
		return false;
	snprintf(name, size, "%.*s", (int)(close - open - 1), open + 1);
	return true;
}

int history_alive(struct recording *rec, int64_t clock)
{
	uint64_t tick = NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK), ticks, boot;
	DIR *d = opendir("/proc");
	struct dirent *e;
	int r = 0;

	while (r == 0 && d && !signals_pending() && (e = readdir(d))) {
		struct rec_proc p = { .kind = PROC_ALIVE };
		char name[64];

		if (!isdigit((unsigned char)e->d_name[0]) ||
		    !read_stat(dirfd(d), e->d_name, &p, name, sizeof(name), &ticks))
			continue;
		p.tgid = (uint32_t)strtoul(e->d_name, NULL, 10);
		boot = ticks * tick;
		/* before the monotonic clock began: the machine slept */
		r = append(rec, clock < 0 && boot < (uint64_t)-clock ? 0 : boot + (uint64_t)clock, &p, name);
	}
	if (d)
		closedir(d);
	return r;
}

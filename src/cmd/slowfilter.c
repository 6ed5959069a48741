/* SPDX-License-Identifier: Apache-2.0 */
/* A process that is gone before it could be looked up belongs to nobody: its events are left out, and counted. */
#include "cmd/slowfilter.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "sym/hash.h"

struct slowfilter_proc {
	UT_hash_handle hh;
	uint32_t pid;
	bool wanted;
};

static bool read_proc(uint32_t pid, const char *file, char *buf, size_t size)
{
	_cleanup_close_ int fd = -1;
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, size - 1);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static uint32_t parent_of(uint32_t pid)
{
	unsigned parent = 0;
	char buf[512], *p;

	if (!read_proc(pid, "stat", buf, sizeof(buf)))
		return 0;
	p = strrchr(buf, ')');
	return p && sscanf(p, ") %*c %u", &parent) == 1 ? parent : 0;
}

static bool descends(uint32_t pid, uint32_t root)
{
	for (int i = 0; pid && i < SLOWFILTER_MAX_DEPTH; i++, pid = parent_of(pid))
		if (pid == root)
			return true;
	return false;
}

/* Lines "id:controllers:/path": the path itself or one below it; or one with the container's id in it. */
static bool in_cgroup(uint32_t pid, const char *want, bool below)
{
	char buf[8192], *save = NULL;
	size_t n = strlen(want);

	while (below && n > 1 && want[n - 1] == '/')
		n--;
	if (!read_proc(pid, "cgroup", buf, sizeof(buf)))
		return false;
	for (char *l = strtok_r(buf, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		const char *path = strchr(l, '/');

		if (path && (below ? !strncmp(path, want, n) && (!path[n] || path[n] == '/' || n == 1) :
				     strstr(path, want) != NULL))
			return true;
	}
	return false;
}

static bool look_up(const struct slowfilter *f, uint32_t pid)
{
	return (!f->root || descends(pid, f->root)) && (!f->cgroup || in_cgroup(pid, f->cgroup, true)) &&
	       (!f->container || in_cgroup(pid, f->container, false));
}

void slowfilter_done(struct slowfilter *f)
{
	struct slowfilter_proc *p, *next;

	HASH_ITER(hh, f->procs, p, next) {
		HASH_DEL(f->procs, p);
		free(p);
	}
}

bool slowfilter_any(const struct slowfilter *f)
{
	return f->comm || f->root || f->cgroup || f->container;
}

bool slowfilter_wants(struct slowfilter *f, const struct slow_event *e)
{
	struct slowfilter_proc *p = NULL;
	uint32_t pid = e->fixed.pid;
	bool wanted;

	if (f->comm && strcmp(f->comm, e->fixed.comm) != 0)
		return false;
	if (!f->root && !f->cgroup && !f->container)
		return true;
	HASH_FIND(hh, f->procs, &pid, sizeof(pid), p);
	if (p)
		return p->wanted;
	wanted = look_up(f, pid);
	if (HASH_COUNT(f->procs) >= SLOWFILTER_MAX_PROCS)
		slowfilter_done(f);
	p = calloc(1, sizeof(*p));
	if (!p)
		return wanted;
	p->pid = pid;
	p->wanted = wanted;
	HASH_ADD(hh, f->procs, pid, sizeof(pid), p);
	if (!p->hh.tbl)
		free(p);
	return wanted;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the ancestors and control groups of processes as they change over time. */
#include "run/follow/process_filter.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "run/follow/history.h"

/* Control groups' trees are numbered by the kernel from 0 (version 2) on, and there are as many as controllers at most.
 */
#define TREES 64

struct member {
	UT_hash_handle hh;
	bool ended;
	uint32_t pid;
	bool family;	    /* the root, or descends from it */
	uint64_t cgroup;    /* a bit for each tree: in the control group, or below it */
	uint64_t container; /* as above */
	uint64_t unit;	    /* as above */
	bool user;	    /* its user is the wanted one */
};

struct waiting {
	uint64_t time;
	uint32_t pid, parent; /* parent 0: the end */
};

struct process_filter {
	struct process_filter_want w;
	struct sideband *side; /* NULL: none */
	int64_t clock;	       /* CLOCK_MONOTONIC - CLOCK_BOOTTIME */
	bool proc;	       /* may be asked */
	struct member *by_pid; /* in the order in which they were met */
	struct waiting *queue; /* PROCESS_FILTER_WAITING, a ring in the order of time */
	size_t head, n;
};

/* -- /proc -- */

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

static struct member *find(struct process_filter *m, uint32_t pid)
{
	struct member *p;

	HASH_FIND(hh, m->by_pid, &pid, sizeof(pid), p);
	return p;
}

static bool descends(struct process_filter *m, uint32_t pid)
{
	for (int i = 0; pid && i < PROCESS_FILTER_DEPTH; i++, pid = parent_of(pid)) {
		const struct member *p = find(m, pid);

		if (pid == m->w.root || p)
			return pid == m->w.root || p->family;
	}
	return false;
}

/* The path itself or one below it. */
static bool is_below(const char *path, const char *want)
{
	size_t n = strlen(want);

	while (n > 1 && want[n - 1] == '/')
		n--;
	return !strncmp(path, want, n) && (!path[n] || path[n] == '/' || n == 1);
}

/* A folder of the path. */
static bool is_within(const char *path, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = path; (p = strstr(p, name)); p++)
		if (p > path && p[-1] == '/' && (!p[n] || p[n] == '/'))
			return true;
	return false;
}

static void set_tree(struct process_filter *m, struct member *p, unsigned tree, const char *path)
{
	uint64_t bit = UINT64_C(1) << tree % TREES;

	p->cgroup = m->w.cgroup && is_below(path, m->w.cgroup) ? p->cgroup | bit : p->cgroup & ~bit;
	p->container = m->w.container && strstr(path, m->w.container) ? p->container | bit : p->container & ~bit;
	p->unit = m->w.unit && is_within(path, m->w.unit) ? p->unit | bit : p->unit & ~bit;
}

/* Lines "tree:controllers:/path". False: it is gone. */
static bool read_cgroups(struct process_filter *m, struct member *p)
{
	char buf[8192], *save = NULL;
	unsigned tree;

	if (!m->proc || !read_proc(p->pid, "cgroup", buf, sizeof(buf)))
		return false;
	for (char *l = strtok_r(buf, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		const char *path = strchr(l, '/');

		if (path && sscanf(l, "%u:", &tree) == 1)
			set_tree(m, p, tree, path);
	}
	return true;
}

static void read_user(struct process_filter *m, struct member *p)
{
	unsigned uid;
	char buf[4096];
	const char *line = m->proc && read_proc(p->pid, "status", buf, sizeof(buf)) ? strstr(buf, "\nUid:") : NULL;

	p->user = line && sscanf(line + 5, "%u", &uid) == 1 && uid == m->w.uid;
}

/* -- the table -- */

static void forget(struct process_filter *m, struct member *p)
{
	HASH_DEL(m->by_pid, p);
	free(p);
}

/* Makes room for an eighth more: processes that have ended go first, then the oldest. */
static void make_room(struct process_filter *m)
{
	struct member *p, *next;

	HASH_ITER (hh, m->by_pid, p, next) {
		if (p->ended)
			forget(m, p);
	}
	HASH_ITER (hh, m->by_pid, p, next) {
		if (HASH_COUNT(m->by_pid) <= PROCESS_FILTER_MAX - PROCESS_FILTER_MAX / 8)
			break;
		forget(m, p);
	}
}

/* A further process, or the next one of a number; NULL: out of memory. */
static struct member *add(struct process_filter *m, uint32_t pid)
{
	struct member *p = find(m, pid);

	if (p)
		forget(m, p);
	if (HASH_COUNT(m->by_pid) >= PROCESS_FILTER_MAX)
		make_room(m);
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	HASH_ADD(hh, m->by_pid, pid, sizeof(p->pid), p);
	if (!p->hh.tbl) {
		free(p);
		return NULL;
	}
	return p;
}

/* As /proc has it now; of one that is gone, nothing. */
static struct member *look_up(struct process_filter *m, uint32_t pid)
{
	bool family = m->proc && m->w.root && descends(m, pid);
	struct member *p = add(m, pid);

	if (!p)
		return NULL;
	p->family = family;
	if (m->w.cgroup || m->w.container || m->w.unit)
		read_cgroups(m, p);
	if (m->w.of_user)
		read_user(m, p);
	return p;
}

static void read_all(struct process_filter *m)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			look_up(m, (uint32_t)strtoul(e->d_name, NULL, 10));
	if (d)
		closedir(d);
}

/* -- forks and ends, in the order of time -- */

static void on_fork(struct process_filter *m, const struct waiting *w)
{
	const struct member *parent = find(m, w->parent);
	struct member of = { 0 }, *p;

	if (!parent)
		parent = look_up(m, w->parent);
	if (parent)
		of = *parent; /* which may be forgotten now */
	p = add(m, w->pid);
	if (!p)
		return;
	p->family = of.family;
	p->cgroup = of.cgroup;
	p->container = of.container;
	p->unit = of.unit;
	p->user = of.user;
}

static void take_first(struct process_filter *m)
{
	const struct waiting *w = &m->queue[m->head];
	struct member *p;

	if (w->parent)
		on_fork(m, w);
	else if ((p = find(m, w->pid)))
		p->ended = true;
	m->head = (m->head + 1) % PROCESS_FILTER_WAITING;
	m->n--;
}

void process_filter_event(struct process_filter *m, const struct side_event *e)
{
	if (e->kind != SIDE_FORK && e->kind != SIDE_EXIT)
		return;
	if (m->n == PROCESS_FILTER_WAITING)
		take_first(m);
	m->queue[(m->head + m->n++) % PROCESS_FILTER_WAITING] = (struct waiting){
		.time = e->time + (uint64_t)m->clock, .pid = e->tgid, .parent = e->kind == SIDE_FORK ? e->parent : 0
	};
}

static void on_side_event(void *ctx, const struct side_event *e)
{
	process_filter_event(ctx, e);
}

void process_filter_until(struct process_filter *m, uint64_t ts)
{
	if (m->side)
		sideband_drain(m->side, on_side_event, m);
	while (m->n && m->queue[m->head].time <= ts)
		take_first(m);
}

/* -- questions -- */

void process_filter_moved(struct process_filter *m, uint32_t pid, uint32_t hierarchy, const char *path)
{
	struct member *p = find(m, pid);

	if (!p)
		p = look_up(m, pid);
	if (p)
		set_tree(m, p, hierarchy, path);
}

void process_filter_user(struct process_filter *m, uint32_t pid, uint32_t uid)
{
	struct member *p = find(m, pid);

	if (!p)
		p = look_up(m, pid);
	if (p)
		p->user = uid == m->w.uid;
}

void process_filter_look(struct process_filter *m, uint32_t pid)
{
	struct member *p = find(m, pid);

	if (p)
		read_cgroups(m, p);
}

bool process_filter_has(struct process_filter *m, uint32_t pid)
{
	const struct member *p = find(m, pid);

	if (!p)
		p = look_up(m, pid);
	return p && (!m->w.root || p->family) && (!m->w.cgroup || p->cgroup) && (!m->w.container || p->container) &&
	       (!m->w.unit || p->unit) && (!m->w.of_user || p->user);
}

uint64_t process_filter_lost(const struct process_filter *m)
{
	return m->side ? sideband_lost(m->side) : 0;
}

int process_filter_new(const struct process_filter_want *w, bool side, struct process_filter **ret)
{
	struct process_filter *m = calloc(1, sizeof(*m));
	struct member *root = NULL;

	if (m)
		m->queue = calloc(PROCESS_FILTER_WAITING, sizeof(*m->queue));
	if (!m || !m->queue) {
		process_filter_free(m);
		return -ENOMEM;
	}
	m->w = *w;
	m->proc = side;
	if (side) {
		m->clock = history_clock();
		sideband_open(SIDEBAND_TASKS, &m->side);
		read_all(m);
	}
	if (w->root && !find(m, w->root) && (root = add(m, w->root)))
		root->family = true;
	*ret = m;
	return 0;
}

void process_filter_free(struct process_filter *m)
{
	struct member *p, *next;

	if (!m)
		return;
	HASH_ITER (hh, m->by_pid, p, next)
		forget(m, p);
	sideband_close(m->side);
	free(m->queue);
	free(m);
}

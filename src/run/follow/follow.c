/* SPDX-License-Identifier: Apache-2.0 */
/* Follows processes, so that user stacks can be symbolised after a process has ended. */
#include "run/follow/follow.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "base/vec.h"
#include "run/follow/sideband.h"

/* Out of memory while a table grows: the element is then not in the table. */
#include <utlist.h>

struct path { /* each text once */
	UT_hash_handle hh;
	char text[];
};

struct mapping {
	uint64_t addr, len, off;
	const char *path;
};

struct proc {
	UT_hash_handle hh;	  /* by tgid: the newest of the number */
	struct proc *prev, *next; /* in follow.list, oldest first */
	uint32_t tgid, parent;
	uint64_t start; /* ns since boot, 0: older than we */
	uint64_t parent_start;
	bool forked; /* has its parent's mappings: no exec since */
	bool shown;  /* known to the symboliser: events go there at once */
	VEC(struct mapping) maps;
};

struct follow {
	struct sym *sym;
	struct sideband *side; /* NULL: not available */
	struct proc *by_tgid;
	struct proc *list;
	unsigned n;
	struct path *paths;
	void (*watch)(void *ctx, const struct side_event *e);
	void *watch_ctx;
};

/* Start times from the side band are those of the fork's end: a little later than the kernel's own. */
#define START_SLACK_NS 10000000ull

int follow_new(struct sym *sym, struct follow **ret)
{
	struct follow *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->sym = sym;
	sideband_open(SIDEBAND_ALL, &f->side);
	*ret = f;
	return 0;
}

static void forget(struct follow *f, struct proc *p)
{
	struct proc *head;

	HASH_FIND(hh, f->by_tgid, &p->tgid, sizeof(p->tgid), head);
	if (head == p)
		HASH_DEL(f->by_tgid, p);
	DL_DELETE(f->list, p);
	f->n--;
	vec_free(&p->maps);
	free(p);
}

void follow_free(struct follow *f)
{
	struct path *p, *next;

	if (!f)
		return;
	sideband_close(f->side);
	while (f->list)
		forget(f, f->list);
	HASH_ITER (hh, f->paths, p, next) {
		HASH_DEL(f->paths, p);
		free(p);
	}
	free(f);
}

static const char *intern(struct follow *f, const char *text)
{
	struct path *p;
	size_t n = strlen(text);

	HASH_FIND(hh, f->paths, text, n, p);
	if (p)
		return p->text;
	p = HASH_COUNT(f->paths) < FOLLOW_MAX_PATHS ? calloc(1, sizeof(*p) + n + 1) : NULL;
	if (!p)
		return NULL;
	memcpy(p->text, text, n);
	HASH_ADD_KEYPTR(hh, f->paths, p->text, n, p);
	if (!p->hh.tbl) {
		free(p);
		return NULL;
	}
	return p->text;
}

/* The newest process of this number. */
static struct proc *newest(struct follow *f, uint32_t tgid)
{
	struct proc *p;

	HASH_FIND(hh, f->by_tgid, &tgid, sizeof(tgid), p);
	return p;
}

/* A further process, which becomes the newest of its number. */
static struct proc *add(struct follow *f, uint32_t tgid, uint64_t start)
{
	struct proc *p = calloc(1, sizeof(*p)), *old;

	if (!p)
		return NULL;
	p->tgid = tgid;
	p->start = start;
	if (f->n >= FOLLOW_MAX_PROCS)
		forget(f, f->list);
	old = newest(f, tgid);
	if (old)
		HASH_DEL(f->by_tgid, old); /* stays in the list */
	HASH_ADD(hh, f->by_tgid, tgid, sizeof(p->tgid), p);
	if (!p->hh.tbl) {
		free(p);
		return NULL;
	}
	DL_APPEND(f->list, p);
	f->n++;
	return p;
}

static bool is_start(uint64_t a, uint64_t b)
{
	return a == 0 || b == 0 || (a > b ? a - b : b - a) < START_SLACK_NS;
}

/* The process of this number and start; older ones of the number are found by going through the list. */
static struct proc *find(struct follow *f, uint32_t tgid, uint64_t start)
{
	struct proc *p = newest(f, tgid);

	if (!p || is_start(p->start, start))
		return p;
	DL_FOREACH (f->list, p) {
		if (p->tgid == tgid && is_start(p->start, start))
			return p;
	}
	return NULL;
}

static void on_fork(struct follow *f, const struct side_event *e)
{
	struct proc *parent = newest(f, e->parent), *p = add(f, e->tgid, e->time);

	if (!p)
		return;
	p->forked = true;
	p->parent = e->parent;
	p->parent_start = parent ? parent->start : 0;
}

static void on_exec(struct follow *f, struct proc *p)
{
	p->forked = false;
	p->maps.n = 0;
	if (p->shown)
		sym_proc_exec(f->sym, p->tgid, p->start);
}

static void on_mmap(struct follow *f, struct proc *p, const struct side_event *e)
{
	struct mapping m = { e->addr, e->len, e->off, NULL };

	if (p->shown) {
		sym_proc_mmap(f->sym, p->tgid, p->start, e->addr, e->len, e->off, e->path);
		return;
	}
	m.path = intern(f, e->path);
	if (m.path && p->maps.n < FOLLOW_MAX_MAPS && vec_try_push(&p->maps, m) < 0)
		return; /* out of memory: this one will be unknown */
}

static void on_event(void *ctx, const struct side_event *e)
{
	struct follow *f = ctx;
	struct proc *p;

	if (f->watch)
		f->watch(f->watch_ctx, e);
	if (!f->sym)
		return;
	if (e->kind == SIDE_FORK) {
		on_fork(f, e);
		return;
	}
	p = newest(f, e->tgid);
	if (e->kind == SIDE_EXIT) {
		if (p && p->shown)
			sym_proc_exit(f->sym, p->tgid, p->start);
		return;
	}
	/* A process from before: its exec and later mappings are worth knowing as well. */
	if (!p)
		p = add(f, e->tgid, 0);
	if (!p)
		return;
	if (e->kind == SIDE_EXEC)
		on_exec(f, p);
	else
		on_mmap(f, p, e);
}

void follow_watch(struct follow *f, void (*fn)(void *ctx, const struct side_event *e), void *ctx)
{
	f->watch = fn;
	f->watch_ctx = ctx;
}

void follow_drain(struct follow *f)
{
	if (f->side)
		sideband_drain(f->side, on_event, f);
}

/* Executable mappings of a living parent, given as those of its child. */
static void give_from_proc(struct follow *f, uint32_t parent, const struct proc *p, uint64_t start)
{
	_cleanup_fclose_ FILE *in = NULL;
	char name[32], line[4096 + 128], perms[5];
	uint64_t lo, hi, off;
	int path;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/maps", parent);
	in = fopen(name, "re");
	while (in && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &lo, &hi, perms, &off, &path) <
			    4 ||
		    perms[2] != 'x')
			continue;
		sym_proc_mmap(f->sym, p->tgid, start, lo, hi - lo, off, line + path);
	}
}

static void give_maps(struct follow *f, const struct proc *from, const struct proc *p, uint64_t start)
{
	for (size_t i = 0; i < from->maps.n; i++) {
		const struct mapping *m = &from->maps.v[i];

		sym_proc_mmap(f->sym, p->tgid, start, m->addr, m->len, m->off, m->path);
	}
}

/* p is gone: what is known of its mappings, ancestors first. */
static void give_kept(struct follow *f, const struct proc *p, uint64_t start)
{
	const struct proc *chain[FOLLOW_MAX_FORKS];
	const struct proc *at = p, *up;
	size_t n = 0;

	while (at && n < FOLLOW_MAX_FORKS) {
		chain[n++] = at;
		if (!at->forked)
			break;
		up = find(f, at->parent, at->parent_start);
		/* A parent from before us, or one that the symboliser has been given directly. */
		if (!up || up->shown || (up->start == 0 && !up->maps.n))
			give_from_proc(f, at->parent, p, start);
		at = up == at ? NULL : up;
	}
	while (n > 0)
		give_maps(f, chain[--n], p, start);
}

void follow_see(struct follow *f, uint32_t tgid, uint64_t start)
{
	struct proc *p = f->sym ? find(f, tgid, start) : NULL;

	if (!f->sym)
		return;
	if (p && p->shown) {
		sym_proc_touch(f->sym, tgid, start);
		return;
	}
	if (!p && f->side)
		p = add(f, tgid, start);
	if (sym_proc_touch(f->sym, tgid, start) == -ESRCH && p)
		give_kept(f, p, start);
	if (!p)
		return;
	p->shown = true;
	if (start)
		p->start = start; /* the exact one */
}

uint64_t follow_lost(const struct follow *f)
{
	return f->side ? sideband_lost(f->side) : 0;
}

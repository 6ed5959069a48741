/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the maps by which programs walk user stacks.
 *
 * The rules of access: programs read all maps at any time. Tables are only ever added, after the existing ones. A table
 * is complete before an area points to it, and areas before their process does (a map update, which orders memory).
 * Areas of a process are never changed: new ones are written elsewhere, and the old ones are freed. Their room is used
 * again only after the whole array was. So a walk that is going on reads old, but whole, areas. */
#include "run/consume/unwind.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash_try.h"
#include "base/unwindfmt.h"
#include "load/bpf_sys.h"
#include "run/consume/unwind_int.h"
#include "sym/proc/unwind.h"

struct uwproc {
	UT_hash_handle hh; /* by tgid, oldest first */
	uint32_t tgid;
	bool dirty;
	bool waits;  /* its runtime is only just beginning */
	bool learnt; /* exited before we looked, and its files have been looked at */
	struct uw_proc v;
};

struct unwind {
	struct sym *sym;
	uint64_t *tables;
	uint32_t ntables, captables;
	struct uw_area *areas;
	uint32_t nblocks, next; /* where room is looked for */
	uint8_t *used;		/* by block */
	int procs_fd, want_fd, files_fd;
	int rt_fds[RUNTIMES]; /* by enum runtime; -1: no program walks its frames */
	uint32_t max_procs;
	struct uwproc *procs;
	unsigned ndirty, nwaiting;
	uint64_t waited;     /* when those that wait were looked at last, ns */
	struct uw_area *tmp; /* UW_MAX_AREAS */
	uint64_t lost_tables, lost_procs;
	char unknown[SYM_MAX_UNKNOWN]; /* the first reason of nunknown */
	uint64_t nunknown;
};

/* A table never takes all that is left: however large programs are, libraries that many use have room after them. */
#define KEEP_SHARE 8

static int put_table(void *ctx, const struct ehtab *t, uint32_t *ret_place)
{
	struct unwind *u = ctx;
	const uint32_t at = u->ntables, left = u->captables - at;
	uint32_t rows;

	if ((uint64_t)t->nindex + t->nrows > left - left / KEEP_SHARE) {
		u->lost_tables++;
		return -ENOSPC;
	}
	rows = at + t->nindex;
	for (uint32_t i = 0; i < t->nindex; i++)
		u->tables[at + i] = UW_INDEX(UW_INDEX_FIRST(t->index[i]) + rows, UW_INDEX_COUNT(t->index[i]));
	memcpy(u->tables + rows, t->rows, t->nrows * sizeof(*t->rows));
	u->ntables = rows + t->nrows;
	*ret_place = at;
	return 0;
}

static void put_file(void *ctx, const struct uw_file_key *key, const struct uw_file *f)
{
	const struct unwind *u = ctx;

	bpfsys_map_update(u->files_fd, key, f); /* no room: new processes that map it get by without */
}

static const struct img_map *find_map(const struct loaded *l, enum img_map_role role, const struct load_map **ret)
{
	for (uint32_t i = 0; i < l->img->nmaps; i++)
		if (l->img->maps[i].role == role) {
			*ret = &l->maps[i];
			return &l->img->maps[i];
		}
	return NULL;
}

int unwind_new(const struct loaded *l, struct sym *sym, struct unwind **ret)
{
	const struct load_map *tables, *areas, *procs, *want, *files, *rt;
	const struct img_map *mt = find_map(l, IMG_MAP_UW_TABLES, &tables);
	const struct img_map *ma = find_map(l, IMG_MAP_UW_AREAS, &areas);
	const struct img_map *mp = find_map(l, IMG_MAP_UW_PROCS, &procs);
	struct unwind *u;

	*ret = NULL;
	if (!sym || !mt || !ma || !mp || !find_map(l, IMG_MAP_UW_WANT, &want) || !find_map(l, IMG_MAP_UW_FILES, &files))
		return 0;
	u = calloc(1, sizeof(*u));
	if (!u)
		return -ENOMEM;
	u->sym = sym;
	u->tables = tables->mem;
	u->captables = mt->max_entries;
	u->areas = areas->mem;
	u->nblocks = ma->max_entries / UNWIND_BLOCK;
	u->used = calloc(u->nblocks, 1);
	u->procs_fd = procs->fd;
	u->want_fd = want->fd;
	u->files_fd = files->fd;
	for (int i = 0; i < RUNTIMES; i++)
		u->rt_fds[i] = find_map(l, (enum img_map_role)(IMG_MAP_PY_PROCS + i), &rt) ? rt->fd : -1;
	u->max_procs = mp->max_entries;
	u->tmp = calloc(UW_MAX_AREAS, sizeof(*u->tmp));
	if (!u->used || !u->tmp) {
		unwind_free(u);
		return -ENOMEM;
	}
	sym_unwind_begin(sym, &(struct sym_unwind_sink){ put_table, put_file, u });
	*ret = u;
	return 0;
}

void unwind_free(struct unwind *u)
{
	struct uwproc *p, *tmp;

	if (!u)
		return;
	sym_unwind_begin(u->sym, &(struct sym_unwind_sink){ 0 });
	HASH_ITER (hh, u->procs, p, tmp) {
		HASH_DEL(u->procs, p);
		free(p);
	}
	free(u->used);
	free(u->tmp);
	free(u);
}

static uint32_t blocks_of(uint32_t n)
{
	return (n + UNWIND_BLOCK - 1) / UNWIND_BLOCK;
}

static void mark(struct unwind *u, uint32_t first, uint32_t n, uint8_t used)
{
	memset(u->used + first / UNWIND_BLOCK, used, blocks_of(n));
}

/* Room for n areas: the next after what was given out last. */
static bool alloc_areas(struct unwind *u, uint32_t n, uint32_t *ret)
{
	uint32_t want = blocks_of(n), run = 0;

	for (uint32_t i = 0, at = u->next; i < u->nblocks + want; i++, at++) {
		if (at == u->nblocks)
			at = run = 0;
		run = u->used[at] ? 0 : run + 1;
		if (run == want) {
			*ret = (at + 1 - want) * UNWIND_BLOCK;
			u->next = at + 1 == u->nblocks ? 0 : at + 1;
			mark(u, *ret, n, 1);
			return true;
		}
	}
	return false;
}

static void forget_runtime(struct unwind *u, uint32_t tgid, enum runtime but)
{
	for (int i = 0; i < RUNTIMES; i++)
		if (u->rt_fds[i] >= 0 && i != (int)but)
			bpfsys_map_delete(u->rt_fds[i], &tgid);
}

/* The language runtime in a process. True: it is to be looked for again. */
static bool see_runtime(struct unwind *u, uint32_t tgid, uint64_t start)
{
	unsigned wanted = 0;
	struct sym_runtime v = { .which = RUNTIMES };

	for (unsigned i = 0; i < RUNTIMES; i++)
		wanted |= u->rt_fds[i] >= 0 ? 1u << i : 0;
	if (!wanted)
		return false;
	if (sym_runtime_attach(u->sym, tgid, start, wanted, &v) < 0)
		v.which = RUNTIMES;
	else
		bpfsys_map_update(u->rt_fds[v.which], &tgid, &v.walk); /* no room: its frames stay native ones */
	forget_runtime(u, tgid, v.which);
	if (v.which != RUNTIMES && v.unknown[0] && !u->nunknown++)
		memcpy(u->unknown, v.unknown, sizeof(u->unknown));
	return v.which != RUNTIMES && v.again;
}

static void forget(struct unwind *u, struct uwproc *p)
{
	forget_runtime(u, p->tgid, RUNTIMES);
	bpfsys_map_delete(u->procs_fd, &p->tgid);
	mark(u, p->v.first, p->v.count, 0);
	u->ndirty -= p->dirty;
	u->nwaiting -= p->waits;
	HASH_DEL(u->procs, p);
	free(p);
}

static struct uwproc *find(struct unwind *u, uint32_t tgid)
{
	struct uwproc *p;

	HASH_FIND(hh, u->procs, &tgid, sizeof(tgid), p);
	return p;
}

static struct uwproc *get(struct unwind *u, uint32_t tgid)
{
	struct uwproc *p = find(u, tgid);

	if (p)
		return p;
	if (HASH_COUNT(u->procs) >= u->max_procs)
		forget(u, u->procs);
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->tgid = tgid;
	HASH_ADD(hh, u->procs, tgid, sizeof(p->tgid), p);
	if (!p->hh.tbl) {
		free(p);
		return NULL;
	}
	return p;
}

static void clean(struct unwind *u, struct uwproc *p)
{
	u->ndirty -= p->dirty;
	p->dirty = false;
}

void unwind_see(struct unwind *u, uint32_t tgid, uint64_t start)
{
	struct uwproc *p = get(u, tgid);
	struct uw_proc v = { .start = start };
	size_t n = 0;

	if (!p)
		return;
	clean(u, p);
	u->nwaiting -= p->waits;
	p->waits = false;
	p->learnt = false;
	/* Gone or a kernel thread: an entry without areas, so that programs do not ask again. */
	sym_unwind_areas(u->sym, tgid, start, u->tmp, UW_MAX_AREAS, &n);
	p->waits = see_runtime(u, tgid, start);
	u->nwaiting += p->waits;
	if (n && alloc_areas(u, (uint32_t)n, &v.first)) {
		v.count = (uint32_t)n;
		memcpy(u->areas + v.first, u->tmp, n * sizeof(*u->tmp));
	} else if (n) {
		u->lost_procs++;
	}
	if (bpfsys_map_update(u->procs_fd, &tgid, &v) < 0) {
		mark(u, v.first, v.count, 0);
		return;
	}
	mark(u, p->v.first, p->v.count, 0);
	p->v = v;
}

void unwind_see_self(struct unwind *u)
{
	size_t n;

	sym_unwind_areas(u->sym, (uint32_t)getpid(), 0, u->tmp, UW_MAX_AREAS, &n);
}

static void see_file(void *ctx, const char *path)
{
	const struct unwind *u = ctx;

	sym_unwind_file(u->sym, path);
}

void unwind_see_libs(struct unwind *u, uint32_t tgid)
{
	char link[32], exe[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%u/exe", tgid);
	n = readlink(link, exe, sizeof(exe) - 1);
	if (n <= 0)
		return;
	exe[n] = '\0';
	unwind_list_libs(exe, see_file, u);
}

void unwind_learn(struct unwind *u, uint32_t tgid, uint64_t start)
{
	struct uwproc *p = find(u, tgid);

	if (!p || p->v.count || p->learnt)
		return;
	p->learnt = true;
	sym_unwind_learn(u->sym, tgid, start);
}

void unwind_event(struct unwind *u, const struct side_event *e)
{
	struct uwproc *p = find(u, e->tgid);

	if (!p)
		return;
	if (e->kind == SIDE_EXIT || e->kind == SIDE_FORK) {
		forget(u, p); /* a fork of a number that we know: we have not heard of its exit */
	} else if (!p->dirty) {
		p->dirty = true;
		u->ndirty++;
	}
}

/* A runtime that begins does not tell when it is ready. */
static void see_waiting(struct unwind *u)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct uwproc *p, *tmp;

	if (!u->nwaiting || now - u->waited < UNWIND_WAIT_NS)
		return;
	u->waited = now;
	HASH_ITER (hh, u->procs, p, tmp) {
		if (!p->waits)
			continue;
		p->waits = see_runtime(u, p->tgid, p->v.start);
		u->nwaiting -= !p->waits;
	}
}

bool unwind_drain(struct unwind *u)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + UNWIND_DRAIN_NS, start;
	struct uwproc *p, *tmp;
	bool all = true;
	uint32_t tgid;

	while (bpfsys_map_next_key(u->want_fd, NULL, &tgid) == 0) {
		if (clock_ns(CLOCK_MONOTONIC) >= end) {
			all = false;
			break;
		}
		if (bpfsys_map_lookup(u->want_fd, &tgid, &start) == 0)
			unwind_see(u, tgid, start);
		if (bpfsys_map_delete(u->want_fd, &tgid) < 0)
			break;
	}
	see_waiting(u);
	if (!u->ndirty)
		return all;
	HASH_ITER (hh, u->procs, p, tmp) {
		if (p->dirty)
			unwind_see(u, p->tgid, p->v.start);
		if (clock_ns(CLOCK_MONOTONIC) >= end)
			return false;
	}
	return all;
}

const char *unwind_unknown(const struct unwind *u, uint64_t *ret_n)
{
	*ret_n = u->nunknown;
	return u->unknown;
}

void unwind_lost(const struct unwind *u, uint64_t *ret_tables, uint64_t *ret_procs)
{
	*ret_tables = u->lost_tables;
	*ret_procs = u->lost_procs;
}

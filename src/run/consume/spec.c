/* SPDX-License-Identifier: Apache-2.0 */
/* Holds back records of speculations until commit() or discard(). The kernel may give an id out again while a
 * record of its last generation is still in a ring. The record is shown if it comes before the first one of the new
 * generation, and dropped afterwards. */
#include "run/consume/spec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "load/bpf_sys.h"

enum outcome { SPEC_OPEN, SPEC_COMMITTED, SPEC_DISCARDED };

struct held { /* followed by the record */
	struct row row;
	struct held *next;
};

struct spec {
	uint32_t gen;
	enum outcome outcome;
	struct held *first, **last;
};

struct specs {
	uint32_t n;	       /* ids 1 … n */
	int free_fd;	       /* stack of free ids */
	struct img_spec *kern; /* 0 … n, shared with the programs */
	size_t kern_len;
	struct spec *v;	     /* by id */
	VEC(uint32_t) ended; /* ids */
};

static int give_back(const struct specs *s, uint32_t id)
{
	return bpfsys_map_update(s->free_fd, NULL, &id);
}

/* Lowest ids are given out first. */
static int fill(const struct specs *s)
{
	int r = 0;

	for (uint32_t id = s->n; id > 0 && r == 0; id--)
		r = give_back(s, id);
	return r;
}

int specs_new(const struct loaded *l, struct specs **ret)
{
	const struct load_map *m = load_find_map(l, IMG_MAP_SPECS, 0, 0);
	const struct load_map *f = load_find_map(l, IMG_MAP_SPECFREE, 0, 0);
	struct specs *s;
	int r;

	*ret = NULL;
	if (!m || !f)
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->n = l->img->maps[m - l->maps].max_entries - 1;
	s->free_fd = f->fd;
	s->v = calloc(s->n + 1, sizeof(*s->v));
	s->kern_len = ROUND_UP((s->n + 1) * sizeof(*s->kern), (size_t)sysconf(_SC_PAGESIZE));
	s->kern = mmap(NULL, s->kern_len, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	r = s->kern == MAP_FAILED ? -errno : !s->v ? -ENOMEM : fill(s);
	for (uint32_t i = 0; s->v && i <= s->n; i++)
		s->v[i].last = &s->v[i].first;
	if (r < 0) {
		specs_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

static void forget(struct spec *p)
{
	for (struct held *h = p->first, *next; h; h = next) {
		next = h->next;
		free(h);
	}
	p->first = NULL;
	p->last = &p->first;
}

void specs_free(struct specs *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; s->v && i <= s->n; i++)
		forget(&s->v[i]);
	if (s->kern != MAP_FAILED)
		munmap(s->kern, s->kern_len);
	free(s->v);
	vec_free(&s->ended);
	free(s);
}

/* The speculation with this name; NULL when it cannot be, or is one of long ago. */
static struct spec *find(struct specs *s, uint64_t name)
{
	uint32_t id = (uint32_t)name, gen = (uint32_t)(name >> 32);
	struct spec *p;

	if (id == 0 || id > s->n)
		return NULL;
	p = &s->v[id];
	if (gen == p->gen)
		return p;
	if ((int32_t)(gen - p->gen) < 0)
		return NULL;
	forget(p);
	p->gen = gen;
	p->outcome = SPEC_OPEN;
	return p;
}

int specs_hold(struct specs *s, uint64_t name, const struct row *row, struct recording *rec)
{
	struct spec *p = find(s, name);
	struct held *h;

	if (!p || p->outcome == SPEC_DISCARDED)
		return 0;
	if (p->outcome == SPEC_COMMITTED)
		return recording_append(rec, row);
	h = malloc(sizeof(*h) + row->len);
	if (!h)
		return -ENOMEM;
	*h = (struct held){ .row = *row };
	h->row.data = memcpy(h + 1, row->data, row->len);
	*p->last = h;
	p->last = &h->next;
	return 0;
}

/* It is over: its id will be free. False: it was already. */
static bool end(struct specs *s, struct spec *p, uint32_t id, enum outcome outcome)
{
	if (!p || p->outcome != SPEC_OPEN)
		return false;
	p->outcome = outcome;
	(void)vec_try_push(&s->ended, id); /* without memory the id stays used */
	return true;
}

int specs_commit(struct specs *s, uint64_t name, specs_take_fn *take, void *ctx)
{
	struct spec *p = find(s, name);
	int r = 0;

	if (!end(s, p, (uint32_t)name, SPEC_COMMITTED))
		return 0;
	for (const struct held *h = p->first; h && r >= 0; h = h->next)
		r = take(ctx, &h->row);
	forget(p);
	return r;
}

void specs_discard(struct specs *s, uint64_t name)
{
	struct spec *p = find(s, name);

	if (end(s, p, (uint32_t)name, SPEC_DISCARDED))
		forget(p);
}

/* Entry 0 says whether any speculation is still being cleaned: set anew from what there is. */
static void note_busy(struct specs *s)
{
	__atomic_store_n(&s->kern[0].state, IMG_SPEC_FREE, __ATOMIC_SEQ_CST);
	for (uint32_t i = 1; i <= s->n; i++) {
		if (__atomic_load_n(&s->kern[i].state, __ATOMIC_SEQ_CST) == IMG_SPEC_ENDED) {
			__atomic_store_n(&s->kern[0].state, IMG_SPEC_ENDED, __ATOMIC_SEQ_CST);
			return;
		}
	}
}

void specs_clean(struct specs *s)
{
	size_t kept = 0;

	if (s->ended.n == 0)
		return;
	for (size_t i = 0; i < s->ended.n; i++) {
		uint32_t id = s->ended.v[i];

		__atomic_store_n(&s->kern[id].state, IMG_SPEC_FREE, __ATOMIC_SEQ_CST);
		if (give_back(s, id) < 0)
			s->ended.v[kept++] = id;
	}
	s->ended.n = kept;
	note_busy(s);
}

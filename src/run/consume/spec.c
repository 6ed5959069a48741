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
	struct specs_home home;
	int free_fd;	     /* of the kernel's stack of free ids */
	size_t mapped;	     /* bytes of home.kern that are to be unmapped */
	struct spec *v;	     /* by id */
	VEC(uint32_t) ended; /* ids */
};

static int give_back(const struct specs *s, uint32_t id)
{
	return s->home.give_back ? s->home.give_back(s->home.ctx, id) : bpfsys_map_update(s->free_fd, NULL, &id);
}

/* Lowest ids are given out first. */
static int fill(const struct specs *s)
{
	int r = 0;

	for (uint32_t id = s->home.n; id > 0 && r == 0; id--)
		r = give_back(s, id);
	return r;
}

/* Takes s, also after an error. */
static int begin(struct specs *s, struct specs **ret)
{
	int r;

	s->v = calloc(s->home.n + 1, sizeof(*s->v));
	for (uint32_t i = 0; s->v && i <= s->home.n; i++)
		s->v[i].last = &s->v[i].first;
	r = s->v ? fill(s) : -ENOMEM;
	if (r < 0)
		specs_free(s);
	else
		*ret = s;
	return r;
}

int specs_new(const struct specs_home *home, struct specs **ret)
{
	struct specs *s = calloc(1, sizeof(*s));

	*ret = NULL;
	if (!s)
		return -ENOMEM;
	s->home = *home;
	return begin(s, ret);
}

int specs_load(const struct loaded *l, struct specs **ret)
{
	const struct load_map *m = load_find_map(l, IMG_MAP_SPECS, 0, 0);
	const struct load_map *f = load_find_map(l, IMG_MAP_SPECFREE, 0, 0);
	struct specs *s;
	size_t len;
	void *kern;

	*ret = NULL;
	if (!m || !f)
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->home.n = l->img->maps[m - l->maps].max_entries - 1;
	s->free_fd = f->fd;
	len = ROUND_UP((s->home.n + 1) * sizeof(*s->home.kern), (size_t)sysconf(_SC_PAGESIZE));
	kern = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	if (kern == MAP_FAILED) {
		free(s);
		return -errno;
	}
	s->home.kern = kern;
	s->mapped = len;
	return begin(s, ret);
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
	for (uint32_t i = 0; s->v && i <= s->home.n; i++)
		forget(&s->v[i]);
	if (s->mapped)
		munmap(s->home.kern, s->mapped);
	free(s->v);
	vec_free(&s->ended);
	free(s);
}

/* The speculation with this name; NULL when it cannot be, or is one of long ago. */
static struct spec *find(struct specs *s, uint64_t name)
{
	uint32_t id = (uint32_t)name, gen = (uint32_t)(name >> 32);
	struct spec *p;

	if (id == 0 || id > s->home.n)
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

/* Copies a record of a speculation; shows it if that was committed just before. */
static int hold(struct specs *s, uint64_t name, const struct row *row, const struct specs_sink *to)
{
	struct spec *p = find(s, name);
	struct held *h;

	if (!p || p->outcome == SPEC_DISCARDED)
		return 0;
	if (p->outcome == SPEC_COMMITTED)
		return to->put(to->ctx, row);
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

/* Shows all held records in order. A second commit() of the same speculation does nothing. */
static int commit(struct specs *s, uint64_t name, const struct specs_sink *to)
{
	struct spec *p = find(s, name);
	int r = 0;

	if (!end(s, p, (uint32_t)name, SPEC_COMMITTED))
		return 0;
	for (const struct held *h = p->first; h && r >= 0; h = h->next)
		r = to->committed(to->ctx, &h->row);
	forget(p);
	return r;
}

static void discard(struct specs *s, uint64_t name)
{
	struct spec *p = find(s, name);

	if (end(s, p, (uint32_t)name, SPEC_DISCARDED))
		forget(p);
}

static uint64_t name_of(const struct recact *a, const struct row *row)
{
	uint64_t name;

	memcpy(&name, (const char *)row->data + a->fields[0].off, sizeof(name));
	return name;
}

/* How many actions of the format are commit() or discard(); *ret_held: one is speculate(). */
static size_t count_ends(const struct recfmt *f, bool *ret_held)
{
	size_t n = 0;

	*ret_held = false;
	for (size_t i = 0; i < f->nacts; i++) {
		*ret_held |= f->acts[i].kind == ACT_SPECULATE;
		n += f->acts[i].kind == ACT_COMMIT || f->acts[i].kind == ACT_DISCARD;
	}
	return n;
}

bool specs_changes(const struct recfmt *f)
{
	bool held;

	return count_ends(f, &held) || held;
}

int specs_record(struct specs *s, const struct recfmt *f, const struct row *row, const struct specs_sink *to)
{
	bool held;
	const bool silent = count_ends(f, &held) == f->nacts;
	int r = silent || held ? 0 : to->put(to->ctx, row);

	for (size_t i = 0; i < f->nacts && r >= 0; i++) {
		const struct recact *a = &f->acts[i];

		if (a->kind == ACT_SPECULATE && !name_of(a, row)) /* a branch that does not */
			r = to->put(to->ctx, row);
		else if (a->kind == ACT_SPECULATE)
			r = hold(s, name_of(a, row), row, to);
		else if (a->kind == ACT_COMMIT)
			r = commit(s, name_of(a, row), to);
		else if (a->kind == ACT_DISCARD)
			discard(s, name_of(a, row));
	}
	return r;
}

/* Entry 0 says whether any speculation is still being cleaned: set anew from what there is. */
static void note_busy(struct specs *s)
{
	__atomic_store_n(&s->home.kern[0].state, IMG_SPEC_FREE, __ATOMIC_SEQ_CST);
	for (uint32_t i = 1; i <= s->home.n; i++) {
		if (__atomic_load_n(&s->home.kern[i].state, __ATOMIC_SEQ_CST) == IMG_SPEC_ENDED) {
			__atomic_store_n(&s->home.kern[0].state, IMG_SPEC_ENDED, __ATOMIC_SEQ_CST);
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

		__atomic_store_n(&s->home.kern[id].state, IMG_SPEC_FREE, __ATOMIC_SEQ_CST);
		if (give_back(s, id) < 0)
			s->ended.v[kept++] = id;
	}
	s->ended.n = kept;
	note_busy(s);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "run/session/hits.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "base/writeall.h"
#include "load/bpf_sys.h"

struct base { /* of a program, at the start */
	uint64_t runs, ns, missed;
};

struct hits {
	const struct loaded *l;
	struct link *const *links;
	struct registry *reg;
	int map; /* -1: no program counts by probe */
	bool on;
	uint64_t until;
	struct base *base;
	uint64_t *values; /* of all CPUs */
};

int hits_new(const struct loaded *l, struct link *const *links, struct registry *reg, struct hits **ret)
{
	const struct load_map *m = load_find_map(l, IMG_MAP_HITS, 0, 0);
	struct hits *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	*h = (struct hits){ .l = l, .links = links, .reg = reg, .map = m ? m->fd : -1 };
	h->base = calloc(l->room + 1, sizeof(*h->base));
	h->values = calloc(l->ncpus + 1, sizeof(*h->values));
	if (!h->base || !h->values) {
		hits_free(h);
		return -ENOMEM;
	}
	*ret = h;
	return 0;
}

void hits_free(struct hits *h)
{
	if (!h)
		return;
	free(h->base);
	free(h->values);
	free(h);
}

/* The number of the element for the k-th probe of a program. */
static uint64_t key_of(const struct hits *h, const struct img_prog *p, uint32_t k)
{
	const char *reason = NULL;
	struct entry e;

	if (!p->entry.has_selector)
		return IMG_HITS_KEY(p->index, p->probes[k]->id);
	if (registry_entry(h->reg, p->probes[k], &e, &reason) < 0)
		return IMG_HITS_KEY(p->index, UINT32_MAX);
	return IMG_HITS_KEY(p->index, e.sel_value);
}

/* The descriptor of a program; entry and return may be one. */
static int fd_of(const struct hits *h, uint32_t i)
{
	for (uint32_t k = i; h->l->joined[i] && h->l->progs[k] < 0 && k > 0; k--)
		if (h->l->joined[k - 1] && h->l->progs[k - 1] >= 0 &&
		    h->l->img->progs[k - 1].nprobes == h->l->img->progs[i].nprobes)
			return h->l->progs[k - 1];
	return h->l->progs[i];
}

static struct base counts_of(const struct hits *h, uint32_t i)
{
	struct bpf_prog_info info;

	if (bpfsys_prog_info(fd_of(h, i), &info) < 0)
		return (struct base){ 0 };
	return (struct base){ info.run_cnt, info.run_time_ns,
			      info.recursion_misses + (h->links[i] ? link_kprobe_missed(h->links[i]) : 0) };
}

static void set_on(struct hits *h, bool on)
{
	h->on = on;
	if (h->l->state)
		__atomic_store_n(&h->l->state->hits, on, __ATOMIC_RELEASE);
}

/* Makes the elements, or removes them. */
static int each_element(struct hits *h, bool make)
{
	int r = 0;

	memset(h->values, 0, h->l->ncpus * sizeof(*h->values));
	for (uint32_t i = 0; h->map >= 0 && i < h->l->img->nprogs; i++) {
		const struct img_prog *p = &h->l->img->progs[i];

		for (uint32_t k = 0; p->counts_hits && k < p->nprobes && r == 0; k++) {
			uint64_t key = key_of(h, p, k);

			if (make)
				r = bpfsys_map_update(h->map, &key, h->values);
			else
				(void)bpfsys_map_delete(h->map, &key);
		}
	}
	return r;
}

int hits_begin(struct hits *h, uint64_t ns, uint64_t now)
{
	int r;

	if (h->on)
		return -EBUSY;
	r = each_element(h, true);
	if (r < 0) {
		each_element(h, false);
		return r;
	}
	for (uint32_t i = 0; i < h->l->img->nprogs; i++)
		h->base[i] = counts_of(h, i);
	h->until = now + (ns < HITS_MAX_NS ? ns : HITS_MAX_NS) + HITS_GRACE_NS;
	set_on(h, true);
	return 0;
}

static void add_text(struct strb *b, const char *s)
{
	strb_adds(b, s ? s : "");
	strb_addc(b, '\0');
}

static void add_number(struct strb *b, uint64_t n)
{
	strb_printf(b, "%llu", (unsigned long long)n);
	strb_addc(b, '\0');
}

static void add_probe(struct hits *h, struct strb *b, const struct img_prog *p, uint32_t k)
{
	const struct probe *q = p->probes[k];
	uint64_t key, n = 0;

	add_text(b, HITS_PROBE);
	add_number(b, q->id);
	add_text(b, q->prov);
	add_text(b, q->mod);
	add_text(b, q->func);
	add_text(b, q->name);
	add_text(b, q->note);
	key = p->counts_hits ? key_of(h, p, k) : 0;
	if (!p->counts_hits || bpfsys_map_lookup(h->map, &key, h->values) < 0) {
		add_text(b, "");
		return;
	}
	for (unsigned cpu = 0; cpu < h->l->ncpus; cpu++)
		n += h->values[cpu];
	add_number(b, n);
}

static void add_program(struct hits *h, struct strb *b, uint32_t i)
{
	const struct img_prog *p = &h->l->img->progs[i];
	struct base now = counts_of(h, i);
	struct bpf_prog_info info;

	add_text(b, HITS_PROGRAM);
	add_number(b, bpfsys_prog_info(fd_of(h, i), &info) == 0 ? info.id : 0);
	add_text(b, p->name);
	add_number(b, now.runs - h->base[i].runs);
	add_number(b, now.ns - h->base[i].ns);
	add_number(b, now.missed - h->base[i].missed);
	for (uint32_t k = 0; k < p->nprobes; k++)
		add_probe(h, b, p, k);
}

int hits_end(struct hits *h, int *ret)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	_cleanup_close_ int fd = -1;
	int r;

	if (!h->on)
		return -EINVAL;
	set_on(h, false);
	add_text(&b, HITS_HEAD);
	for (uint32_t i = 0; i < h->l->img->nprogs; i++)
		if (h->l->img->progs[i].entry.kind != ENTRY_TEST_RUN && h->l->img->progs[i].entry.kind != ENTRY_NONE)
			add_program(h, &b, i);
	each_element(h, false);
	if (b.failed)
		return -ENOMEM;
	fd = memfd_create("dwell-hits", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = write_all(fd, strb_str(&b), b.n);
	if (r < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return r < 0 ? r : -errno;
	*ret = take_fd(fd);
	return 0;
}

void hits_tick(struct hits *h, uint64_t now)
{
	if (!h->on || now < h->until)
		return;
	set_on(h, false);
	each_element(h, false);
}

bool hits_texts(const char *text, size_t len, size_t *at, size_t n, const char **ret)
{
	for (size_t i = 0; i < n; i++) {
		const char *end = *at < len ? memchr(text + *at, '\0', len - *at) : NULL;

		if (!end)
			return false;
		ret[i] = text + *at;
		*at = (size_t)(end - text) + 1;
	}
	return true;
}

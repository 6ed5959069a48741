/* SPDX-License-Identifier: Apache-2.0 */
/* Loads an image: BTF, maps, programs, in this order. The ring buffers are made first: the kernel is slow in
 * filling their array (see rings.c), and the verifier works meanwhile. */
#include "load/load.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/load_int.h"

/* Descriptors besides two per program, one per map and CPU: files, pipes, perf events. */
#define SPARE_FDS 256

/* Large programs need more descriptors than the usual soft limit of 1024. */
static void raise_nofile(const struct image *img, unsigned ncpus)
{
	rlim_t want = (rlim_t)img->nprogs * (1 + ncpus) + 3 * (rlim_t)img->nlater + img->nmaps + 3 * ncpus + SPARE_FDS;
	struct rlimit rl;

	for (uint32_t i = 0; i < img->nprogs; i++) {
		const struct entry *e = &img->progs[i].entry;

		if ((e->kind == ENTRY_KPROBE && !e->kprobe_multi) || (e->kind == ENTRY_UPROBE && !e->uprobe_multi))
			want += img->progs[i].nprobes;
	}
	if (getrlimit(RLIMIT_NOFILE, &rl) < 0 || rl.rlim_cur >= want)
		return;
	rl.rlim_cur = want;
	if (rl.rlim_max < want)
		rl.rlim_max = want; /* root may */
	if (setrlimit(RLIMIT_NOFILE, &rl) == 0 || getrlimit(RLIMIT_NOFILE, &rl) < 0)
		return;
	rl.rlim_cur = rl.rlim_max;
	setrlimit(RLIMIT_NOFILE, &rl);
}

static int make_maps(struct loaded *l, const struct load_btf *btf, bool rings, struct err *err)
{
	for (uint32_t i = 0; i < l->img->nmaps; i++) {
		uint32_t value = btf->value_ids ? btf->value_ids[i] : 0;
		int r;

		if ((l->img->maps[i].role == IMG_MAP_RINGS) != rings)
			continue;
		if (l->img->maps[i].role == IMG_MAP_SHAPE)
			continue;
		r = load_map_create(l, i, value ? btf->int_id : 0, value, err);
		if (r < 0)
			return r;
	}
	for (uint32_t i = 0; !rings && i < l->img->nmaps; i++) {
		int r = l->img->maps[i].role == IMG_MAP_SHAPE ? load_shape_create(l, i, err) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

static int make_progs(struct loaded *l, const struct load_btf *btf, struct typesrc *ts, const struct load_opts *opts,
		      struct err *err)
{
	const uint32_t *ids = btf->func_ids;

	for (uint32_t i = 0; i < l->img->nprogs; i++) {
		int r = 0;

		if (!l->joined[i])
			load_join(l, i, btf->func_ids, ts, opts);
		if (!l->joined[i])
			r = load_prog(l, i, ids, ts, opts, err);
		if (r < 0)
			return r;
		if (ids)
			ids += l->img->progs[i].nfuncs;
	}
	return 0;
}

static int make_all(struct loaded *l, struct load_btf *btf, struct typesrc *ts, const struct load_opts *opts,
		    struct err *err)
{
	int r = make_maps(l, btf, true, err);

	if (r < 0)
		return r;
	r = load_btf_emit(l->img, btf);
	if (r < 0)
		return err_set(err, r, "out of memory");
	if (btf->data) {
		l->btf_fd = bpfsys_btf_load(btf->data, btf->size);
		if (l->btf_fd < 0)
			return err_set(err, l->btf_fd, "the kernel refuses dwell's type information: %s",
				       strerror(-l->btf_fd));
	}
	r = make_maps(l, btf, false, err);
	if (r < 0)
		return r;
	r = make_progs(l, btf, ts, opts, err);
	if (r < 0)
		return r;
	return load_rings_wait(l, err);
}

struct loaded *load_new(const struct image *img, unsigned ncpus)
{
	struct loaded *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->img = img;
	l->ncpus = ncpus;
	l->btf_fd = -1;
	l->rings_map = UINT32_MAX;
	l->maps = calloc(img->nmaps + 1, sizeof(*l->maps));
	l->progs = calloc(img->nprogs + img->nlater + 1, sizeof(*l->progs));
	l->joined = calloc(img->nprogs + img->nlater + 1, sizeof(*l->joined));
	l->room = img->nprogs + img->nlater;
	if (!l->maps || !l->progs || !l->joined) {
		free(l->maps);
		free(l->joined);
		free(l->progs);
		free(l);
		return NULL;
	}
	for (uint32_t i = 0; i < img->nmaps; i++)
		l->maps[i].fd = -1;
	for (uint32_t i = 0; i < img->nprogs; i++)
		l->progs[i] = -1;
	return l;
}

int load_image(const struct image *img, struct typesrc *ts, const struct caps *caps, const struct load_opts *opts,
	       struct loaded **ret, struct err *err)
{
	struct loaded *l = load_new(img, caps->possible_cpus ? caps->possible_cpus : 1);
	struct load_btf btf = { 0 };
	int r;

	if (!l)
		return err_set(err, -ENOMEM, "out of memory");
	l->hash_alloc = caps->hash_alloc;
	l->rings_exact = opts && opts->rings_exact;
	raise_nofile(img, l->ncpus);
	r = make_all(l, &btf, ts, opts, err);
	load_btf_done(&btf);
	if (r < 0) {
		load_free(l);
		return r;
	}
	*ret = l;
	return 0;
}

void load_free(struct loaded *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->img->nprogs; i++)
		closep(&l->progs[i]);
	for (uint32_t i = 0; i < l->img->nmaps; i++)
		load_map_free(&l->maps[i]);
	closep(&l->btf_fd);
	load_reap(l);
	free(l->progs);
	free(l->joined);
	free(l->maps);
	if (l->all)
		free(l->all->progs);
	free(l->all);
	free(l);
}

const struct load_map *load_find_map(const struct loaded *l, enum img_map_role role, uint32_t agg, uint32_t set)
{
	for (uint32_t i = 0; i < l->img->nmaps; i++) {
		const struct img_map *m = &l->img->maps[i];

		if (m->role == role && (role != IMG_MAP_AGG || (m->agg == agg && m->set == set)))
			return &l->maps[i];
	}
	return NULL;
}

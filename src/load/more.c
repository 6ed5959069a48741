/* SPDX-License-Identifier: Apache-2.0 */
/* Loads further programs into a running session. They share its maps. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/load_int.h"

/* Does each program need its own map of this role? */
static bool is_own(const struct img_map *m)
{
	return m->role == IMG_MAP_RODATA || m->role == IMG_MAP_SCRATCH || m->role == IMG_MAP_UW_SCRATCH;
}

static bool same_map(const struct img_map *a, const struct img_map *b)
{
	return a->role == b->role && !strcmp(a->name, b->name) && a->agg == b->agg && a->set == b->set &&
	       a->var == b->var && a->track == b->track;
}

/* The map of the session in the place of map i of the further image. */
static int borrow(const struct loaded *l, struct loaded *more, uint32_t i, struct err *err)
{
	const struct img_map *m = &more->img->maps[i], *had;

	for (uint32_t k = 0; k < l->img->nmaps; k++) {
		had = &l->img->maps[k];
		if (!same_map(m, had))
			continue;
		if (m->type != had->type || m->key_size != had->key_size || m->value_size != had->value_size)
			break;
		more->maps[i].fd = fcntl(l->maps[k].fd, F_DUPFD_CLOEXEC, 0);
		return more->maps[i].fd < 0
			       ? err_set(err, -errno, "cannot share the map \"%s\": %s", m->name, strerror(errno))
			       : 0;
	}
	return err_set(err, -ESTALE, "it needs the map \"%s\" otherwise than it was made at the start", m->name);
}

static int make_maps(const struct loaded *l, struct loaded *more, struct err *err)
{
	int r = 0;

	for (uint32_t i = 0; i < more->img->nmaps && r == 0; i++)
		r = is_own(&more->img->maps[i]) ? load_map_create(more, i, 0, 0, err) : borrow(l, more, i, err);
	return r;
}

static int make_progs(struct loaded *more, struct typesrc *ts, const struct load_opts *opts, struct err *err)
{
	struct load_btf btf = { 0 };
	const uint32_t *ids;
	int r = load_btf_emit(more->img, &btf);

	if (r == 0 && btf.data) {
		more->btf_fd = bpfsys_btf_load(btf.data, btf.size);
		r = more->btf_fd < 0 ? more->btf_fd : 0;
	}
	if (r < 0)
		err_set(err, r, "its type information cannot be loaded: %s", strerror(-r));
	ids = btf.func_ids;
	for (uint32_t i = 0; i < more->img->nprogs && r == 0; i++) {
		r = load_prog(more, i, ids, ts, opts, err);
		if (ids)
			ids += more->img->progs[i].nfuncs;
	}
	load_btf_done(&btf);
	return r;
}

/* An image with room for all programs there may be, in the place of the first one. */
static int make_room(struct loaded *l)
{
	struct image *all;

	if (l->all)
		return 0;
	all = malloc(sizeof(*all));
	if (!all)
		return -ENOMEM;
	*all = *l->img;
	all->progs = calloc(l->room, sizeof(*all->progs));
	if (!all->progs) {
		free(all);
		return -ENOMEM;
	}
	memcpy(all->progs, l->img->progs, l->img->nprogs * sizeof(*all->progs));
	l->img = l->all = all;
	return 0;
}

/* Programs keep their maps: only their own descriptors are taken over. */
static void join(struct loaded *l, struct loaded *more)
{
	struct image *all = l->all;

	for (uint32_t i = 0; i < more->img->nprogs; i++) {
		all->progs[all->nprogs] = more->img->progs[i];
		l->progs[all->nprogs++] = take_fd(more->progs[i]);
	}
	all->nlater = l->room - all->nprogs;
}

int load_more(struct loaded *l, const struct image *img, struct typesrc *ts, const struct load_opts *opts,
	      struct err *err)
{
	struct loaded *more;
	int r;

	if (img->nprogs > l->room - l->img->nprogs)
		return err_set(err, -ENOSPC, "there are %u programs already", l->img->nprogs);
	more = make_room(l) == 0 ? load_new(img, l->ncpus) : NULL;
	if (!more)
		return err_set(err, -ENOMEM, "out of memory");
	more->hash_alloc = l->hash_alloc;
	r = make_maps(l, more, err);
	if (r == 0)
		r = make_progs(more, ts, opts, err);
	if (r == 0)
		join(l, more);
	load_free(more);
	return r;
}

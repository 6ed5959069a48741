/* SPDX-License-Identifier: Apache-2.0 */
/* Implements speculations in user space: holds back their records until commit() or discard(), and returns the ids
 * of ended speculations to the kernel. */
#ifndef DWELL_RUN_CONSUME_SPEC_H
#define DWELL_RUN_CONSUME_SPEC_H
#include "load/load.h"
#include "store/recording.h"

struct specs;

/* The maps by which programs see speculations. */
struct specs_home {
	uint32_t n;	       /* ids 1 … n */
	struct img_spec *kern; /* 0 … n */
	/* Puts an id on the stack of free ones. 0 or -errno. */
	int (*give_back)(void *ctx, uint32_t id);
	void *ctx;
};
/* Programs that do not run in the kernel. All ids become free. 0 or -errno. */
int specs_new(const struct specs_home *home, struct specs **ret);
/* Loaded programs. NULL in *ret: they have no speculations. -ENOMEM or the kernel's error. */
int specs_load(const struct loaded *l, struct specs **ret);
void specs_free(struct specs *s); /* what was neither committed nor discarded is gone */

/* Where rows go to; <0 ends it. */
struct specs_sink {
	int (*put)(void *ctx, const struct row *row);	    /* one that is shown at once */
	int (*committed)(void *ctx, const struct row *row); /* one that was held back */
	void *ctx;
};
/* Does a record of this format belong to a speculation, or end some? */
bool specs_changes(const struct recfmt *f);
/* Such a record: it is held back, or shown, and the speculations that it commits or discards end. 0 or -errno. */
int specs_record(struct specs *s, const struct recfmt *f, const struct row *row, const struct specs_sink *to);
/* After a drain: gives back the ids of ended speculations. */
void specs_clean(struct specs *s);
#endif

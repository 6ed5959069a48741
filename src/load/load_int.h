/* SPDX-License-Identifier: Apache-2.0 */
/* Declares struct loaded and the steps of loading an image, for the files of src/load. */
#ifndef DWELL_LOAD_LOAD_INT_H
#define DWELL_LOAD_LOAD_INT_H
#include "load/load.h"
#include "types/typesrc.h"

/* load.c: with nothing made yet; load_free(). NULL: out of memory. */
struct loaded *load_new(const struct image *img, unsigned ncpus);

/* map.c: makes the map i of the image; l->maps[i] is filled. btf_key, btf_value: type ids or 0. */
int load_map_create(struct loaded *l, uint32_t i, uint32_t btf_key, uint32_t btf_value, struct err *err);
/* A map of maps, after the maps that are in it. */
int load_shape_create(struct loaded *l, uint32_t i, struct err *err);
void load_map_free(struct load_map *m);

/* rings.c: the ring buffers of a map with role RINGS. Filling the outer array needs a grace period, which a helper
 * process waits for. load_rings_wait() returns when the slots are set; the helper may still be waiting then. */
int load_rings_create(struct loaded *l, const struct img_map *m, struct load_map *ret, struct err *err);
int load_rings_wait(struct loaded *l, struct err *err);

/* prog.c */
int load_prog(struct loaded *l, uint32_t i, const uint32_t *func_ids, struct typesrc *ts, const struct load_opts *opts,
	      struct err *err);
/* The same of a program that need not be in the image: fd. */
int load_one(struct loaded *l, const struct img_prog *p, const uint32_t *func_ids, struct typesrc *ts,
	     const struct load_opts *opts, struct err *err);
/* join.c: loads program i together with another one, if it has one to go with and the kernel can do it. Then
 * joined[] of both is set, and progs[i]. ids: of the functions of all programs, or NULL. */
void load_join(struct loaded *l, uint32_t i, const uint32_t *ids, struct typesrc *ts, const struct load_opts *opts);
/* verifier.c: puts a refusal into words; log is NUL-terminated, code the errno of the load. */
int load_explain(const struct img_prog *p, int code, const char *log, struct err *err);

/* btf_emit.c: BTF that describes the functions of all programs and the TLS values of an image. */
struct load_btf {
	void *data; /* malloc'ed; NULL when the image needs none */
	uint32_t size;
	uint32_t int_id;     /* 4-byte int: TLS key */
	uint32_t *value_ids; /* by map: type of TLS value, or 0; malloc'ed */
	uint32_t *func_ids;  /* of all programs' functions in order; malloc'ed */
};
int load_btf_emit(const struct image *img, struct load_btf *ret);
void load_btf_done(struct load_btf *b);
#endif

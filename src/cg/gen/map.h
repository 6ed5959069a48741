/* SPDX-License-Identifier: Apache-2.0 */
/* Adds maps to the image, emits look-ups in them, and puts constants into the map of read-only data. */
#ifndef DWELL_CG_GEN_MAP_H
#define DWELL_CG_GEN_MAP_H
#include "cg/gen/gen.h"

int cg_add_map(struct cg *c, enum img_map_role role, const char *name, enum bpf_map_type type, uint32_t key,
	       uint32_t value, uint32_t entries, uint32_t flags);
/* A map or a place in an array's only value, recorded as used by this program. */
void gen_map(struct gen *g, vreg d, int map);
/* The same for aggregations and arrays; to `none` where it is not there. */
void gen_shaped_map(struct gen *g, vreg d, int map, irlabel none);
vreg gen_mapval(struct gen *g, int map, uint32_t off);
uint32_t cg_ncpus(const struct cg *c);	    /* that there may be */
uint32_t cg_cpu_places(const struct cg *c); /* at least as many */
/* Places of large arrays by CPU: for the CPUs that are online, a power of two if that is fewer than there may be. A CPU
 * that comes online later shares the place of another one. */
uint32_t cg_online_places(const struct cg *c);
int cg_map_rings(struct cg *c);
int cg_map_counters(struct cg *c);
/* … of firings by probe, with room for n more. */
int cg_map_hits(struct cg *c, uint32_t n);
int cg_map_state(struct cg *c);
int cg_map_rodata(struct cg *c);
int cg_map_scratch(struct cg *c);
int cg_map_tls(struct cg *c);
uint32_t cg_tls_size(const struct cg *c);
int cg_map_runtime(struct cg *c, enum runtime r); /* IMG_MAP_PY_PROCS and so on */
int cg_map_unwind(struct cg *c);		  /* the first of CG_UNWIND_MAPS, in the order of their roles */
int cg_map_assoc(struct cg *c, const struct dvar *v);
int cg_map_agg(struct cg *c, const struct dagg *a, unsigned set);
int cg_map_track(struct cg *c, const struct dtracker *t); /* open events */
int cg_map_hist(struct cg *c, const struct dtracker *t);
int cg_map_due(struct cg *c, const struct dtracker *t);
int cg_map_cgroups(struct cg *c, const struct dtracker *t);
uint32_t ro_string(struct cg *c, const char *s, size_t n);
void ro_free(struct cg *c); /* the index of strings */
uint32_t ro_zeros(struct cg *c, uint32_t n);
#endif

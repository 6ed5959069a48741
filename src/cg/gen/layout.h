/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out values: offsets in records, keys, the state, thread-locals and scratch memory. */
#ifndef DWELL_CG_GEN_LAYOUT_H
#define DWELL_CG_GEN_LAYOUT_H
#include "cg/gen/cg.h"

uint32_t lay_str_bound(const struct cg *c, const struct dtype *ty);
uint32_t lay_align(uint32_t size);
void lay_place_field(struct recfield *f, uint64_t *off); /* at the next offset */
uint32_t lay_storage(const struct cg *c, const struct dtype *ty);
struct recfield lay_field_of(struct cg *c, const struct dtype *ty);
/* Byte offset of a member of a kernel struct, looking through "a.b". False: no such member. */
bool lay_offset(struct cg *c, const char *tag, const char *path, uint32_t *ret_off, uint32_t *ret_size);
int lay_make_key(struct cg *c, const struct dtype **types, unsigned n, uint32_t prefix, const char *what,
		 struct span at, struct lay_key *ret);

int lay_tracks(struct cg *c, uint64_t *tls, uint64_t *state);
/* tracklay.c */
uint32_t nest_size(const struct dtracker *t, const struct lay_track *l); /* bytes for all openings of a key */
void cg_image_tracks(struct cg *c);					 /* what user space must know of them */
#endif

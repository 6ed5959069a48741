/* SPDX-License-Identifier: Apache-2.0 */
/* Emits loads and stores: from stack, scratch, kernel and user memory, and through typed pointers where the verifier
 * allows it. */
#ifndef DWELL_CG_GEN_LOAD_H
#define DWELL_CG_GEN_LOAD_H
#include "cg/gen/gen.h"

struct mem mem_slot(irslot s, int32_t off);
struct mem mem_at(vreg base, int32_t off);
struct mem mem_add(struct mem m, int32_t off);
void gen_ld(struct gen *g, vreg d, struct mem m, unsigned size, bool is_signed);
void gen_st(struct gen *g, struct mem m, unsigned size, vreg v);
void gen_sti(struct gen *g, struct mem m, unsigned size, int32_t imm);
vreg gen_addr(struct gen *g, struct mem m);
void gen_zero(struct gen *g, struct mem m, uint32_t len);
void gen_copy(struct gen *g, struct mem dst, struct mem src, uint32_t len);
vreg gen_launder(struct gen *g, vreg v); /* a pointer's bits as an integer that the verifier lets compute with */
struct mem gen_scratch(struct gen *g, uint32_t size);	   /* temporary of this statement */
struct mem gen_scratch_keep(struct gen *g, uint32_t size); /* until the end of the clause */
void gen_scratch_pad(struct gen *g); /* zeros after such memory, where a text that fills it ends */
/* size bytes (constant) at an address that must be in scratch memory, for writing. */
struct mem gen_scratch_range(struct gen *g, vreg addr, vreg size, uint32_t max);
void gen_scratch_fits(struct gen *g, vreg addr, vreg size);
struct mem gen_scratch_target(struct gen *g, vreg addr, uint32_t size);
vreg gen_scratch_base(struct gen *g);
uint32_t cg_scratch_limit(const struct cg *c); /* bytes of scratch per program and CPU */
/* Uprobes run in threads that may be preempted by others, which run the same program on the same CPU. A firing that
 * finds the scratch entry in use is counted and left out. */
void gen_busy_begin(struct gen *g);
void gen_busy_end(struct gen *g);
/* dst (size bytes) from kernel or user memory; jumps to the fault exit on failure. */
void gen_read_check(struct gen *g, vreg r, vreg addr, bool user); /* r < 0: fault */
void gen_probe_read(struct gen *g, struct mem dst, uint32_t size, vreg addr, int64_t off, bool user);
/* Reads a scalar of type ty (resolved). *btf: as gen_ptr(). */
vreg gen_load_place(struct gen *g, const struct place *pl, const struct dtype *ty, struct tref *btf);
void gen_store_place(struct gen *g, const struct place *pl, const struct dtype *ty, vreg v);

/* May size bytes at off in the struct be loaded directly? *target (id 0: none) is the struct that a
 * loaded pointer points to. */
bool btf_direct(struct cg *c, struct tref s, int64_t off, unsigned size, struct tref *target);
/* The struct that a pointer type points to, when the verifier would follow it. */
bool btf_pointee(struct cg *c, struct tref ptr, struct tref *ret);
/* For reading: an index that waits is added, unless the base is NULL. */
void place_flatten(struct gen *g, struct place *pl);
#endif

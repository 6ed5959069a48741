/* SPDX-License-Identifier: Apache-2.0 */
/* Short forms for emitting run-time pieces: loops, reads, byte tricks. For the files of cg/rt. */
#ifndef DWELL_CG_RT_INT_H
#define DWELL_CG_RT_INT_H
#include "cg/ir/int.h"
#include "cg/rt/rt.h"

struct rtgen {
	struct irprog *p;
	const struct caps *caps;
	enum rt_id id;
};

/* Emits the body of a piece. */
#define RT(id, nargs) void rt_emit_##id(struct irfn *f, const struct rtgen *g);
#include "cg/ir/rt.def"
#undef RT

/* A callback of piece g->id for rt_loop(): long cb(u32 i, u64 *state); 1 ends the loop. which: 0 or 1,
 * for pieces with two. Made once per program. */
struct irfn *rt_callback(const struct rtgen *g, unsigned which, void (*emit)(struct irfn *f, const struct rtgen *g));
/* for (i = 0; i < n && !cb(i, state); i++). n: known to the verifier at each call. With bpf_loop() the
 * verifier looks at cb a few times instead of n times. state: a slot. */
void rt_loop(struct irfn *f, const struct rtgen *g, vreg n, struct irfn *cb, irslot state);
/* The same with the address of the state: inside callbacks. */
void rt_loop_at(struct irfn *f, const struct rtgen *g, vreg n, struct irfn *cb, vreg state);

/* Short forms; each returns a fresh register. */
vreg rt_ld(struct irfn *f, vreg base, int32_t off); /* 8 bytes */
vreg rt_ldb(struct irfn *f, vreg base, vreg off);   /* the byte at base + off */
vreg rt_alu(struct irfn *f, enum ir_alu op, vreg a, vreg b);
vreg rt_alui(struct irfn *f, enum ir_alu op, vreg a, int64_t imm);
vreg rt_slot_addr(struct irfn *f, irslot s);
vreg rt_min(struct irfn *f, vreg a, vreg b);		    /* unsigned */
vreg rt_umagnitude(struct irfn *f, vreg v, vreg *ret_sign); /* |v|; sign: 0 or -1 */
/* v, but of unknown value to the verifier (c: a register of unknown value, such as a byte read). Without it, the
 * verifier takes a counting state for a new one in each iteration. Then it walks the iterations one by one instead of
 * finding that nothing new comes. */
vreg rt_blur(struct irfn *f, vreg v, vreg c);
/* Call it before rt_loop(): it hides the values of the state's words in [from, to), which change in the loop. Kernels
 * whose verifier walks a callback once (caps.bpf_loop_once) would take their first values for the only ones. They would
 * cut out the code that other values lead to. So the verifier must not know them there. For other kernels this emits
 * nothing. */
void rt_vary(struct irfn *f, const struct rtgen *g, irslot state, int32_t from, int32_t to);
void rt_vary_at(struct irfn *f, const struct rtgen *g, vreg state, int32_t from, int32_t to);
/* Byte tricks on 8 bytes at once: bit 7 of the first byte that is 0 (higher bits mean nothing); 0: none. */
vreg rt_zero_byte(struct irfn *f, vreg word);
/* Index of the byte whose bit 7 is the lowest set bit. */
vreg rt_byte_index(struct irfn *f, vreg bits);
#define RT_ONES 0x0101010101010101
#define RT_HIGHS 0x8080808080808080
#endif

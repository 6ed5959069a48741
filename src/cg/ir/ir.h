/* SPDX-License-Identifier: Apache-2.0 */
/* Intermediate representation: functions of three-address instructions over virtual registers (64
 * bits each) and labels, close to BPF. Lowering (cg/lower) builds it, regalloc.c assigns r0-r9 and stack
 * slots, cg/bpf/asm.c encodes. Builders are sticky on error: see ir_error().
 *
 * Rules for the user of the builder:
 *  - a vreg may be assigned more than once (no SSA); every use must be dominated by a definition;
 *  - pointers may live in vregs (spilled in 8-byte slots, which the verifier tracks);
 *  - ir_ctx() is the context argument, valid in the main function everywhere;
 *  - labels are per function; forward jumps only, except in run-time pieces with bounded loops;
 *  - integers are kept normalised by the lowering: a value of a type narrower than 64 bits is sign- or
 *    zero-extended to 64 bits; use ir_ext() after operations that may overflow. */
#ifndef DWELL_CG_IR_IR_H
#define DWELL_CG_IR_IR_H
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/source.h"
#include "base/strb.h"

typedef int vreg; /* < 0: none */
typedef int irlabel;
typedef int irslot;
#define VREG_NONE (-1)

enum ir_alu {
	IRA_ADD,
	IRA_SUB,
	IRA_MUL,
	IRA_DIV,
	IRA_MOD,
	IRA_AND,
	IRA_OR,
	IRA_XOR,
	IRA_SHL,
	IRA_SHR,
	IRA_SAR,
	IRA_NEG
}; /* DIV and MOD are unsigned as in BPF: x/0 = 0 */
enum ir_cond {
	IRC_EQ,
	IRC_NE,
	IRC_GT,
	IRC_GE,
	IRC_LT,
	IRC_LE, /* unsigned */
	IRC_SGT,
	IRC_SGE,
	IRC_SLT,
	IRC_SLE,
	IRC_SET /* a & b */
};

struct irprog; /* one BPF program: a main function and subprograms */
struct irfn;   /* one function */

struct irprog *irprog_new(struct arena *a);
/* nargs arguments (≤ 5); the first function made is the main program (1 argument: ctx). */
struct irfn *irfn_new(struct irprog *p, const char *name, unsigned nargs);
/* The kernel verifies it by itself, once, and not at each call: arguments and result are numbers then, not
 * pointers. Kernels since 5.6. */
void ir_global(struct irfn *f);
/* The n-th argument (0-based) as a vreg. */
vreg irfn_arg(struct irfn *f, unsigned n);
#define ir_ctx(f) irfn_arg((f), 0)

vreg ir_new(struct irfn *f);		       /* a fresh vreg */
irlabel ir_label(struct irfn *f);	       /* a fresh label */
void ir_place(struct irfn *f, irlabel l);      /* puts it here */
irslot ir_slot(struct irfn *f, uint32_t size); /* stack memory, 8-byte aligned, for the whole function */
/* Stack memory that ends its life before the next ir_slot_reset(): slots made after a mark share
 * memory with those made after an earlier reset to it. */
uint32_t ir_slot_mark(struct irfn *f);
void ir_slot_reset(struct irfn *f, uint32_t mark);

void ir_movi(struct irfn *f, vreg d, uint64_t imm);
void ir_mov(struct irfn *f, vreg d, vreg s);
vreg ir_imm(struct irfn *f, uint64_t imm);			     /* ir_new + ir_movi */
void ir_alu(struct irfn *f, enum ir_alu op, vreg d, vreg a, vreg b); /* d = a op b; NEG: b unused */
void ir_alui(struct irfn *f, enum ir_alu op, vreg d, vreg a, int64_t imm);
void ir_ext(struct irfn *f, vreg d, vreg s, unsigned bytes, bool is_signed); /* to 64 bits from 1,2,4 */
void ir_bswap(struct irfn *f, vreg d, vreg s, unsigned bytes);		     /* to big endian and back: htons … */
/* Memory: size 1, 2, 4, 8. ir_load zero-extends. */
void ir_load(struct irfn *f, vreg d, vreg base, int32_t off, unsigned size);
void ir_loads(struct irfn *f, vreg d, vreg base, int32_t off, unsigned size); /* sign-extends */
void ir_store(struct irfn *f, vreg base, int32_t off, unsigned size, vreg s);
void ir_storei(struct irfn *f, vreg base, int32_t off, unsigned size, int32_t imm);
void ir_load_slot(struct irfn *f, vreg d, irslot s, int32_t off, unsigned size);
void ir_store_slot(struct irfn *f, irslot s, int32_t off, unsigned size, vreg v);
void ir_storei_slot(struct irfn *f, irslot s, int32_t off, unsigned size, int32_t imm);
void ir_slot_addr(struct irfn *f, vreg d, irslot s, int32_t off); /* d = &slot + off */
/* Atomics: *(u64 *)(base + off) += s; cmpxchg and fetch_add: return the old value in d (size 4 or 8). */
void ir_atomic_add(struct irfn *f, vreg base, int32_t off, unsigned size, vreg s);
void ir_cmpxchg(struct irfn *f, vreg d, vreg base, int32_t off, unsigned size, vreg expect, vreg val);
void ir_fetch_add(struct irfn *f, vreg d, vreg base, int32_t off, unsigned size, vreg s);
/* Control. */
void ir_jmp(struct irfn *f, irlabel l);
void ir_jcc(struct irfn *f, enum ir_cond c, vreg a, vreg b, irlabel l);
void ir_jcci(struct irfn *f, enum ir_cond c, vreg a, int64_t imm, irlabel l);
/* Tells the verifier that a loop ends, at the latest after 8 M iterations, when it goes to l. */
void ir_may_goto(struct irfn *f, irlabel l);
void ir_ret(struct irfn *f, vreg v); /* return v */
void ir_reti(struct irfn *f, int32_t imm);
/* Calls: d may be VREG_NONE. helper: enum bpf_func_id. */
void ir_call(struct irfn *f, vreg d, int helper, unsigned nargs, const vreg *args);
/* A function of the kernel itself (kfunc); id: of its type in vmlinux. */
void ir_call_kernel(struct irfn *f, vreg d, uint32_t id, unsigned nargs, const vreg *args);
void ir_call_fn(struct irfn *f, vreg d, struct irfn *callee, unsigned nargs, const vreg *args);
#define IR_ARGS(...) \
	(sizeof((vreg[]){ __VA_ARGS__ }) / sizeof(vreg)), (vreg[]) \
	{ \
		__VA_ARGS__ \
	}
/* ir_call(f, d, BPF_FUNC_x, IR_ARGS(a, b)). Without arguments: 0, NULL. */
/* Addresses: a map (index into image.maps), a place in the only value of an array map, a callback. */
void ir_map(struct irfn *f, vreg d, uint32_t map);
void ir_mapval(struct irfn *f, vreg d, uint32_t map, uint32_t off);
/* high << 32 | number of the final instruction that first jumps to the label (before here). */
void ir_label_pc(struct irfn *f, vreg d, irlabel l, uint32_t high);
void ir_fnaddr(struct irfn *f, vreg d, struct irfn *callee);
/* From here on instructions belong to this D text and clause; and a comment for -S. */
void ir_at(struct irfn *f, uint32_t epid, struct span at);
void ir_comment(struct irfn *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Instructions from here on, until it is set back, are rarely reached. They are laid after the rest of the function, so
 * that those that run each time stay together in the instruction cache. Returns how it was. */
bool ir_cold(struct irfn *f, bool cold);

/* 0, or -E2BIG (stack over 512 bytes, jump over 16 bits, too many instructions), -EINVAL (misuse). */
int ir_error(const struct irprog *p, const char **reason);
uint32_t ir_ninsns(const struct irprog *p); /* IR instructions so far: for splitting into programs */

struct img_prog;
/* Allocates registers and encodes all functions into prog->insns, funcs, lines. Dead code (unreachable,
 * unused results without side effects) is removed. Returns ir_error(). */
int ir_finish(struct irprog *p, struct arena *a, struct img_prog *prog, const char **reason);
void ir_dump(struct strb *out, const struct irprog *p);
#endif

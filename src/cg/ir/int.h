/* SPDX-License-Identifier: Apache-2.0 */
/* Declares struct irfn and its instructions, which passes of cg/ir and run-time pieces of cg/rt read and change. */
#ifndef DWELL_CG_IR_INT_H
#define DWELL_CG_IR_INT_H
#include "cg/ir/ir.h"
#include "cg/ir/rtid.h"

enum ir_op {
#define IROP(id, flags) IRO_##id,
#include "cg/ir/irop.def"
#undef IROP
};

/* Properties of an operation (irop.def). */
enum {
	IRF_DEF = 1,	  /* writes d */
	IRF_USE_D = 2,	  /* reads d */
	IRF_USE_A = 4,	  /* reads a (unless it is IR_FP or VREG_NONE) */
	IRF_USE_B = 8,	  /* reads b */
	IRF_USE_C = 16,	  /* reads c */
	IRF_ARGS = 32,	  /* reads the arguments args[off … off + nargs - 1] of the function */
	IRF_CALL = 64,	  /* clobbers r0-r5 */
	IRF_JUMP = 128,	  /* may go to label imm */
	IRF_END = 256,	  /* does not continue after */
	IRF_PURE = 512,	  /* can go when the result is not used */
	IRF_CONST = 1024, /* result depends on the instruction only: cheaper to repeat than to keep */
};

#define IR_FP (-2) /* as base register: the frame pointer */

#define IR_KERNEL (1ll << 32) /* IRO_CALL: the rest of imm is the type of a function of the kernel */

struct irinsn {
	uint16_t op;   /* enum ir_op */
	uint8_t sub;   /* enum ir_alu, enum ir_cond */
	uint8_t size;  /* of memory accesses and byte swaps */
	uint8_t nargs; /* calls */
	vreg d, a, b, c;
	int32_t off;   /* memory offset; calls: first of args */
	int64_t imm;   /* constant, label, helper, index of a function, map | off << 32 */
	uint32_t mark; /* index into irfn.marks */
};

/* A position in the D text; text: comment for -S. */
struct irmark {
	uint32_t epid;
	struct span at;
	const char *text; /* or NULL; belongs to the first instruction with this mark only */
	bool cold;	  /* rarely reached: goes after the rest of the function */
};

struct irrange { /* [from, to) in positions: instruction i reads at 2i and writes at 2i + 1 */
	uint32_t from, to;
	struct irrange *next;
};

struct irfn {
	struct irprog *prog;
	const char *name;
	uint32_t index;
	unsigned nargs;
	bool global;
	struct irinsn *insns;
	uint32_t n, cap;
	vreg *args;
	uint32_t nargv, argcap;
	struct irmark *marks;
	uint32_t nmarks, markcap, mark;
	int nvregs;
	uint32_t nlabels;
	uint32_t slot_top, slot_max; /* bytes of the frame used by slots: now, at most */
	struct irslotinfo {
		uint32_t pos, size; /* at r10 - pos */
	} * slots;
	uint32_t nslots, slotcap;
	/* ir_finish(): */
	uint32_t frame;	 /* bytes of stack, spills included */
	uint32_t start;	 /* first BPF instruction */
	int32_t chain;	 /* bytes of stack down the deepest chain of calls; -1 unknown, -2 busy */
	unsigned height; /* frames of the longest chain of calls, itself included */
	bool live;
};

struct irprog {
	struct arena *arena;
	struct irfn **fns;
	uint32_t nfns, fncap;
	uint32_t ninsns;
	int err;
	const char *reason;
	bool finished;
	struct irfn *rt[RT_COUNT_];
	struct irfn *rt_aux[RT_COUNT_ * 2]; /* callbacks of run-time pieces */
};

extern const uint16_t ir_op_flags[];
extern const char *const ir_op_names[];

#define IR_STACK_MAX 512 /* Source: kernel, MAX_BPF_STACK; over a whole chain of calls */
#define IR_FRAME_ROUND \
	32		 /* a frame counts as a multiple of this many bytes. Source: kernel/bpf/verifier.c, round_up \
			  */
#define IR_MAX_FRAMES 8	 /* Source: kernel, MAX_CALL_FRAMES */
#define IR_MAX_FUNCS 256 /* Source: kernel, BPF_MAX_SUBPROGS */
#define IR_MAX_INSNS 1000000 /* Source: kernel, BPF_COMPLEXITY_LIMIT_INSNS */

/* Sets the sticky error (the first one stays). Returns the error. */
int irprog_fail(struct irprog *p, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Grows an array of the arena to hold n + 1 elements. */
void *ir_grow(struct arena *a, void *v, uint32_t n, uint32_t *cap, size_t size);
struct irinsn *ir_push(struct irfn *f, enum ir_op op);
/* Calls fn for every vreg that the instruction reads. */
unsigned ir_uses(const struct irfn *f, const struct irinsn *i, vreg out[8]);

/* Passes, in this order; temporary memory comes from tmp. */
void ir_opt(struct irfn *f, struct arena *tmp); /* folds, removes dead code, two-address form */
/* Assigns registers: ret_reg[vreg] is 0-9 or -1 (never live). Rewrites the code for spills. */
int ir_regalloc(struct irfn *f, struct arena *tmp, int8_t **ret_reg);

/* Liveness (live.c). */
struct irlive {
	struct irrange **range; /* by vreg, ascending; NULL: never live */
	uint32_t *ncalls;	/* calls before instruction i; n + 1 entries */
};
int ir_live(struct irfn *f, struct arena *tmp, struct irlive *ret);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Describes one function of a program while its instructions are made (struct gen), and where values live meanwhile.
 * Temporaries are in virtual registers, stack slots and the program's scratch entry. */
#ifndef DWELL_CG_GEN_GEN_H
#define DWELL_CG_GEN_GEN_H
#include "cg/ir/ir.h"
#include "cg/gen/cg.h"

/* Values that are computed once and reused where their computation dominates: vregs or VREG_NONE. */
enum cache_id {
	CA_TS,	    /* bpf_ktime_get_ns() at this firing */
	CA_PIDTGID, /* bpf_get_current_pid_tgid() */
	CA_NSPID,
	CA_NSTID, /* as seen in dwell's pid namespace */
	CA_UIDGID,
	CA_USTACK, /* ENTRY_ITER_TASK: what the walk of the user stack returned */
	CA_PSTART, /* start of the process */
	CA_TASK,   /* typed pointer to the current task */
	CA_CPU,
	CA_SCRATCH,			   /* pointer to the scratch entry */
	CA_TLS,				   /* pointer to the task's thread-locals, or NULL */
	CA_PROBE,			   /* probe id */
	CA_REGS,			   /* pt_regs pointer of ARG_REGS */
	CA_COOKIE,			   /* bpf_get_attach_cookie() */
	CA_COMM,			   /* >= 0: the comm slot is filled */
	CA_TASK0,			   /* thread-locals of the task that is the n-th word of the context */
	CA_ARG0 = CA_TASK0 + CG_TASK_ARGS, /* arg0 … arg9 */
	CA_COUNT = CA_ARG0 + 10
};
struct cache {
	vreg v[CA_COUNT];
};

struct fault_site {
	irlabel l;
	enum rec_fault_code code;
	vreg value; /* or VREG_NONE: imm */
	uint64_t imm;
	unsigned action;
	vreg rec; /* to be discarded, or VREG_NONE */
};
struct drop_site { /* cold: count and go on */
	irlabel l;
	enum rec_counter kind;
	irlabel back;
};

struct prog {
	struct cg *cg;
	struct irprog *ip;
	const struct cg_group *grp;
	const struct cg_unit *units;
	size_t nunits;
	uint32_t index;
	int maps_used[CG_MAX_MAPS];
	unsigned nmaps_used;
	struct irfn *fn_fault, *fn_fault_rec, *fn_count, *fn_nspid, *fn_container, *fn_path, *fn_unwind, *fn_waited;
	struct irfn *fn_mix[RUNTIMES]; /* walks of language runtimes */
	uint32_t unwind_key;	       /* of its scratch */
	struct irfn *fn_spec_new, *fn_spec_find, *fn_spec_end, *fn_chill;
	uint32_t scratch_top, scratch_max;
	uint32_t scratch_keep; /* below it: memory of the clause (alloca, copyin) */
	uint32_t scratch_pad;  /* bytes at its end that the clause may not write */
	uint32_t scratch_got;  /* the most that was ever below it: earlier clauses' pointers remain good for reading */
	bool failed;	       /* an error was reported, or the maps do not suffice */
	bool too_many_maps;
	bool sleepable;	   /* reads the memory of other threads */
	vreg opener;	   /* in a walk over keys: the thread that opened the one that fires; or VREG_NONE */
	bool needs_thread; /* reads that thread's memory, which a walk over keys cannot */
	bool uses_opener;  /* something of that thread was asked for */
	bool counts_hits;  /* hits.c */
	vreg again;	   /* of a walk: not 0, the kernel is to call the program again for this thread; or VREG_NONE */
	bool each;	   /* walks keys by bpf_for_each_map_elem, see scan.c */
	bool low_stack;	   /* second try with little stack: nothing cached for long, keys in scratch */
};

/* Where a local variable is. */
struct gen_local {
	bool have;
	irslot slot; /* or -1: in scratch memory at off */
	int32_t off;
};

/* How the faults of a clause leave it: registers and labels that its stubs share; labels from the first stub on. */
struct fault_out {
	bool begun;
	vreg act, code, value;
	vreg rec; /* the record to discard, or VREG_NONE: no fault so far had one */
	irlabel with_rec, common;
};

struct gen {
	struct cg *cg;
	struct prog *pr;
	struct irfn *f;
	const struct cg_unit *unit;
	const struct clause_instance *ds;
	const struct entry *e; /* of the unit's first point: where arguments are */
	const struct lay_clause *lay;
	size_t act_next;
	vreg sel;	/* selector, or VREG_NONE */
	vreg rec;	/* reserved record, or VREG_NONE */
	bool have_full; /* the clause does something when the ring is full: at l_full */
	irlabel l_full;
	struct cache full_cache;
	unsigned action;
	irlabel l_next; /* end of the clause */
	struct cache cache, outer, exit_cache;
	bool exited;
	unsigned depth;
	struct fault_site *faults;
	size_t nfaults, faults_cap;
	struct fault_out fault_out;
	struct drop_site *drops;
	size_t ndrops, drops_cap;
	uint32_t stubs_at;	  /* instructions of the program when stubs were last emitted */
	irslot comm;		  /* 16 bytes */
	irslot tmp;		  /* 16 bytes for helpers' small arguments and results */
	irslot *this_slot;	  /* by variable id, -1: none */
	struct gen_local *locals; /* by variable id; NULL: the program has none */
	irlabel l_break, l_continue, l_return;
	bool in_call; /* inside of a function's body: faults are the caller's */
	vreg spec;    /* speculation that the segments belong to, or VREG_NONE */
	vreg budget;  /* iterations of loops so far, or VREG_NONE: the clause has none */
	int64_t loopmax;
	uint32_t ustack_max;	    /* frames that CA_USTACK was walked for */
	int32_t strtok_off;	    /* scratch offset of strtok()'s state in this clause, or -1 */
	const struct gen_event *ev; /* a clause of a latency probe: what it is about */
	uint32_t scratch_base;	    /* where its scratch memory begins: above that of the clause that fires it */
	bool in_error;		    /* an ERROR clause: arguments are in err[] */
	vreg err[6];		    /* ERROR: n-th argument of the fault */
};

struct gen_event;

/* Directly addressable memory: a stack slot, or base + off. */
struct mem {
	irslot slot; /* >= 0, or -1 */
	vreg base;
	int32_t off;
};
enum place_kind { PL_MEM, PL_KERN, PL_USER };
/* Where a value lives. */
struct place {
	enum place_kind kind;
	struct mem m;	 /* PL_MEM */
	bool maybe_null; /* PL_MEM: base may be NULL, which reads as 0 */
	bool has_idx;	 /* … and idx bytes are to be added to base once it is known not to be */
	vreg idx;
	vreg addr; /* PL_KERN, PL_USER */
	int64_t off;
	struct tref btf;	    /* id != 0: addr is a typed pointer to this struct, at offset 0 */
	uint32_t bit_off, bit_size; /* bit field within the byte at off */
	struct dvar *var;	    /* the variable that it is in, or NULL */
	bool has_key;		    /* element of an associative array: */
	struct mem key;
	bool whole;	   /* all of the variable or element */
	bool near_scratch; /* PL_KERN: it may be just outside of memory that alloca() gave */
};
/* A string that can be read directly. */
struct str {
	bool is_const;
	const char *cs; /* is_const: cslen bytes without the NUL */
	size_t cslen;
	struct mem m;
	uint32_t bound;	 /* readable bytes, NUL included */
	bool padded;	 /* zero up to bound after the text */
	bool maybe_null; /* m.base may be NULL: "" */
	bool has_set;	 /* the string may be NULL: set is 0 then */
	vreg set;
};

/* Makes one function's generator; clears caches. */
void gen_init(struct gen *g, struct prog *pr, struct irfn *f);
/* Was this helper function of the program made already? Else it is made, to be filled through *g. */
bool gen_have_fn(struct gen *g, struct prog *pr, struct irfn **slot, const char *name, unsigned nargs);

/* Facts about nodes and types. */
bool node_is_null(const struct node *n); /* the constant 0, cast or not */
bool node_const(const struct node *n, int64_t *ret);
bool type_is_str(const struct cg *c, const struct node *n);
/* d = s cut to ty and extended again. */
void gen_norm(struct gen *g, vreg d, vreg s, const struct dtype *ty);
bool gen_fits(struct gen *g, const struct node *n,
	      const struct dtype *to); /* is its value one of this type for sure? */
bool gen_is_nonneg(struct gen *g, const struct node *n);
bool op_class_is_test(enum op op); /* does it give a truth value? */
/* Bytes that adding 1 to this pointer (or array) advances. */
uint32_t ptr_scale(struct gen *g, const struct dtype *ptr);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Types and functions that ehframe.c (records of .eh_frame), ehcfa.c (their programs) and ehtab.c (the table) share.
 * Source: DWARF 5, chapter 6.4; LSB core, chapter 10.6 (.eh_frame); x86-64 psABI, table 3.36. */
#ifndef DWELL_SYM_UNWIND_EH_INT_H
#define DWELL_SYM_UNWIND_EH_INT_H
#include <stdbool.h>
#include "base/vec.h"
#include "sym/unwind/ehtab.h"

/* A stretch of bytes that is being read; bad after a read after its end. */
struct ehbuf {
	const uint8_t *p, *end;
	bool bad;
};

uint64_t eh_fixed(struct ehbuf *b, unsigned size); /* 1, 2, 4 or 8 bytes */
uint64_t eh_uleb(struct ehbuf *b);
int64_t eh_sleb(struct ehbuf *b);
void eh_skip(struct ehbuf *b, uint64_t n);

/* Numbers of a machine's registers in DWARF. */
struct eharch {
	uint16_t machine;
	uint8_t sp, fp, third, ra;
	bool ra_on_stack; /* the return address is always in the word below the CFA */
	bool link;	  /* it is in a link register, the third one, and rules are UW_RULE_LINK() */
	uint8_t ra_reg;	  /* 0, or a register in which a return address may be (UW_RA_DI) */
	uint16_t sig_cfa; /* where a struct ucontext keeps the stack pointer: CFA of signal frames */
	uint16_t sig_uc;  /* or where it always lies, from the stack pointer on */
};

enum ehreg_kind {
	EHR_SAME,  /* as in the caller */
	EHR_OFF,   /* at CFA + off */
	EHR_AT_FP, /* at frame pointer + off */
	EHR_REG,   /* in register off */
	EHR_UNDEF, /* has no value in the caller */
	EHR_OTHER,
};
struct ehreg {
	uint8_t kind;
	int64_t off;
};
enum ehcfa_kind {
	EHC_REG,     /* register + off */
	EHC_DEREF,   /* word at register + off */
	EHC_DEREF_8, /* the same, plus 8 */
	EHC_PLT,     /* off: low bits of the pc from which on a word more is on the stack */
	EHC_OTHER,
};
struct ehstate {
	uint8_t cfa;
	uint64_t reg;
	int64_t off;
	struct ehreg fp, third, ra;
};

struct ehcie {	      /* common information entry */
	uint64_t off; /* in the section */
	uint64_t code_align;
	int64_t data_align;
	uint8_t enc; /* DW_EH_PE_* of addresses */
	bool signal, has_aug;
	bool usable;
	struct ehstate init;
};

struct ehfde { /* a function's */
	uint64_t pc, len;
	uint32_t cie;	 /* index */
	uint32_t ninsns; /* bytes of instructions */
	const uint8_t *insns;
};

struct ehsec { /* .eh_frame, read */
	const struct eharch *arch;
	uint8_t *data;
	size_t size;
	uint64_t addr;		/* link address of data[0] */
	bool by_header;		/* found by its program header: its end is not known */
	VEC(struct ehcie) cies; /* by offset */
	VEC(struct ehfde) fdes;
};

/* ehframe.c: finds, reads and takes apart; fdes in the order of the section. */
int ehsec_load(const struct elf *e, struct ehsec *ret);
void ehsec_done(struct ehsec *s);

/* Called for each stretch of code, ascending: from pc on the state holds. <0 ends. */
typedef int (*ehrow_fn)(void *ctx, uint64_t pc, const struct ehstate *st);

/* ehcfa.c: runs a program that begins with *st at pc; rows up to end are given to fn (may be NULL).
 * An instruction that is not understood makes the rest of the function EHC_OTHER. st: the last state. */
int ehcfa_run(const struct ehsec *s, const struct ehcie *cie, struct ehbuf prog, uint64_t pc, uint64_t end,
	      struct ehstate *st, ehrow_fn fn, void *ctx);
uint32_t ehcfa_rule(const struct eharch *a, const struct ehcie *cie, const struct ehstate *st);
#endif

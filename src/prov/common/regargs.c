/* SPDX-License-Identifier: Apache-2.0 */
/* Finds arguments and results of functions in the registers of a uprobe or kprobe. Source: System V ABI, AMD64
 * supplement 3.2.3, i386 supplement 2.2.3; AAPCS64 6.8.2; struct pt_regs of arch/x86 and struct user_pt_regs of
 * arch/arm64. */
#include <elf.h>
#include "base/cleanup.h"
#include "prov/prov_int.h"

#define NARGS UREGS_NARGS

#if defined(__aarch64__)
#define REG_RESULT 0
#define REG_SP (31 * 8)
static const uint16_t arg_regs[] = { 0, 8, 16, 24, 32, 40, 48, 56 };
static const unsigned stack_first = 0;
#else
#define REG_RESULT 80 /* ax */
#define REG_SP 152    /* sp */
static const uint16_t arg_regs[] = { 112, 104, 96, 88, 72, 64 }; /* di si dx cx r8 r9 */
static const unsigned stack_first = 8;				 /* the return address lies below them */
#endif

void uregs_entry(uint16_t machine, struct entry *e)
{
	bool narrow = machine == EM_386;
	unsigned in_regs = narrow ? 0 : ARRAY_SIZE(arg_regs), word = narrow ? 4 : 8;
	unsigned first = narrow ? 4 : stack_first;

	e->nargs = NARGS;
	for (unsigned i = 0; i < NARGS; i++) {
		if (i < in_regs)
			e->args[i] = (struct arg_loc){ .kind = ARG_CTX_REGS, .off = arg_regs[i] };
		else
			e->args[i] = (struct arg_loc){ .kind = ARG_USER_MEM,
						       .off = REG_SP,
						       .size = (uint8_t)word,
						       .value = first + (i - in_regs) * word };
	}
}

void uregs_return(uint16_t machine, struct entry *e)
{
	e->nargs = 2;
	e->args[0] = (struct arg_loc){ .kind = ARG_NONE };
	e->args[1] = (struct arg_loc){ .kind = ARG_CTX_REGS, .off = REG_RESULT };
	if (machine == EM_386) {
		e->args[1].size = 4;
		e->args[1].is_signed = true;
	}
}

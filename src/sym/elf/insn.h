/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where instructions begin, and what they are. A probe inside of an instruction would destroy the program. */
#ifndef DWELL_SYM_ELF_INSN_H
#define DWELL_SYM_ELF_INSN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets of the instructions of a function, from its first byte on, malloc'ed. Ends where something
 * cannot be decoded. machine: EM_X86_64, EM_386 (decoded by libZydis, opened at the first call),
 * EM_AARCH64. -ENOSYS: there is no decoder, *reason says why. */
int insn_offsets(uint16_t machine, const uint8_t *code, size_t len, uint32_t **ret, size_t *ret_n, const char **reason);

enum insn_class {
	INSN_CALL = 1,
	INSN_RET = 2,
	INSN_BRANCH = 4, /* jumps, with and without a condition */
	INSN_LOAD = 8,	 /* reads memory through an operand; push, pop, call and ret are none */
	INSN_STORE = 16,
	INSN_LOCK = 32, /* with the prefix lock, and xchg with memory, which locks without it */
	INSN_FILL = 64, /* nop and int3: what stands between functions */
};

#define INSN_MNEMONIC 24 /* bytes; longer texts are cut */
#define INSN_TEXT 72
#define INSN_NO_REG (-1)

struct insn {
	uint32_t off;
	uint8_t len, classes;
	uint16_t bytes;	 /* that it accesses by its widest operand in memory, the stack's words included; 0: none */
	bool has_target; /* of a relative call or jump: */
	int64_t target;	 /* … from the function's first byte on */
	int reg;	 /* an indirect call or jump goes where this word of struct pt_regs says, or INSN_NO_REG */
	char mnemonic[INSN_MNEMONIC], text[INSN_TEXT]; /* text: as objdump -M intel writes it */
};

/* The instructions of a function at an address, as insn_offsets() finds them; x86-64 only. */
int insn_list(uint16_t machine, uint64_t addr, const uint8_t *code, size_t len, struct insn **ret, size_t *ret_n,
	      const char **reason);
/* The class of a name ("call", "load" …); 0: there is none. */
unsigned insn_class_by_name(const char *name);
#endif

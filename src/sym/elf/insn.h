/* SPDX-License-Identifier: Apache-2.0 */
/* Where instructions begin: a probe inside of one would destroy the program. */
#ifndef DWELL_SYM_ELF_INSN_H
#define DWELL_SYM_ELF_INSN_H
#include <stddef.h>
#include <stdint.h>

/* Offsets of the instructions of a function, from its first byte on, malloc'ed. Ends where something
 * cannot be decoded. machine: EM_X86_64, EM_386 (decoded by libZydis, opened at the first call),
 * EM_AARCH64. -ENOSYS: there is no decoder, *why says why. */
int insn_offsets(uint16_t machine, const uint8_t *code, size_t len, uint32_t **ret, size_t *ret_n, const char **why);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Registers as gdb numbers them, and their description for gdb. */
#ifndef DWELL_GDB_REGS_H
#define DWELL_GDB_REGS_H
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#define REGS_BYTES 1024u /* all of them */

/* All, in gdb's order: their bytes. vectors: as PTRACE_GETREGSET has them (NT_X86_XSTATE), 512 bytes at least. */
size_t regs_all(const struct user_regs_struct *r, const uint8_t *vectors, uint8_t ret[REGS_BYTES]);
/* Where register n is in them, and its size; 0: there is none. */
size_t regs_size(unsigned n, size_t *ret_at);
const char *regs_xml(void); /* their description; for the process */
#endif

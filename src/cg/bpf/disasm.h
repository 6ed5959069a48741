/* SPDX-License-Identifier: Apache-2.0 */
/* Prints BPF instructions as text, in the manner of the kernel's verifier log. */
#ifndef DWELL_CG_BPF_DISASM_H
#define DWELL_CG_BPF_DISASM_H
#include "cg/image.h"

/* Appends instruction `at` of p without a newline: "r1 = *(u64 *)(r6 +8)". img gives the names of
 * maps and may be NULL. Returns how many instruction slots it takes: 1, or 2 for LD_IMM64. */
unsigned disasm_insn(struct strb *out, const struct image *img, const struct img_prog *p, uint32_t at);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes BPF: appends instructions, resolves labels and calls. Jumps that do not fit into 16 bits go over
 * islands, which the encoder puts between instructions. Errors are sticky: asm_finish(). */
#ifndef DWELL_CG_BPF_ASM_H
#define DWELL_CG_BPF_ASM_H
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

#define ASM_MAY_GOTO (BPF_JMP | 0xe0) /* Source: linux/bpf.h of 6.9, BPF_JCOND with BPF_MAY_GOTO */

struct basm;

/* nfns: number of functions that calls may name. Everything lives in the arena. */
struct basm *asm_new(struct arena *a, uint32_t nfns);
/* Starts function fn; labels 0 … nlabels - 1 belong to it. Returns its first instruction. */
uint32_t asm_begin(struct basm *b, uint32_t fn, uint32_t nlabels);
void asm_label(struct basm *b, uint32_t label); /* is here */
/* One plain instruction. */
void asm_insn(struct basm *b, uint8_t code, int dst, int src, int32_t off, int32_t imm);
/* dst = imm in one instruction where that is possible. */
void asm_imm(struct basm *b, int dst, int64_t imm);
/* LD_IMM64 with a pseudo source (BPF_PSEUDO_MAP_IDX …). */
void asm_ld64(struct basm *b, int dst, int pseudo, uint32_t lo, uint32_t hi);
/* dst = address of function fn; call of function fn. */
void asm_fnaddr(struct basm *b, int dst, uint32_t fn);
void asm_call_fn(struct basm *b, uint32_t fn);
/* Jumps: code is a BPF_JMP class operation without BPF_JA; asm_jump: always. */
void asm_jump(struct basm *b, uint32_t label);
void asm_jcc(struct basm *b, uint8_t code, int dst, int src, int32_t imm, uint32_t label);
uint32_t asm_pos(const struct basm *b);
/* 0 and the instructions; -EINVAL (label not placed …), -E2BIG (backward jump too far: a loop). */
int asm_finish(struct basm *b, struct bpf_insn **ret, uint32_t *ret_n, const char **reason);

/* A forward jump waits at most this long for its label before it gets an island. */
#define ASM_JUMP_MAX 32767
#define ASM_ISLAND_AT 28000  /* force islands when the oldest jump waits this long … */
#define ASM_ISLAND_GAP 16000 /* … or put them after an unconditional jump already at this age */
#endif

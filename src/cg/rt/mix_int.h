/* SPDX-License-Identifier: Apache-2.0 */
/* Emits the steps that the stack walks of all language runtimes share. */
#ifndef DWELL_CG_RT_MIX_INT_H
#define DWELL_CG_RT_MIX_INT_H
#include "cg/rt/mix.h"
#include "cg/rt/unwind_int.h"

#define MX(member) (ST(mix) + (int32_t)offsetof(struct rt_mix_state, member))

/* 8 bytes of the process at addr to st + to; jumps to none when they cannot be read. */
void mix_user_word(struct irfn *f, vreg st, int32_t to, vreg addr, irlabel none);
/* The same for n bytes. */
void mix_user_bytes(struct irfn *f, vreg st, int32_t to, uint32_t n, vreg addr, irlabel none);
/* The word of size bytes at a place of a block of the state (bytes in all), which the process's version has: the place
 * is at st + at. */
vreg mix_word_at(struct irfn *f, vreg st, int32_t block, int32_t at, uint32_t bytes, unsigned size);
/* out[nout++] = v, or the end of the walk when there is no more room. */
void mix_out(struct irfn *f, vreg st, vreg v, irlabel cut);

/* Takes the next native frame, which frame[i++] of the unwinding is: sets word to it and returns its frame pointer.
 * Jumps to plain when it is of no runtime, to end when there is no more. */
vreg mix_frame(struct irfn *f, vreg st, vreg word, irlabel plain, irlabel end);
/* Ends that step: writes word. Returns 0 from the function, or 1 at end, and at cut, where there is no more
 * room. */
void mix_frame_out(struct irfn *f, vreg st, vreg word, irlabel cut, irlabel end);

#define MIX_ARGS 4 /* n, max, tgid, start */
/* Begins a walk in f, which has MIX_ARGS: returns the state, with the process (size bytes, its start first) at st + to
 * and the counts set. Jumps to none when the process has no such runtime. */
vreg mix_begin(struct irfn *f, const struct rt_mix_env *e, int32_t to, uint32_t size, irlabel none);
/* Ends it: returns the result, or what none leads to. */
void mix_end(struct irfn *f, vreg st, irlabel none);
#endif

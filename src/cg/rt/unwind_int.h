/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a native stack walk, and the functions of its pieces, for unwind*.c. */
#ifndef DWELL_CG_RT_UNWIND_INT_H
#define DWELL_CG_RT_UNWIND_INT_H
#include <stddef.h>
#include "cg/rt/int.h"
#include "cg/rt/unwind.h"

/* Places in the state. The state lies in the scratch map. The verifier knows nothing of a map's contents, so all
 * iterations are alike for it, and it looks at the walk once. */
#define ST(member) ((int32_t)offsetof(struct rt_unwind_state, member))

struct uw {
	const struct rt_unwind_maps *maps;
	const struct rt_unwind_offsets *o;
	const struct rt_unwind_returns *ret;
	const struct rt_unwind_machine *m;
	uint32_t scratch_key;
	enum rt_unwind_whose whose;
	struct irfn *find_return, *find_area, *find_rule, *find_vma, *fill,
		*hotspot; /* hotspot NULL: its frames are not walked */
};

/* Functions that need another thread than the current one have it as a further, last argument. Pointers cannot be given
 * to global functions, so these functions are global only for the current thread. */
struct irfn *uw_task_fn(struct irprog *p, const struct uw *u, const char *name, unsigned nargs);
/* Calls one of them from frame(). */
void uw_call(struct irfn *f, const struct uw *u, vreg d, struct irfn *callee, unsigned nargs, const vreg *args);
/* The thread, in a function that has nargs arguments when it is the current one. */
vreg uw_task(struct irfn *f, const struct uw *u, unsigned nargs);
/* The same in frame(). */
vreg uw_frame_task(struct irfn *f, const struct uw *u);

/* map[key] of an array: a pointer, or a jump to none. */
vreg uw_lookup(struct irfn *f, uint32_t map, irslot key_slot, vreg key, irlabel none);
/* n bytes of kernel memory at p + off to st + to; 0 when they cannot be read. */
void uw_peek(struct irfn *f, vreg st, int32_t to, uint32_t n, vreg p, uint32_t off);
/* One step of a binary search in [lo, lo + n). It takes the right half when the word of size bytes at off of its first
 * element is not above at. Jumps to done when one element is left. */
void uw_search_step(struct irfn *f, uint32_t map, irslot key, vreg lo, vreg n, vreg at, int32_t off, unsigned size,
		    irlabel done, irlabel none);

/* unwind_area.c: the area of address at into the state; jumps to none when it is in none. */
void uw_area_functions(struct irprog *p, struct uw *u);
void uw_emit_area(struct irfn *f, const struct uw *u, vreg st, vreg at, irlabel none);

/* unwind_rule.c. Labels of what a rule leads to: the caller is found, the outermost function, no way on,
 * no rule. */
struct uw_ways {
	irlabel next, end, fault, none;
};
void uw_rule_functions(struct irprog *p, struct uw *u);
/* The caller of the frame whose address in the table's file is `at`, into the state. */
void uw_emit_rule(struct irfn *f, const struct uw *u, vreg st, vreg at, const struct uw_ways *w);
/* The caller by the frame pointer. */
void uw_emit_by_bp(struct irfn *f, const struct uw *u, vreg st, const struct uw_ways *w);

/* The word at an address of the stack, or a jump to fault. */
vreg uw_stack_word(struct irfn *f, const struct uw *u, vreg st, vreg addr, irlabel fault);
/* A caller: its stack pointer and where it goes on. Jumps to w->next or w->end. */
void uw_set_caller(struct irfn *f, const struct uw *u, vreg st, vreg sp, vreg pc, const struct uw_ways *w);

/* hotspot.c: looks the process (tgid, start) up and puts what is known of its JVM into the state. */
void uw_emit_hotspot_proc(struct irfn *f, const struct uw *u, vreg st, vreg tgid, vreg start);
/* Jumps to in when an address is in the code cache of that process. */
void uw_emit_hotspot(struct irfn *f, const struct uw *u, vreg st, vreg at, irlabel in);
struct irfn *uw_hotspot_step(struct irprog *p, const struct uw *u, const struct rtgen *g);
/* The caller of the frame at such an address; jumps to by_bp where its frame pointer leads to it. */
void uw_emit_hotspot_step(struct irfn *f, const struct uw *u, vreg st, vreg at, const struct uw_ways *w, irlabel by_bp);

/* unwind_ret.c: find_return(at), the return address that a return probe has taken away from address at of
 * the stack; 0: none has. */
struct irfn *uw_find_return(struct irprog *p, const struct rtgen *g, const struct uw *u);
#endif

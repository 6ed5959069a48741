/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators of a graph that is there as a list of arcs: inside of core/. */
#ifndef DWELL_CORE_JS_FLOW_H
#define DWELL_CORE_JS_FLOW_H
#include <stdint.h>
#include "base/vec.h"

struct js_arc {
	uint32_t from, to;
};
typedef VEC(struct js_arc) js_arcs;

/* The dominator of each of n nodes, of which 0 is the root; that of the root is 0. The caller frees *idom. The arcs are
 * freed, also after an error. Where the root does not lead, a node is taken as led to by it: the lowest one that is not
 * in `held` (a bit for each node), and so on. Nodes in `held` have one arc in. It takes 28 bytes for each node, and 12
 * for each arc. 0 or -ENOMEM. Source: T. Lengauer, R. E. Tarjan, A Fast Algorithm for Finding Dominators in a
 * Flowgraph, 1979: the simple form. */
int js_flow_dominators(uint32_t n, js_arcs *arcs, const uint64_t *held, uint32_t **idom);
#endif

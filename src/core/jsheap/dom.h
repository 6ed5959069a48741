/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators of a large graph, in which most nodes have one holder: inside of core/.
 *
 * A node with one holder is dominated by it. So only nodes with several holders ("joint") are to be looked at. The core
 * of the graph are those that lead to a joint one, themselves or through nodes that they alone hold. For it the arcs
 * are kept in memory (core/jsheap/flow.h). A joint node outside of the core has as its dominator the lowest node that
 * all its holders have above them.
 *
 * Memory is 4 bytes for each node and half a byte for its bits, and 8 for those that lead to joint nodes. Nodes of the
 * core take 28 more, and each arc of it 12. */
#ifndef DWELL_CORE_JS_DOM_H
#define DWELL_CORE_JS_DOM_H
#include <stdint.h>

/* An arc. at: its place, which is the caller's. */
typedef int js_ref_fn(void *ctx, uint32_t from, uint32_t to, uint64_t at);
/* Calls fn for each arc of a graph, any number of times: the same ones in the same order. Other than 0 ends. */
typedef int js_refs_fn(void *graph, js_ref_fn *fn, void *ctx);

/* The dominator of each of n nodes, of which 0 is the root, into parent (room for n); 0 for the root itself. A node
 * that nothing leads to counts as led to by the root. 0; -E2BIG: more than max arcs are to be kept; -ENOMEM, or what
 * each() returns. */
int js_dominators(uint32_t n, js_refs_fn *each, void *graph, uint32_t max, uint32_t *parent);
#endif

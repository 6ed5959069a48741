/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what keeps memory as folded stacks, which `dwell flame` draws: ::jsfolded. A stack is the chain of an object's
 * dominators, by constructor (core/jsheap/fold.h). */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/cmds.h"
#include "core/jsheap/fold.h"

static void show(struct shell *s, const struct js_fold *f, uint32_t i)
{
	const struct js_fold_node *stack[JSFOLD_MAX_DEPTH];
	const int64_t bytes = f->nodes.v[i].bytes;
	struct jsonw w = jsonw_to(&s->text);
	unsigned n = 0;

	for (; i != JSFOLD_NONE && n < JSFOLD_MAX_DEPTH; i = f->nodes.v[i].up)
		stack[n++] = &f->nodes.v[i];
	if (!s->json) {
		while (n--) {
			shell_plain(s, stack[n]->name);
			shell_print(s, n ? ";" : " %" PRId64 "\n", bytes);
		}
		return;
	}
	jsonw_object(&w, NULL);
	jsonw_array(&w, "stack");
	while (n--)
		jsonw_str(&w, NULL, stack[n]->name);
	jsonw_end_array(&w);
	jsonw_u64(&w, "bytes", (uint64_t)bytes);
	jsonw_end_object(&w);
	jsonw_line(&w);
}

int dcmd_jsfolded(struct shell *s, const struct dcall *d)
{
	struct js_fold f = { 0 };
	struct js_graph *g;
	int r = d->argc ? shell_refuse(s, "jsfolded", d->argv[0]) : shell_graph(s, &g);

	if (r < 0)
		return r;
	r = js_fold_make(&f, g);
	for (uint32_t i = 0; i < f.nodes.n && r == 0 && s->error == 0; i++)
		if (f.nodes.v[i].bytes > 0)
			show(s, &f, i);
	js_fold_done(&f);
	return r < 0 ? err_set(&s->err, r, "%s", strerror(-r)) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* jstack() over a replay: fills the maps of the stack walk (base/unwindfmt.h, base/rtfmt.h). run/consume/unwind.c does
 * so for live processes. Here the maps hold one process at a time: the process of the probe that fires. */
#include <errno.h>
#include <string.h>
#include "lang/dprog.h"
#include "retro/retro_int.h"
#include "retro/vm.h"

_Static_assert(sizeof(struct user_regs_struct) >= VM_REGS_BYTES, "it begins as struct pt_regs");

static bool is_jstack(void *ctx, const struct node *n)
{
	(void)ctx;
	return n->name &&
	       (!strcmp(n->name, "jstack") || (n->kind == N_CALL && n->nargs > 1 && !strcmp(n->name, "ustack")));
}

bool jframes_asked(const struct unit *u)
{
	const struct walk w = { .node = is_jstack };

	for (const struct item *it = u->items; it; it = it->next)
		if (it->clause && (walk_node(&w, it->clause->pred) || walk_stmts(&w, it->clause->body)))
			return true;
	return false;
}

void jframes_open(struct retro *r)
{
	struct jframes *j = &r->jframes;

	j->areas = vm_values(r->vm, IMG_MAP_UW_AREAS, &j->nareas);
	j->tables = vm_values(r->vm, IMG_MAP_UW_TABLES, &j->ntables);
	for (unsigned i = 0; i < RUNTIMES; i++)
		j->wanted |= vm_has(r->vm, (enum img_map_role)(IMG_MAP_PY_PROCS + i)) ? 1u << i : 0;
	if (j->tables)
		stacks_tables_to(r->again.stacks, j->tables, j->ntables);
}

/* The maps of processes, which have one at most: none then. */
static void forget(struct retro *r)
{
	(void)vm_delete(r->vm, IMG_MAP_UW_PROCS, &r->jframes.tgid);
	for (unsigned i = 0; i < RUNTIMES; i++)
		(void)vm_delete(r->vm, (enum img_map_role)(IMG_MAP_PY_PROCS + i), &r->jframes.tgid);
}

static void find_runtime(struct retro *r, pid_t pid)
{
	struct jframes *j = &r->jframes;
	struct sym_runtime v = { .which = RUNTIMES };

	j->again = false;
	if (!j->wanted || sym_runtime_attach(r->names, (uint32_t)pid, 0, j->wanted, &v) < 0)
		return;
	(void)vm_put(r->vm, (enum img_map_role)(IMG_MAP_PY_PROCS + (unsigned)v.which), &j->tgid, &v.walk);
	j->again = v.again;
}

/* Before a program fires in the task that runs: what its walk of the stack needs. */
void jframes_see(struct retro *r)
{
	struct jframes *j = &r->jframes;
	const struct uw_area *areas;
	struct uw_proc p = { 0 };
	uint32_t tgid;
	size_t n = 0;
	pid_t pid;

	if (!j->areas || !r->again.now || !watch_pid(r->again.now))
		return;
	tgid = calls_name(r->calls)->tgid;
	pid = rerun_leader(&r->again);
	if (!stacks_see(r->again.stacks, (uint32_t)pid, &areas, &n) && tgid == j->tgid && !j->again)
		return;
	forget(r);
	j->tgid = tgid;
	p.count = (uint32_t)(n < j->nareas ? n : j->nareas);
	memcpy(j->areas, areas, p.count * sizeof(*areas));
	(void)vm_put(r->vm, IMG_MAP_UW_PROCS, &tgid, &p);
	find_runtime(r, pid);
}

/* The start that a record has of a process is its number in this replay (run.c). */
static void learn(void *ctx, uint32_t tgid, uint64_t start, size_t n, const uint64_t *frames)
{
	const struct retro *r = ctx;

	(void)tgid;
	if (n && start)
		sym_runtime_learn(r->names, (uint32_t)start, 0, frames, n);
}

void jframes_record(struct retro *r, const void *data, uint32_t len)
{
	if (r->jframes.areas)
		decode_record_procs(&r->decoder, data, len, learn, r);
}

void jframes_key(void *ctx, uint32_t map, const void *key)
{
	struct retro *r = ctx;
	const struct aggdesc *d = r->schema->aggs[r->w.image->maps[map].agg];

	if (r->jframes.areas)
		decode_field_procs(d->keys, d->nkeys, key, d->key_size, learn, r);
}

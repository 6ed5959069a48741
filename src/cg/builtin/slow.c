/* SPDX-License-Identifier: Apache-2.0 */
/* slow(): puts a slow event into the record: what is the same for all trackers, the key, and the attributes. */
#include "cg/builtin/call.h"
#include "cg/gen/event.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/task.h"

size_t lay_slow(struct cg *c, const struct node *call, struct lay_field *fl)
{
	size_t n = 2;

	fl[0].f = (struct recfield){ .kind = FLD_BYTES, .size = sizeof(struct rec_slow) };
	fl[1].f = (struct recfield){ .kind = FLD_BYTES, .size = c->tracks[call->tracker->id].key.size };
	for (const struct node *a = call->args; a; a = a->next, n++) {
		fl[n].n = a;
		fl[n].f = lay_field_of(c, a->type);
		fl[n].f.name = a->attr_name;
	}
	return n;
}

static vreg event_field(struct gen *g, enum track_field f)
{
	struct node n = { .kind = N_EVENT, .ival = f };
	struct tref btf = { 0 };

	return gen_event_int(g, &n, &btf);
}

void act_slow(struct gen *g, struct call *c)
{
	const struct lay_act *la = c->la;
	static const struct {
		enum track_field f;
		uint32_t off, size;
	} rows[] = {
		{ TF_START, offsetof(struct rec_slow, start), 8 }, { TF_DELAY, offsetof(struct rec_slow, delay), 8 },
		{ TF_ID, offsetof(struct rec_slow, exit_id), 8 },  { TF_CGROUP, offsetof(struct rec_slow, cgroup), 8 },
		{ TF_PID, offsetof(struct rec_slow, pid), 4 },	   { TF_TID, offsetof(struct rec_slow, tid), 4 },
		{ TF_CPU, offsetof(struct rec_slow, cpu), 4 },
	};
	struct node comm = { .kind = N_EVENT, .ival = TF_COMM };
	struct mem m = mem_at(g->rec, (int32_t)la->fields[0].f.off);
	struct str s;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		gen_st(g, mem_add(m, (int32_t)rows[i].off), rows[i].size, event_field(g, rows[i].f));
	gen_sti(g, mem_add(m, offsetof(struct rec_slow, tracker)), 4, (int32_t)g->ev->t->id);
	gen_st(g, mem_add(m, offsetof(struct rec_slow, how)), 4, event_field(g, TF_HOW));
	gen_st(g, mem_add(m, offsetof(struct rec_slow, end_pid)), 4, gen_pid(g));
	gen_st(g, mem_add(m, offsetof(struct rec_slow, end_tid)), 4, gen_tid(g));
	gen_st(g, mem_add(m, offsetof(struct rec_slow, end_cpu)), 4, gen_cpu(g));
	gen_event_str(g, &comm, &s);
	gen_copy(g, mem_add(m, offsetof(struct rec_slow, comm)), s.m, REC_COMM);
	gen_comm_to(g, mem_add(m, offsetof(struct rec_slow, end_comm)));
	if (la->fields[1].f.size)
		gen_copy(g, mem_at(g->rec, (int32_t)la->fields[1].f.off), g->ev->key, la->fields[1].f.size);
	c->done = 2;
}

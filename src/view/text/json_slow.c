/* SPDX-License-Identifier: Apache-2.0 */
/* Writes slow events as JSON. */
#include "store/slow.h"
#include "view/text/json_int.h"

static void put_thread(struct jsonw *w, const char *name, uint32_t pid, uint32_t tid, uint32_t cpu, const char *comm)
{
	jsonw_object(w, name);
	jsonw_u64(w, "pid", pid);
	jsonw_u64(w, "tid", tid);
	jsonw_u64(w, "cpu", cpu);
	jsonw_str(w, "comm", comm);
	jsonw_end_object(w);
}

void json_slow(struct text_view *v, const struct recact *act, const uint8_t *rec)
{
	struct slow_event e = slow_event(v->schema, act, rec);
	const struct rec_slow *s = &e.fixed;
	struct jsonw *w = &v->json;

	if (!e.tracker)
		return;
	jsonw_str(w, "tracker", e.tracker->name);
	jsonw_u64(w, "start", s->start);
	jsonw_u64(w, "delay", s->delay);
	jsonw_str(w, "how", slow_how_name(s->how));
	jsonw_u64(w, "exit_id", s->exit_id);
	jsonw_u64(w, "cgroup", s->cgroup);
	put_thread(w, "opener", s->pid, s->tid, s->cpu, s->comm);
	put_thread(w, "closer", s->end_pid, s->end_tid, s->end_cpu, s->end_comm);
	jsonw_array(w, "key");
	for (size_t i = 0; e.key && i < e.tracker->nkeys; i++)
		json_field(v, NULL, &e.tracker->keys[i], e.key + e.tracker->keys[i].off);
	jsonw_end_array(w);
	jsonw_object(w, "attributes");
	for (size_t i = 0; i < e.nattrs; i++)
		json_field(v, e.attrs[i].name ? e.attrs[i].name : "", &e.attrs[i], rec + e.attrs[i].off);
	jsonw_end_object(w);
}

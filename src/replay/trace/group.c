/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/trace/group.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "replay/trace/stub.h"

/* Into g->bytes; ret: where. */
static int add_bytes(struct group *g, const struct trace_event *e, struct group_mem *ret)
{
	struct ev_mem m;
	size_t n = e->size - sizeof(m);

	memcpy(&m, e->data, sizeof(m));
	if (n > GROUP_MAX - g->bytes.n)
		return -EBADMSG;
	if (vec_reserve_raw((void **)&g->bytes.v, &g->bytes.cap, g->bytes.n + n, 1) < 0)
		return -ENOMEM;
	memcpy(g->bytes.v + g->bytes.n, e->data + sizeof(m), n);
	g->bytes.n += n;
	*ret = (struct group_mem){ m.addr, g->bytes.n - n, n };
	return 0;
}

static int add_mem(struct group *g, const struct trace_event *e)
{
	struct group_mem m;
	int r = add_bytes(g, e, &m);

	return r < 0 ? r : e->kind == EV_TEXT ? vec_try_push(&g->texts, m) : vec_try_push(&g->mems, m);
}

static int add_file(struct group *g, const struct trace_event *e)
{
	struct group_file f;
	size_t n = e->size - sizeof(f.f);

	memcpy(&f.f, e->data, sizeof(f.f));
	if (!n || e->data[e->size - 1] || g->files.n >= GROUP_MAPS_MAX || n > GROUP_MAX - g->bytes.n ||
	    f.f.at > ARENA_MAX || f.f.size > ARENA_MAX || f.f.off > INT64_MAX - ARENA_MAX)
		return -EBADMSG;
	if (vec_reserve_raw((void **)&g->bytes.v, &g->bytes.cap, g->bytes.n + n, 1) < 0)
		return -ENOMEM;
	f.path = g->bytes.n;
	memcpy(g->bytes.v + f.path, e->data + sizeof(f.f), n);
	g->bytes.n += n;
	return vec_try_push(&g->files, f);
}

static int take_sum(struct group *g, const struct trace_event *e)
{
	memcpy(&g->sum, e->data, sizeof(g->sum));
	g->summed = true;
	return 0;
}

static int take_name(struct group *g, const struct trace_event *e)
{
	memcpy(&g->name, e->data, sizeof(g->name));
	g->name.comm[sizeof(g->name.comm) - 1] = 0;
	g->named = true;
	return 0;
}

static int add_map(struct group *g, const struct trace_event *e)
{
	const uint64_t page = 4096;
	struct ev_map m;

	memcpy(&m, e->data, sizeof(m));
	if (g->maps.n >= GROUP_MAPS_MAX || m.start >= m.end || m.start % page || m.end % page ||
	    (m.prot & ~(uint32_t)(PROT_READ | PROT_WRITE | PROT_EXEC)))
		return -EBADMSG;
	if (m.arena != ARENA_NONE && (m.arena % page || m.arena > ARENA_MAX || m.end - m.start > ARENA_MAX))
		return -EBADMSG;
	return vec_try_push(&g->maps, m);
}

static int add_blob(const struct trace_event *e, group_blob_fn *blob, void *ctx)
{
	struct ev_blob b;
	size_t n = e->size - sizeof(b);

	memcpy(&b, e->data, sizeof(b));
	if (b.at > ARENA_MAX - n)
		return -EBADMSG;
	return blob(ctx, b.at, e->data + sizeof(b), n);
}

static int take_state(struct group *g, const struct trace_event *e)
{
	size_t n = e->size - sizeof(g->state);

	memcpy(&g->state, e->data, sizeof(g->state));
	if (vec_reserve_raw((void **)&g->vectors.v, &g->vectors.cap, n + 1, 1) < 0)
		return -ENOMEM;
	memcpy(g->vectors.v, e->data + sizeof(g->state), n);
	g->vectors.n = n;
	return 0;
}

static int add_log(struct group *g, const struct trace_event *e)
{
	struct stub_call c;

	if (e->size > STUB_LOG_SIZE - g->log.n)
		return -EBADMSG;
	for (size_t at = 0; at < e->size; at += c.size, g->logged++) {
		if (e->size - at < sizeof(c))
			return -EBADMSG;
		memcpy(&c, e->data + at, sizeof(c));
		if (c.size < sizeof(c) || c.size % 8 || c.size > e->size - at)
			return -EBADMSG;
	}
	if (vec_reserve_raw((void **)&g->log.v, &g->log.cap, g->log.n + e->size, 1) < 0)
		return -ENOMEM;
	memcpy(g->log.v + g->log.n, e->data, e->size);
	g->log.n += e->size;
	return 0;
}

static int take_switch(struct group *g, const struct trace_event *e)
{
	struct ev_switch s;

	memcpy(&s, e->data, sizeof(s));
	g->task = s.task;
	return 0;
}

/* The event that ends a group. */
static int take_last(struct group *g, const struct trace_event *e)
{
	g->kind = e->kind;
	if (e->kind == EV_STATE || e->kind == EV_EXEC)
		return take_state(g, e);
	if (e->kind == EV_CALL || e->kind == EV_ENTER)
		memcpy(&g->call, e->data, sizeof(g->call));
	else if (e->kind == EV_FORK)
		memcpy(&g->fork, e->data, sizeof(g->fork));
	else if (e->kind == EV_SPOT)
		memcpy(&g->spot, e->data, sizeof(g->spot));
	else if (e->kind == EV_TSC)
		memcpy(&g->tsc, e->data, sizeof(g->tsc));
	else
		memcpy(&g->end, e->data, sizeof(g->end));
	if ((e->kind == EV_CALL || e->kind == EV_ENTER) &&
	    (g->call.how >= HOW_KINDS || (g->call.arena != ARENA_NONE && g->call.arena % 4096)))
		return -EBADMSG;
	return 0;
}

struct step group_next(struct group *g, struct trace_in *t, group_blob_fn *blob, void *ctx)
{
	struct trace_event e;
	bool whole = false;
	int r = 0;

	g->named = g->summed = false;
	g->files.n = g->bytes.n = g->mems.n = g->texts.n = g->maps.n = g->vectors.n = g->log.n = g->logged = 0;
	while (r == 0 && !whole && trace_next(t, &e)) {
		if (e.kind == EV_BLOB) {
			r = add_blob(&e, blob, ctx);
		} else if (e.kind == EV_MAP) {
			r = add_map(g, &e);
		} else if (e.kind == EV_MEM || e.kind == EV_TEXT) {
			r = add_mem(g, &e);
		} else if (e.kind == EV_FILE) {
			r = add_file(g, &e);
		} else if (e.kind == EV_SUM) {
			r = take_sum(g, &e);
		} else if (e.kind == EV_NAME) {
			r = take_name(g, &e);
		} else if (e.kind == EV_LOG) {
			r = add_log(g, &e);
		} else if (e.kind == EV_SWITCH) {
			r = take_switch(g, &e);
		} else {
			r = take_last(g, &e);
			whole = true;
		}
	}
	if (r < 0 || !whole)
		return r < 0 ? step_failed(r) : step_end();
	g->number++;
	return step_more();
}

void group_free(struct group *g)
{
	vec_free(&g->bytes);
	vec_free(&g->mems);
	vec_free(&g->texts);
	vec_free(&g->files);
	vec_free(&g->log);
	vec_free(&g->maps);
	vec_free(&g->vectors);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes stacks as files of speedscope and pprof. Source: speedscope's file-format-schema.json; pprof's
 * profile.proto. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "base/jsonw.h"
#include "base/strb.h"
#include "view/form/deflate.h"
#include "view/export/export.h"
#include "view/form/protobuf.h"

static int put_to_file(void *ctx, const unsigned char *p, size_t n)
{
	return fwrite(p, 1, n, ctx) == n ? 0 : errno ? -errno : -EIO;
}

static int write_all(struct strb *b, FILE *out)
{
	int e = b->failed ? -ENOMEM : put_to_file(out, (const unsigned char *)strb_str(b), b->n);

	strb_free(b);
	return e;
}

/* -- speedscope -- */

static const char *speedscope_unit(const char *unit)
{
	static const char *const names[][2] = { { "ns", "nanoseconds" },
						{ "us", "microseconds" },
						{ "ms", "milliseconds" },
						{ "s", "seconds" },
						{ "bytes", "bytes" } };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(unit, names[i][0]))
			return names[i][1];
	return "none";
}

static void speedscope_frames(struct jsonw *w, const struct stacktree *t)
{
	jsonw_array(w, "frames");
	for (size_t i = 0; i < stacktree_nframes(t); i++) {
		struct stack_frame f = stacktree_get_frame(t, (uint32_t)i);

		jsonw_object(w, NULL);
		jsonw_str(w, "name", f.name);
		if (f.source.file[0] || f.module[0])
			jsonw_str(w, "file", f.source.file[0] ? f.source.file : f.module);
		if (f.source.line || f.source.def_line)
			jsonw_u64(w, "line", f.source.line ? f.source.line : f.source.def_line);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

/* The node on which the stack of a node stands first. */
static uint32_t top_of(const struct stacktree *t, uint32_t node)
{
	while (stacktree_parent(t, node) != STACKTREE_ROOT)
		node = stacktree_parent(t, node);
	return node;
}

/* Whether a node's own stack belongs to the profile of `on` (root: every one does). */
static bool is_sample(const struct stacktree *t, uint32_t node, uint32_t on)
{
	return stacktree_self(t, node, 0) && (!on || top_of(t, node) == on);
}

static void speedscope_samples(struct jsonw *w, const struct stacktree *t, uint32_t on)
{
	_cleanup_free_ uint32_t *path = malloc(STACKTREE_MAX_DEPTH * sizeof(*path));

	w->b->failed |= !path;
	jsonw_array(w, "samples");
	for (uint32_t node = 1; node < stacktree_nnodes(t) && !w->b->failed; node++) {
		size_t n = is_sample(t, node, on) ? stacktree_path(t, node, path) : 0;

		if (!n)
			continue;
		jsonw_array(w, NULL);
		for (size_t k = 0; k < n; k++)
			jsonw_u64(w, NULL, path[k]);
		jsonw_end_array(w);
	}
	jsonw_end_array(w);
	jsonw_array(w, "weights");
	for (uint32_t node = 1; node < stacktree_nnodes(t) && !w->b->failed; node++)
		if (is_sample(t, node, on))
			jsonw_u64(w, NULL, stacktree_self(t, node, 0));
	jsonw_end_array(w);
}

/* The stacks that stand on `on` (root: all) as one profile. */
static void speedscope_profile(struct jsonw *w, const struct stacktree *t, const struct export_stacks *e, uint32_t on,
			       uint64_t total)
{
	jsonw_object(w, NULL);
	jsonw_str(w, "type", "sampled");
	jsonw_str(w, "name", on ? stacktree_get_frame(t, stacktree_node_frame(t, on)).name : e->title);
	jsonw_str(w, "unit", speedscope_unit(e->unit[0]));
	jsonw_u64(w, "startValue", 0);
	jsonw_u64(w, "endValue", total);
	speedscope_samples(w, t, on);
	jsonw_end_object(w);
}

int export_speedscope(const struct stacktree *t, const struct export_stacks *e, FILE *out)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);
	struct stackorder o;
	unsigned nw = stacktree_nweights(t);

	if (stackorder_make(t, &o) < 0)
		return -ENOMEM;
	jsonw_object(&w, NULL);
	jsonw_str(&w, "$schema", "https://www.speedscope.app/file-format-schema.json");
	jsonw_str(&w, "exporter", "dwell " DWELL_VERSION);
	jsonw_str(&w, "name", e->title);
	jsonw_object(&w, "shared");
	speedscope_frames(&w, t);
	jsonw_end_object(&w);
	jsonw_array(&w, "profiles");
	if (!e->per_thread)
		speedscope_profile(&w, t, e, STACKTREE_ROOT, o.total[0]);
	for (uint32_t c = e->per_thread ? o.first[STACKTREE_ROOT] : 0; c; c = o.next[c])
		speedscope_profile(&w, t, e, c, o.total[(size_t)c * nw]);
	jsonw_end_array(&w);
	jsonw_end_object(&w);
	jsonw_line(&w);
	stackorder_done(&o);
	return write_all(&b, out);
}

/* -- pprof -- */

/* Numbers of the fields of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	VALUE_TYPE = 1,
	VALUE_UNIT = 2,
	SAMPLE_LOCATION_ID = 1,
	SAMPLE_VALUE = 2,
	LOCATION_ID = 1,
	LOCATION_LINE = 4,
	LINE_FUNCTION_ID = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
	FUNCTION_START_LINE = 5,
};
/* Strings of the profile. The name of frame i is at 2 i + FIRST_NAME. The next string is its file, or else its
 * module. */
enum { STR_EMPTY, STR_UNITS, FIRST_NAME = STR_UNITS + 2 * STACKTREE_MAX_WEIGHTS };

static void put_strings(struct strb *b, const struct stacktree *t, const struct export_stacks *e)
{
	pb_bytes(b, PROFILE_STRING_TABLE, "", 0);
	for (unsigned w = 0; w < STACKTREE_MAX_WEIGHTS; w++) {
		const char *unit = w < e->nweights ? e->unit[w] : "";
		bool time = !strcmp(unit, "ns") || !strcmp(unit, "us") || !strcmp(unit, "ms");
		const char *full = !strcmp(unit, "ns")	    ? "nanoseconds"
				   : !strcmp(unit, "us")    ? "microseconds"
				   : !strcmp(unit, "ms")    ? "milliseconds"
				   : !strcmp(unit, "bytes") ? "bytes"
							    : "count";

		pb_bytes(b, PROFILE_STRING_TABLE, time ? "time" : unit, strlen(time ? "time" : unit));
		pb_bytes(b, PROFILE_STRING_TABLE, full, strlen(full));
	}
	for (size_t i = 0; i < stacktree_nframes(t); i++) {
		struct stack_frame f = stacktree_get_frame(t, (uint32_t)i);
		const char *where = f.source.file[0] ? f.source.file : f.module;

		pb_bytes(b, PROFILE_STRING_TABLE, f.name, strlen(f.name));
		pb_bytes(b, PROFILE_STRING_TABLE, where, strlen(where));
	}
}

/* Functions and places of a profile. A place is a frame with those inlined into it: each list of frames one. Numbers
 * are ids, from 1. */
struct place_key {
	uint32_t outer, frame; /* outer: the place that this is inlined into; 0: into none */
};
struct place {
	struct place_key key;
	uint32_t id;
	UT_hash_handle hh;
};
struct places {
	const struct stacktree *t;
	uint32_t *function; /* by frame */
	uint32_t *of;	    /* by node: the place that ends there */
	struct place *v;    /* by id - 1 */
	struct place *table;
	uint32_t n;
};

/* Frames that differ in their lines only are one function: in order they stand side by side. */
static void put_functions(struct strb *b, struct places *p, const struct stackorder *o)
{
	struct stack_frame before = { .name = "", .module = "" };
	struct strb m = { 0 };

	for (size_t i = 0; i < stacktree_nframes(p->t); i++) {
		uint32_t frame = o->by_name[i];
		struct stack_frame f = stacktree_get_frame(p->t, frame);

		if (i && f.kind == before.kind && !strcmp(f.name, before.name) && !strcmp(f.module, before.module) &&
		    !strcmp(f.source.file, before.source.file)) {
			p->function[frame] = p->function[o->by_name[i - 1]];
			continue;
		}
		before = f;
		p->function[frame] = frame + 1;
		pb_uint(&m, FUNCTION_ID, frame + 1);
		pb_uint(&m, FUNCTION_NAME, 2 * (uint64_t)frame + FIRST_NAME);
		pb_uint(&m, FUNCTION_SYSTEM_NAME, 2 * (uint64_t)frame + FIRST_NAME);
		if (f.module[0] || f.source.file[0])
			pb_uint(&m, FUNCTION_FILENAME, 2 * (uint64_t)frame + FIRST_NAME + 1);
		if (f.source.def_line)
			pb_uint(&m, FUNCTION_START_LINE, f.source.def_line);
		pb_message(b, PROFILE_FUNCTION, &m);
	}
	strb_free(&m);
}

static bool is_inlined(const struct stacktree *t, uint32_t node)
{
	return stacktree_parent(t, node) != STACKTREE_ROOT &&
	       stacktree_get_frame(t, stacktree_node_frame(t, node)).kind == FRAME_INLINED;
}

/* Parents have smaller numbers. */
static void find_places(struct places *p)
{
	for (size_t i = 1; i < stacktree_nnodes(p->t); i++) {
		uint32_t node = (uint32_t)i;
		struct place_key k = { is_inlined(p->t, node) ? p->of[stacktree_parent(p->t, node)] : 0,
				       stacktree_node_frame(p->t, node) };
		struct place *have;

		HASH_FIND(hh, p->table, &k, sizeof(k), have);
		if (!have) {
			have = &p->v[p->n++];
			have->key = k;
			have->id = p->n;
			HASH_ADD(hh, p->table, key, sizeof(k), have);
		}
		p->of[node] = have->id;
	}
}

/* The lines of a place: the innermost function first. */
static void put_places(struct strb *b, const struct places *p)
{
	struct strb m = { 0 }, line = { 0 };

	for (uint32_t i = 0; i < p->n; i++) {
		pb_uint(&m, LOCATION_ID, p->v[i].id);
		for (const struct place *at = &p->v[i]; at; at = at->key.outer ? &p->v[at->key.outer - 1] : NULL) {
			struct stack_source s = stacktree_get_frame(p->t, at->key.frame).source;

			pb_uint(&line, LINE_FUNCTION_ID, p->function[at->key.frame]);
			if (s.line)
				pb_uint(&line, LINE_LINE, s.line);
			pb_message(&m, LOCATION_LINE, &line);
		}
		pb_message(b, PROFILE_LOCATION, &m);
	}
	strb_free(&m);
	strb_free(&line);
}

static void put_samples(struct strb *b, const struct places *p, const struct export_stacks *e)
{
	const struct stacktree *t = p->t;
	struct strb m = { 0 }, list = { 0 };

	for (size_t i = 1; i < stacktree_nnodes(t) && !b->failed; i++) {
		uint64_t any = 0;

		for (unsigned w = 0; w < e->nweights; w++)
			any |= stacktree_self(t, (uint32_t)i, w);
		if (!any)
			continue;
		for (uint32_t node = (uint32_t)i; node != STACKTREE_ROOT; node = stacktree_parent(t, node)) {
			leb128_add(&list, p->of[node]);
			while (is_inlined(t, node)) /* in the same place */
				node = stacktree_parent(t, node);
		}
		pb_message(&m, SAMPLE_LOCATION_ID, &list);
		for (unsigned w = 0; w < e->nweights; w++)
			leb128_add(&list, stacktree_self(t, (uint32_t)i, w));
		pb_message(&m, SAMPLE_VALUE, &list);
		pb_message(b, PROFILE_SAMPLE, &m);
	}
	strb_free(&m);
	strb_free(&list);
}

static void put_stacks(struct strb *b, const struct stacktree *t, const struct export_stacks *e)
{
	struct places p = { .t = t };
	struct stackorder o = { 0 };

	p.function = calloc(stacktree_nframes(t) + 1, sizeof(*p.function));
	p.of = calloc(stacktree_nnodes(t), sizeof(*p.of));
	p.v = calloc(stacktree_nnodes(t), sizeof(*p.v));
	b->failed |= !p.function || !p.of || !p.v || stackorder_make(t, &o) < 0;
	if (!b->failed) {
		put_functions(b, &p, &o);
		find_places(&p);
		put_places(b, &p);
		put_samples(b, &p, e);
	}
	HASH_CLEAR(hh, p.table);
	stackorder_done(&o);
	free(p.function);
	free(p.of);
	free(p.v);
}

int export_pprof(const struct stacktree *t, const struct export_stacks *e, FILE *out)
{
	struct strb b = { 0 }, m = { 0 };
	int r;

	for (unsigned w = 0; w < e->nweights; w++) {
		pb_uint(&m, VALUE_TYPE, STR_UNITS + 2 * w);
		pb_uint(&m, VALUE_UNIT, STR_UNITS + 2 * w + 1);
		pb_message(&b, PROFILE_SAMPLE_TYPE, &m);
	}
	put_strings(&b, t, e);
	put_stacks(&b, t, e);
	if (e->begun_ns)
		pb_uint(&b, PROFILE_TIME_NANOS, e->begun_ns);
	if (e->duration_ns)
		pb_uint(&b, PROFILE_DURATION_NANOS, e->duration_ns);
	pb_uint(&m, VALUE_TYPE, STR_UNITS);
	pb_uint(&m, VALUE_UNIT, STR_UNITS + 1);
	pb_message(&b, PROFILE_PERIOD_TYPE, &m);
	pb_uint(&b, PROFILE_PERIOD, 1);
	r = b.failed ? -ENOMEM : deflate_bytes(b.s, b.n, DEFLATE_GZIP, put_to_file, out);
	strb_free(&b);
	strb_free(&m);
	return r;
}

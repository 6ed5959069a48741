/* SPDX-License-Identifier: Apache-2.0 */
/* See rt_run.h. */
#include "rt_run.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "cg/ir/int.h"

const struct rt_variant rt_variants[RT_NVARIANTS] = {
	{ 256, true }, { 4096, true }, { 61, true }, { 256, false }, { 61, false },
};

const int64_t rt_numbers[] = {
	0,
	1,
	-1,
	2,
	-2,
	3,
	7,
	-7,
	8,
	9,
	10,
	15,
	16,
	17,
	63,
	64,
	65,
	99,
	100,
	101,
	127,
	128,
	255,
	256,
	999,
	1000,
	4095,
	4096,
	65535,
	65536,
	INT32_MAX,
	INT32_MIN,
	UINT32_MAX,
	1ll << 32,
	(1ll << 32) + 1,
	1ll << 62,
	(1ll << 62) - 1,
	-(1ll << 62),
	-(1ll << 62) - 1,
	INT64_MAX,
	INT64_MAX - 1,
	INT64_MIN,
	INT64_MIN + 1,
	1234567890123456789,
	-1234567890123456789,
};
const size_t rt_nnumbers = ARRAY_SIZE(rt_numbers);

/* main: result = piece(args). Numbers come from the map, so that they are unknown to the verifier. */
static void build(struct irprog *p, const struct piece *pc, const struct caps *caps, int calls)
{
	struct irfn *f = irfn_new(p, "main", 1);
	vreg args[MAX_ARGS], base = ir_new(f), r = ir_new(f);
	int call;

	ir_mapval(f, base, 0, 0);
	for (call = 0; call < calls; call++) {
		unsigned n = 0, num = 0;

		for (; pc->args[n].kind != A_END; n++) {
			const struct arg *a = &pc->args[n];

			args[n] = ir_new(f);
			switch (a->kind) {
			case A_NUM: ir_load(f, args[n], base, M_ARGS + 8 * (int)num++, 8); break;
			case A_CONST: ir_movi(f, args[n], (uint64_t)a->v); break;
			case A_DST: ir_mapval(f, args[n], 0, M_DST + (uint32_t)a->v); break;
			case A_A: ir_mapval(f, args[n], 0, M_A + (uint32_t)a->v); break;
			case A_B: ir_mapval(f, args[n], 0, M_B + (uint32_t)a->v); break;
			case A_STATE: ir_mapval(f, args[n], 0, M_STATE); break;
			case A_IL: ir_mapval(f, args[n], 0, M_ARGS); break;
			case A_END: break;
			}
		}
		ir_call_fn(f, r, rt_get(p, pc->id, caps), n, args);
		ir_store(f, base, M_RESULT, 8, r);
	}
	ir_reti(f, 0);
}

void rt_load(struct piece *pc, bool loop, int calls)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct caps caps = kern_caps();
	struct irprog *p = irprog_new(a);
	struct img_prog img = { .name = "test" };
	struct img_map map = {
		.role = IMG_MAP_STATE, .type = BPF_MAP_TYPE_ARRAY, .value_size = KERN_MEM, .max_entries = 1
	};
	struct image image = { .maps = &map, .nmaps = 1, .progs = &img, .nprogs = 1 };
	const char *reason = "";
	char *log = NULL;
	struct err err = { 0 };

	caps.bpf_loop = loop || caps.bpf_loop_once; /* with it there are never bounded loops */
	build(p, pc, &caps, calls);
	if (ir_finish(p, a, &img, &reason) < 0)
		fail_msg("ir_finish: %s", reason);
	assert_true(p->fns[0]->chain <= RT_STACK_MAX + IR_FRAME_ROUND);
	if (image_check(&image, &err) < 0)
		fail_msg("%s", err.msg);
	if (kern_load(&img, &pc->prog, &pc->map, &log, &pc->processed) < 0) {
		size_t n = strlen(log);

		fail_msg("piece %d: %s", (int)pc->id, log + (n > 6000 ? n - 6000 : 0));
	}
	free(log);
	arena_free(a);
}

void rt_unload(struct piece *pc)
{
	close(pc->prog);
	close(pc->map);
}

void rt_put_num(struct mem *m, unsigned n, int64_t v)
{
	memcpy(m->b + M_ARGS + 8 * n, &v, 8);
}

int64_t rt_run(struct piece *pc, struct mem *m)
{
	uint32_t r;
	int64_t v;

	assert_int_equal(kern_exec(pc->prog, pc->map, m->b, &r), 0);
	memcpy(&v, m->b + M_RESULT, 8);
	return v;
}

/* Strings with garbage after them. */
struct mem *rt_mem(const char *a, const char *b)
{
	static struct mem m;

	memset(m.b, 0xa5, sizeof(m.b));
	if (a)
		strcpy((char *)m.b + M_A, a);
	if (b)
		strcpy((char *)m.b + M_B, b);
	return &m;
}

const char *rt_dst(const struct mem *m)
{
	return (const char *)m->b + M_DST;
}

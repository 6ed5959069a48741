/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one run-time piece in the kernel, for test_rt*.c. */
#ifndef TEST_CG_RT_RUN_H
#define TEST_CG_RT_RUN_H
#include "cg/rt/rt.h"
#include "kern_run.h"

/* The map's value: */
enum {
	M_RESULT = 0,
	M_ARGS = 8, /* numbers */
	M_DST = 256,
	M_A = 4608,
	M_B = 8960, /* strings; not at a multiple of 4096 */
	M_STATE = 13312,
};

/* How a piece's arguments are made. */
enum arg_kind { A_END, A_NUM, A_CONST, A_DST, A_A, A_B, A_STATE, A_IL };
struct arg {
	enum arg_kind kind;
	int64_t v; /* A_CONST; the others: offset */
};
#define MAX_ARGS 5

struct piece {
	enum rt_id id;
	struct arg args[MAX_ARGS + 1];
	int prog, map;
	unsigned processed;
};

struct mem {
	uint8_t b[KERN_MEM];
};

/* The bounds and kernels that string pieces are tested with. */
struct rt_variant {
	int64_t bound;
	bool loop; /* with bpf_loop() */
};
#define RT_NVARIANTS 5
#define RT_NVARIANTS_LOOP 3 /* the first ones have bpf_loop() */
extern const struct rt_variant rt_variants[RT_NVARIANTS];
/* Numbers at every edge. */
extern const int64_t rt_numbers[];
extern const size_t rt_nnumbers;

/* Loads a program that calls the piece `calls` times. Fails the test when that does not work. */
void rt_load(struct piece *pc, bool loop, int calls);
void rt_unload(struct piece *pc);
/* Runs it: the result. */
int64_t rt_run(struct piece *pc, struct mem *m);
/* The map's value with strings a and b (or NULL), and garbage elsewhere. Static memory. */
struct mem *rt_mem(const char *a, const char *b);
void rt_put_num(struct mem *m, unsigned n, int64_t v); /* n-th A_NUM argument */
const char *rt_dst(const struct mem *m);
#endif

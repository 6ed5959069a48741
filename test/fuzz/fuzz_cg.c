/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: D programs are compiled against a few fixed probes, and every image passes its own
 * consistency check and can be printed. Inputs that begin with a byte 0 are instructions of the
 * intermediate representation instead: the BPF made from them computes the same. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../unit/cg/interp.c" /* shared with the unit tests; a target is one file */
#include "types/caps.h"
#include "base/err.h"
#include "fuzz.h"

#define FUZZ_MAX_INPUT 16384
#define FUZZ_MEMORY ((size_t)256 << 20)

static const struct fixed {
	const char *prov, *mod, *func, *name;
	enum entry_kind kind;
	const char *target;
	int64_t sel; /* -1: no selector */
	const char *args[3];
} fixed[] = {
	{ "dtrace", "", "", "BEGIN", ENTRY_TEST_RUN, "BEGIN", -1, { NULL } },
	{ "dtrace", "", "", "END", ENTRY_TEST_RUN, "END", -1, { NULL } },
	{ "dtrace", "", "", "ERROR", ENTRY_NONE, "ERROR", -1, { NULL } },
	{ "syscall", "vmlinux", "read", "entry", ENTRY_RAW_TP, "sys_enter", 0, { "int", "void *", "size_t" } },
	{ "syscall", "vmlinux", "write", "entry", ENTRY_RAW_TP, "sys_enter", 1, { "int", "void *", "size_t" } },
	{ "syscall", "vmlinux", "read", "return", ENTRY_RAW_TP, "sys_exit", 0, { "long", "long" } },
	{ "profile", "", "", "tick-1s", ENTRY_PERF_EVENT, "tick", -1, { NULL } },
	{ "profile", "", "", "profile-97", ENTRY_PERF_EVENT, "profile", -1, { NULL } },
};

static struct probe *make_probe(struct arena *a, size_t i)
{
	struct probe *p = arena_new_obj(a, struct probe);
	struct probe_arg *args = arena_new_arr(a, struct probe_arg, 3);
	unsigned n = 0;

	*p = (struct probe){ .id = (uint32_t)i + 1,
			     .prov = fixed[i].prov,
			     .mod = fixed[i].mod,
			     .func = fixed[i].func,
			     .name = fixed[i].name,
			     .args = args,
			     .args_known = true };
	for (; n < 3 && fixed[i].args[n]; n++)
		args[n].ctype = fixed[i].args[n];
	p->nargs = n;
	return p;
}

static int fuzz_match(void *ctx, struct arena *a, const struct pdesc *d, struct probe_list *ret, const char **reason)
{
	size_t i;

	(void)ctx;
	(void)reason;
	*ret = (struct probe_list){ arena_new_arr(a, struct probe *, ARRAY_SIZE(fixed)), 0, NULL };
	for (i = 0; i < ARRAY_SIZE(fixed); i++) {
		struct probe *p = make_probe(a, i);

		if (d->id ? d->id == p->id : pdesc_match(d, p))
			ret->v[ret->n++] = p;
	}
	return 0;
}

static int fuzz_args(void *ctx, struct arena *a, struct probe *p)
{
	(void)ctx;
	(void)a;
	(void)p;
	return 0;
}

static int fuzz_entry(void *ctx, const struct probe *p, struct entry *ret, const char **reason)
{
	const struct fixed *x = &fixed[p->id - 1];
	unsigned k;

	(void)ctx;
	(void)reason;
	*ret = (struct entry){ .kind = x->kind, .target = x->target, .cpu = -1 };
	if (x->kind == ENTRY_PERF_EVENT)
		ret->period_ns = 1000000;
	ret->nargs = x->kind == ENTRY_NONE ? 6 : p->nargs;
	for (k = 0; k < ret->nargs; k++)
		ret->args[k] = x->kind == ENTRY_NONE ? (struct arg_loc){ .kind = ARG_ERROR, .off = k }
						     : (struct arg_loc){ .kind = ARG_REGS, .off = 8 * k };
	if (x->sel < 0)
		return 0;
	ret->has_selector = true;
	ret->sel = (struct arg_loc){ .kind = ARG_CTX, .off = 8 };
	ret->sel_value = (uint64_t)x->sel;
	return 0;
}

static void check_image(const struct image *img)
{
	struct err err = { 0 };
	struct strb out = { 0 };

	image_dump(&out, img);
	if (image_check(img, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	strb_free(&out);
}

static void fuzz_d(struct arena *a, const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "script.d", "42", "-7", "word", "two words" };
	static const struct probe_source probes = { .match = fuzz_match, .get_args = fuzz_args };
	static const struct caps caps = { .possible_cpus = 2,
					  .online_cpus = 2,
					  .nr_cpu_ids = 2,
					  .ringbuf = true,
					  .task_storage = true,
					  .bpf_loop = true,
					  .bpf_strncmp = true,
					  .atomics = true,
					  .get_task_stack = true,
					  .perf_event = true };
	struct macro_env macros = { .pid = 1, .target = 2, .argv = argv, .argc = 5 };
	struct dopts opts;
	struct compile_env env = { .opts = &opts, .macros = &macros, .probes = &probes };
	struct cg_env cenv = { .caps = &caps, .entry = fuzz_entry, .self_tgid = 1 };
	struct source src = { .name = "fuzz.d", .text = "", .len = size };
	struct unit *u = NULL;
	struct dprog *p = NULL;
	struct image *img = NULL;
	struct diags d;
	char *text = arena_alloc(a, size + 1);

	memcpy(text, data, size);
	src.text = text;
	dopts_init(&opts, a);
	diags_init(&d, a);
	if (lang_parse(a, &src, &env, &d, &u) < 0 || lang_check(a, &u, 1, &env, &d, &p) < 0)
		return;
	if (cg_compile(a, p, &cenv, &d, &img) < 0) {
		if (!d.nerrors)
			abort(); /* refused without a reason */
		return;
	}
	check_image(img);
}

static void fuzz_ir(struct arena *a, const uint8_t *data, size_t size)
{
	struct irprog *p = interp_random(a, data, size);
	uint8_t m1[INTERP_MEM] = { 0 }, m2[INTERP_MEM] = { 0 };
	struct img_prog prog = { .name = "fuzz" };
	struct image img = { .progs = &prog, .nprogs = 1 };
	uint64_t r1 = 1, r2 = 2;
	const char *reason = NULL;
	int e = interp_ir(p, m1, &r1);

	if (ir_finish(p, a, &prog, &reason) < 0) {
		if (ir_error(p, NULL) != -E2BIG)
			abort();
		return;
	}
	check_image(&img);
	if (e < 0)
		return;
	if (interp_bpf(&prog, m2, &r2) < 0 || r1 != r2 || memcmp(m1, m2, INTERP_MEM) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a;

	if (!size || size > FUZZ_MAX_INPUT)
		return 0;
	a = arena_new(FUZZ_MEMORY);
	if (data[0] == 0)
		fuzz_ir(a, data + 1, size - 1);
	else
		fuzz_d(a, data, size);
	arena_free(a);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Groups the kernel's threads by kernel stack and state, most threads first: ::stacks, as of mdb. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/cmds.h"
#include "core/native/kerneltasks.h"
#include "core/target/kernel.h"

#define MAX_STACKS 1000000u

/* A group: threads with one stack and state. */
struct group {
	uint64_t *ip;
	size_t n;
	uint64_t task; /* of one of them: the first that was found */
	uint64_t count;
	char state;
};

struct stacks {
	struct shell *s;
	const char *function, *module;
	char state;	  /* 0: all */
	uint64_t process; /* 0: all */
	VEC(struct group) groups;
	uint64_t gone; /* threads that ended while they were looked at */
};

/* Whether frames have the function, or one of the module's. */
static bool wanted(struct stacks *k, const uint64_t *ip, size_t n)
{
	bool function = !k->function, module = !k->module;
	struct core_symbol y;

	for (size_t i = 0; i < n && !(function && module); i++) {
		if (!core_name(k->s->core, ip[i], &y))
			continue;
		function |= k->function && !strcmp(y.name, k->function);
		module |= k->module && y.path && !strcmp(y.path, k->module);
	}
	return function && module;
}

static int add(struct stacks *k, uint64_t task, char state, const uint64_t *ip, size_t n)
{
	struct group g = { .n = n, .task = task, .count = 1, .state = state };

	for (size_t i = 0; i < k->groups.n; i++) {
		struct group *o = &k->groups.v[i];

		if (o->state == state && o->n == n && !memcmp(o->ip, ip, n * sizeof(*ip))) {
			o->count++;
			return 0;
		}
	}
	if (k->groups.n == MAX_STACKS)
		return err_set(&k->s->err, -E2BIG, "more than %u stacks", MAX_STACKS);
	g.ip = malloc(n * sizeof(*ip) + 1);
	if (g.ip)
		memcpy(g.ip, ip, n * sizeof(*ip));
	if (!g.ip || vec_try_push(&k->groups, g) < 0) {
		free(g.ip);
		return err_set(&k->s->err, -ENOMEM, "out of memory");
	}
	return 0;
}

static int on_stack(void *arg, uint64_t task, const uint64_t *ip, size_t n)
{
	struct stacks *k = arg;
	struct kernel_task t;

	if (!wanted(k, ip, n))
		return 0;
	if (kernel_task(k->s, task, &t) < 0) {
		err_done(&k->s->err);
		k->gone++;
		return 0;
	}
	if ((k->state && t.state != k->state) || (k->process && t.process != k->process))
		return 0;
	return add(k, task, t.state, ip, n);
}

static int by_count(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) : (x->task > y->task) - (x->task < y->task);
}

static void json_group(struct shell *s, const struct group *g)
{
	struct jsonw w = jsonw_to(&s->text);
	const char state[] = { g->state, '\0' };

	jsonw_object(&w, NULL);
	jsonw_strf(&w, "task", "%" PRIx64, g->task);
	jsonw_str(&w, "state", state);
	jsonw_u64(&w, "count", g->count);
	jsonw_array(&w, "stack");
	for (size_t i = 0; i < g->n; i++) {
		jsonw_object(&w, NULL);
		shell_json_place(s, &w, g->ip[i]);
		jsonw_end_object(&w);
	}
	jsonw_end_array(&w);
	jsonw_end_object(&w);
	jsonw_line(&w);
}

static int show(struct shell *s, const struct group *g)
{
	if (s->to)
		return shell_emit(s, g->task);
	if (s->json) {
		json_group(s, g);
		return 0;
	}
	shell_print(s, "%016" PRIx64 " %c %" PRIu64 "\n", g->task, g->state, g->count);
	for (size_t i = 0; i < g->n; i++) {
		shell_print(s, "%18s", "");
		shell_place(s, g->ip[i]);
		shell_print(s, "\n");
	}
	if (!g->n)
		shell_print(s, "%18s(no kernel stack: it runs, or ran in user space)\n", "");
	return 0;
}

static int options(struct shell *s, const struct dcall *d, struct stacks *k)
{
	for (int i = 0; i < d->argc; i += 2) {
		const char *o = d->argv[i], *value = i + 1 < d->argc ? d->argv[i + 1] : NULL;

		if (strcmp(o, "-c") != 0 && strcmp(o, "-m") != 0 && strcmp(o, "-t") != 0)
			return shell_refuse(s, "stacks", o);
		if (!value)
			return err_set(&s->err, -EINVAL, "::stacks: %s wants a word (::help stacks)", o);
		if (o[1] == 't' && (strlen(value) != 1 || !strchr(KERNEL_STATES, *value)))
			return err_set(&s->err, -EINVAL, "::stacks: '%s' is no state: one of " KERNEL_STATES, value);
		if (o[1] == 'c')
			k->function = value;
		else if (o[1] == 'm')
			k->module = value;
		else
			k->state = *value;
	}
	return 0;
}

static int collect(struct shell *s, struct stacks *k)
{
	const struct core_kernel *kernel = s->core->kernel;
	struct tref ref;
	int r = typesrc_find(kernel->types, "vmlinux", "bpf_iter_task", TKM(TK_FUNC), &ref);

	if (r == 0)
		r = kernel->by.stacks(ref.id, on_stack, k);
	if (r < 0 && !s->err.msg[0])
		return err_set(&s->err, r, "this kernel gives no stacks of other threads (Linux 5.9 and later do): %s",
			       strerror(-r));
	return r;
}

int dcmd_stacks(struct shell *s, const struct dcall *d)
{
	struct stacks k = { .s = s, .process = d->has_addr ? d->addr : 0 };
	int r = kernel_wanted(s, "::stacks");

	if (r == 0)
		r = options(s, d, &k);
	if (r == 0)
		r = collect(s, &k);
	if (r == 0)
		qsort(k.groups.v, k.groups.n, sizeof(*k.groups.v), by_count);
	if (r == 0 && !s->json)
		shell_print(s, "TASK             S #THREADS\n");
	for (size_t i = 0; i < k.groups.n; i++) {
		if (r == 0)
			r = show(s, &k.groups.v[i]);
		free(k.groups.v[i].ip);
	}
	if (r == 0 && k.gone && !s->json)
		shell_print(s, "(%" PRIu64 " threads ended meanwhile)\n", k.gone);
	vec_free(&k.groups);
	return r;
}

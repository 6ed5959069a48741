/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the stable providers against the running kernel: every condition and every argument is
 * a valid expression of the type that the table promises, and what cannot be had says why. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "lang/dprog.h"
#include "prov/stable/stable.h"
#include "regfix.h"

static const char *const provs[] = { "proc",   "sched",	 "io",	"lockstat", "vminfo", "sysinfo",
				     "signal", "fsinfo", "tcp", "udp",	    "ip" };

/* Any kernel symbol may be named: only its address would be looked up. */
static int find_ksym(void *ctx, const char *module, const char *name, uint64_t *ret)
{
	(void)ctx;
	(void)module;
	*ret = 0xffffffff81000000 + strlen(name);
	return 0;
}

static struct probe_list match(const char *prov, const char *name)
{
	struct pdesc d = { .prov = prov, .name = name };
	struct probe_list l;

	assert_int_equal(src->match(src->ctx, arena, &d, &l, NULL), 0);
	return l;
}

static struct dprog *compile(const char *text, struct diags *d)
{
	struct ksym_source ks = { .find = find_ksym };
	struct dopts *opts = arena_new_obj(arena, struct dopts);
	struct compile_env env = { .ts = ts, .probes = src, .ksyms = &ks, .opts = opts };
	struct source *s = arena_new_obj(arena, struct source);
	struct dprog *p = NULL;
	struct unit *u;

	*s = (struct source){ .name = text, .text = text, .len = strlen(text) };
	diags_init(d, arena);
	dopts_init(opts, arena);
	if (lang_parse(arena, s, &env, d, &u) < 0 || lang_check(arena, &u, 1, &env, d, &p) < 0)
		return NULL;
	return p;
}

static void check_probe(const struct probe *p)
{
	const char *text = arena_printf(arena, "%s:::%s{}", p->prov, p->name);
	struct dtypes *types = dtypes_new(arena, ts);
	struct diags d;
	struct dprog *prog = compile(text, &d);
	const struct dderived *dd;

	if (!prog)
		fail_msg("%s: %s", text, d.first->msg);
	for (dd = prog->instances->derived; dd; dd = dd->next) {
		if ((dd->cond != NULL) != (dd->probe->cond != NULL))
			fail_msg("%s: condition %s", text, dd->probe->cond);
		for (unsigned i = 0; i < dd->probe->nargs; i++) {
			const struct probe_arg *a = &dd->probe->args[i];

			if (!dtype_parse(types, a->ctype))
				fail_msg("%s: type %s", text, a->ctype);
			if (!dd->args[i])
				fail_msg("%s: argument %u, %s", text, i, a->expr);
		}
	}
}

static void every_expression_is_valid(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(provs); k++) {
		struct probe_list l = match(provs[k], NULL);
		unsigned usable = 0;

		for (size_t i = 0; i < l.n; i++) {
			if (l.v[i]->unavailable)
				continue;
			usable++;
			check_probe(l.v[i]);
		}
		assert_true(usable > 0);
	}
}

/* A probe that nothing carries is listed, cannot be enabled, and says why; a glob leaves it out. */
static void unavailable_probes(void **state)
{
	struct probe_list l = match("sched", "schedctl-yield");
	const char *reason = NULL;
	struct dprog *prog;
	struct entry e;
	struct diags d;

	(void)state;
	assert_int_equal(l.n, 1);
	assert_non_null(strstr(l.v[0]->unavailable, "schedctl"));
	assert_int_equal(registry_entry(reg, l.v[0], &e, &reason), -ENOTSUP);
	assert_ptr_equal(reason, l.v[0]->unavailable);
	assert_null(compile("sched:::schedctl-yield{}", &d));
	assert_string_equal(d.first->tag, "D_PDESC_ZERO");
	assert_string_equal(d.first->hint, l.v[0]->unavailable);
	assert_null(compile(arena_printf(arena, "%u{}", l.v[0]->id), &d));
	prog = compile("sched:::schedctl-*,sched:::o*{}", &d); /* left out beside others, with a warning */
	assert_non_null(prog);
	assert_int_equal(d.nwarnings, 1);
	assert_non_null(strstr(d.first->msg, "left out: sched:::schedctl-*: "));
	prog = compile("sched:::*{}", &d);
	assert_non_null(prog);
	for (size_t i = 0; i < prog->instances->probes.n; i++)
		assert_null(prog->instances->probes.v[i]->unavailable);
}

/* A probe that fires at two tracepoints is two entries, of which one is listed and counted. */
static void several_places(void **state)
{
	struct probe_list l = match("sched", "enqueue");
	struct entry a, b;

	(void)state;
	assert_int_equal(l.n, 2);
	assert_false(l.v[0]->also);
	assert_true(l.v[1]->also);
	assert_int_not_equal(l.v[0]->id, l.v[1]->id);
	assert_int_equal(registry_entry(reg, l.v[0], &a, NULL), 0);
	assert_int_equal(registry_entry(reg, l.v[1], &b, NULL), 0);
	assert_string_not_equal(a.target, b.target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_expression_is_valid),
		cmocka_unit_test(unavailable_probes),
		cmocka_unit_test(several_places),
	};

	return regfix_run("stable", tests, ARRAY_SIZE(tests));
}

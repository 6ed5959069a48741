/* SPDX-License-Identifier: Apache-2.0 */
/* The registry over the running kernel: which probes exist, their ids, arguments and entries. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include "base/cleanup.h"
#include "lang/dtype.h"
#include "load/tracefs.h"
#include "prov/prov_int.h"
#include "regfix.h"

static const char *reason;

static struct probe_list match(const char *prov, const char *mod, const char *func, const char *name)
{
	struct pdesc d = { .prov = prov, .mod = mod, .func = func, .name = name };
	struct probe_list l;

	reason = NULL;
	assert_int_equal(src->match(src->ctx, arena, &d, &l, &reason), 0);
	return l;
}

static struct probe *one(const char *prov, const char *mod, const char *func, const char *name)
{
	struct probe_list l = match(prov, mod, func, name);

	if (l.n != 1)
		fail_msg("%zu probes match %s:%s:%s:%s", l.n, prov, mod, func, name);
	return l.v[0];
}

static struct entry entry_of(const struct probe *p)
{
	struct entry e;

	assert_int_equal(registry_entry(reg, p, &e, &reason), 0);
	return e;
}

static const struct {
	const char *prov, *mod, *func, *name; /* description */
	const char *full;		      /* the only probe, or NULL: none */
	uint32_t id;			      /* 0: not checked */
} cases[] = {
	{ NULL, NULL, NULL, "BEGIN", "dtrace:::BEGIN", 1 },
	{ "dtrace", NULL, NULL, "END", "dtrace:::END", 2 },
	{ "dtrace", "", "", "ERROR", "dtrace:::ERROR", 3 },
	{ "dtrace", "x", NULL, "END", NULL, 0 },
	{ NULL, NULL, "read", "entry", "syscall:vmlinux:read:entry", 0 },
	{ "syscall", "vmlinux", "read", "return", "syscall:vmlinux:read:return", 0 },
	{ "sysc*", "vm*", "re[a]d", "e*y", "syscall:vmlinux:read:entry", 0 },
	{ "syscall", NULL, "newfstat", "entry", "syscall:vmlinux:newfstat:entry", 0 },
	{ "syscall", NULL, "fstat", "entry", "syscall:vmlinux:newfstat:entry", 0 },
	{ "syscall", NULL, "sendfile", "return", "syscall:vmlinux:sendfile64:return", 0 },
	{ "syscall", "ext4", "read", "entry", NULL, 0 },
	{ "syscall", NULL, "read", "middle", NULL, 0 },
	{ NULL, NULL, NULL, "tick-1s", "profile:::tick-1s", 0 },
	{ "profile", NULL, NULL, "profile-997", "profile:::profile-997", 0 },
	{ "profile", NULL, NULL, "profile-123hz", "profile:::profile-123hz", 0 },
	{ "sched", NULL, NULL, "on-cpu", "sched:vmlinux::on-cpu", 0 },
	{ NULL, NULL, NULL, "off-cpu", "sched:vmlinux::off-cpu", 0 },
	{ "sdt", NULL, NULL, "sched_switch", "sdt:sched::sched_switch", 0 },
	{ "sdt", "sched", "", "sched_sw?tch", "sdt:sched::sched_switch", 0 },
	{ "rawtp", "sched", NULL, "sched_switch", "rawtp:sched::sched_switch", 0 },
	{ "sdt", "block", NULL, "sched_switch", NULL, 0 },
	{ "sdt", NULL, "func", "sched_switch", NULL, 0 },
	{ "sdt", NULL, NULL, "no_such_tracepoint", NULL, 0 },
	{ "nobody", NULL, NULL, NULL, NULL, 0 },
};

static bool have_tracefs(void)
{
	int fd = -1;

	if (tracefs_open(&fd, NULL) < 0)
		return false;
	close(fd);
	return true;
}

static void descriptions(void **state)
{
	bool systems = have_tracefs(); /* a tracepoint's system is only known from there */

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct probe_list l = match(cases[i].prov, cases[i].mod, cases[i].func, cases[i].name);
		char full[256];

		if (!systems && cases[i].full && strstr(cases[i].full, ":sched::"))
			continue;
		if (l.n != (cases[i].full != NULL))
			fail_msg("case %zu: %zu probes", i, l.n);
		if (!l.n)
			continue;
		snprintf(full, sizeof(full), "%s:%s:%s:%s", l.v[0]->prov, l.v[0]->mod, l.v[0]->func, l.v[0]->name);
		assert_string_equal(full, cases[i].full);
		if (cases[i].id)
			assert_int_equal(l.v[0]->id, cases[i].id);
	}
}

/* All probes: ids rise, lie in their provider's range, and lead back to the probe. */
static void ids(void **state)
{
	struct probe_list l = match(NULL, NULL, NULL, NULL);
	uint32_t last = 0;

	(void)state;
	assert_true(l.n > 2000);
	for (size_t i = 0; i < l.n; i++) {
		const struct provider *pv = l.v[i]->provider;
		struct pdesc d = { .id = l.v[i]->id };
		struct probe_list back;

		if (l.v[i]->id <= last)
			fail_msg("%s:::%s has id %u, after %u: providers stand in the order of their ids (registry.c)",
				 pv->name, l.v[i]->name, l.v[i]->id, last);
		last = l.v[i]->id;
		assert_true(last >= pv->id_base && last - pv->id_base < pv->id_count);
		assert_true(last < 1000000);
		assert_int_equal(src->match(src->ctx, arena, &d, &back, NULL), 0);
		if (back.n != 1)
			fail_msg("%s:::%s: its id %u is of no probe: is it in the range of two providers (prov_int.h)?",
				 pv->name, l.v[i]->name, last);
		assert_string_equal(back.v[0]->name, l.v[i]->name);
		assert_string_equal(back.v[0]->func, l.v[i]->func);
		assert_string_equal(back.v[0]->mod, l.v[i]->mod);
		assert_ptr_equal(back.v[0]->provider, pv);
	}
}

static void unknown_ids(void **state)
{
	static const uint32_t bad[] = { 50,	99,	2147,	5000,	39999,	  64999,     99999,
					100000, 500000, 899999, 990000, 20000000, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct pdesc d = { .id = bad[i] };
		struct probe_list l;

		assert_int_equal(src->match(src->ctx, arena, &d, &l, NULL), 0);
		assert_int_equal(l.n, 0);
	}
}

/* Two sessions agree about ids. */
static void ids_are_stable(void **state)
{
	struct registry *r2;
	const struct probe_source *s2;
	struct pdesc d = { .prov = "sdt" };
	struct probe_list a = match("sdt", NULL, NULL, NULL), b;

	(void)state;
	assert_int_equal(registry_new(ts, &caps, 0, &r2), 0);
	s2 = registry_source(r2);
	assert_int_equal(s2->match(s2->ctx, arena, &d, &b, NULL), 0);
	assert_int_equal(a.n, b.n);
	for (size_t i = 0; i < a.n; i++) {
		assert_int_equal(a.v[i]->id, b.v[i]->id);
		assert_string_equal(a.v[i]->name, b.v[i]->name);
	}
	registry_free(r2);
}

static void tracepoint_arguments(void **state)
{
	struct probe *p = one("sdt", NULL, NULL, "sched_switch");
	struct entry e;
	struct tinfo ti;

	(void)state;
	assert_int_equal(src->get_args(src->ctx, arena, p), 0);
	assert_int_equal(p->nargs, 4); /* preempt, prev, next, prev_state */
	assert_int_equal(typesrc_get(ts, p->args[1].ref, &ti), 0);
	assert_int_equal(ti.kind, TK_PTR);
	assert_int_equal(typesrc_get(ts, ti.target, &ti), 0);
	assert_string_equal(ti.name, "task_struct");
	e = entry_of(p);
	assert_int_equal(e.kind, ENTRY_TP_BTF);
	assert_string_equal(e.target, "sched_switch");
	assert_int_equal(typesrc_get(ts, e.btf_type, &ti), 0);
	assert_string_equal(ti.name, "btf_trace_sched_switch");
	assert_int_equal(e.nargs, 4);
	assert_int_equal(e.args[0].size, 1); /* bool */
	assert_int_equal(e.args[2].off, 16);
	assert_int_equal(e.args[2].size, 8);
	assert_int_equal(e.args[3].size, 4);
	assert_false(e.args[3].is_signed);
	e = entry_of(one("rawtp", NULL, NULL, "sched_switch"));
	assert_int_equal(e.kind, ENTRY_RAW_TP);
}

/* Every tracepoint can be typed and entered. */
/* The number of arguments that the kernel passes, where the parameters look as on newer kernels
 * (prov/common/tpform.c). */
static unsigned passed(const struct probe *p)
{
	const struct probe_arg *v = p->raw ? p->raw : p->args;
	unsigned n = p->raw ? p->nraw : p->nargs, found = 0;

	for (unsigned i = 0; i < n; i++)
		found += !v[i].expr;
	return found;
}

static void every_tracepoint(void **state)
{
	struct probe_list l = match("sdt", NULL, NULL, NULL);

	(void)state;
	for (size_t i = 0; i < l.n; i++) {
		struct entry e = entry_of(l.v[i]);

		assert_int_equal(src->get_args(src->ctx, arena, l.v[i]), 0);
		assert_int_equal(e.nargs, passed(l.v[i]));
		for (unsigned k = 0; k < e.nargs; k++)
			assert_true(e.args[k].size == 1 || e.args[k].size == 2 || e.args[k].size == 4 ||
				    e.args[k].size == 8);
	}
}

static void syscall_entries(void **state)
{
	struct probe *p = one("syscall", NULL, "openat", "entry");
	struct entry e = entry_of(p);

	(void)state;
	assert_string_equal(e.target, "sys_enter");
	assert_true(e.has_selector && e.sel.kind == ARG_CTX && e.sel.off == 8);
	assert_int_equal(e.sel_value, SYS_openat);
	assert_true(e.sel_value < ENTRY_MAX_SELECTOR);
	assert_int_equal(e.args[0].kind, ARG_REGS);
	assert_false(e.is_return);
	p = one("syscall", NULL, "openat", "return");
	e = entry_of(p);
	assert_string_equal(e.target, "sys_exit");
	assert_true(e.is_return && e.has_errno && e.errno_loc.off == 8);
	assert_int_equal(e.sel.kind, ARG_REGS);
	assert_int_equal(e.nargs, 2);
	assert_int_equal(e.args[0].off, 8);
	assert_int_equal(e.args[1].off, 8);
}

static void syscall_types(void **state)
{
	struct probe *p = one("syscall", NULL, "openat", "entry");
	struct probe *r = one("syscall", NULL, "openat", "return");
	int fd = -1;

	(void)state;
	assert_int_equal(src->get_args(src->ctx, arena, r), 0);
	assert_int_equal(r->nargs, 2);
	assert_string_equal(r->args[0].ctype, "long");
	assert_int_equal(src->get_args(src->ctx, arena, p), 0);
	assert_true(p->args_known);
	if (tracefs_open(&fd, NULL) < 0)
		skip();
	close(fd);
	assert_int_equal(p->nargs, 4);
	assert_string_equal(p->args[1].ctype, "userland const char *");
	assert_string_equal(p->args[1].name, "filename");
	assert_int_equal(entry_of(p).nargs, 4);
}

/* The language understands the type of every argument of every system call. */
static void every_syscall_type_parses(void **state)
{
	struct probe_list l = match("syscall", NULL, NULL, "entry");
	struct dtypes *types = dtypes_new(arena, ts);

	(void)state;
	assert_true(l.n > 300);
	for (size_t i = 0; i < l.n; i++) {
		assert_int_equal(src->get_args(src->ctx, arena, l.v[i]), 0);
		for (unsigned k = 0; k < l.v[i]->nargs; k++) {
			const struct probe_arg *arg = &l.v[i]->args[k];

			if (arg->ctype && !dtype_parse(types, arg->ctype))
				fail_msg("%s: cannot parse '%s'", l.v[i]->func, arg->ctype);
		}
	}
}

/* Our table of names has every system call that tracefs has. */
static void every_syscall(void **state)
{
	_cleanup_free_ char *text = NULL;
	char *line, *save = NULL;
	unsigned n = 0;
	size_t len;
	int fd = -1;

	(void)state;
	if (tracefs_open(&fd, NULL) < 0)
		skip();
	assert_int_equal(tracefs_read(fd, "available_events", &text, &len), 0);
	close(fd);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "syscalls:sys_enter_", 19) != 0)
			continue;
		if (match("syscall", NULL, line + 19, "entry").n != 1)
			fail_msg("no probe for %s", line + 19);
		n++;
	}
	assert_true(n > 300);
}

static const struct {
	const char *name;
	uint64_t period_ns; /* 0: refused with a reason */
	bool every_cpu;
} timers[] = {
	{ "profile-97", 1000000000 / 97, true },
	{ "tick-1", 1000000000, false },
	{ "tick-5000", 200000, false },
	{ "tick-5001", 0, false },
	{ "profile-5000hz", 200000, true },
	{ "tick-200us", 200000, false },
	{ "tick-199us", 0, false },
	{ "tick-199999ns", 0, false },
	{ "tick-200000nsec", 200000, false },
	{ "tick-250usec", 250000, false },
	{ "tick-1ms", 1000000, false },
	{ "tick-20msec", 20000000, false },
	{ "tick-3s", 3000000000, false },
	{ "tick-3sec", 3000000000, false },
	{ "tick-2m", 120000000000, false },
	{ "tick-2min", 120000000000, false },
	{ "tick-1h", 3600000000000, false },
	{ "tick-1hour", 3600000000000, false },
	{ "tick-1d", 86400000000000, false },
	{ "profile-30day", 30 * 86400000000000, true },
	{ "tick-1HZ", 1000000000, false },
	{ "tick-007", 1000000000 / 7, false },
	{ "tick-0", 0, false },
	{ "tick-", 0, false },
	{ "tick-x", 0, false },
	{ "tick-1fortnight", 0, false },
	{ "tick--1", 0, false },
	{ "tick-99999999999999999999", 0, false },
	{ "tick-106751d", 106751ull * 86400000000000, false },
	{ "tick-106752d", 0, false },
	{ "profile-2000000000", 0, true },
};

static void timer_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(timers); i++) {
		struct probe_list l = match("profile", NULL, NULL, timers[i].name);
		struct pdesc d = { 0 };
		struct entry e;

		if (l.n != (timers[i].period_ns != 0))
			fail_msg("%s: %zu probes", timers[i].name, l.n);
		if (!l.n) {
			assert_non_null(reason);
			continue;
		}
		assert_string_equal(l.v[0]->name, timers[i].name);
		e = entry_of(l.v[0]);
		assert_int_equal(e.kind, ENTRY_PERF_EVENT);
		assert_true(e.period_ns == timers[i].period_ns);
		assert_int_equal(e.cpu == -1, timers[i].every_cpu);
		assert_int_equal(e.args[0].kind, ARG_PC_KERNEL);
		assert_int_equal(e.args[1].kind, ARG_PC_USER);
		d.id = l.v[0]->id;
		assert_int_equal(src->match(src->ctx, arena, &d, &l, NULL), 0);
		assert_int_equal(l.n, 1);
		assert_string_equal(l.v[0]->name, timers[i].name);
	}
	/* Other spellings are other probes, but of one program. */
	assert_int_not_equal(one("profile", NULL, NULL, "tick-1s")->id, one("profile", NULL, NULL, "tick-1sec")->id);
	assert_int_equal(match("profile", NULL, NULL, "tick-*").n, 6);
	assert_int_equal(match("profile", NULL, NULL, NULL).n, 13);
}

static void walk_names(void **state)
{
	static const struct {
		const char *name;
		bool good;
	} names[] = {
		{ "task", true },	 { "done", true },	  { "task-1ms", true },	  { "done-500ms", true },
		{ "task-1000hz", true }, { "task-999us", false }, { "task-1001", false }, { "task-12345s", true },
		{ "task-", false },	 { "task-x", false },	  { "done-0", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct probe_list l = match("iter", NULL, NULL, names[i].name);
		struct pdesc d = { 0 };

		assert_int_equal(l.n, names[i].good);
		if (!l.n) {
			assert_non_null(reason);
			continue;
		}
		d.id = l.v[0]->id;
		assert_int_equal(src->match(src->ctx, arena, &d, &l, NULL), 0);
		assert_int_equal(l.n, 1);
		assert_string_equal(l.v[0]->name, names[i].name);
	}
	assert_int_equal(match("iter", NULL, NULL, "tas").n, 0);
	assert_int_equal(match("iter", NULL, NULL, "tasks").n, 0);
	assert_int_equal(match("iter", NULL, NULL, NULL).n, 2);
}

/* Where the kernel lets no function be traced, the reason is given at once. */
static void functions_or_why_not(void **state)
{
	static const char *const names[] = { "fbt", "rawfbt" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct probe_list l = match(names[i], NULL, "vfs_read", "entry");

		assert_true(l.n ? !strcmp(l.v[0]->func, "vfs_read") : reason && *reason);
		assert_int_equal(match(names[i], NULL, "no_such_function", NULL).n, 0);
		assert_int_equal(match(names[i], NULL, NULL, "sideways").n, 0);
	}
	assert_int_equal(match("instr", NULL, "vfs_read", "sideways").n, 0);
	assert_true(reason && *reason);
	assert_int_equal(match("kinst", NULL, "vfs_read", "1").n, 0); /* endbr64, or the nop for tracing, is longer */
	assert_true(reason && *reason);
	match("nobody", NULL, NULL, NULL);
	assert_null(reason);
}

static void error_arguments(void **state)
{
	struct entry e = entry_of(one("dtrace", NULL, NULL, "ERROR"));

	(void)state;
	assert_int_equal(e.kind, ENTRY_NONE);
	assert_int_equal(e.args[0].kind, ARG_NONE);
	for (uint32_t i = 1; i <= 5; i++) {
		assert_int_equal(e.args[i].kind, ARG_ERROR);
		assert_int_equal(e.args[i].off, i);
	}
	e = entry_of(one("dtrace", NULL, NULL, "BEGIN"));
	assert_int_equal(e.kind, ENTRY_TEST_RUN);
}

/* Without BTF: no tracepoints (with the reason), system calls as raw tracepoints. */
static void without_btf(void **state)
{
	static const struct caps none;
	struct pdesc d = { .prov = "sdt", .name = "sched_switch" };
	struct registry *r;
	const struct probe_source *s;
	struct probe_list l;
	struct entry e;

	(void)state;
	reason = NULL;
	assert_int_equal(registry_new(NULL, &none, 0, &r), 0);
	s = registry_source(r);
	assert_int_equal(s->match(s->ctx, arena, &d, &l, &reason), 0);
	assert_int_equal(l.n, 0);
	assert_non_null(strstr(reason, "BTF"));
	d = (struct pdesc){ .func = "read", .name = "entry" };
	assert_int_equal(s->match(s->ctx, arena, &d, &l, &reason), 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(s->get_args(s->ctx, arena, l.v[0]), 0);
	assert_int_equal(registry_entry(r, l.v[0], &e, &reason), 0);
	assert_int_equal(e.kind, ENTRY_RAW_TP);
	/* Derived probes without a condition are available; the others tell why they are not. */
	d = (struct pdesc){ .prov = "sched", .name = "on-cpu" };
	assert_int_equal(s->match(s->ctx, arena, &d, &l, &reason), 0);
	assert_int_equal(l.n, 1);
	assert_null(l.v[0]->unavailable);
	assert_int_equal(s->get_args(s->ctx, arena, l.v[0]), 0);
	assert_int_equal(registry_entry(r, l.v[0], &e, &reason), 0);
	assert_int_equal(e.kind, ENTRY_RAW_TP);
	assert_string_equal(e.target, "sched_switch");
	d = (struct pdesc){ .prov = "proc", .name = "exit" };
	assert_int_equal(s->match(s->ctx, arena, &d, &l, &reason), 0);
	assert_int_equal(l.n, 1);
	assert_non_null(strstr(l.v[0]->unavailable, "BTF"));
	registry_free(r);
}

/* BEGIN and clocks need no file of the kernel: none is opened. */
static void begin_is_lazy(void **state)
{
	static const struct pdesc quick[] = {
		{ .name = "BEGIN" },
		{ .name = "tick-1s" },
		{ .func = "read", .name = "entry" },
		{ .prov = "syscall" },
	};
	struct typesrc *fresh;
	struct registry *r;
	const struct probe_source *s;
	struct probe_list l;
	int before = dup(0), after;

	(void)state;
	assert_true(before >= 0);
	close(before);
	assert_int_equal(typesrc_open_kernel(&fresh, NULL), 0);
	assert_int_equal(registry_new(fresh, &caps, 0, &r), 0);
	s = registry_source(r);
	for (size_t i = 0; i < ARRAY_SIZE(quick); i++) {
		char line[512];
		_cleanup_fclose_ FILE *maps = NULL;

		assert_int_equal(s->match(s->ctx, arena, &quick[i], &l, NULL), 0);
		assert_true(l.n > 0);
		maps = fopen("/proc/self/maps", "re");
		while (fgets(line, sizeof(line), maps))
			assert_null(strstr(line, "btf/vmlinux"));
	}
	after = dup(0);
	assert_int_equal(before, after); /* no tracefs descriptor either */
	close(after);
	registry_free(r);
	typesrc_free(fresh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begin_is_lazy),
		cmocka_unit_test(descriptions),
		cmocka_unit_test(ids),
		cmocka_unit_test(unknown_ids),
		cmocka_unit_test(ids_are_stable),
		cmocka_unit_test(tracepoint_arguments),
		cmocka_unit_test(every_tracepoint),
		cmocka_unit_test(syscall_entries),
		cmocka_unit_test(syscall_types),
		cmocka_unit_test(every_syscall),
		cmocka_unit_test(timer_names),
		cmocka_unit_test(walk_names),
		cmocka_unit_test(functions_or_why_not),
		cmocka_unit_test(error_arguments),
		cmocka_unit_test(without_btf),
		cmocka_unit_test(every_syscall_type_parses),
	};

	return regfix_run("registry", tests, ARRAY_SIZE(tests));
}

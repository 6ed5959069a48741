/* SPDX-License-Identifier: Apache-2.0 */
/* Fixture of the lowering's tests. */
#include "lowerfix.h"
#include "unit.h"
#include "base/err.h"
#include "base/strb.h"
#include <errno.h>

/* Numbers of the fixture's system calls. */
static uint64_t syscall_nr(const struct probe *p)
{
	return !strcmp(p->func, "read") ? 0 : !strcmp(p->func, "write") ? 1 : 257;
}

static int get_entry(void *ctx, const struct probe *p, struct entry *ret, const char **reason)
{
	struct entry e = { .cpu = -1 };
	const char *refuse = ctx;

	if (refuse && !strcmp(refuse, p->name)) {
		*reason = "not on this kernel";
		return -EOPNOTSUPP;
	}
	if (!strcmp(p->prov, "syscall")) {
		e.kind = ENTRY_RAW_TP;
		e.target = strcmp(p->name, "return") ? "sys_enter" : "sys_exit";
		e.has_selector = true;
		e.sel = (struct arg_loc){ .kind = ARG_CTX, .off = 8, .size = 8 };
		e.sel_value = syscall_nr(p);
		e.nargs = 6;
		for (unsigned i = 0; i < e.nargs; i++)
			e.args[i] = (struct arg_loc){ .kind = ARG_REGS, .off = 112 - 8 * i, .size = 8 };
	} else if (!strcmp(p->prov, "profile")) {
		e.kind = ENTRY_PERF_EVENT;
		e.target = "cpu-clock";
		e.period_ns = 1000000000;
	} else if (!strcmp(p->prov, "sdt")) {
		e.kind = ENTRY_RAW_TP;
		e.target = p->name;
		e.nargs = 2;
		for (unsigned i = 0; i < e.nargs; i++)
			e.args[i] = (struct arg_loc){ .kind = ARG_CTX, .off = 8 * i, .size = 8 };
	} else if (!strcmp(p->name, "ERROR")) {
		e.kind = ENTRY_NONE;
		e.nargs = 6;
		for (unsigned i = 0; i < e.nargs; i++)
			e.args[i] = (struct arg_loc){ .kind = ARG_ERROR, .off = i };
	} else {
		e.kind = ENTRY_TEST_RUN;
		e.target = p->name;
	}
	*ret = e;
	return 0;
}

void lowerfix_run(struct lowerfix *f, const char *text)
{
	void *refuse = f->env.ctx;
	struct err err = { 0 };
	unsigned cpus;
	char *said;
	int r;

	f->img = NULL;
	r = langfix_run(&f->lang, text);
	said = langfix_messages(&f->lang);
	if (r < 0)
		print_message("# %s", said);
	assert_int_equal(r, 0);
	free(said);
	cpus = f->cpus ? f->cpus : 4;
	f->caps = (struct caps){ .possible_cpus = cpus,
				 .may_goto = f->may_goto,
				 .online_cpus = cpus,
				 .nr_cpu_ids = cpus,
				 .online_ids = f->online_ids,
				 .ringbuf = true,
				 .task_storage = !f->old,
				 .bpf_loop = !f->locked,
				 .atomics = true,
				 .perf_event = true,
				 .probe_write_user = !f->locked,
				 .btf = f->typed,
				 .tp_btf = f->typed };
	f->env = (struct cg_env){
		.caps = &f->caps, .entry = get_entry, .ctx = refuse, .self_tgid = 4711, .ts = f->lang.ts
	};
	r = cg_compile(f->lang.arena, f->lang.prog, &f->env, &f->lang.diags, &f->img);
	f->messages = langfix_messages(&f->lang);
	assert_int_equal(r < 0, f->img == NULL);
	assert_int_equal(r<0, f->lang.diags.nerrors> 0);
	if (f->img && image_check(f->img, &err) < 0)
		fail_msg("image_check: %s", err.msg);
}

void lowerfix_close(struct lowerfix *f)
{
	free(f->messages);
	langfix_close(&f->lang);
}

char *lowerfix_dump(const struct lowerfix *f)
{
	struct strb b = { 0 };

	image_dump(&b, f->img);
	return strb_take(&b);
}

const struct img_map *lowerfix_map(const struct lowerfix *f, enum img_map_role role)
{
	for (uint32_t i = 0; i < f->img->nmaps; i++)
		if (f->img->maps[i].role == role)
			return &f->img->maps[i];
	return NULL;
}

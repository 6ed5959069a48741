/* SPDX-License-Identifier: Apache-2.0 */
/* Golden disassembly: NAME.d of a folder, compiled against the fixture's types and probes for a fixed
 * kernel, must give NAME.dis. Few cases, each for one thing that is hard to see by running: what was
 * folded, shared or left out. Everything else is tested by running. TAP on standard output.
 * usage: run_golden [--update] FOLDER      --update accepts the present output: read the difference */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../casefile.h"
#include "../unit/lang/langfix.h"
#include "base/err.h"
#include "cg/image.h"
#include "types/caps.h"

#define NR_READ 0
#define NR_WRITE 1
#define NR_OPENAT 257

/* The kernel that the expected output was made for. */
static const struct caps fixed_caps = {
	.possible_cpus = 4,
	.online_cpus = 4,
	.nr_cpu_ids = 4,
	.btf = true,
	.tp_btf = true,
	.task_btf = true,
	.hash_alloc = true,
	.ringbuf = true,
	.task_storage = true,
	.bpf_loop = true,
	.bpf_strncmp = true,
	.atomics = true,
	.get_task_stack = true,
	.perf_event = true,
	.batch_percpu_hash = true,
	.test_run_raw_tp = true,
	.tracefs = true,
};

static void syscall_entry(const struct probe *p, struct entry *e)
{
	static const uint32_t regs[] = { 112, 104, 96, 56, 72, 64 }; /* x86-64: di si dx r10 r8 r9 */
	bool ret = !strcmp(p->name, "return");

	e->kind = ENTRY_RAW_TP; /* the fixture describes no tracepoints */
	e->target = ret ? "sys_exit" : "sys_enter";
	e->has_selector = true;
	e->sel_value = !strcmp(p->func, "read") ? NR_READ : !strcmp(p->func, "write") ? NR_WRITE : NR_OPENAT;
	e->is_return = ret;
	if (ret) {
		e->sel = (struct arg_loc){ .kind = ARG_REGS, .off = 120, .size = 8 };
		e->nargs = 2;
		e->args[0] = e->args[1] = (struct arg_loc){ .kind = ARG_CTX, .off = 8, .size = 8, .is_signed = true };
		e->has_errno = true;
		e->errno_loc = e->args[0];
		return;
	}
	e->sel = (struct arg_loc){ .kind = ARG_CTX, .off = 8, .size = 8, .is_signed = true };
	e->nargs = sizeof(regs) / sizeof(regs[0]);
	for (unsigned i = 0; i < e->nargs; i++)
		e->args[i] = (struct arg_loc){ .kind = ARG_REGS, .off = regs[i], .size = 8 };
}

static int get_entry(void *ctx, const struct probe *p, struct entry *ret, const char **why)
{
	struct entry e = { .cpu = -1 };

	(void)ctx, (void)why;
	if (!strcmp(p->prov, "syscall")) {
		syscall_entry(p, &e);
	} else if (!strcmp(p->prov, "profile")) {
		e.kind = ENTRY_PERF_EVENT;
		e.target = "cpu-clock";
		e.period_ns = 1000000000;
		e.cpu = 0;
	} else if (!strcmp(p->prov, "sdt")) {
		e.kind = ENTRY_RAW_TP;
		e.target = p->name;
		e.nargs = 2;
		for (unsigned i = 0; i < e.nargs; i++)
			e.args[i] = (struct arg_loc){ .kind = ARG_CTX, .off = 8 * i, .size = 8 };
	} else {
		e.kind = strcmp(p->name, "ERROR") ? ENTRY_TEST_RUN : ENTRY_NONE;
		e.target = p->name;
	}
	*ret = e;
	return 0;
}

static bool write_file(const char *dir, const char *name, const char *text)
{
	struct strb path = { 0 };
	FILE *f;

	strb_printf(&path, "%s/%s.dis", dir, name);
	f = fopen(strb_str(&path), "wb");
	strb_free(&path);
	if (!f)
		return false;
	fputs(text, f);
	return fclose(f) == 0;
}

/* The disassembly, or the messages of a program that was refused; false then. */
static bool compile(const char *text, struct strb *out)
{
	struct langfix f;
	struct image *img = NULL;
	struct err err = { 0 };
	char *said;
	int r = langfix_run(&f, text);
	struct cg_env env = { .caps = &fixed_caps, .entry = get_entry, .self_tgid = 4711, .ts = f.ts };

	if (r == 0)
		r = cg_compile(f.arena, f.prog, &env, &f.diags, &img);
	if (r == 0)
		r = image_check(img, &err);
	if (r == 0)
		image_dump(out, img);
	said = langfix_messages(&f);
	strb_adds(out, said);
	strb_adds(out, err.msg);
	free(said);
	err_done(&err);
	langfix_close(&f);
	return r == 0;
}

static bool run(const char *dir, const char *name, bool update)
{
	char *text = casefile_read(dir, name, "d", NULL), *want = casefile_read(dir, name, "dis", NULL);
	struct strb got = { 0 };
	bool pass = text && compile(text, &got);

	if (pass && update)
		pass = write_file(dir, name, strb_str(&got));
	else
		pass = pass && want && !strcmp(want, strb_str(&got));
	if (!pass) {
		casefile_comment("expected", want ? want : "(no such file)");
		casefile_comment("got", strb_str(&got));
	}
	free(text);
	free(want);
	strb_free(&got);
	return pass;
}

static int is_program(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 2 && !strcmp(e->d_name + n - 2, ".d");
}

int main(int argc, char **argv)
{
	bool update = argc == 3 && !strcmp(argv[1], "--update");
	const char *dir = argv[argc - 1];
	struct dirent **list;
	int n, failed = 0;

	if (argc < 2 || argc > 3)
		return 2;
	n = scandir(dir, &list, is_program, alphasort);
	if (n <= 0) {
		fprintf(stderr, "no programs in %s\n", dir);
		return 1;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		bool pass;

		list[i]->d_name[strlen(list[i]->d_name) - 2] = '\0';
		pass = run(dir, list[i]->d_name, update);
		failed += !pass;
		printf("%sok %d - %s\n", pass ? "" : "not ", i + 1, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return failed > 0;
}

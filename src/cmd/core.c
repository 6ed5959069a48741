/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell core`, a debugger for a core file or for the memory of a living process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "core/jsheap/index.h"
#include "core/jsheap/redact.h"
#include "core/module/module.h"
#include "core/shell/coreline.h"
#include "core/target/kernel.h"
#include "cmd/words.h"
#include "cmdline/coreopts.h"
#include "core/target/save.h"
#include "core/shell.h"
#include "view/form/amount.h"
#include "load/kmem.h"

static bool run_line(struct shell *s, const char *line)
{
	const bool good = shell_line(s, line) == 0;
	const char *said = js_index_said(s->index);

	if (said)
		cmd_msg("core: %s", said);
	if (!good)
		cmd_msg("core: %s", s->err.msg);
	return good;
}

static int run(const struct core_opts *o, struct core *c, const char *file)
{
	struct shell s = { .core = c, .out = stdout, .json = o->json };
	bool good = true;
	int e;

	for (size_t i = 0; i < o->nmodules; i++)
		if (modules_load(&s, o->modules[i]) < 0) {
			cmd_msg("core: %s", s.err.msg);
			shell_done(&s);
			return EXIT_ERROR;
		}
	if ((file || o->index) && js_index_open(c, file, o->index, &s.index, &s.err) < 0)
		return cmd_fail("core: %s", s.err.msg);
	for (size_t i = 0; i < o->n && s.error == 0; i++)
		good &= run_line(&s, o->commands[i]);
	if (!o->n)
		good = coreline_run(&s, run_line);
	e = cmd_written(s.error);
	shell_done(&s);
	return e != EXIT_OK ? e : good ? EXIT_OK : EXIT_ERROR;
}

static int read_kernel(void *arg, uint64_t addr, void *buf, size_t n)
{
	return kmem_read(arg, addr, buf, n);
}

static int open_kernel(struct kmem *k, struct core *ret)
{
	struct core_reader by = { .read = read_kernel, .stacks = kmem_stacks, .arg = k };
	struct err err = { 0 };
	int r = kmem_open(k);

	if (r == 0)
		r = kmem_current(k, &by.current);
	if (r < 0)
		err_set(&err, r, "its memory cannot be read: %s",
			r == -EPERM ? "that needs root, and no lockdown of confidentiality" : strerror(-r));
	else
		r = core_open_kernel(&by, ret, &err);
	if (r < 0)
		cmd_msg("core: cannot open the kernel: %s", err.msg);
	err_done(&err);
	return r < 0 ? EXIT_ERROR : EXIT_OK;
}

/* A person takes minutes; lines of -c take less than a copy, mostly. */
static bool copied(const struct core_opts *o)
{
	return !o->no_stop && !o->stop && (o->copy || !o->n);
}

static int copy(pid_t pid, struct core *ret, struct err *err)
{
	uint64_t stopped;
	char time[UNITS_LEN];
	int r = core_copy(pid, &stopped, ret, err);

	if (r == 0)
		cmd_msg("core: process %d stood still for %s while its memory was copied", (int)pid,
			units_ns(stopped, time));
	return r;
}

static int open_target(const struct core_opts *o, int argc, char **argv, struct kmem *k, struct core *ret)
{
	const char *file = argc > 0 ? argv[0] : NULL;
	struct err err = { 0 };
	uint64_t pid;
	int r;

	if ((o->pid || o->kernel) && file)
		return cmd_words(&coreopts, file, NULL);
	if (o->pid && o->kernel)
		return cmd_words(&coreopts, "-k", NULL);
	if (o->kernel)
		return open_kernel(k, ret);
	if (!o->pid && !file)
		return cmd_words(&coreopts, NULL, "a core file, -p PID, or -k");
	if (argc > 2)
		return cmd_words(&coreopts, argv[2], NULL);
	if (o->pid && (num_parse_u64(o->pid, &pid) < 0 || pid < 1 || pid > INT32_MAX)) {
		cmd_msg("core: '%s' is no process", o->pid);
		return EXIT_USAGE;
	}
	r = o->pid && copied(o) ? copy((pid_t)pid, ret, &err)
	    : o->pid		? core_attach((pid_t)pid, !o->no_stop, ret, &err)
				: core_open(file, argc > 1 ? argv[1] : NULL, ret, &err);
	if (r < 0)
		cmd_msg("core: cannot open %s%s: %s", o->pid ? "process " : "", o->pid ? o->pid : file, err.msg);
	err_done(&err);
	return r < 0 ? EXIT_ERROR : EXIT_OK;
}

static int save(const struct core_opts *o, int argc, char **argv)
{
	char memory[AMOUNT_MAX], bytes[AMOUNT_MAX], time[UNITS_LEN];
	struct save_said said;
	struct save_filter *filter;
	struct err err = { 0 };
	uint64_t pid = 0;
	int r;

	if (o->redact && !strcmp(o->save, "-"))
		return cmd_words(&coreopts, "--redact", NULL);
	if (argc != 1 || o->pid || o->kernel || o->n || o->no_stop || o->json)
		return cmd_words(&coreopts, argc ? argv[argc > 1] : NULL, "one new file, and no other option");
	if (strcmp(o->save, "-") && (num_parse_u64(o->save, &pid) < 0 || pid < 1 || pid > INT32_MAX)) {
		cmd_msg("core: '%s' is no process", o->save);
		return EXIT_USAGE;
	}
	filter = o->redact ? js_redact_new() : NULL;
	if (o->redact && !filter)
		return cmd_fail("core: out of memory");
	r = pid ? core_save_process((pid_t)pid, argv[0], filter, &said, &err) : core_save_pipe(0, argv[0], &said, &err);
	js_redact_free(filter);
	if (r < 0)
		cmd_msg("core: cannot save %s: %s", pid ? o->save : "the core", err.msg);
	err_done(&err);
	if (r < 0)
		return EXIT_ERROR;
	amount_str(memory, said.memory, "bytes");
	amount_str(bytes, said.bytes, "bytes");
	printf("%s: %s, of %s of memory", argv[0], bytes, memory);
	if (pid)
		printf("; the process stood still for %s", units_ns(said.stopped_ns, time));
	printf("\n");
	if (said.unreadable)
		cmd_msg("core: %llu bytes could not be read: they are 0 in the core",
			(unsigned long long)said.unreadable);
	return EXIT_OK;
}

static int core(int argc, char **argv)
{
	_cleanup_free_ struct core_opts *o = calloc(1, sizeof(*o));
	struct kmem k = { -1, -1 };
	struct core c = { 0 };
	int e;

	if (!o)
		return cmd_fail("core: out of memory");
	e = cmd_options(&coreopts, o, argc, argv);
	if (e == 0 && o->redact && !o->save)
		return cmd_words(&coreopts, "--redact", NULL);
	if (e == 0 && o->save) {
		e = save(o, argc - optind, argv + optind);
	} else if (e == 0) {
		e = open_target(o, argc - optind, argv + optind, &k, &c);
		if (e == EXIT_OK) {
			c.force = o->force;
			e = run(o, &c, argc > optind ? argv[optind] : NULL);
			core_close(&c);
		}
		kmem_close(&k);
	}
	return e;
}

const struct command cmd_core = { "core", "what was in memory: core files, processes, the kernel; Node's objects", core,
				  .options = &coreopts };

/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on what every process has: memory, files, threads, stacks. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/cmds.h"
#include "core/native/kerneltasks.h"

#define FRAMES 100 /* of ::stack, unless it says how many */
#define HEX(v) "%" PRIx64, (v)

void shell_json_place(struct shell *s, struct jsonw *w, uint64_t addr)
{
	struct core_symbol y;

	jsonw_strf(w, "address", HEX(addr));
	if (core_name(s->core, addr, &y)) {
		jsonw_str(w, "name", y.name);
		jsonw_u64(w, "offset", addr - y.addr);
	}
	if (y.path)
		jsonw_str(w, "file", y.path);
}

void shell_symbol(struct shell *s, const struct core_symbol *y)
{
	shell_plain(s, basename(y->path));
	shell_print(s, "`");
	shell_plain(s, y->name);
}

int shell_address(struct shell *s, uint64_t addr)
{
	if (s->json && !s->to) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "address", HEX(addr));
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	shell_print(s, "%" PRIx64 "\n", addr);
	return shell_emit(s, addr);
}

void shell_place(struct shell *s, uint64_t addr)
{
	struct core_symbol y;

	if (core_name(s->core, addr, &y)) {
		shell_symbol(s, &y);
		shell_print(s, "+0x%" PRIx64, addr - y.addr);
	} else if (y.path) {
		shell_plain(s, basename(y.path));
		shell_print(s, "+0x%" PRIx64, y.file_off);
	} else {
		shell_print(s, "0x%" PRIx64, addr);
	}
}

/* -- ::status -- */

static uint64_t mapped(const struct core *c, uint64_t *has)
{
	uint64_t n = 0;

	*has = 0;
	for (size_t i = 0; i < c->segs.n; i++) {
		n += c->segs.v[i].end - c->segs.v[i].start;
		*has += c->segs.v[i].bytes;
	}
	return n;
}

static void json_status(struct shell *s)
{
	struct core *c = s->core;
	struct jsonw w = jsonw_to(&s->text);
	uint64_t has, all = mapped(c, &has);
	const struct core_file *p = core_program(c);

	jsonw_object(&w, NULL);
	jsonw_bool(&w, "live", c->live);
	jsonw_i64(&w, "pid", c->pid);
	jsonw_str(&w, "comm", c->comm);
	jsonw_str(&w, "command", c->cmdline);
	if (p) {
		jsonw_str(&w, "program", p->path);
		jsonw_str(&w, "program_state",
			  core_file_word(core_file((struct core *)c, (uint32_t)(p - c->files.v))->state));
	}
	if (c->signal) {
		jsonw_i64(&w, "signal", c->signal);
		jsonw_strf(&w, "fault", HEX(c->fault));
	}
	jsonw_u64(&w, "threads", c->threads.n);
	jsonw_u64(&w, "mapped_bytes", all);
	jsonw_u64(&w, "core_bytes", has);
	jsonw_u64(&w, "missing_bytes", c->missing);
	jsonw_u64(&w, "left_out", c->left_out);
	jsonw_end_object(&w);
	jsonw_line(&w);
}

static void say_signal(struct shell *s)
{
	const struct core *c = s->core;
	const char *name = sigabbrev_np(c->signal);

	if (!c->signal)
		return;
	shell_print(s, "signal:   SIG%s (%s)", name ? name : "?", name ? strsignal(c->signal) : "unknown");
	if (c->code > 0 && (c->signal == 11 || c->signal == 7)) /* SIGSEGV, SIGBUS: of an access */
		shell_print(s, " at address %" PRIx64, c->fault);
	shell_print(s, "\n");
}

int dcmd_status(struct shell *s, const struct dcall *d)
{
	struct core *c = s->core;
	uint64_t has, all = mapped(c, &has);
	struct core_file *p = core_program(c);

	if (d->argc)
		return shell_refuse(s, "status", d->argv[0]);
	if (c->kernel)
		return kernel_status(s);
	if (s->json) {
		json_status(s);
		return 0;
	}
	shell_print(s, "process:  %d ", (int)c->pid);
	shell_plain(s, *c->cmdline ? c->cmdline : c->comm);
	shell_print(s, "\nstate:    %s\n",
		    c->copied	 ? "a copy of its memory; it went on"
		    : !c->live	 ? "a core file"
		    : c->stopped ? "alive, stopped while it is looked at"
				 : "alive, running");
	if (p) {
		shell_print(s, "program:  ");
		shell_plain(s, p->path);
		shell_print(s, " (%s)\n", core_file_word(core_file(c, (uint32_t)(p - c->files.v))->state));
	}
	say_signal(s);
	shell_print(s, "threads:  %zu\nmemory:   %" PRIu64 " MiB mapped", c->threads.n, all >> 20);
	if (!c->live)
		shell_print(s, ", %" PRIu64 " MiB of it in the core", has >> 20);
	shell_print(s, "\n");
	if (c->missing)
		shell_print(s, "cut:      the file is %" PRIu64 " bytes too short: that memory is missing\n",
			    c->missing);
	if (c->left_out)
		shell_print(s, "left out: %zu segments, files and threads over the limits\n", c->left_out);
	return 0;
}

/* -- ::mappings -- */

static void say_mapping(struct shell *s, const struct core_seg *g)
{
	const struct core_map *m = core_map_at(s->core, g->start);
	const char *state = m && !s->core->live ? core_file_word(core_file(s->core, m->file)->state) : NULL;
	const char rights[] = { g->flags & PF_R ? 'r' : '-', g->flags & PF_W ? 'w' : '-', g->flags & PF_X ? 'x' : '-',
				0 };

	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "start", HEX(g->start));
		jsonw_strf(&w, "end", HEX(g->end));
		jsonw_u64(&w, "core_bytes", g->bytes);
		jsonw_str(&w, "rights", rights);
		if (m) {
			jsonw_str(&w, "file", s->core->files.v[m->file].path);
			jsonw_u64(&w, "file_offset", m->off);
		}
		if (state)
			jsonw_str(&w, "file_state", state);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return;
	}
	shell_print(s, "%16" PRIx64 " %16" PRIx64 " %10" PRIu64 "K %10" PRIu64 "K %s", g->start, g->end,
		    (g->end - g->start) >> 10, g->bytes >> 10, rights);
	if (m) {
		shell_print(s, " ");
		shell_plain(s, s->core->files.v[m->file].path);
		if (state)
			shell_print(s, " (%s)", state);
	}
	shell_print(s, "\n");
}

int dcmd_mappings(struct shell *s, const struct dcall *d)
{
	const struct core *c = s->core;
	const struct core_seg *one = d->has_addr ? core_seg_at(c, d->addr) : NULL;
	int r = 0;

	if (d->argc)
		return shell_refuse(s, "mappings", d->argv[0]);
	if (c->kernel)
		return err_set(&s->err, -EINVAL, "the running kernel is looked at: it has no list of mappings");
	if (d->has_addr && !one)
		return err_set(&s->err, -EFAULT, "nothing is mapped at %" PRIx64, d->addr);
	if (!s->json)
		shell_print(s, "%16s %16s %11s %11s %s\n", "START", "END", "SIZE", c->live ? "READABLE" : "IN CORE",
			    "    FILE");
	for (size_t i = 0; i < c->segs.n && r == 0; i++) {
		if (one && one != &c->segs.v[i])
			continue;
		if (s->to)
			r = shell_emit(s, c->segs.v[i].start);
		else
			say_mapping(s, &c->segs.v[i]);
	}
	return r;
}

int walk_mappings(struct shell *s, const struct dcall *d)
{
	int r = 0;

	(void)d;
	for (size_t i = 0; i < s->core->segs.n && r == 0; i++)
		r = shell_address(s, s->core->segs.v[i].start);
	return r;
}

/* -- threads and stacks -- */

int walk_threads(struct shell *s, const struct dcall *d)
{
	int r = 0;

	if (s->core->kernel)
		return kernel_walk_threads(s, d);
	for (size_t i = 0; i < s->core->threads.n && r == 0; i++) {
		shell_print(s, "%x\n", (unsigned)s->core->threads.v[i].tid);
		r = shell_emit(s, (uint64_t)s->core->threads.v[i].tid);
	}
	return r;
}

int dcmd_threads(struct shell *s, const struct dcall *d)
{
	const struct core *c = s->core;

	if (d->argc)
		return shell_refuse(s, "threads", d->argv[0]);
	if (c->kernel)
		return kernel_threads(s, d);
	if (s->to)
		return walk_threads(s, d);
	if (!s->json)
		shell_print(s, "%8s %8s %-15s %s\n", "THREAD", "DECIMAL", "NAME", "IN");
	for (size_t i = 0; i < c->threads.n; i++) {
		const struct core_thread *t = &c->threads.v[i];

		if (s->json) {
			struct jsonw w = jsonw_to(&s->text);

			jsonw_object(&w, NULL);
			jsonw_i64(&w, "tid", t->tid);
			if (*t->comm)
				jsonw_str(&w, "comm", t->comm);
			if (t->has_regs)
				shell_json_place(s, &w, t->regs[CORE_IP]);
			jsonw_end_object(&w);
			jsonw_line(&w);
			continue;
		}
		shell_print(s, "%8x %8d %-15s ", (unsigned)t->tid, (int)t->tid, *t->comm ? t->comm : "-");
		if (t->has_regs)
			shell_place(s, t->regs[CORE_IP]);
		else
			shell_print(s, "-");
		shell_print(s, "\n");
	}
	return 0;
}

int shell_thread(struct shell *s, const struct dcall *d, const struct core_thread **ret)
{
	if (s->core->kernel)
		return err_set(&s->err, -EINVAL,
			       "the running kernel is looked at: ::stacks shows the stacks of its threads");
	*ret = d->has_addr ? core_thread(s->core, (pid_t)d->addr) : s->core->threads.v;
	if (d->has_addr && (d->addr > INT32_MAX || !*ret))
		return err_set(&s->err, -ESRCH,
			       "there is no thread %" PRIx64 " (decimal %" PRIu64 "; ::threads lists them)", d->addr,
			       d->addr);
	if (!*ret)
		return err_set(&s->err, -ESRCH, "the core has no threads");
	if (!(*ret)->has_regs)
		return err_set(&s->err, -ENODATA, "registers are not known of threads that run: leave --no-stop out");
	return 0;
}

static int say_frames(struct shell *s, const struct core_thread *t, const core_frames *f, const char *reason)
{
	int r = 0;

	if (!s->json)
		shell_print(s, "thread %x (%d):\n", (unsigned)t->tid, (int)t->tid);
	for (size_t i = 0; i < f->n && r == 0; i++) {
		if (s->json) {
			struct jsonw w = jsonw_to(&s->text);

			jsonw_object(&w, NULL);
			jsonw_i64(&w, "tid", t->tid);
			jsonw_u64(&w, "frame", i);
			jsonw_strf(&w, "sp", HEX(f->v[i].sp));
			shell_json_place(s, &w, f->v[i].ip);
			jsonw_end_object(&w);
			jsonw_line(&w);
		} else {
			shell_print(s, "%016" PRIx64 " ", f->v[i].sp);
			shell_place(s, f->v[i].ip);
			shell_print(s, "\n");
		}
		r = shell_emit(s, f->v[i].ip);
	}
	if (reason && !s->json)
		shell_print(s, "                 (the stack goes on: %s)\n", reason);
	return r;
}

int dcmd_stack(struct shell *s, const struct dcall *d)
{
	const struct core_thread *t;
	core_frames f = { 0 };
	const char *reason;
	uint64_t max = FRAMES;
	int r = shell_thread(s, d, &t), i = 0;

	if (r == 0 && d->argc && !strcmp(d->argv[0], "-n")) {
		if (d->argc < 2 || !shell_number(d->argv[1], &max) || !max || max > CORE_MAX_FRAMES)
			return err_set(&s->err, -EINVAL,
				       "::stack: -n wants a number of frames (hexadecimal, or after 0t)");
		i = 2;
	}
	if (r == 0 && i < d->argc)
		return shell_refuse(s, "stack", d->argv[i]);
	if (r == 0)
		r = core_walk(s->core, t->regs, (unsigned)max, &f, &reason);
	if (r == 0)
		r = say_frames(s, t, &f, reason);
	vec_free(&f);
	return r;
}

/* -- ::whatis -- */

/* The thread in whose stack an address lies: its stack pointer is in the same part of memory, below. */
static const struct core_thread *stack_with(const struct core *c, uint64_t addr)
{
	const struct core_seg *g = core_seg_at(c, addr);

	for (size_t i = 0; i < c->threads.n; i++) {
		const uint64_t sp = c->threads.v[i].regs[CORE_SP];

		if (g && c->threads.v[i].has_regs && sp >= g->start && sp <= addr)
			return &c->threads.v[i];
	}
	return NULL;
}

int dcmd_whatis(struct shell *s, const struct dcall *d)
{
	const struct core_seg *g = core_seg_at(s->core, d->addr);
	const struct core_thread *t = stack_with(s->core, d->addr);
	uint8_t byte;
	int r;

	if (d->argc)
		return shell_refuse(s, "whatis", d->argv[0]);
	if (s->core->kernel)
		return kernel_whatis(s, d->addr);
	if (!g && !core_map_at(s->core, d->addr))
		return err_set(&s->err, -EFAULT, "nothing is mapped at %" PRIx64, d->addr);
	r = core_read(s->core, d->addr, &byte, 1);
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		shell_json_place(s, &w, d->addr);
		if (t)
			jsonw_i64(&w, "stack_of", t->tid);
		jsonw_bool(&w, "readable", r == 0);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	shell_print(s, "%" PRIx64 " is ", d->addr);
	if (core_map_at(s->core, d->addr))
		shell_place(s, d->addr);
	else if (t)
		shell_print(s, "in the stack of thread %x", (unsigned)t->tid);
	else
		shell_print(s, "in memory of no file");
	if (g)
		shell_print(s, ", in the part %" PRIx64 "-%" PRIx64, g->start, g->end);
	shell_print(s, "%s\n", r == 0 ? "" : ", which the core does not have");
	return shell_emit(s, d->addr);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Fixture of the checker's tests. */
#include "langfix.h"
#include "../types/btfbuild.h"
#include "base/cleanup.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* -- types -- */

enum { /* ids, in the order of langfix_types() */
       T_INT = 1,
       T_CHAR,
       T_UINT,
       T_ULONG,
       T_U64,
       T_BOOL,
       T_SHORT,
       T_TASK,
       T_TASKP,
       T_COMM,
       T_MM,
       T_MMP,
       T_STATE,
       T_OPAQUE,
       T_OPAQUEP,
       T_ANON,
       T_UIDT,
       T_USERTAG,
       T_USERP,
       T_FPROTO,
       T_FPTR,
       T_CONSTCHAR,
       T_CSTR,
       T_LIST,
       T_LISTP,
       T_FLEX,
       T_JIFFIES,
       T_DATASEC,
       T_TASKVAR,
       T_DOUBLE,
       T_ENUM64,
};

static void int_type(struct btfbuild *b, const char *name, uint32_t size, uint32_t enc)
{
	bb_type(b, name, BTF_KIND_INT, false, 0, size);
	bb_word(b, enc << 24 | size * 8);
}

static void member(struct btfbuild *b, const char *name, uint32_t type, uint32_t off)
{
	bb_word(b, bb_str(b, name));
	bb_word(b, type);
	bb_word(b, off);
}

static void value(struct btfbuild *b, const char *name, uint32_t v)
{
	bb_word(b, bb_str(b, name));
	bb_word(b, v);
}

static void task_struct(struct btfbuild *b)
{
	bb_type(b, "task_struct", BTF_KIND_STRUCT, true, 18, 128);
	member(b, "pid", T_INT, 0);
	member(b, "comm", T_COMM, 32);
	member(b, "parent", T_TASKP, 192);
	member(b, "mm", T_MMP, 256);
	member(b, "state", T_STATE, 320);
	member(b, "sched_reset", T_UINT, 1u << 24 | 352); /* unsigned :1 */
	member(b, "wide", T_U64, 20u << 24 | 384);	  /* u64 :20 */
	member(b, "uid", T_UIDT, 416);
	member(b, "", T_ANON, 448);
	member(b, "opaque", T_OPAQUEP, 512);
	member(b, "ubuf", T_USERP, 576);
	member(b, "fn", T_FPTR, 640);
	member(b, "name", T_CSTR, 704);
	member(b, "children", T_LIST, 768);
	member(b, "start_boottime", T_U64, 896);
	member(b, "tgid", T_INT, 960);
	member(b, "real_parent", T_TASKP, 192); /* where parent is, too */
	member(b, "group_leader", T_TASKP, 192);
}

static void describe(struct btfbuild *b)
{
	memset(b, 0, sizeof(*b));
	int_type(b, "int", 4, BTF_INT_SIGNED);
	int_type(b, "char", 1, BTF_INT_SIGNED);
	int_type(b, "unsigned int", 4, 0);
	int_type(b, "long unsigned int", 8, 0);
	bb_type(b, "u64", BTF_KIND_TYPEDEF, false, 0, T_ULONG);
	int_type(b, "_Bool", 1, BTF_INT_BOOL);
	int_type(b, "short int", 2, BTF_INT_SIGNED);
	task_struct(b);
	bb_type(b, "", BTF_KIND_PTR, false, 0, T_TASK);
	bb_type(b, "", BTF_KIND_ARRAY, false, 0, 0);
	bb_word(b, T_CHAR), bb_word(b, T_INT), bb_word(b, 16);
	bb_type(b, "mm_struct", BTF_KIND_STRUCT, false, 2, 16);
	member(b, "start_stack", T_ULONG, 0);
	member(b, "owner", T_TASKP, 64);
	bb_type(b, "", BTF_KIND_PTR, false, 0, T_MM);
	bb_type(b, "task_state", BTF_KIND_ENUM, false, 2, 4);
	value(b, "TASK_RUNNING", 0), value(b, "TASK_DEAD", 16);
	bb_type(b, "opaque", BTF_KIND_FWD, false, 0, 0);
	bb_type(b, "", BTF_KIND_PTR, false, 0, T_OPAQUE);
	bb_type(b, "", BTF_KIND_UNION, false, 2, 8);
	member(b, "key", T_ULONG, 0);
	member(b, "low", T_SHORT, 0);
	bb_type(b, "uid_kernel_t", BTF_KIND_TYPEDEF, false, 0, T_UINT);
	bb_type(b, "user", BTF_KIND_TYPE_TAG, false, 0, T_CHAR);
	bb_type(b, "", BTF_KIND_PTR, false, 0, T_USERTAG);
	bb_type(b, "", BTF_KIND_FUNC_PROTO, false, 0, T_INT);
	bb_type(b, "", BTF_KIND_PTR, false, 0, T_FPROTO);
	bb_type(b, "", BTF_KIND_CONST, false, 0, T_CHAR);
	bb_type(b, "", BTF_KIND_PTR, false, 0, T_CONSTCHAR);
	bb_type(b, "list_head", BTF_KIND_STRUCT, false, 3, 16);
	member(b, "next", T_LISTP, 0);
	member(b, "prev", T_LISTP, 64);
	member(b, "data", T_FLEX, 128);
	bb_type(b, "", BTF_KIND_PTR, false, 0, T_LIST);
	bb_type(b, "", BTF_KIND_ARRAY, false, 0, 0);
	bb_word(b, T_CHAR), bb_word(b, T_INT), bb_word(b, 0);
	bb_type(b, "jiffies", BTF_KIND_VAR, false, 0, T_ULONG);
	bb_word(b, 1);
	bb_type(b, ".data", BTF_KIND_DATASEC, false, 1, 8);
	bb_word(b, T_JIFFIES), bb_word(b, 0), bb_word(b, 8);
	bb_type(b, "init_task", BTF_KIND_VAR, false, 0, T_TASK);
	bb_word(b, 1);
	bb_type(b, "double", BTF_KIND_FLOAT, false, 0, 8);
	bb_type(b, "big", BTF_KIND_ENUM64, false, 1, 8);
	value(b, "BIG_ONE", 1), bb_word(b, 0x80000000u);
}

struct typesrc *langfix_types(void)
{
	static struct btfbuild bb;
	struct typesrc *ts = NULL;
	const uint8_t *p;
	size_t len;

	describe(&bb);
	p = bb_finish(&bb, &len);
	return typesrc_open_mem("vmlinux", p, len, &ts, NULL) < 0 ? NULL : ts;
}

/* -- probes -- */

static const struct probe probes[] = {
	{ .id = 1, .prov = "dtrace", .mod = "", .func = "", .name = "BEGIN" },
	{ .id = 2, .prov = "dtrace", .mod = "", .func = "", .name = "END" },
	{ .id = 3, .prov = "dtrace", .mod = "", .func = "", .name = "ERROR" },
	{ .id = 4, .prov = "syscall", .mod = "vmlinux", .func = "read", .name = "entry" },
	{ .id = 5, .prov = "syscall", .mod = "vmlinux", .func = "read", .name = "return" },
	{ .id = 6, .prov = "syscall", .mod = "vmlinux", .func = "write", .name = "entry" },
	{ .id = 7, .prov = "syscall", .mod = "vmlinux", .func = "openat", .name = "entry" },
	{ .id = 8, .prov = "sdt", .mod = "sched", .func = "", .name = "sched_switch" },
	{ .id = 9, .prov = "profile", .mod = "", .func = "", .name = "tick-1s" },
	{ .id = 10, .prov = "proc", .mod = "vmlinux", .func = "", .name = "create" },
	{ .id = 11, .prov = "proc", .mod = "vmlinux", .func = "", .name = "exit" },
	{ .id = 12, .prov = "app99", .mod = "app", .func = "main", .name = "q" },
	{ .id = 13, .prov = "sdt", .mod = "old", .func = "", .name = "moved" },
};

static int match(void *ctx, struct arena *a, const struct pdesc *d, struct probe_list *ret, const char **reason)
{
	size_t i;

	(void)ctx;
	ret->v = arena_new_arr(a, struct probe *, ARRAY_SIZE(probes));
	ret->n = 0;
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (pdesc_match(d, &probes[i]))
			ret->v[ret->n++] = arena_memdup(a, &probes[i], sizeof(probes[i]));
	}
	if (d->prov && !strcmp(d->prov, "fbt"))
		*reason = "kernel built without CONFIG_KPROBES";
	return 0;
}

static const struct probe_arg rw_args[] = { { .ctype = "unsigned int" },
					    { .ctype = "userland char *" },
					    { .ctype = "size_t" } };
static const struct probe_arg openat_args[] = { { .ctype = "int" },
						{ .ctype = "userland const char *" },
						{ .ctype = "nosuch_t" } };
static const struct probe_arg switch_args[] = { { .ref.id = T_BOOL }, { .ref.id = T_TASKP }, { .ref.id = T_DOUBLE } };

/* Arguments on an older kernel; newer ones pass the task first, and then a number. */
static const struct probe_arg moved_raw[] = { { .ref.id = T_BOOL, .name = "q" },
					      { .ref.id = T_TASKP, .name = "task" },
					      { .ctype = "unsigned int", .name = "number", .expr = "task->pid + 1" } };
static const struct probe_arg moved_args[] = { { .ref.id = T_TASKP, .name = "task", .expr = "task" },
					       { .ctype = "unsigned int", .name = "number", .expr = "number" },
					       { .ctype = "int", .name = "unknown", .expr = "task->no_such" } };

/* As the program sees them: translated, converted, as it is, not translatable, of no type. */
static const struct probe_xarg proc_xargs[] = { { .ctype = "tinfo_t *", .native = 1 },
						{ .ctype = "long", .native = 0 },
						{ .native = 1 },
						{ .ctype = "struct list_head *", .native = 1 },
						{ .ctype = "nosuch_t *", .native = 1 } };

static int get_args(void *ctx, struct arena *a, struct probe *p)
{
	(void)ctx, (void)a;
	p->args_known = true;
	if (p->id == 4 || p->id == 6) {
		p->args = rw_args;
		p->nargs = ARRAY_SIZE(rw_args);
	} else if (p->id == 7) {
		p->args = openat_args;
		p->nargs = ARRAY_SIZE(openat_args);
	} else if (p->id == 8) {
		p->args = switch_args;
		p->nargs = ARRAY_SIZE(switch_args);
	} else if (p->id == 13) {
		p->args = moved_args;
		p->nargs = ARRAY_SIZE(moved_args);
		p->raw = moved_raw;
		p->nraw = ARRAY_SIZE(moved_raw);
	} else if (p->id == 10 || p->id == 11) {
		p->args = switch_args;
		p->nargs = ARRAY_SIZE(switch_args);
		p->xargs = proc_xargs;
		p->nxargs = p->id == 10 ? ARRAY_SIZE(proc_xargs) : 1;
	}
	return 0;
}

static int find_sym(void *ctx, const char *module, const char *name, uint64_t *ret)
{
	(void)ctx, (void)module;
	if (!strcmp(name, "jiffies") || !strcmp(name, "init_task") || !strcmp(name, "untyped")) {
		*ret = 0xffffffff81000000u;
		return 0;
	}
	return -ENOENT;
}

static const struct probe_source probe_source = { .match = match, .get_args = get_args };
static const struct ksym_source ksym_source = { .find = find_sym };

/* -- use -- */

void langfix_open(struct langfix *f, bool with_btf)
{
	*f = (struct langfix){ .arena = arena_new(ARENA_DEFAULT_LIMIT) };
	f->ts = with_btf ? langfix_types() : NULL;
	dopts_init(&f->opts, f->arena);
	diags_init(&f->diags, f->arena);
	f->env = (struct compile_env){
		.ts = f->ts, .probes = &probe_source, .ksyms = &ksym_source, .macros = &f->macros, .opts = &f->opts
	};
}

int langfix_compile(struct langfix *f, const char *text)
{
	struct strb b = { 0 };
	struct unit *u;
	int r;

	f->src = (struct source){ .name = "t.d", .text = text, .len = strlen(text) };
	r = lang_parse(f->arena, &f->src, &f->env, &f->diags, &u);
	if (r < 0)
		lang_check_before(f->arena, &u, 1, &f->env, &f->diags);
	else
		r = lang_check(f->arena, &u, 1, &f->env, &f->diags, &f->prog);
	if (r == 0) {
		dprog_dump(&b, f->prog);
		f->dump = strb_take(&b);
	}
	return r;
}

int langfix_run(struct langfix *f, const char *text)
{
	langfix_open(f, true);
	return langfix_compile(f, text);
}

char *langfix_messages(const struct langfix *f)
{
	struct strb b = { 0 };
	const struct diag *g;

	for (g = f->diags.first; g; g = g->next) {
		strb_printf(&b, "[%s] %s\n", g->tag, g->msg);
		if (g->hint)
			strb_printf(&b, "\thint: %s\n", g->hint);
	}
	return strb_take(&b);
}

bool langfix_expect(struct langfix *f, const char *text, const char *tag, const char *says)
{
	char *messages;
	bool ok;

	langfix_compile(f, text);
	messages = langfix_messages(f);
	if (!tag)
		ok = f->dump && !f->diags.nerrors && (!says || strstr(f->dump, says));
	else
		ok = !f->prog && f->diags.first && !strcmp(f->diags.first->tag, tag) &&
		     (!says || strstr(messages, says));
	if (!ok)
		fprintf(stderr, "%.200s: wanted %s \"%s\"\n%s%s", text, tag ? tag : "no error", says ? says : "",
			messages, f->dump ? f->dump : "");
	free(messages);
	langfix_close(f);
	return ok;
}

void langfix_close(struct langfix *f)
{
	free(f->dump);
	arena_free(f->arena);
	typesrc_free(f->ts);
}

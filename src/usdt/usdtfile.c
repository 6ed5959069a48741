/* SPDX-License-Identifier: Apache-2.0 */
/* `dtrace -h` and `dtrace -G`: reads the script, writes what usdt/usdtgen.h makes of it. */
#include "usdt/usdtfile.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/writeall.h"
#include "engine/front/compile.h"
#include "lang/dprog.h"
#include "usdt/usdtgen.h"

static int parse(struct request *c, struct prog_text *p, struct unit **ret)
{
	struct macro_env macros = { .pid = getpid(), .argv = c->argv, .argc = c->argc };
	struct compile_env env = { .macros = &macros, .opts = &c->opts };
	struct strb b = { 0 };
	struct err err = { 0 };
	struct diags d;
	int r = prog_load(c, p);

	if (r)
		return r;
	diags_init(&d, c->arena);
	lang_parse(c->arena, &p->src, &env, &d, ret);
	for (const struct diag *g = d.first; g; g = g->next) {
		strb_reset(&b);
		diag_format(&b, g, c->opts.errtags);
		listener_msg(&c->to, "failed to compile script %s: %s", p->arg, strb_str(&b));
	}
	strb_free(&b);
	if (d.nerrors)
		return -EINVAL;
	r = usdtgen_check(*ret, c->link, &err);
	if (r == USDTGEN_PROGRAM)
		listener_msg(
			&c->to,
			"warning: the program %s is not in the object: dwell's objects have the semaphores of a provider's "
			"probes, and %s declares none",
			p->arg, p->kind == PROG_SCRIPT ? "it" : "this");
	return r < 0 ? listener_fail(&c->to, err.code, "failed to compile script %s: %s", p->arg, err.msg) : 0;
}

static int write_file(const struct request *c, const char *path, const struct strb *b)
{
	_cleanup_close_ int fd = strcmp(path, "-") ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
						   : dup(STDOUT_FILENO);
	int r;

	if (b->failed)
		return listener_fail(&c->to, -ENOMEM, "out of memory");
	if (fd < 0)
		return listener_fail(&c->to, -errno, "failed to open %s: %s", path, strerror(errno));
	r = write_all(fd, b->s, b->n);
	return r < 0 ? listener_fail(&c->to, r, "failed to write %s: %s", path, strerror(-r)) : 0;
}

/* "dir/name.d" gives "name" + suffix; the object of a program without such a name is d.out, as in DTrace. */
static const char *default_output(struct request *c, const char *script, const char *suffix)
{
	const char *base = strrchr(script, '/'), *dot;

	base = base ? base + 1 : script;
	dot = strrchr(base, '.');
	if (c->link && (!dot || strcmp(dot, ".d") != 0 || c->progs.v[0].kind != PROG_SCRIPT))
		return "d.out";
	return arena_printf(c->arena, "%.*s%s", (int)(dot && dot > base ? (size_t)(dot - base) : strlen(base)), base,
			    suffix);
}

/* The objects of -G are only looked at: sys/sdt.h has put in them what is needed. They are for one machine: what is
 * written is for it, too. */
static int check_objects(const struct request *c, bool *ret_is32)
{
	for (int i = 1; i < c->argc; i++) {
		_cleanup_close_ int fd = open(c->argv[i], O_RDONLY | O_CLOEXEC);
		unsigned char ident[EI_NIDENT] = { 0 };
		bool is32;

		if (fd < 0)
			return listener_fail(&c->to, -errno, "failed to open %s: %s", c->argv[i], strerror(errno));
		if (read(fd, ident, sizeof(ident)) < 0)
			return listener_fail(&c->to, -errno, "failed to read %s: %s", c->argv[i], strerror(errno));
		is32 = !memcmp(ident, ELFMAG, SELFMAG) && ident[EI_CLASS] == ELFCLASS32;
		if (i > 1 && is32 != *ret_is32)
			return listener_fail(&c->to, -EINVAL,
					     "%s is of %d bits, %s of %d: one object cannot be linked with both",
					     c->argv[1], is32 ? 64 : 32, c->argv[i], is32 ? 32 : 64);
		*ret_is32 = is32;
	}
	return 0;
}

int usdtfile(struct request *c)
{
	const char *suffix = c->header ? ".h" : ".o", *out;
	struct strb b = { 0 };
	struct unit *u = NULL;
	bool is32 = false;
	int r = 0;

	if (c->link)
		r = check_objects(c, &is32);
	if (r == 0 && (c->progs.n != 1 || (c->header && c->progs.v[0].kind != PROG_SCRIPT)))
		r = listener_fail(&c->to, -EINVAL, "-%c needs one script: -s FILE", c->header ? 'h' : 'G');
	if (r == 0)
		r = parse(c, &c->progs.v[0], &u);
	if (r)
		return r;
	out = c->output ? c->output : default_output(c, c->progs.v[0].arg, suffix);
	if (c->header)
		usdtgen_header(&b, u, c->name, default_output(c, c->progs.v[0].arg, "_h"));
	else
		usdtgen_object(&b, u, is32);
	r = write_file(c, out, &b);
	strb_free(&b);
	return r;
}

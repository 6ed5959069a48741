/* SPDX-License-Identifier: Apache-2.0 */
/* Modules in C: a shared object with commands and walkers, and what dwell does for them. */
#include <dwell-core.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/plain.h"
#include "base/solib.h"
#include "core/module/module.h"
#include "core/native/ctype.h"

#define MAX_WORDS 8 /* of a type */

/* -- what dwell does for modules -- */

static struct shell *of(struct dwell_core *c)
{
	return (struct shell *)c;
}

static int api_read(struct dwell_core *c, uint64_t address, void *buf, size_t bytes)
{
	return core_read(of(c)->core, address, buf, bytes);
}

static int api_address(struct dwell_core *c, const char *name, uint64_t *ret)
{
	return core_address(of(c)->core, name, ret);
}

static int api_member(struct dwell_core *c, const char *type, const char *path, uint64_t *offset, uint64_t *bytes)
{
	struct shell *s = of(c);
	char text[SHELL_MAX_NAME], *words[MAX_WORDS], *save = NULL;
	struct cplace p = { .addr = 0 };
	int n = 0, used, r;

	if (snprintf(text, sizeof(text), "%s", type) >= (int)sizeof(text))
		return -E2BIG;
	for (char *w = strtok_r(text, " ", &save); w && n < MAX_WORDS; w = strtok_r(NULL, " ", &save))
		words[n++] = w;
	r = ctype_parse(s, n, words, &used, &p.type);
	if (r == 0)
		r = cplace_follow(s, &p, path, CPLACE_REFUSE);
	if (r < 0)
		return r;
	*offset = p.addr;
	*bytes = ctype_size(&p.type);
	return 0;
}

__attribute__((format(printf, 2, 3))) static void api_print(struct dwell_core *c, const char *format, ...)
{
	struct shell *s = of(c);
	va_list ap;

	if (s->to)
		return;
	va_start(ap, format);
	strb_vprintf(&s->modules->said, format, ap);
	va_end(ap);
}

static int api_emit(struct dwell_core *c, uint64_t address)
{
	return shell_emit(of(c), address);
}

static bool api_piped(struct dwell_core *c)
{
	return of(c)->to;
}

__attribute__((format(printf, 3, 4))) static int api_fail(struct dwell_core *c, int error, const char *format, ...)
{
	_cleanup_(strb_free) struct strb b = { 0 }, plain = { 0 };
	va_list ap;

	va_start(ap, format);
	strb_vprintf(&b, format, ap);
	va_end(ap);
	plain_part(&plain, strb_str(&b), b.n, false, true);
	return err_set(&of(c)->err, error < 0 ? error : -EIO, "%s", strb_str(&plain));
}

static const struct dwell_core_api api = {
	.version = DWELL_CORE_MODULE_VERSION,
	.read = api_read,
	.address = api_address,
	.member = api_member,
	.print = api_print,
	.emit = api_emit,
	.piped = api_piped,
	.fail = api_fail,
};

/* -- running -- */

/* The text of a command, which dwell writes. */
static void show(struct shell *s)
{
	struct strb *said = &s->modules->said;
	const char *p = strb_str(said), *end = p + said->n;

	if (!s->json) {
		plain_part(&s->text, p, said->n, true, true);
		shell_flush(s);
	}
	while (s->json && p < end) {
		const char *line = memchr(p, '\n', (size_t)(end - p));
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_strn(&w, "text", p, (size_t)((line ? line : end) - p));
		jsonw_end_object(&w);
		jsonw_line(&w);
		p = line ? line + 1 : end;
	}
	strb_reset(said);
}

static int ended(struct shell *s, const char *name, int r)
{
	show(s);
	if (r < 0 && !s->err.code)
		return err_set(&s->err, r, "%s: %s", name, strerror(-r));
	if (r == 0)
		err_done(&s->err); /* of a question that it asked */
	return r < 0 ? r : 0;
}

static int run_command(struct shell *s, const struct dcall *d)
{
	const struct dwell_core_command *c = d->cmd->own;
	const struct dwell_core_call call = { d->has_addr, d->addr, d->argc, d->argv };

	return ended(s, c->name, c->run(&api, (struct dwell_core *)s, &call));
}

static int run_walker(struct shell *s, const struct dcall *d)
{
	const struct dwell_core_walker *w = d->walker->own;
	const struct dwell_core_call call = { d->has_addr, d->addr, 0, NULL };

	return ended(s, w->name, w->run(&api, (struct dwell_core *)s, &call));
}

static void complete(struct shell *s, const struct dcall *d, const char *word, shell_offer *offer, void *to)
{
	const struct dwell_core_command *m = d->cmd->own;
	const struct dwell_core_call call = { d->has_addr, d->addr, 0, NULL };

	if (m->complete)
		m->complete(&api, (struct dwell_core *)s, &call, word, offer, to);
	err_done(&s->err);
}

/* -- loading -- */

static bool is_safe(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Nobody else could have put it there. A folder with the sticky bit is no such: others may put files into it. */
static int check(struct shell *s, const char *path)
{
	_cleanup_free_ char *folder = strdup(path);

	if (!folder)
		return -ENOMEM;
	*strrchr(folder, '/') = '\0';
	if (is_safe(path) && is_safe(*folder ? folder : "/"))
		return 0;
	return err_set(&s->err, -EPERM,
		       "%s is not loaded: it and its folder must belong to you or root, and nobody else may write them",
		       path);
}

static int add_all(struct shell *s, const struct dwell_core_module *m)
{
	int r = 0;

	for (const struct dwell_core_command *c = m->commands; c && c->name && r == 0; c++) {
		const struct dcmd d = { .name = c->name,
					.args = c->arguments ? c->arguments : "",
					.addr = c->wants_address,
					.summary = c->summary ? c->summary : "",
					.help = c->help ? c->help : "",
					.example = c->example,
					.run = run_command,
					.complete = complete,
					.own = c };

		r = c->run ? modules_add_command(s, &d) : err_set(&s->err, -EINVAL, "::%s does nothing", c->name);
	}
	for (const struct dwell_core_walker *w = m->walkers; w && w->name && r == 0; w++) {
		const struct walker d = { w->name, w->summary ? w->summary : "", false, run_walker, w };

		r = w->run ? modules_add_walker(s, &d) : err_set(&s->err, -EINVAL, "walker %s does nothing", w->name);
	}
	return r;
}

int module_load_c(struct shell *s, const char *path)
{
	_cleanup_free_ char *real = realpath(path, NULL);
	const struct dwell_core_module *m;
	void *so;
	int r;

	if (!real)
		return err_set(&s->err, -errno, "%s: %s", path, strerror(errno));
	r = check(s, real);
	if (r < 0)
		return r;
	so = solib_open(real);
	m = so ? solib_sym(so, "dwell_core_module") : NULL;
	if (!so)
		return err_set(&s->err, -ENOEXEC, "%s cannot be loaded: %s", path,
			       solib_advice("it is no shared object of this machine, or needs what is not there"));
	if (!m || m->version != DWELL_CORE_MODULE_VERSION) {
		solib_close(so);
		return m ? err_set(&s->err, -ENOTSUP, "%s is of version %u of modules, this dwell has version %u", path,
				   m->version, DWELL_CORE_MODULE_VERSION)
			 : err_set(&s->err, -ENOENT, "%s has no variable dwell_core_module", path);
	}
	return add_all(s, m); /* it stays loaded: commands are in it */
}

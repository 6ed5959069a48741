/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the rules of causes. The file of -x causes is searched before dlib/causes. */
#include "engine/why.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "engine/request.h"
#include "load/reasons.h"
#include "shelf/shelf.h"

int why_open(struct why *w, const struct dopts *opts, const struct listener *to, struct err *err)
{
	*w = (struct why){ .opts = opts, .to = to };
	if (!opts->causes[0])
		return 0;
	if (causes_new(&w->causes) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return causes_add_file(w->causes, opts->causes, err);
}

void why_done(struct why *w)
{
	causes_free(w->causes);
	w->causes = NULL;
}

/* The rules that are in the binary. They are of names, so the kernel's symbols must be there. */
static int add_inside(struct causes *c, const char *path, struct err *err)
{
	if (access("/proc/kallsyms", F_OK) < 0)
		return err_set(err, -errno, "causes of waits: cannot open /proc/kallsyms: %s%s", strerror(errno),
			       reason_proc());
	for (size_t i = 0; i < shelf_nfiles; i++)
		if (!strcmp(shelf_files[i].path, "causes"))
			return causes_add(c, path, shelf_files[i].text, shelf_files[i].size, err);
	return err_set(err, -ENOENT, "causes of waits: %s is not in this binary", path);
}

int why_read(struct why *w, struct causes **ret, struct err *err)
{
	const char *dir, *path;
	struct arena *a;
	int e;

	*ret = w->causes;
	if (w->tried)
		return *ret ? 0 : err_set(err, -ENOENT, "causes of waits: there are no rules");
	w->tried = true;
	if (!w->causes && causes_new(&w->causes) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	a = arena_new(ARENA_DEFAULT_LIMIT);
	dir = w->opts->syslibdir[0] ? w->opts->syslibdir : libs_dir(a);
	path = arena_printf(a, "%s/causes", dir);
	e = !strcmp(dir, SHELF_INSIDE) ? add_inside(w->causes, path, err) : causes_add_file(w->causes, path, err);
	arena_free(a);
	if (e < 0 && w->opts->causes[0]) {
		listener_msg(w->to, "%s", err->msg);
		err_done(err);
		e = 0;
	}
	if (e < 0)
		why_done(w);
	*ret = w->causes;
	return e;
}

struct causes *why_causes(struct why *w)
{
	struct causes *c;
	struct err err = { 0 };

	if (!w->tried && why_read(w, &c, &err) < 0)
		listener_msg(w->to, "%s", err.msg);
	return w->causes;
}

const char *why_words(void *arg, const char *const *names, size_t n, uint32_t facts, const char **ret_class)
{
	struct causes *c = why_causes(arg);
	struct cause why;

	if (!c || causes_classify(c, names, n, facts, &why) < 0)
		return NULL;
	*ret_class = cause_class_name(why.class);
	return why.words;
}

int why_rules_open(struct why_rules *r, const char *file, const struct listener *to, struct err *err)
{
	r->arena = arena_new(ARENA_DEFAULT_LIMIT);
	dopts_init(&r->opts, r->arena);
	if (file && file[0])
		dopts_set(&r->opts, "causes", file, NULL);
	return why_open(&r->why, &r->opts, to, err);
}

void why_rules_done(struct why_rules *r)
{
	if (!r->arena)
		return;
	why_done(&r->why);
	arena_free(take_ptr(r->arena));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The command ::pystack: the Python frames of a thread, with their variables. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/cmds.h"
#include "core/python/python.h"

#define DEPTH 2 /* lists and cells within each other */

struct saying {
	struct shell *s;
	const struct pyview *p;
	struct jsonw *w; /* NULL: text */
};

static int say_local(void *ctx, const char *name, uint64_t value)
{
	struct saying *x = ctx;
	_cleanup_(strb_free) struct strb b = { 0 };

	pyview_value(x->p, value, DEPTH, &b);
	if (b.failed)
		return -ENOMEM;
	if (x->w)
		jsonw_str(x->w, name, b.s);
	else
		shell_print(x->s, "    %s = %s\n", name, b.s);
	return 0;
}

static int say_frame(struct shell *s, const struct pyview *p, const struct core_thread *t, const struct pyview_frame *f,
		     bool locals)
{
	struct jsonw w = jsonw_to(&s->text);
	struct saying x = { s, p, s->json ? &w : NULL };
	char text[RT_MAX_TEXT] = "(its code object is damaged)";
	struct rt_function fn = { 0 };
	int r = 0;

	if (s->to)
		return shell_emit(s, f->at);
	(void)pyview_text(p, f, text, sizeof(text));
	(void)rt_text_functions(text, &fn, 1);
	if (s->json) {
		jsonw_object(&w, NULL);
		jsonw_i64(&w, "tid", t->tid);
		jsonw_strf(&w, "frame", "%" PRIx64, f->at);
		jsonw_strf(&w, "function", "%.*s", (int)fn.name_len, fn.name);
		jsonw_strf(&w, "file", "%.*s", (int)fn.file_len, fn.file ? fn.file : "");
		jsonw_u64(&w, "line", fn.line);
		if (locals)
			jsonw_object(&w, "locals");
	} else {
		shell_print(s, "%016" PRIx64 " %s\n", f->at, text);
	}
	if (locals)
		r = pyview_locals(p, f, say_local, &x);
	if (s->json) {
		if (locals)
			jsonw_end_object(&w);
		jsonw_end_object(&w);
		jsonw_line(&w);
	} else if (r < 0 && r != -ENOMEM) {
		shell_print(s, "    (further variables cannot be read)\n");
	}
	return r == -ENOMEM ? r : 0;
}

int dcmd_pystack(struct shell *s, const struct dcall *d)
{
	const struct core_thread *t;
	pyview_frames f = { 0 };
	uint64_t max = PYVIEW_FRAMES_MAX;
	const char *cut = NULL;
	bool locals = false;
	struct pyview p;
	int r = 0;

	for (int i = 0; i < d->argc && r == 0; i++) {
		if (!strcmp(d->argv[i], "-l"))
			locals = true;
		else if (!strcmp(d->argv[i], "-n"))
			r = shell_option(s, d, &i, PYVIEW_FRAMES_MAX, &max);
		else
			r = shell_refuse(s, "pystack", d->argv[i]);
	}
	if (r == 0)
		r = shell_thread(s, d, &t);
	if (r == 0)
		r = pyview_open(s->core, &p, &s->err);
	if (r < 0)
		return r;
	r = pyview_walk(&p, t->tid, &f, &cut);
	if (r == -ESRCH)
		err_set(&s->err, r, "the interpreter has no thread %x (%d)", (unsigned)t->tid, (int)t->tid);
	else if (r < 0)
		err_set(&s->err, r, "the interpreter's threads cannot be read: %s", strerror(-r));
	else if (!s->json)
		shell_print(s, "thread %x (%d):\n", (unsigned)t->tid, (int)t->tid);
	for (size_t i = 0; i < f.n && i < max && r == 0 && s->error == 0; i++)
		r = say_frame(s, &p, t, &f.v[i], locals);
	if (r == 0 && cut && !s->json)
		shell_print(s, "                 (the stack goes on: %s)\n", cut);
	vec_free(&f);
	return r;
}

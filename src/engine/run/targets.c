/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the command of -c and opens the process of -p. */
#include "engine/run/targets.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "shelf/shelf.h"

static int fail(const struct request *c, int code, struct err *err)
{
	listener_msg(&c->to, "%s", err->msg[0] ? err->msg : strerror(-code));
	err_done(err);
	return code;
}

/* Is it a command of dwell? Messages about the user's programs have DTrace's words. */
static bool is_of_dwell(const struct request *c)
{
	return !c->as_dtrace && (c->own || c->tool || (c->progs.n && shelf_has(c->progs.v[0].arg)));
}

int targets_open(struct targets *t, const struct request *c)
{
	/* of this word alone: it may have to be executed before programs are compiled after all */
	enum target_point at = strcmp(c->opts.evaltime, "exec") ? TARGET_EXEC : TARGET_BEFORE;
	struct err err = { 0 };
	int e = 0;

	t->v = calloc(c->commands.n + c->pids.n + 2, sizeof(*t->v));
	if (!t->v)
		return listener_fail(&c->to, -ENOMEM, "out of memory");
	for (size_t i = 0; i < c->commands.n && e == 0; i++, t->n += e == 0)
		e = target_command(c->commands.v[i], at, &t->v[t->n], &err);
	if (c->words && e == 0) {
		e = target_words(c->words, at, &t->v[t->n], &err);
		t->n += e == 0;
	}
	for (size_t i = 0; i < c->pids.n && e == 0; i++, t->n += e == 0) {
		e = target_process((pid_t)c->pids.v[i], &t->v[t->n], &err);
		if (e == -ESRCH && is_of_dwell(c)) {
			err_done(&err);
			return listener_fail(&c->to, e, "there is no process %ld", c->pids.v[i]);
		}
	}
	return e < 0 ? fail(c, e, &err) : 0;
}

long targets_first(const struct targets *t)
{
	return t->n ? (long)target_pid(t->v[0]) : 0;
}

/* Does a description name probes inside of processes? */
static bool wants_user_probes(const struct request *c, const struct compile_session *w)
{
	for (size_t i = 0; i < c->progs.n; i++)
		for (const struct item *it = w->units[i]->items; it; it = it->next)
			for (const struct pdesc_node *p = it->clause ? it->clause->probes : NULL; p; p = p->next)
				if (registry_is_user(w->reg, &p->desc))
					return true;
	return false;
}

/* True if a description names methods of this process, which has not made its JVM yet. The registry gets these
 * descriptions: their classes are loaded ahead. */
static bool wants_java_of(const struct request *c, const struct compile_session *w, const struct target *t)
{
	char name[32];
	bool any = false;

	snprintf(name, sizeof(name), "java%d", (int)target_pid(t));
	for (size_t i = 0; i < c->progs.n; i++)
		for (const struct item *it = w->units[i]->items; it; it = it->next)
			for (const struct pdesc_node *p = it->clause ? it->clause->probes : NULL; p; p = p->next)
				if (p->desc.prov && !strcmp(p->desc.prov, name)) {
					registry_target_begins(w->reg, &p->desc);
					any = true;
				}
	return any;
}

int targets_advance(const struct targets *t, const struct request *c, const struct compile_session *w)
{
	static const struct {
		const char *name;
		enum target_point to;
	} points[] = { { "exec", TARGET_EXEC },
		       { "preinit", TARGET_PREINIT },
		       { "postinit", TARGET_POSTINIT },
		       { "main", TARGET_MAIN } };
	enum target_point to = TARGET_EXEC;
	struct err err = { 0 };

	if (!c->opts.evaltime[0] && (c->as_dtrace || wants_user_probes(c, w)))
		to = TARGET_MAIN;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(points[i].name, c->opts.evaltime))
			to = points[i].to;
	if (c->opts.evaltime[0] && to == TARGET_EXEC && !c->list && !wants_user_probes(c, w))
		to = TARGET_BEFORE;
	for (size_t i = 0; i < t->n; i++) {
		bool java = target_waits(t->v[i]) && wants_java_of(c, w, t->v[i]);
		int e = target_run_to(t->v[i], w->sym, java ? TARGET_JVM : to, &err);

		if (e < 0)
			return fail(c, e, &err);
	}
	return 0;
}

void targets_free(struct targets *t)
{
	for (size_t i = 0; i < t->n; i++)
		target_free(t->v[i]);
	free(t->v);
	*t = (struct targets){ 0 };
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what shipped programs need of the kernel. */
#include "engine/front/needs.h"
#include <string.h>
#include "base/cleanup.h"
#include "load/probe_caps.h"
#include "load/reasons.h"
#include "load/tracefs.h"

static bool is_shipped(const struct request *c, const struct prog_text *p)
{
	const char *dir = libs_dir(c->arena);
	size_t n = strlen(dir);

	return p->kind == PROG_SCRIPT && !strncmp(p->arg, dir, n) && p->arg[n] == '/';
}

/* "tick-1s", with or without its provider */
static bool is_timer(const struct pdesc *d)
{
	if (d->prov && d->prov[0])
		return !strcmp(d->prov, "profile");
	return d->name && (!strncmp(d->name, "tick-", 5) || !strncmp(d->name, "profile-", 8));
}

static bool has_tp_subsystem(const struct pdesc *d)
{
	return d->prov && !strcmp(d->prov, "sdt") && d->mod && d->mod[0];
}

static bool any_probe(const struct unit *u, bool (*fits)(const struct pdesc *d))
{
	for (const struct item *it = u->items; it; it = it->next)
		for (const struct pdesc_node *p = it->clause ? it->clause->probes : NULL; p; p = p->next)
			if (!p->desc.id && fits(&p->desc))
				return true;
	return false;
}

/* 0 if the list of tracepoints (tracefs, available_events) can be read, else -errno and the reason. */
static int try_tracepoints(struct reason *reason)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = -1;
	struct err err = { 0 };
	size_t len;
	int r = tracefs_open(&fd, &err);

	if (r >= 0)
		r = tracefs_read(fd, "available_events", &text, &len);
	if (r < 0)
		reason_tracefs(r, reason);
	err_done(&err);
	return r;
}

int needs_tracing(const char *btf, bool groups, const struct listener *to)
{
	struct typesrc *ts = NULL;
	struct err err = { 0 };
	struct reason words;
	int e = 0;

	if (caps_programs(&err) < 0)
		e = listener_fail(to, err.code, "cannot trace: %s", err.msg);
	else if (typesrc_open(btf, &ts, NULL) < 0)
		e = listener_fail(to, -EOPNOTSUPP, "%s", reason_types(&words));
	else if (groups && try_tracepoints(&words) < 0)
		e = listener_fail(to, -EOPNOTSUPP, "%s", words.text);
	typesrc_free(ts);
	err_done(&err);
	return e;
}

int needs_check(const struct compile_session *w, const struct request *c)
{
	bool shipped = false, groups = false, timers = false;
	char reason[CAPS_REASON_MAX];
	struct reason words;

	for (size_t i = 0; i < c->progs.n; i++) {
		if (!is_shipped(c, &c->progs.v[i]))
			continue;
		shipped = true;
		groups |= any_probe(w->units[i], has_tp_subsystem);
		timers |= any_probe(w->units[i], is_timer);
	}
	if (shipped && !w->ts)
		return listener_fail(&c->to, -EOPNOTSUPP, "%s", reason_types(&words));
	if (shipped && !caps_reads_kernel())
		return listener_fail(&c->to, -EOPNOTSUPP, "the kernel's memory cannot be read: %s",
				     reason_lockdown(&words));
	if (groups && try_tracepoints(&words) < 0)
		return listener_fail(&c->to, -EOPNOTSUPP, "%s", words.text);
	if (timers && !w->caps.perf_event && !caps_try_timer(reason, sizeof(reason)))
		return listener_fail(&c->to, -EOPNOTSUPP, "timers (profile, tick) cannot be had: %s", reason);
	return 0;
}

void needs_explain(const struct compile_session *w, const struct request *c, const struct diags *d)
{
	struct reason words;

	if (w->ts)
		return;
	for (const struct diag *g = d->first; g; g = g->next)
		if (g->sev == SEV_ERROR && (strstr(g->msg, "BTF") || (g->hint && strstr(g->hint, "BTF"))))
			return;
	listener_msg(&c->to, "%s", reason_types(&words));
}

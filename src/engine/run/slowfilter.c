/* SPDX-License-Identifier: Apache-2.0 */
/* Decides by process, user, control group, unit and container which slow events are shown. */
#include "engine/run/slowfilter.h"
#include <errno.h>
#include <dirent.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "engine/front/cgroupid.h"
#include "engine/front/wanted.h"

/* Moves between control groups, and changes of the user, told by this program of dlib/latency. */
#define MOVES "latency/moves"
#define MOVED "cgroup_attach_task" /* process, tree, path */
#define USER "return"		   /* process, user: of setuid(2) and the like */
#define BORN "sched_process_fork"  /* process: made in another control group than its parent's */

static bool wants_groups(const struct slowfilter *f)
{
	return f->cgroup || f->container || f->unit || f->user;
}

int slowfilter_only(struct slowfilter *f, const char *of, const char *name, struct err *err)
{
	uint64_t uid;

	if (!strcmp(of, "comm")) {
		f->comm = name;
	} else if (!strcmp(of, "cgroup")) {
		f->cgroup = slowfilter_cgroup(f->arena, name);
	} else if (!strcmp(of, "container")) {
		if (!wanted_is_container(name))
			return err_set(err, -EINVAL, WANTED_NO_CONTAINER, name);
		f->container = name;
	} else if (!strcmp(of, "unit")) {
		f->unit = strchr(name, '.') ? name : arena_printf(f->arena, "%s.service", name);
	} else {
		if (!wanted_user(name, &uid))
			return err_set(err, -EINVAL, "there is no user '%s'", name);
		f->user = name;
		f->uid = (uint32_t)uid;
	}
	return 0;
}

void slowfilter_options(const struct slowfilter *f, struct request *c)
{
	const char *const v[][2] = { { "comm", f->comm },
				     { "user", f->user },
				     { "cgroup", f->cgroup },
				     { "container", f->container },
				     { "unit", f->unit } };

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		if (v[i][1])
			request_option(c, v[i][0], v[i][1]);
}

void slowfilter_program(const struct slowfilter *f, struct request *c)
{
	if (wants_groups(f))
		request_shipped(c, MOVES);
}

const char *slowfilter_cgroup(struct arena *a, const char *path)
{
	size_t n = strlen(CGROUPID_ROOT);

	if (!strncmp(path, CGROUPID_ROOT, n) && (path[n] == '/' || !path[n])) {
		path += n;
		/* Version 1: the first folder is that of a controller. */
		if (access(CGROUPID_ROOT "/cgroup.controllers", F_OK) < 0 && path[0] == '/')
			path += 1 + strcspn(path + 1, "/");
	}
	return path[0] == '/' ? path : arena_printf(a, "/%s", path);
}

/* A group that nobody is in is mostly a mistake in writing. */
static bool has_anybody(const struct slowfilter *f)
{
	DIR *d = opendir("/proc");
	const struct dirent *e;
	bool found = !d;

	while (d && !found && (e = readdir(d))) {
		uint64_t pid;

		found = num_parse_u64(e->d_name, &pid) == 0 && pid <= UINT32_MAX &&
			process_filter_has(f->process_filter, (uint32_t)pid);
	}
	if (d)
		closedir(d);
	return found;
}

int slowfilter_read(struct slowfilter *f, struct err *err)
{
	struct process_filter_want w = { .root = f->root,
					 .cgroup = f->cgroup,
					 .container = f->container,
					 .unit = f->unit,
					 .of_user = f->user != NULL,
					 .uid = f->uid };

	if (!f->root && !wants_groups(f))
		return 0;
	if (process_filter_new(&w, true, &f->process_filter) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

int slowfilter_open(struct slowfilter *f, const struct listener *to, struct err *err)
{
	int e = slowfilter_read(f, err);

	if (e < 0)
		return e;
	if (wants_groups(f) && !f->told && !f->root && !has_anybody(f))
		listener_msg(to, "no process is %s %s now; its events are shown when there is one",
			     f->cgroup	    ? "in cgroup"
			     : f->container ? "in container"
			     : f->unit	    ? "in unit"
					    : "of user",
			     f->cgroup	    ? f->cgroup
			     : f->container ? f->container
			     : f->unit	    ? f->unit
					    : f->user);
	return 0;
}

int slowfilter_exists(const struct slowfilter *f, struct err *err)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct dopts o = { .comm = "", .user = "", .cgroup = f->cgroup, .container = "", .unit = "" };
	const char *reason = NULL;

	if (!f->cgroup || !wanted_sees_groups() || wanted_text(f->arena, &o, &b, &reason) == 0)
		return 0;
	return err_set(err, -EINVAL, "%s", reason);
}

int slowfilter_somebody(struct slowfilter *f, struct err *err)
{
	int e = f->container || f->unit ? slowfilter_read(f, err) : 0;
	bool nobody = e == 0 && f->process_filter && !has_anybody(f);

	process_filter_free(f->process_filter);
	f->process_filter = NULL;
	if (nobody)
		return err_set(err, -EINVAL, "no process is in %s %s now", f->container ? "container" : "unit",
			       f->container ? f->container : f->unit);
	return e;
}

static uint32_t number(const struct recact *act, const struct row *row)
{
	uint32_t v = 0;

	memcpy(&v, (const uint8_t *)row->data + act->fields[0].off, sizeof(v));
	return v;
}

bool slowfilter_row(struct slowfilter *f, const struct rec_schema *s, const struct row *row)
{
	const struct rec_probe *p;
	const struct recfmt *fmt;

	if (!f->process_filter)
		return false;
	process_filter_until(f->process_filter, row->kind == ROW_EVENT ? row->ts : 0);
	if (row->kind != ROW_EVENT || !wants_groups(f) || row->id < 1 || row->id > s->nfmts)
		return false;
	p = rec_schema_probe(s, row->probe);
	fmt = s->fmts[row->id - 1];
	if (p && !strcmp(p->name, MOVED) && fmt->nacts == 3 && fmt->acts[2].fields[0].kind == FLD_STRING)
		process_filter_moved(f->process_filter, number(&fmt->acts[0], row), number(&fmt->acts[1], row),
				     (const char *)row->data + fmt->acts[2].fields[0].off);
	else if (p && !strcmp(p->name, USER) && !strcmp(p->prov, "syscall") && fmt->nacts == 2)
		process_filter_user(f->process_filter, number(&fmt->acts[0], row), number(&fmt->acts[1], row));
	else if (p && !strcmp(p->name, BORN) && fmt->nacts == 1 && fmt->acts[0].kind == ACT_TRACE)
		process_filter_look(f->process_filter, number(&fmt->acts[0], row));
	else
		return false;
	return true;
}

bool slowfilter_any(const struct slowfilter *f)
{
	return f->comm || f->root || wants_groups(f);
}

bool slowfilter_matches(struct slowfilter *f, const struct slow_event *e)
{
	if (f->comm && strcmp(f->comm, e->fixed.comm) != 0)
		return false;
	if (!f->process_filter)
		return true;
	process_filter_until(f->process_filter,
			     e->fixed.start + e->fixed.delay); /* asked before its row is given: flight recorder */
	return process_filter_has(f->process_filter, e->fixed.pid);
}

void slowfilter_done(struct slowfilter *f, const struct listener *to)
{
	if (f->process_filter && process_filter_lost(f->process_filter))
		listener_msg(
			to,
			"%llu forks and ends of processes were not seen: events of processes that have ended since may be missing",
			(unsigned long long)process_filter_lost(f->process_filter));
	process_filter_free(f->process_filter);
	f->process_filter = NULL;
}

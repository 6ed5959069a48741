/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the D expression of the variable wanted. A control group is looked up once, at compile time, and then known by
 * its id and its level. So groups below it match as well, at the cost of two memory reads in the kernel. A unit is
 * known by its name at that level, since it gets a new group when it restarts. */
#include "engine/front/wanted.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include "base/cleanup.h"
#include "base/near.h"
#include "base/num.h"
#include "engine/front/cgroupid.h"

#define COMM_LEN 15 /* of a command's name in the kernel */
#define ID_LEN 64   /* of a container's id */
#define ID_MIN 8    /* digits of it that are given: fewer may mean several */
#define NOBODY_YET "no process is in %s %s now; its events are shown when there is one"
#define DEPTH_MAX 32		   /* of folders of control groups that are searched */
#define SYSTEM_UNIT_LEVEL 2	   /* /system.slice/NAME.service */
#define CURTHREAD "curthread"	   /* how the group of a tree begins, which wanted_tree() tells */
#define INIT_NAMESPACE 0xEFFFFFFBu /* Source: kernel include/uapi/linux/nsfs.h, CGROUP_NS_INIT_INO */

/* A control group that was found. */
struct group {
	const char *of; /* D: a thread's control group of this tree */
	uint64_t id;
	unsigned level;
};

struct search {
	struct arena *a;
	const char *name; /* exactly this; or part of the name */
	bool part;
	const char *of;
	struct group found[WANTED_GROUPS_MAX];
	size_t n;
};

/* How D says things of the thread that is asked about. */
struct whom {
	const char *head; /* of the inline */
	const char *thread, *comm, *uid, *target, *container;
};
static const struct whom askable[] = {
	{ "inline int wanted", CURTHREAD, "execname", "uid", "progenyof($target)", "container" },
	{ "inline int wanted_of[struct task_struct *T]", "T", "stringof(T->comm)", "T->cred->uid.val",
	  "task_below[T, $target]", "container_of[T]" },
};

bool wanted_any(const struct dopts *o)
{
	return o->comm[0] || o->user[0] || o->cgroup[0] || o->container[0] || o->unit[0];
}

void wanted_string(struct strb *b, const char *s, size_t max)
{
	strb_addc(b, '"');
	for (size_t i = 0; s[i] && i < max; i++)
		if (isalnum((unsigned char)s[i]) || strchr(" _.-/:@", s[i]))
			strb_addc(b, s[i]);
		else
			strb_printf(b, "\\%03o", (unsigned char)s[i]);
	strb_addc(b, '"');
}

/* By /etc/passwd alone, as dwell ps does it: the static build cannot load libraries. */
bool wanted_user(const char *name, uint64_t *ret)
{
	_cleanup_fclose_ FILE *f = NULL;
	const struct passwd *p;

	if (num_parse_u64(name, ret) == 0)
		return *ret <= UINT32_MAX;
	f = fopen("/etc/passwd", "re");
	while (f && (p = fgetpwent(f)))
		if (!strcmp(p->pw_name, name)) {
			*ret = p->pw_uid;
			return true;
		}
	return false;
}

/* -- control groups -- */

const char *wanted_tree(struct arena *a, size_t i, const char **ret_of)
{
	/* Name of the mount; of the controller in the kernel. */
	static const char *const controllers[][2] = { { "memory", "memory" },  { "cpu,cpuacct", "cpu" },
						      { "cpu", "cpu" },	       { "cpuacct", "cpuacct" },
						      { "pids", "pids" },      { "blkio", "io" },
						      { "cpuset", "cpuset" },  { "devices", "devices" },
						      { "freezer", "freezer" } };
	struct statfs fs;

	if (i < 2) {
		const char *dir = i ? CGROUPID_ROOT "/unified" : CGROUPID_ROOT;

		*ret_of = CURTHREAD "->cgroups->dfl_cgrp";
		return statfs(dir, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC ? dir : "";
	}
	if (i - 2 >= ARRAY_SIZE(controllers))
		return NULL;
	*ret_of = arena_printf(a, CURTHREAD "->cgroups->subsys[%s_cgrp_id]->cgroup", controllers[i - 2][1]);
	return arena_printf(a, "%s/%s", CGROUPID_ROOT, controllers[i - 2][0]);
}

static void add_group(struct search *s, const char *path, unsigned level)
{
	struct stat st;

	if (s->n < WANTED_GROUPS_MAX && stat(path, &st) == 0)
		s->found[s->n++] = (struct group){ s->of, st.st_ino, level };
}

/* Folders of a name, below this one, which is at that level. */
static void search_dir(struct search *s, const char *dir, unsigned level)
{
	DIR *d = level < DEPTH_MAX ? opendir(dir) : NULL;
	const struct dirent *e;

	while (d && s->n < WANTED_GROUPS_MAX && (e = readdir(d))) {
		const char *path;

		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		path = arena_printf(s->a, "%s/%s", dir, e->d_name);
		if (s->part ? strstr(e->d_name, s->name) != NULL : !strcmp(e->d_name, s->name))
			add_group(s, path, level + 1); /* what is below it counts as well */
		else
			search_dir(s, path, level + 1);
	}
	if (d)
		closedir(d);
}

/* The first tree that has any. */
static void search_name(struct search *s)
{
	const char *dir;

	for (size_t i = 0; s->n == 0 && (dir = wanted_tree(s->a, i, &s->of)); i++)
		if (*dir)
			search_dir(s, dir, 0);
}

static unsigned levels(const char *path)
{
	unsigned n = 0;

	for (; *path; path++)
		n += *path == '/' && path[1] && path[1] != '/';
	return n;
}

/* "/sys/fs/cgroup/a", "/a" or "a". */
static void search_path(struct search *s, const char *path)
{
	bool whole = !strncmp(path, CGROUPID_ROOT "/", strlen(CGROUPID_ROOT "/"));
	const char *dir;

	for (size_t i = 0; s->n == 0 && (dir = wanted_tree(s->a, i, &s->of)); i++) {
		size_t n = strlen(dir);

		if (n && !whole)
			add_group(s, arena_printf(s->a, "%s/%s", dir, path + strspn(path, "/")),
				  levels(arena_printf(s->a, "/%s", path + strspn(path, "/"))));
		else if (n && !strncmp(path, dir, n) && path[n] == '/')
			add_group(s, path, levels(path + n));
	}
}

const char *wanted_of_thread(struct arena *a, const char *of, const char *thread)
{
	return arena_printf(a, "%s%s", thread, of + strlen(CURTHREAD));
}

static void put_groups(struct strb *b, const struct search *s, const struct whom *w, bool by_name)
{
	for (size_t i = 0; i < s->n; i++) {
		strb_printf(b, "%s%s[%s, %u, ", i ? " || " : " && (", by_name ? "cgroup_named" : "cgroup_below",
			    wanted_of_thread(s->a, s->found[i].of, w->thread), s->found[i].level);
		if (by_name)
			wanted_string(b, s->name, NAME_MAX);
		else
			strb_printf(b, "%lluULL", (unsigned long long)s->found[i].id);
		strb_addc(b, ']');
	}
	if (s->n)
		strb_addc(b, ')');
}

bool wanted_sees_groups(void)
{
	struct stat st;

	return stat("/proc/self/ns/cgroup", &st) < 0 || st.st_ino == INIT_NAMESPACE;
}

/* The user, control group, container and unit that the options name, looked up once for all inlines. */
struct sought {
	uint64_t uid;
	struct search cgroup, container, unit;
};

/* Finds the group with the nearest last name. *path: its path below the tree. */
static void near_dir(struct arena *a, const char *dir, const char *below, unsigned level, struct near *m,
		     const char **path)
{
	DIR *d = level < DEPTH_MAX ? opendir(dir) : NULL;
	const struct dirent *e;

	while (d && (e = readdir(d))) {
		const char *before = m->best, *name, *sub;

		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		name = arena_strdup(a, e->d_name);
		sub = arena_printf(a, "%s/%s", below, name);
		near_try(m, name);
		if (m->best != before)
			*path = sub;
		near_dir(a, arena_printf(a, "%s/%s", dir, name), sub, level + 1, m, path);
	}
	if (d)
		closedir(d);
}

/* NULL: none is near. */
static const char *nearest(struct arena *a, const char *path)
{
	char *want = arena_strdup(a, path);
	const char *dir, *of, *ret = NULL;
	struct near m;

	while (want[0] && want[strlen(want) - 1] == '/')
		want[strlen(want) - 1] = '\0';
	near_init(&m, strrchr(want, '/') ? strrchr(want, '/') + 1 : want);
	for (size_t i = 0; (dir = wanted_tree(a, i, &of)); i++)
		if (*dir)
			near_dir(a, dir, "", 0, &m, &ret);
	return ret;
}

static int find_cgroup(struct arena *a, const char *path, struct search *ret, const char **ret_reason)
{
	const char *near;

	*ret = (struct search){ .a = a };
	search_path(ret, path);
	if (ret->n)
		return 0;
	near = nearest(a, path);
	*ret_reason = arena_printf(a, "there is no control group '%s' below %s%s%s%s", path, CGROUPID_ROOT,
				   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return -EINVAL;
}

bool wanted_is_container(const char *id)
{
	size_t n = strlen(id);

	return n >= ID_MIN && n <= ID_LEN && strspn(id, "0123456789abcdef") == n;
}

static int find_container(struct arena *a, const char *id, struct search *ret, const char **ret_reason)
{
	*ret = (struct search){ .a = a, .name = id, .part = true };
	if (!wanted_is_container(id)) {
		*ret_reason = arena_printf(a, WANTED_NO_CONTAINER, id);
		return -EINVAL;
	}
	search_name(ret);
	if (ret->n == 0)
		*ret_reason = arena_printf(a, NOBODY_YET, "container", id);
	return 0;
}

static void find_unit(struct arena *a, const char *unit, struct search *ret, const char **ret_note)
{
	*ret = (struct search){ .a = a, .name = strchr(unit, '.') ? unit : arena_printf(a, "%s.service", unit) };
	search_name(ret);
	if (ret->n == 0) {
		*ret_note = arena_printf(a, NOBODY_YET, "unit", ret->name);
		ret->n = 1;
		ret->found[0] = (struct group){ .of = CURTHREAD "->cgroups->dfl_cgrp", .level = SYSTEM_UNIT_LEVEL };
	}
}

static int find(struct arena *a, const struct dopts *o, struct sought *ret, const char **ret_reason)
{
	int e = 0;

	if (o->user[0] && !wanted_user(o->user, &ret->uid)) {
		*ret_reason = arena_printf(a, "there is no user '%s'", o->user);
		return -EINVAL;
	}
	if ((o->cgroup[0] || o->container[0] || o->unit[0]) && !wanted_sees_groups()) {
		*ret_reason = "this is a namespace of control groups of its own: where a group stands among all "
			      "cannot be seen; run it on the host, or with the host's namespace";
		return -EINVAL;
	}
	if (o->cgroup[0])
		e = find_cgroup(a, o->cgroup, &ret->cgroup, ret_reason);
	if (e == 0 && o->container[0])
		e = find_container(a, o->container, &ret->container, ret_reason);
	if (e == 0 && o->unit[0])
		find_unit(a, o->unit, &ret->unit, ret_reason);
	return e;
}

static void put_wanted(const struct dopts *o, const struct sought *s, const struct whom *w, struct strb *b)
{
	strb_printf(b, "%s = (!$target || %s)", w->head, w->target);
	if (o->comm[0]) {
		strb_printf(b, " && %s == ", w->comm);
		wanted_string(b, o->comm, COMM_LEN);
	}
	if (o->user[0])
		strb_printf(b, " && %s == %llu", w->uid, (unsigned long long)s->uid);
	if (o->cgroup[0])
		put_groups(b, &s->cgroup, w, false);
	if (o->container[0])
		put_groups(b, &s->container, w, false);
	/* One that is not there yet is known by its id, as soon as it is. */
	if (o->container[0] && s->container.n == 0)
		strb_printf(b, " && substr(%s, 0, %zu) == \"%s\"", w->container, strlen(o->container), o->container);
	if (o->unit[0])
		put_groups(b, &s->unit, w, true);
	strb_adds(b, ";\n");
}

int wanted_text(struct arena *a, const struct dopts *o, struct strb *b, const char **ret_reason)
{
	struct sought s = { 0 };
	int e = find(a, o, &s, ret_reason);

	for (size_t i = 0; e == 0 && i < ARRAY_SIZE(askable); i++)
		put_wanted(o, &s, &askable[i], b);
	return e;
}

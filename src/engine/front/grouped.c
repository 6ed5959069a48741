/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the D text of grouped.h. BPF reads the name of a group at the event, since the group may be gone when a table
 * is printed. */
#include "engine/front/grouped.h"
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "engine/front/wanted.h"

#define NAME_LEN 31   /* of a user's name */
#define ID_SHOWN "12" /* digits of a container's id, as engines show it */
/* D: a container's id as it is shown. */
#define CONTAINER_SHOWN(id) id " == \"\" ? \"-\" : substr(" id ", 0, " ID_SHOWN ")"

static bool has_groups(const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d)))
		found = e->d_type == DT_DIR && e->d_name[0] != '.';
	if (d)
		closedir(d);
	return found;
}

/* The tree that is in use: the first with a group below its root. */
static const char *used_tree(struct arena *a)
{
	const char *of = NULL, *first = NULL, *dir;

	for (size_t i = 0; (dir = wanted_tree(a, i, &of)); i++) {
		if (*dir && has_groups(dir))
			return of;
		if (*dir && !first)
			first = of;
	}
	return first;
}

/* By /etc/passwd alone: see wanted.c. */
static void put_users(struct strb *b)
{
	_cleanup_fclose_ FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *p;

	strb_adds(b, "inline string user_name[uint32_t U] = ");
	for (size_t i = 0; f && i < GROUPED_USERS_MAX && (p = fgetpwent(f)); i++) {
		strb_printf(b, "U == %u ? ", (unsigned)p->pw_uid);
		wanted_string(b, p->pw_name, NAME_LEN);
		strb_adds(b, " : ");
	}
	strb_adds(b, "\"-\";\n");
}

/* of: the name of any thread T. */
static void put(struct strb *b, const char *id, const char *name, const char *of, const char *id_head, const char *head)
{
	strb_printf(b, "inline string group_name_of[struct task_struct *T] = %s;\n", of);
	strb_printf(b,
		    "inline int64_t group_id = %s;\ninline string group_name = %s;\n"
		    "inline string group_id_head = \"%s\";\ninline string group_head = \"%s\";\n",
		    id, name, id_head, head);
}

/* The container of any thread. */
static void put_container_of(struct arena *a, struct strb *b)
{
	const char *of = used_tree(a);

	strb_printf(b, "inline string container_of[struct task_struct *T] = cgroup_container(%s);\n",
		    wanted_of_thread(a, of ? of : "curthread->cgroups->dfl_cgrp", "T"));
}

bool grouped_knows(const char *by)
{
	static const char *const names[] = { "container", "cgroup", "unit", "user" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(by, names[i]))
			return true;
	return false;
}

int grouped_text(struct arena *a, const struct dopts *o, struct strb *b, const char **ret_reason)
{
	const char *of, *of_t;

	/* The search for the tree in use takes time, so it is made for options about containers only. */
	if (o->container[0] || !strcmp(o->by, "container"))
		put_container_of(a, b);
	if (!o->by[0]) {
		put(b, "pid", "execname", "\"\"", "PID", "COMMAND");
		strb_adds(b, "inline string group_prefix = \"\";\n");
		return 0;
	}
	if (!grouped_knows(o->by)) {
		*ret_reason = arena_printf(a, "'%s' is none of " GROUPED_NAMES, o->by);
		return -EINVAL;
	}
	strb_adds(b, "inline string group_prefix = strjoin(group_name, \" \");\n");
	if (!strcmp(o->by, "user")) {
		put_users(b);
		put(b, "uid", "user_name[uid]", "user_name[T->cred->uid.val]", "UID", "USER");
		return 0;
	}
	of = used_tree(a);
	if (!of || !wanted_sees_groups()) {
		*ret_reason =
			of ? "this is a namespace of control groups of its own: names of groups cannot be told; run it on "
			     "the host, or with the host's namespace"
			   : "there are no control groups to group by";
		return -EINVAL;
	}
	of_t = wanted_of_thread(a, of, "T");
	if (!strcmp(o->by, "container"))
		put(b, arena_printf(a, "cgroup_container_id[%s, container]", of), CONTAINER_SHOWN("container"),
		    CONTAINER_SHOWN("container_of[T]"), "ID", "CONTAINER");
	else if (!strcmp(o->by, "cgroup"))
		put(b, arena_printf(a, "%s->kn->id", of), arena_printf(a, "cgroup_path[%s]", of),
		    arena_printf(a, "cgroup_path[%s]", of_t), "ID", "CGROUP");
	else
		put(b, arena_printf(a, "cgroup_unit_id[%s]", of), arena_printf(a, "cgroup_unit[%s]", of),
		    arena_printf(a, "cgroup_unit[%s]", of_t), "ID", "UNIT");
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the control groups and reads memory.stat of those that have a memory limit. */
#include "engine/run/refaults.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "engine/front/cgroupid.h"

#define DEPTH_MAX 16
#define GROUPS_MAX 256	     /* with a limit */
#define FOLDERS_MAX 1024     /* that are looked at, twice a second */
#define NO_LIMIT (1LL << 62) /* version 1: from there on there is none */

struct search {
	struct strb *out;
	const char *top;
	bool v2;
	unsigned groups, folders;
};

static FILE *open_in(const char *dir, const char *name)
{
	char path[4096];

	return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path) ? fopen(path, "re") : NULL;
}

/* "max" is no number. */
static bool has_limit(const char *dir, const char *name)
{
	FILE *f = open_in(dir, name);
	long long limit;
	bool has = f && fscanf(f, "%lld", &limit) == 1 && limit < NO_LIMIT;

	if (f)
		fclose(f);
	return has;
}

/* In version 1 the sum over the groups below stands in lines "total_…". Before Linux 5.9 pages of files and of swap
 * were one number, without "_file". */
static bool read_stat(const struct search *s, const char *dir, unsigned long long *ret)
{
	FILE *f = open_in(dir, "memory.stat");
	const char *prefix = s->v2 ? "workingset_refault" : "total_workingset_refault";
	const size_t k = strlen(prefix);
	char name[64];
	unsigned long long n;
	bool any = false;

	*ret = 0;
	while (f && fscanf(f, "%63s %llu", name, &n) == 2)
		if (!strncmp(name, prefix, k) && (!name[k] || !strcmp(name + k, "_file"))) {
			*ret = n;
			any = true;
		}
	if (f)
		fclose(f);
	return any;
}

static void look_at(struct search *s, const char *dir)
{
	const char *path = dir + strlen(s->top);
	unsigned long long n;

	if (strpbrk(path, " \t\n") || /* not in one word */
	    !(s->v2 ? has_limit(dir, "memory.max") || has_limit(dir, "memory.high")
		    : has_limit(dir, "memory.limit_in_bytes")) ||
	    !read_stat(s, dir, &n))
		return;
	s->groups++;
	strb_printf(s->out, "refaults.%s %llu\n", path, n);
}

static void walk(struct search *s, const char *dir, unsigned depth)
{
	DIR *d = depth < DEPTH_MAX ? opendir(dir) : NULL;
	const struct dirent *e;
	char path[4096];

	while (d && s->groups < GROUPS_MAX && s->folders < FOLDERS_MAX && (e = readdir(d))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s", dir, e->d_name) >= (int)sizeof(path))
			continue;
		s->folders++;
		look_at(s, path);
		walk(s, path, depth + 1);
	}
	if (d)
		closedir(d);
}

void refaults_read(struct strb *b, const char *root)
{
	char top[256];
	struct search s = { .out = b, .top = top };

	snprintf(top, sizeof(top), "%s" CGROUPID_ROOT "/cgroup.controllers", root);
	s.v2 = access(top, F_OK) == 0;
	snprintf(top, sizeof(top), "%s" CGROUPID_ROOT "%s", root, s.v2 ? "" : "/memory");
	walk(&s, top, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps names of cgroups by id, and finds the service, container and pod of each. */
#include "daemon/cgroups.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash_try.h"
#include "daemon/podfiles.h"

struct entry {
	UT_hash_handle hh;
	uint64_t id;
	struct cgroup_names names;
	bool seen;	/* by the look that goes on */
	uint64_t until; /* it was not there, and is not looked for before that; 0: it is there */
};

struct cgroups {
	char root[CGROUPS_PATH];
	struct entry *entries; /* by id */
	unsigned n, looked_at;
	uint64_t next; /* look */
};

/* -- paths -- */

#define ID_DIGITS 64

static size_t hex_run(const char *s)
{
	return strspn(s, "0123456789abcdef");
}

/* The container's name between a prefix and a suffix of a part of the path. */
static void take_named(const char *part, size_t n, struct cgroup_ids *ret)
{
	static const struct {
		const char *before, *after;
	} forms[] = { { "lxc.payload.", "" }, { "systemd-nspawn@", ".service" }, { "machine-", ".scope" } };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		size_t b = strlen(forms[i].before), a = strlen(forms[i].after);

		if (n <= a + b || strncmp(part, forms[i].before, b) != 0 ||
		    strncmp(part + n - a, forms[i].after, a) != 0 || n - a - b >= sizeof(ret->container))
			continue;
		snprintf(ret->container, sizeof(ret->container), "%.*s", (int)(n - a - b), part + b);
		ret->named = true;
	}
}

/* "pod<uid>", "kubepods-burstable-pod<uid>.slice": in slices the dashes of a uid are underlines. */
static void take_pod(const char *part, size_t n, struct cgroup_ids *ret)
{
	const char *at = NULL;
	size_t k = 0;

	for (size_t i = 0; i + 3 < n; i++)
		if (!strncmp(part + i, "pod", 3) && (i == 0 || part[i - 1] == '-'))
			at = part + i + 3;
	if (!at)
		return;
	for (; at < part + n && k + 1 < sizeof(ret->pod) && (isxdigit((unsigned char)*at) || strchr("-_", *at)); at++)
		ret->pod[k++] = *at == '_' ? '-' : *at;
	ret->pod[k] = '\0';
	if (k < 32 || (at < part + n && strncmp(at, ".slice", 6) != 0)) /* 36, or 32 of pods from files */
		ret->pod[0] = '\0';
}

void cgroup_parse(const char *path, struct cgroup_ids *ret)
{
	*ret = (struct cgroup_ids){ 0 };
	while (*path) {
		size_t n = strcspn(path, "/");
		const char *id = path;

		/* "docker-<id>.scope", "cri-containerd-<id>.scope", "<id>", "crio-<id>" */
		while (id < path + n && hex_run(id) != ID_DIGITS)
			id += hex_run(id) ? hex_run(id) : 1;
		if (id < path + n && (id == path || id[-1] == '-') && strncmp(path, "crio-conmon-", 12) != 0 &&
		    strncmp(path, "libpod-conmon-", 14) != 0) {
			snprintf(ret->container, sizeof(ret->container), "%.*s", ID_DIGITS, id);
			ret->named = false;
		} else if (!strncmp(path, "kubepods", 8) || !strncmp(path, "pod", 3)) {
			take_pod(path, n, ret);
		} else {
			take_named(path, n, ret);
		}
		path += n + (path[n] == '/');
	}
}

/* -- the hierarchy -- */

static void name_it(const struct cgroups *c, struct cgroup_names *names)
{
	struct cgroup_ids ids;

	cgroup_parse(names->path, &ids);
	if (ids.named)
		snprintf(names->container, sizeof(names->container), "%s", ids.container);
	else if (ids.container[0] || ids.pod[0])
		podfiles_find(c->root, &ids, names);
	if (ids.container[0] && !names->container[0])
		snprintf(names->container, sizeof(names->container), "%.12s", ids.container);
}

static struct entry *add(struct cgroups *c, uint64_t id)
{
	struct entry *e = c->n < CGROUPS_MAX ? calloc(1, sizeof(*e)) : NULL;

	if (!e)
		return NULL;
	e->id = id;
	HASH_ADD(hh, c->entries, id, sizeof(e->id), e);
	if (!e->hh.tbl) {
		free(e);
		return NULL;
	}
	c->n++;
	return e;
}

static void note(struct cgroups *c, uint64_t id, const char *path)
{
	struct entry *e;

	HASH_FIND(hh, c->entries, &id, sizeof(id), e);
	if (!e || e->until) {
		e = e ? e : add(c, id);
		if (!e)
			return;
		e->until = 0;
		snprintf(e->names.path, sizeof(e->names.path), "%s", *path ? path : "/");
		name_it(c, &e->names);
	}
	e->seen = true;
}

/* The folder of this path after `base`, and those below. */
static void walk(struct cgroups *c, const char *base, const char *path, unsigned depth)
{
	char full[2 * CGROUPS_PATH];
	const struct dirent *d;
	struct stat st;
	DIR *dir;

	if (depth > CGROUPS_DEPTH || c->looked_at++ >= CGROUPS_MAX ||
	    snprintf(full, sizeof(full), "%s%s", base, path) >= (int)sizeof(full))
		return;
	dir = opendir(full);
	if (!dir)
		return;
	if (fstat(dirfd(dir), &st) == 0)
		note(c, st.st_ino, path);
	while ((d = readdir(dir))) {
		char below[CGROUPS_PATH];

		if (d->d_type == DT_DIR && d->d_name[0] != '.' &&
		    snprintf(below, sizeof(below), "%s/%s", path, d->d_name) < (int)sizeof(below))
			walk(c, base, below, depth + 1);
	}
	closedir(dir);
}

static void look(struct cgroups *c, uint64_t now)
{
	char base[CGROUPS_PATH + 32];
	struct entry *e, *next;

	HASH_ITER (hh, c->entries, e, next)
		e->seen = false;
	c->looked_at = 0;
	snprintf(base, sizeof(base), "%s/sys/fs/cgroup/unified", c->root); /* beside the hierarchies of version 1 */
	if (access(base, F_OK) != 0)
		snprintf(base, sizeof(base), "%s/sys/fs/cgroup", c->root);
	walk(c, base, "", 0);
	HASH_ITER (hh, c->entries, e, next)
		if (!e->seen && e->until <= now) {
			HASH_DEL(c->entries, e);
			free(e);
			c->n--;
		}
}

struct cgroups *cgroups_new(const char *root)
{
	struct cgroups *c = calloc(1, sizeof(*c));

	if (c)
		snprintf(c->root, sizeof(c->root), "%s", root);
	return c;
}

void cgroups_free(struct cgroups *c)
{
	struct entry *e, *next;

	if (!c)
		return;
	HASH_ITER (hh, c->entries, e, next) {
		HASH_DEL(c->entries, e);
		free(e);
	}
	free(c);
}

const struct cgroup_names *cgroups_find(struct cgroups *c, uint64_t id, uint64_t now)
{
	struct entry *e;

	HASH_FIND(hh, c->entries, &id, sizeof(id), e);
	if (!e && now >= c->next) {
		uint64_t begun = clock_ns(CLOCK_MONOTONIC), pause;

		look(c, now);
		pause = CGROUPS_LOOK_SHARE * (clock_ns(CLOCK_MONOTONIC) - begun);
		c->next = now + (pause > CGROUPS_LOOK_NS ? pause : CGROUPS_LOOK_NS);
		HASH_FIND(hh, c->entries, &id, sizeof(id), e);
		if (!e && (e = add(c, id))) /* it has gone: others should not be looked for in vain because of it */
			e->until = now + CGROUPS_GONE_NS;
	}
	return e && !e->until ? &e->names : NULL;
}

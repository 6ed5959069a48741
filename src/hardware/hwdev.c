/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the devices of this machine and their drivers from sysfs. */
#include "hardware/hwdev.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"

struct reading {
	struct arena *a;
	VEC(struct hwdev) v;
	size_t left_out;
};

/* The last part of what a link leads to; NULL. */
static const char *link_name(struct arena *a, const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	const char *slash;

	if (n <= 0)
		return NULL;
	target[n] = '\0';
	slash = strrchr(target, '/');
	return arena_strdup(a, slash ? slash + 1 : target);
}

static const char *first_line(struct arena *a, const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	if (!f || getline(&line, &cap, f) <= 0)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return *line ? arena_strdup(a, line) : NULL;
}

/* A device that ACPI describes is often driven as a device of another bus, its physical node. */
static void find_driver(struct arena *a, const char *dir, struct hwdev *d)
{
	static const char *const ways[] = { "driver", "physical_node/driver" };

	for (size_t i = 0; i < ARRAY_SIZE(ways) && !d->driver; i++) {
		d->driver = link_name(a, arena_printf(a, "%s/%s", dir, ways[i]));
		d->module = link_name(a, arena_printf(a, "%s/%s/module", dir, ways[i]));
	}
}

static int read_bus(struct reading *r, const char *root, enum hwbus bus)
{
	const char *dir = arena_printf(r->a, "%s/bus/%s/devices", root, hwbus_name(bus));
	DIR *d = opendir(dir);
	struct dirent *e;
	int x = 0;

	while (d && x == 0 && (e = readdir(d))) {
		if (e->d_name[0] != '.' && r->v.n >= HWDEV_MAX) {
			r->left_out++;
			continue;
		}
		const char *path = arena_printf(r->a, "%s/%s", dir, e->d_name);
		struct hwdev h = { .bus = bus, .modalias = first_line(r->a, arena_printf(r->a, "%s/modalias", path)) };

		if (e->d_name[0] == '.' || !h.modalias)
			continue;
		h.name = arena_strdup(r->a, e->d_name);
		hwalias_ids(h.modalias, &h.vendor, &h.device);
		find_driver(r->a, path, &h);
		x = vec_try_push(&r->v, h);
	}
	if (d)
		closedir(d);
	return x;
}

static int by_name(const void *a, const void *b)
{
	const struct hwdev *x = a, *y = b;

	return x->bus != y->bus ? (int)x->bus - (int)y->bus : strcmp(x->name, y->name);
}

int hwdev_read(struct arena *a, const char *root, struct hwdev **ret, size_t *ret_n, size_t *left_out)
{
	struct reading r = { .a = a };
	int e = 0;

	for (unsigned b = 0; b < HW_NBUSES && e == 0; b++)
		e = read_bus(&r, root, (enum hwbus)b);
	if (e == 0) {
		*ret_n = r.v.n;
		*left_out = r.left_out;
		*ret = arena_new_arr(a, struct hwdev, r.v.n + 1);
		if (r.v.n) {
			memcpy(*ret, r.v.v, r.v.n * sizeof(*r.v.v));
			qsort(*ret, r.v.n, sizeof(**ret), by_name);
		}
	}
	vec_free(&r.v);
	return e;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Parses pci.ids and usb.ids, and looks names up. */
#include "hardware/hwids.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

#define LINE 1024
#define DIGITS 4
#define NO_DEVICE 0x10000u /* a vendor's own name */

struct name {
	uint64_t key; /* vendor << 32 | device */
	const char *text;
};

struct hwids {
	struct name *v;
	size_t n, left_out;
};

static int by_key(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* "1af4  Name". False: it is something else. */
static bool parse(const char *s, uint32_t *id, const char **text)
{
	char *end;

	if (strspn(s, "0123456789abcdefABCDEF") != DIGITS || s[DIGITS] != ' ')
		return false;
	*id = (uint32_t)strtoul(s, &end, 16);
	*text = end + strspn(end, " ");
	return true;
}

/* Lines of subsystems begin with two tabs; classes and the like, after the vendors, with letters. */
static void take_line(struct arena *a, struct hwids *ids, const char *line, int64_t *vendor)
{
	const char *text;
	uint32_t id;
	bool device = line[0] == '\t';

	if (line[0] == '#' || !line[0] || line[1] == '\t')
		return;
	if (!parse(line + device, &id, &text)) {
		*vendor = device ? *vendor : -1;
		return;
	}
	if (!device)
		*vendor = id;
	if (*vendor < 0)
		return;
	if (ids->n >= HWIDS_MAX) {
		ids->left_out++;
		return;
	}
	ids->v[ids->n++] = (struct name){ (uint64_t)*vendor << 32 | (device ? id : NO_DEVICE), arena_strdup(a, text) };
}

int hwids_read(struct arena *a, const char *path, struct hwids **ret)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ struct name *v = calloc(HWIDS_MAX, sizeof(*v));
	struct hwids ids = { .v = v };
	int64_t vendor = -1;
	char line[LINE];

	if (!f)
		return -errno;
	if (!v)
		return -ENOMEM;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\r\n")] = '\0';
		take_line(a, &ids, line, &vendor);
	}
	if (ferror(f))
		return -EIO;
	qsort(v, ids.n, sizeof(*v), by_key);
	ids.v = arena_new_arr(a, struct name, ids.n + 1);
	memcpy(ids.v, v, ids.n * sizeof(*v));
	*ret = arena_memdup(a, &ids, sizeof(ids));
	return 0;
}

static const char *find(const struct hwids *ids, uint64_t key)
{
	const struct name wanted = { .key = key };
	const struct name *n = ids && ids->n ? bsearch(&wanted, ids->v, ids->n, sizeof(wanted), by_key) : NULL;

	return n ? n->text : NULL;
}

size_t hwids_left_out(const struct hwids *ids)
{
	return ids ? ids->left_out : 0;
}

const char *hwids_vendor(const struct hwids *ids, uint32_t vendor)
{
	return find(ids, (uint64_t)vendor << 32 | NO_DEVICE);
}

const char *hwids_device(const struct hwids *ids, uint32_t vendor, uint32_t device)
{
	return find(ids, (uint64_t)vendor << 32 | device);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads modules.alias and finds the modules that support a device. */
#include "hardware/hwalias.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"

#define ALIAS ".alias="

static const char *const names[HW_NBUSES] = { "pci", "usb", "virtio", "acpi" };

struct reading {
	struct arena *a;
	VEC(struct hwalias) v;
	size_t left_out;
};

const char *hwbus_name(enum hwbus b)
{
	return b < HW_NBUSES ? names[b] : "?";
}

enum hwbus hwbus_of(const char *alias)
{
	for (unsigned b = 0; b < HW_NBUSES; b++) {
		size_t n = strlen(names[b]);

		if (!strncmp(alias, names[b], n) && (alias[n] == ':' || (b == HW_ACPI && alias[n] == '*')))
			return (enum hwbus)b;
	}
	return HW_NBUSES;
}

/* The letter and a number of `digits` hexadecimal digits at *s, which moves after them. A * stands for any number. */
static uint32_t number(const char **s, char letter, size_t digits)
{
	char text[16] = "";

	if (**s != letter)
		return HW_ANY;
	++*s;
	if (strspn(*s, "0123456789abcdefABCDEF") < digits) { /* letters after the number may be digits, too */
		*s += **s == '*';
		return HW_ANY;
	}
	memcpy(text, *s, digits);
	*s += digits;
	return (uint32_t)strtoul(text, NULL, 16);
}

void hwalias_ids(const char *alias, uint32_t *vendor, uint32_t *device)
{
	const char *s = strchr(alias, ':');

	*vendor = *device = HW_ANY;
	if (!s++)
		return;
	switch (hwbus_of(alias)) {
	case HW_PCI: /* v00008086d0000100Esv… */
		*vendor = number(&s, 'v', 8);
		*device = number(&s, 'd', 8);
		break;
	case HW_USB: /* v046DpC52Bd… */
		*vendor = number(&s, 'v', 4);
		*device = number(&s, 'p', 4);
		break;
	case HW_VIRTIO: /* d00000001v* */
		*device = number(&s, 'd', 8);
		*vendor = number(&s, 'v', 8);
		break;
	default: break;
	}
}

static int add(struct reading *r, const char *pattern, const char *module, bool builtin)
{
	struct hwalias h = { .bus = hwbus_of(pattern), .builtin = builtin };

	if (h.bus == HW_NBUSES)
		return 0;
	if (r->v.n >= HWALIAS_MAX) {
		r->left_out++;
		return 0;
	}
	h.pattern = arena_strdup(r->a, pattern);
	h.module = arena_strdup(r->a, module);
	hwalias_ids(pattern, &h.vendor, &h.device);
	return vec_try_push(&r->v, h);
}

/* "alias PATTERN MODULE" */
static int read_aliases(struct reading *r, FILE *f)
{
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	int e = 0;

	while (e == 0 && getline(&line, &cap, f) > 0) {
		char *save = NULL, *word = strtok_r(line, " \n", &save), *pattern = strtok_r(NULL, " \n", &save);
		char *module = strtok_r(NULL, " \n", &save);

		if (word && module && !strcmp(word, "alias"))
			e = add(r, pattern, module, false);
	}
	return e;
}

/* "MODULE.alias=PATTERN", ended by zeros. */
static int read_builtin(struct reading *r, FILE *f)
{
	_cleanup_free_ char *item = NULL;
	size_t cap = 0;
	int e = 0;

	while (e == 0 && getdelim(&item, &cap, '\0', f) > 0) {
		char *at = strstr(item, ALIAS);

		if (!at)
			continue;
		*at = '\0';
		e = add(r, at + strlen(ALIAS), item, true);
	}
	return e;
}

int hwalias_read(struct arena *a, const char *dir, struct hwaliases *ret, struct err *err)
{
	struct reading r = { .a = a };
	const char *path = arena_printf(a, "%s/modules.alias", dir);
	_cleanup_fclose_ FILE *aliases = fopen(path, "re");
	_cleanup_fclose_ FILE *builtin = NULL;
	int e = aliases ? 0 : -errno;

	if (!aliases)
		return err_set(err, e,
			       "cannot read %s: %s; it is where a kernel's modules are installed (depmod makes it)",
			       path, strerror(-e));
	builtin = fopen(arena_printf(a, "%s/modules.builtin.modinfo", dir), "re");
	e = read_aliases(&r, aliases);
	if (e == 0 && builtin) /* since Linux 5.2 */
		e = read_builtin(&r, builtin);
	if (e == 0) {
		ret->n = r.v.n;
		ret->left_out = r.left_out;
		ret->v = arena_new_arr(a, struct hwalias, r.v.n + 1);
		if (r.v.n)
			memcpy(ret->v, r.v.v, r.v.n * sizeof(*r.v.v));
	} else {
		err_set(err, e, "out of memory");
	}
	vec_free(&r.v);
	return e;
}

const struct hwalias *hwalias_find(const struct hwaliases *t, const char *modalias)
{
	enum hwbus bus = hwbus_of(modalias);

	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].bus == bus && fnmatch(t->v[i].pattern, modalias, 0) == 0)
			return &t->v[i];
	return NULL;
}

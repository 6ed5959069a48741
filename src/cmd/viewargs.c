/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever asks has no privileges, and what it asks is not trusted: names and keys are looked up, values become part of
 * one argument, "--key=value", and nothing else of the text is used. */
#include "cmd/viewargs.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include "base/cleanup.h"

#define FIXED_MAX 8

struct view {
	const char *name, *keys;
	const char *args[FIXED_MAX];
};

static const struct view views[] = {
#define VIEW(name, type, keys, save, ...) { name, " " keys " ", { __VA_ARGS__ } },
#include "serve/view.def"
#undef VIEW
};

struct values {
	const char *from, *to, *before_from, *before_to;
};

static const struct view *find(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(views); i++)
		if (!strcmp(views[i].name, name))
			return &views[i];
	return NULL;
}

static bool takes(const struct view *v, const char *key)
{
	char want[32];

	if (strlen(key) + 3 > sizeof(want))
		return false;
	snprintf(want, sizeof(want), " %s ", key);
	return strstr(v->keys, want) != NULL;
}

static bool can_compare(const struct view *v)
{
	return v->args[0] && (!strcmp(v->args[0], "flame") || !strcmp(v->args[0], "latency"));
}

struct building {
	struct arena *a;
	struct viewargs *ret;
	size_t n;
};

static int add(struct building *b, char *arg)
{
	if (b->n == VIEWARGS_MAX)
		return -EINVAL;
	b->ret->argv[b->n++] = arg;
	b->ret->argv[b->n] = NULL;
	return 0;
}

static int add_value(struct building *b, const char *key, const char *value)
{
	return value ? add(b, arena_printf(b->a, "--%s=%s", key, value)) : 0;
}

/* One line of the text: a key and its value. */
static int take_line(struct building *b, const struct view *v, char *line, struct values *t)
{
	char *value = strchr(line, '=');

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	if (can_compare(v) && !strcmp(line, "other"))
		b->ret->other = value;
	else if (can_compare(v) && !strcmp(line, "before_from"))
		t->before_from = value;
	else if (can_compare(v) && !strcmp(line, "before_to"))
		t->before_to = value;
	else if (!takes(v, line))
		return -EINVAL;
	else if (!strcmp(line, "from"))
		t->from = value;
	else if (!strcmp(line, "to"))
		t->to = value;
	else
		return add_value(b, line, value);
	return 0;
}

/* Times stand in front of the recording that they are of. */
static int add_files(struct building *b, const struct values *t, char *path, char *other_path)
{
	int e = 0;

	if (b->ret->compare) {
		if (!strcmp(b->ret->argv[1], "flame"))
			e = add(b, (char *)(uintptr_t)"--differential");
		if (e == 0)
			e = add_value(b, "from", t->before_from);
		if (e == 0)
			e = add_value(b, "to", t->before_to);
		if (e == 0)
			e = add(b, b->ret->other ? other_path : path);
	}
	if (e == 0)
		e = add_value(b, "from", t->from);
	if (e == 0)
		e = add_value(b, "to", t->to);
	return e == 0 ? add(b, path) : e;
}

int viewargs_make(struct arena *a, char *text, char *path, char *other_path, struct viewargs *ret)
{
	struct building b = { a, ret, 0 };
	struct values t = { 0 };
	const struct view *v;
	char *save = NULL;
	int e = 0;

	*ret = (struct viewargs){ .source = strtok_r(text, "\n", &save) };
	v = find(strtok_r(NULL, "\n", &save));
	if (!ret->source || !v)
		return -EINVAL;
	ret->raw = !v->args[0];
	e = add(&b, (char *)(uintptr_t)"dwell");
	for (size_t i = 0; e == 0 && i < FIXED_MAX && v->args[i]; i++)
		e = add(&b, (char *)(uintptr_t)v->args[i]);
	for (char *line; e == 0 && (line = strtok_r(NULL, "\n", &save));)
		e = take_line(&b, v, line, &t);
	ret->compare = ret->other || t.before_from || t.before_to;
	return e == 0 && !ret->raw ? add_files(&b, &t, path, other_path) : e;
}

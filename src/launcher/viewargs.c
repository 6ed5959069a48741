/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever asks has no privileges, and what it asks is not trusted: names and keys are looked up, values become part of
 * one argument, "--key=value", and nothing else of the text is used. */
#include "launcher/viewargs.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include "base/cleanup.h"
#include "serve/serve.h"

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
	const char *from, *to, *before_from, *before_to, *name, *other_name;
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

static bool makes(const struct view *v, const char *command)
{
	return !strcmp(v->args[0], command);
}

static bool can_compare(const struct view *v)
{
	return makes(v, "flame") || makes(v, "latency") || makes(v, "hist");
}

/* Distributions have the same stretch of time of each recording, or several. */
static bool can_shift(const struct view *v)
{
	return can_compare(v) && !makes(v, "hist");
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
	else if (can_compare(v) && !strcmp(line, SERVE_VIEW_NAME))
		t->name = value;
	else if (can_compare(v) && !strcmp(line, SERVE_VIEW_OTHER_NAME))
		t->other_name = value;
	else if (can_shift(v) && !strcmp(line, "before_from"))
		t->before_from = value;
	else if (can_shift(v) && !strcmp(line, "before_to"))
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
static int add_files(struct building *b, const struct view *v, const struct values *t, char *path, char *other_path)
{
	int e = 0;

	if (b->ret->other && makes(v, "hist")) {
		e = add_value(b, "name", t->other_name ? t->other_name : b->ret->other);
		if (e == 0)
			e = add_value(b, "name", t->name ? t->name : b->ret->source);
		if (e == 0)
			e = add(b, other_path);
	} else if (b->ret->compare) {
		if (makes(v, "flame"))
			e = add(b, (char *)(uintptr_t) "--differential");
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
	ret->file = !strcmp(v->name, SERVE_VIEW_FILE);
	e = add(&b, (char *)(uintptr_t) "dwell");
	for (size_t i = 0; e == 0 && i < FIXED_MAX && v->args[i]; i++)
		e = add(&b, (char *)(uintptr_t)v->args[i]);
	for (char *line; e == 0 && (line = strtok_r(NULL, "\n", &save));)
		e = take_line(&b, v, line, &t);
	ret->compare = ret->other || t.before_from || t.before_to;
	return e == 0 ? add_files(&b, v, &t, path, other_path) : e;
}

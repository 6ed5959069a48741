/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the command line of a view from a request of the server. The server has no privileges, and its request is not
 * trusted. Names and keys are looked up, values become part of one argument, "--key=value". No other part of the text
 * is used. */
#include "launcher/viewargs.h"
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include "base/cleanup.h"
#include "engine/views.h"
#include "serve/serve.h"

struct values {
	const char *from, *to, *before_from, *before_to, *name, *other_name;
};

/* The view, and the form of it, that is asked for so; NULL: there is none. */
static const struct view *find(const char *name, const struct view_form **ret_form)
{
	for (const struct view *const *v = all_views; name && *v; v++)
		for (const struct view_form *f = (*v)->forms; f->name; f++)
			if (f->served && !strcmp(f->served, name)) {
				*ret_form = f;
				return *v;
			}
	return NULL;
}

static bool takes(const struct view *v, const char *key)
{
	return view_asked(v, key) || (v->title && !strcmp(key, "title"));
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
	if (v->compares && !strcmp(line, "other"))
		b->ret->other = value;
	else if (v->compares && !strcmp(line, SERVE_VIEW_NAME))
		t->name = value;
	else if (v->compares && !strcmp(line, SERVE_VIEW_OTHER_NAME))
		t->other_name = value;
	else if (v->compares == VIEW_BEFORE_AFTER && !strcmp(line, "before_from"))
		t->before_from = value;
	else if (v->compares == VIEW_BEFORE_AFTER && !strcmp(line, "before_to"))
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

	if (b->ret->other && v->compares == VIEW_NAMED) {
		e = add_value(b, "name", t->other_name ? t->other_name : b->ret->other);
		if (e == 0)
			e = add_value(b, "name", t->name ? t->name : b->ret->source);
		if (e == 0)
			e = add(b, other_path);
	} else if (b->ret->compare) {
		if (v->compare_option)
			e = add(b, (char *)(uintptr_t)v->compare_option);
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

/* "dwell", the command, and the option of the form. */
static int add_command(struct building *b, const struct view *v, const struct view_form *f)
{
	int e = add(b, (char *)(uintptr_t) "dwell");

	for (size_t i = 0; e == 0 && v->words[i]; i++)
		e = add(b, (char *)(uintptr_t)v->words[i]);
	if (e == 0 && v->formats)
		e = add_value(b, "format", f->name);
	else if (e == 0 && f->help)
		e = add(b, arena_printf(b->a, "--%s", f->name));
	return e;
}

int viewargs_make(struct arena *a, char *text, char *path, char *other_path, struct viewargs *ret)
{
	struct building b = { a, ret, 0 };
	struct values t = { 0 };
	const struct view *v;
	const struct view_form *form = NULL;
	char *save = NULL;
	int e;

	*ret = (struct viewargs){ .source = strtok_r(text, "\n", &save) };
	v = find(strtok_r(NULL, "\n", &save), &form);
	if (!ret->source || !v)
		return -EINVAL;
	ret->file = !strcmp(form->served, VIEW_FILE);
	e = add_command(&b, v, form);
	for (char *line; e == 0 && (line = strtok_r(NULL, "\n", &save));)
		e = take_line(&b, v, line, &t);
	ret->compare = ret->other || t.before_from || t.before_to;
	return e == 0 ? add_files(&b, v, &t, path, other_path) : e;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Follows paths of properties, and completes them. */
#include "core/jscmd/follow.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/walk.h"

#define MAX_NAME 1024u
#define MAX_PROTOTYPES 64u
#define QUOTES "\"'"

struct looking {
	const struct js *js;
	const char *name; /* n bytes of it */
	size_t n;
	bool number; /* it is an index */
	uint64_t index;
	struct js_member *ret;
	bool accessor;
};

static int key_name(const struct js *js, uint64_t key, struct strb *b)
{
	int r = 0;

	if (js_type(js, key) == js->o.type_symbol) {
		if (!js_is_private(js, key))
			return -ENOENT;
		r = js_word(js, key, js->o.symbol_name, &key);
	}
	if (r == 0 && !js_is_string(js, js_type(js, key)))
		r = -ENOENT;
	return r < 0 ? r : js_string_text(js, key, MAX_NAME, b, NULL);
}

static int is_it(void *ctx, const struct js_prop *p)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct looking *l = ctx;

	if (!p->key) {
		if (!l->number || p->index != l->index)
			return 0;
	} else if (key_name(l->js, p->key, &b) < 0 || b.n != l->n || memcmp(strb_str(&b), l->name, l->n) != 0) {
		return 0;
	}
	*l->ret = (struct js_member){ p->value, p->is_double, p->number };
	l->accessor = p->accessor;
	return WALK_END;
}

static int is_entry(void *ctx, uint64_t key, uint64_t value)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct looking *l = ctx;

	if (v8_is_smi(key)
		    ? !l->number || v8_smi(key) < 0 || (uint64_t)v8_smi(key) != l->index
		    : !js_is_string(l->js, js_type(l->js, key)) || js_string_text(l->js, key, MAX_NAME, &b, NULL) < 0 ||
			      b.n != l->n || memcmp(strb_str(&b), l->name, l->n) != 0)
		return 0;
	*l->ret = (struct js_member){ .value = value };
	return WALK_END;
}

/* The member of an object, or of one of its prototypes. */
static int member(const struct js *js, uint64_t object, struct looking *l)
{
	uint64_t map;
	int r = 0;

	for (unsigned i = 0; i < MAX_PROTOTYPES && r == 0; i++) {
		const int type = v8_is_object(object) ? js_type(js, object) : -1;

		if (!js_is_receiver(js, type))
			return -ENOENT;
		if (type == js->o.type_map_object)
			r = js_entries(js, object, true, is_entry, l);
		if (r == 0)
			r = js_properties(js, object, is_it, l);
		if (r == 0)
			r = js_word(js, object, 0, &map);
		if (r == 0)
			r = js_word(js, map, js->o.map_prototype, &object);
	}
	return r == WALK_END ? 0 : r < 0 ? r : -ENOENT;
}

/* The next part of a path: a name, [number] or ["text"]. *p goes after it; false: it is none. */
static bool take_part(const char **p, struct looking *l)
{
	const char *q = *p, *end;
	char *after;

	*l = (struct looking){ .js = l->js, .ret = l->ret };
	if (*q == '.')
		q++;
	if (*q != '[') {
		l->name = q;
		l->n = strcspn(q, ".[");
		*p = q + l->n;
		return l->n;
	}
	q++;
	if (*q && strchr(QUOTES, *q)) {
		end = strchr(q + 1, *q);
		if (!end || end[1] != ']')
			return false;
		l->name = q + 1;
		l->n = (size_t)(end - q - 1);
		*p = end + 2;
		return true;
	}
	l->name = q;
	l->n = strcspn(q, "]");
	l->index = strtoull(q, &after, 10);
	l->number = after == q + l->n && l->n;
	*p = q + l->n + 1;
	return q[l->n] == ']' && l->n;
}

int js_follow(struct shell *s, const struct js *js, uint64_t object, const char *path, struct js_member *ret)
{
	struct looking l = { .js = js, .ret = ret };
	const char *p = path;
	int r = 0;

	*ret = (struct js_member){ .value = object };
	while (*p && r == 0) {
		const struct js_member at = *ret;

		if (!take_part(&p, &l))
			return err_set(&s->err, -EINVAL, "'%s' is no path: a.b[2].c", path);
		r = at.is_double ? -ENOENT : member(js, at.value, &l);
		if (r == 0 && l.accessor)
			r = -ENODATA;
	}
	if (r == -ENODATA)
		return err_set(&s->err, r, "%.*s of %s is what a function of it gives", (int)l.n, l.name, path);
	if (r == -ENOENT)
		return err_set(&s->err, r, "there is no %.*s, of %s", (int)l.n, l.name, path);
	return r < 0 ? err_set(&s->err, r, "the object at %" PRIx64 " is not whole in memory", object - V8_TAG) : 0;
}

/* -- completion -- */

struct offering {
	const struct js *js;
	const char *before; /* n bytes */
	size_t n;
	shell_offer *offer;
	void *to;
};

static int offer_one(void *ctx, const struct js_prop *p)
{
	_cleanup_(strb_free) struct strb name = { 0 }, b = { 0 };
	const struct offering *o = ctx;

	if (!p->key || key_name(o->js, p->key, &name) < 0 || !name.n || strpbrk(strb_str(&name), ".[] |!\"'"))
		return 0;
	strb_add(&b, o->before, o->n);
	strb_adds(&b, strb_str(&name));
	if (!b.failed)
		o->offer(o->to, strb_str(&b));
	return 0;
}

void js_follow_complete(struct shell *s, uint64_t object, const char *word, shell_offer *offer, void *to)
{
	const char *dot = strrchr(word, '.');
	char path[MAX_NAME];
	struct js_member m;
	struct js *js;

	if (shell_js(s, &js) < 0 || !(object = shell_object(js, object)) || strlen(word) >= sizeof(path))
		return;
	snprintf(path, sizeof(path), "%.*s", dot ? (int)(dot - word) : 0, word);
	if (js_follow(s, js, object, path, &m) == 0 && !m.is_double && v8_is_object(m.value) &&
	    js_is_receiver(js, js_type(js, m.value)))
		js_properties(js, m.value, offer_one,
			      &(struct offering){ js, word, dot ? (size_t)(dot + 1 - word) : 0, offer, to });
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Initialises and frees a request. */
#include "engine/request.h"
#include <stdlib.h>
#include <limits.h>
#include <string.h>
#include "base/cleanup.h"
#include "shelf/shelf.h"

void request_init(struct request *c, const char *name, const struct listener *to)
{
	*c = (struct request){ .arena = arena_new(ARENA_DEFAULT_LIMIT), .to = *to, .name = name, .argc = 1 };
	dopts_init(&c->opts, c->arena);
	c->argv = arena_new_arr(c->arena, const char *, 2);
	c->argv[0] = name;
	c->argv[1] = NULL;
}

void request_done(struct request *c)
{
	vec_free(&c->progs);
	vec_free(&c->commands);
	vec_free(&c->pids);
	vec_free(&c->given);
	arena_free(c->arena);
}

void request_prog(struct request *c, enum prog_kind kind, const char *arg)
{
	struct prog_text p = { .kind = kind, .arg = arg };

	vec_push(&c->progs, p);
}

static const char *shipped_path(const struct request *c, const char *name)
{
	return arena_printf(c->arena, "%s/%s.d", libs_dir(c->arena), name);
}

void request_shipped(struct request *c, const char *name)
{
	request_prog(c, PROG_SCRIPT, shipped_path(c, name));
}

bool request_has_shipped(const struct request *c, const char *name)
{
	return shelf_has(shipped_path(c, name));
}

void request_option(struct request *c, const char *name, const char *value)
{
	int e = dopts_set(&c->opts, name, value, NULL);

	if (e < 0)
		listener_msg(&c->to, "failed to set -x %s: %s", name, strerror(-e));
}

void request_param(struct request *c, const char *name, const char *value)
{
	const struct param_given g = { .name = name, .value = arena_strdup(c->arena, value) };

	vec_push(&c->given, g);
}

unsigned request_one_in(const struct request *c)
{
	static const char end[] = "_one_in";
	unsigned most = 1;

	for (size_t i = 0; i < c->given.n; i++) {
		const char *name = c->given.v[i].name;
		size_t n = strlen(name), k = sizeof(end) - 1;
		unsigned long v = n > k && !strcmp(name + n - k, end) ? strtoul(c->given.v[i].value, NULL, 10) : 0;

		if (v > most && v <= UINT_MAX)
			most = (unsigned)v;
	}
	return most;
}

const char *libs_dir(struct arena *a)
{
	return shelf_dir(a);
}

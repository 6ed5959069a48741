/* SPDX-License-Identifier: Apache-2.0 */
#include "hosts/hostline.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/optrow.h"
#include "cmdline/opts.h"
#include "engine/front/compile.h"

enum host_option { HOST_PLACE, HOST_TEXT, HOST_FLAG, HOST_TIME };

static const struct row_of {
	const char *name;
	enum host_option kind;
	size_t at; /* in struct fleet_opts */
} rows[] = {
	{ "host", HOST_PLACE, 0 },
	{ "by-host", HOST_FLAG, offsetof(struct fleet_opts, by_host) },
	{ "separate", HOST_FLAG, offsetof(struct fleet_opts, separate) },
	{ "host-sudo", HOST_FLAG, offsetof(struct fleet_opts, sudo) },
	{ "host-remove", HOST_FLAG, offsetof(struct fleet_opts, forget) },
	{ "host-timeout", HOST_TIME, offsetof(struct fleet_opts, patience) },
	{ "host-binary", HOST_TEXT, offsetof(struct fleet_opts, binary) },
	{ "ssh-config", HOST_TEXT, offsetof(struct fleet_opts, config) },
};

/* The row of "--NAME" or "--NAME=VALUE"; NULL: the word is another option, or none. */
static const struct row_of *find(const char *word)
{
	size_t n = strcspn(word, "=");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (n == strlen(rows[i].name) + 2 && !strncmp(word, "--", 2) && !strncmp(word + 2, rows[i].name, n - 2))
			return &rows[i];
	return NULL;
}

bool hostline_is(const char *word)
{
	return find(word) != NULL;
}

static int set(const struct row_of *row, const char *value, struct fleet_opts *o, struct err *err)
{
	void *member = (char *)o + row->at;

	switch (row->kind) {
	case HOST_FLAG: *(bool *)member = true; return 0;
	case HOST_TEXT: *(const char **)member = value; return 0;
	case HOST_TIME: return optrow_time(row->name, value, FLEET_PATIENCE_MIN, member, err);
	default: break;
	}
	if (o->nplaces >= FLEET_HOSTS_MAX)
		return err_set(err, -EINVAL, "--host: %d hosts at most", FLEET_HOSTS_MAX);
	o->places[o->nplaces++] = value;
	return 0;
}

int hostline_read(int argc, char **argv, struct fleet_opts *o, int *ret, struct err *err)
{
	const struct row_of *row;
	int at = 1, e = 0;

	while (e == 0 && at < argc && (row = find(argv[at]))) {
		const char *eq = strchr(argv[at++], '='), *value = eq ? eq + 1 : NULL;
		bool flag = row->kind == HOST_FLAG;

		if (flag && eq) {
			at--;
			break;
		}
		if (!flag && !eq) {
			if (at >= argc)
				return err_set(err, CMDLINE_USAGE,
					       "--host and its like take an argument, such as --host ssh:web1");
			value = argv[at++];
		}
		e = set(row, value, o, err);
	}
	*ret = at;
	return e;
}

int hostline_texts(struct request *c, struct wire_request *r)
{
	r->texts = arena_new_arr(c->arena, char *, c->progs.n + 1);
	r->sizes = arena_new_arr(c->arena, size_t, c->progs.n + 1);
	for (size_t i = 0; i < c->progs.n; i++) {
		_cleanup_(strb_free) struct strb b = { 0 };
		int e;

		if (c->progs.v[i].kind != PROG_SCRIPT)
			continue;
		e = prog_read(c, &c->progs.v[i], &b);
		if (e)
			return e;
		r->texts[r->ntexts] = arena_strndup(c->arena, "", 0);
		if (b.n) {
			r->texts[r->ntexts] = arena_alloc(c->arena, b.n + 1);
			memcpy(r->texts[r->ntexts], b.s, b.n);
		}
		r->sizes[r->ntexts++] = b.n;
	}
	return 0;
}

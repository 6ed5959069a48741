/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file of a fleet's members. */
#include "fleet/run/access.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "fleet/run/policy.h"

#define LINE_BYTES 2048
#define BLANKS " \t\r\n"

static const char *const kinds[ACCESS_NKINDS] = {
	[ACCESS_HOST] = "host", [ACCESS_USER] = "user",	    [ACCESS_COLLECT] = "collect",
	[ACCESS_INIT] = "init", [ACCESS_READER] = "reader", [ACCESS_WRITER] = "writer"
};

static bool is_name(const char *s)
{
	char token[BUS_NAME_MAX + 1];

	return s && bus_token(s, token);
}

static bool is_sum(const char *s)
{
	return s && strlen(s) == ACCESS_SUM_LEN && strspn(s, "0123456789abcdef") == ACCESS_SUM_LEN;
}

/* No quotes and no control characters: it becomes a text of nats-server's configuration. */
static bool take_path(const char *s, char *ret, size_t size)
{
	return s && strlen(s) < size && !strpbrk(s, "\"'\\$") && snprintf(ret, size, "%s", s) > 0;
}

/* "acme/default/web-1" */
static int take_place(struct access_member *m, char *place)
{
	char *site = place ? strchr(place, '/') : NULL, *host = site ? strchr(site + 1, '/') : NULL;

	if (!host)
		return -EINVAL;
	*site++ = *host++ = '\0';
	if (!is_name(place) || !is_name(site) || !is_name(host))
		return -EINVAL;
	m->tenant = strdup(place);
	m->site = strdup(site);
	m->name = strdup(host);
	return m->tenant && m->site && m->name ? 0 : -ENOMEM;
}

static int take_text(const char *s, char **ret)
{
	if (!is_name(s))
		return -EINVAL;
	*ret = strdup(s);
	return *ret ? 0 : -ENOMEM;
}

static int take_words(struct access_member *m, char **words)
{
	int e = 0;

	if (m->kind < ACCESS_READER && (!words[1] || nkey_read(words[1], m->key) < 0))
		return -EINVAL;
	switch (m->kind) {
	case ACCESS_HOST: return words[3] ? -EINVAL : take_place(m, words[2]);
	case ACCESS_USER: return words[3] ? -EINVAL : take_text(words[2], &m->tenant);
	case ACCESS_COLLECT:
		if (!words[2])
			return 0;
		return words[3] || !is_name(words[2]) ? -EINVAL : take_text(words[2], &m->tenant);
	case ACCESS_INIT: return words[2] ? -EINVAL : 0;
	case ACCESS_READER:
	case ACCESS_WRITER: break;
	case ACCESS_NKINDS: return -EINVAL;
	}
	/* The name becomes an element of XML. */
	if (!words[1] || !strchr("abcdefghijklmnopqrstuvwxyz", words[1][0]) || strchr(words[1], '.'))
		return -EINVAL;
	e = take_text(words[1], &m->name);
	if (e == 0 && m->kind == ACCESS_READER)
		e = take_text(words[2], &m->tenant);
	words += m->kind == ACCESS_READER ? 3 : 2;
	if (e < 0 || !is_sum(*words) || words[1])
		return e < 0 ? e : -EINVAL;
	memcpy(m->sum, *words, ACCESS_SUM_LEN);
	return 0;
}

static void member_free(struct access_member *m)
{
	free(m->tenant);
	free(m->site);
	free(m->name);
}

/* A key that stands twice would have the rights of both; a name that stands twice, two keys. */
static bool stands(const struct access *a, const struct access_member *m)
{
	for (size_t i = 0; i < a->members.n; i++) {
		const struct access_member *o = &a->members.v[i];

		if (m->kind < ACCESS_READER && o->kind < ACCESS_READER && !memcmp(m->key, o->key, NKEY_SIZE))
			return true;
		if (m->kind == ACCESS_HOST && o->kind == ACCESS_HOST && !strcmp(m->name, o->name) &&
		    !strcmp(m->site, o->site) && !strcmp(m->tenant, o->tenant))
			return true;
		if (m->kind >= ACCESS_READER && o->kind >= ACCESS_READER && !strcmp(m->name, o->name))
			return true;
	}
	return false;
}

static int take_member(struct access *a, enum access_kind kind, char **words)
{
	struct access_member m = { .kind = kind };
	int e = take_words(&m, words);

	if (e == 0 && stands(a, &m))
		e = -EEXIST;
	if (e == 0)
		e = a->members.n < ACCESS_MEMBERS_MAX ? vec_try_push(&a->members, m) : -E2BIG;
	if (e < 0)
		member_free(&m);
	return e;
}

static int take_line(struct access *a, char *line)
{
	char *words[6] = { 0 }, *save = NULL;
	size_t n = 0;

	line[strcspn(line, "#")] = '\0';
	for (char *w = strtok_r(line, BLANKS, &save); w; w = strtok_r(NULL, BLANKS, &save)) {
		if (n == ARRAY_SIZE(words) - 1)
			return -EINVAL;
		words[n++] = w;
	}
	if (!n)
		return 0;
	if (!strcmp(words[0], "listen"))
		return n == 2 && take_path(words[1], a->listen, sizeof(a->listen)) ? 0 : -EINVAL;
	if (!strcmp(words[0], "streams"))
		return n == 2 && take_path(words[1], a->streams, sizeof(a->streams)) ? 0 : -EINVAL;
	if (!strcmp(words[0], "tls"))
		return n == 3 && take_path(words[1], a->certificate, sizeof(a->certificate)) &&
				       take_path(words[2], a->key, sizeof(a->key))
			       ? 0
			       : -EINVAL;
	for (unsigned i = 0; i < ACCESS_NKINDS; i++)
		if (!strcmp(words[0], kinds[i]))
			return take_member(a, i, words);
	return -EINVAL;
}

int access_read(const char *path, struct access *ret, struct err *err)
{
	_cleanup_fclose_ FILE *f = NULL;
	char line[LINE_BYTES];
	int n = 0, e = runpolicy_open(path, "list", &f, err);

	*ret = (struct access){ 0 };
	if (e < 0)
		return e;
	while (e == 0 && fgets(line, sizeof(line), f)) {
		n++;
		e = strchr(line, '\n') || feof(f) ? take_line(ret, line) : -EINVAL;
	}
	if (e < 0) {
		err_set(err, e, "%s:%d: %s", path, n,
			e == -EINVAL   ? "this is no line of such a list (dwell-fleet(1), ACCESS)"
			: e == -EEXIST ? "the key or the name stands there already"
			: e == -E2BIG  ? "too many lines"
				       : "out of memory");
		access_free(ret);
	}
	return e;
}

void access_free(struct access *a)
{
	for (size_t i = 0; i < a->members.n; i++)
		member_free(&a->members.v[i]);
	vec_free(&a->members);
}

const uint8_t *access_host(const struct access *a, const char *tenant, const char *site, const char *host)
{
	for (size_t i = 0; i < a->members.n; i++) {
		const struct access_member *m = &a->members.v[i];

		if (m->kind == ACCESS_HOST && !strcmp(m->name, host) && !strcmp(m->site, site) &&
		    !strcmp(m->tenant, tenant))
			return m->key;
	}
	return NULL;
}

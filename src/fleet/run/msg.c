/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/run/msg.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"

#define MAGIC "dwr1"
#define MAGIC_LEN 4u
#define HEAD (MAGIC_LEN + NKEY_SIZE + NKEY_SIGNATURE)

static const char *const kinds[RUNMSG_NKINDS] = {
	[RUNMSG_RUN] = "run", [RUNMSG_ALIVE] = "alive", [RUNMSG_STOP] = "stop"
};

int runmsg_put(struct strb *b, const struct runmsg *m, const struct nkey *key, struct err *err)
{
	_cleanup_(strb_free) struct strb body = { 0 };
	uint8_t signature[NKEY_SIGNATURE];
	int e;

	strb_printf(&body, "kind %s\ntenant %s\nsite %s\nhost %s\nid %s\ntime %" PRIu64 "\n", kinds[m->kind], m->tenant,
		    m->site, m->host, m->id, m->time);
	if (m->kind == RUNMSG_RUN) {
		strb_printf(&body, "reply %s\nseconds %" PRIu64 "\nwrite %d\nquiet %d\nmerge %d\njson %d\nscript %s\n",
			    m->reply, m->seconds, m->write, m->quiet, m->merge, m->json, m->script);
		strb_addc(&body, '\n');
		strb_add(&body, m->program, m->nprogram);
	}
	if (body.failed)
		return err_set(err, -ENOMEM, "out of memory");
	e = nkey_sign(key, body.s, body.n, signature, err);
	if (e < 0)
		return e;
	strb_add(b, MAGIC, MAGIC_LEN);
	strb_add(b, key->public, NKEY_SIZE);
	strb_add(b, signature, NKEY_SIGNATURE);
	strb_add(b, body.s, body.n);
	return b->failed ? err_set(err, -ENOMEM, "out of memory") : 0;
}

/* -- reading -- */

static bool take_text(const char *value, char *ret, size_t size)
{
	return strlen(value) < size && snprintf(ret, size, "%s", value) >= 0;
}

static bool take_flag(const char *value, bool *ret)
{
	*ret = *value == '1';
	return (*value == '0' || *value == '1') && !value[1];
}

static bool take_kind(const char *value, enum runmsg_kind *ret)
{
	for (unsigned i = 0; i < RUNMSG_NKINDS; i++) {
		if (!strcmp(kinds[i], value)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static bool is_id(const char *s)
{
	return strlen(s) == RUNMSG_ID_LEN && strspn(s, "0123456789abcdef") == RUNMSG_ID_LEN;
}

static bool take_line(struct runmsg *m, const char *name, const char *value)
{
	if (!strcmp(name, "kind"))
		return take_kind(value, &m->kind);
	if (!strcmp(name, "tenant"))
		return take_text(value, m->tenant, sizeof(m->tenant));
	if (!strcmp(name, "site"))
		return take_text(value, m->site, sizeof(m->site));
	if (!strcmp(name, "host"))
		return take_text(value, m->host, sizeof(m->host));
	if (!strcmp(name, "id"))
		return is_id(value) && take_text(value, m->id, sizeof(m->id));
	if (!strcmp(name, "time"))
		return num_parse_u64(value, &m->time) == 0;
	if (!strcmp(name, "reply"))
		return take_text(value, m->reply, sizeof(m->reply));
	if (!strcmp(name, "seconds"))
		return num_parse_u64(value, &m->seconds) == 0;
	if (!strcmp(name, "write"))
		return take_flag(value, &m->write);
	if (!strcmp(name, "quiet"))
		return take_flag(value, &m->quiet);
	if (!strcmp(name, "merge"))
		return take_flag(value, &m->merge);
	if (!strcmp(name, "json"))
		return take_flag(value, &m->json);
	return !strcmp(name, "script") && take_text(value, m->script, sizeof(m->script));
}

/* Lines up to an empty one; the program follows. */
int runmsg_take_body(char *text, size_t n, struct runmsg *m)
{
	char *end = text + n;

	while (text < end && *text != '\n') {
		char *line = text, *eol = strchr(line, '\n'), *value = strchr(line, ' ');

		if (!eol || !value || value > eol)
			return -EPROTO;
		*eol = *value = '\0';
		if (!take_line(m, line, value + 1))
			return -EPROTO;
		text = eol + 1;
	}
	if (m->kind == RUNMSG_RUN) {
		if (text >= end || text + 1 + strlen(text + 1) != end)
			return -EPROTO; /* no program, or a NUL in it */
		m->program = text + 1;
		m->nprogram = (size_t)(end - m->program);
	}
	return m->kind != RUNMSG_NKINDS && m->tenant[0] && m->site[0] && m->host[0] && m->id[0] &&
			       (m->kind != RUNMSG_RUN || m->reply[0])
		       ? 0
		       : -EPROTO;
}

int runmsg_take(const void *data, size_t n, struct runmsg *ret, char **memory, struct err *err)
{
	const uint8_t *p = data;
	int e;

	*ret = (struct runmsg){ .kind = RUNMSG_NKINDS };
	*memory = NULL;
	if (n <= HEAD || n > RUNMSG_BYTES_MAX || memcmp(p, MAGIC, MAGIC_LEN) != 0)
		return err_set(err, -EPROTO, "it is no signed message");
	memcpy(ret->user, p + MAGIC_LEN, NKEY_SIZE);
	e = nkey_verify(ret->user, p + HEAD, n - HEAD, p + MAGIC_LEN + NKEY_SIZE, err);
	if (e < 0)
		return e;
	*memory = malloc(n - HEAD + 1);
	if (!*memory)
		return err_set(err, -ENOMEM, "out of memory");
	memcpy(*memory, p + HEAD, n - HEAD);
	(*memory)[n - HEAD] = '\0';
	if (runmsg_take_body(*memory, n - HEAD, ret) < 0) {
		free(*memory);
		*memory = NULL;
		return err_set(err, -EPROTO, "the message is signed, but cannot be read");
	}
	return 0;
}

/* -- answers -- */

void runmsg_answer(struct strb *b, enum runmsg_answer kind, uint32_t number, const void *p, size_t n)
{
	uint8_t head[RUNMSG_ANSWER_HEAD] = { (uint8_t)kind, (uint8_t)number, (uint8_t)(number >> 8),
					     (uint8_t)(number >> 16), (uint8_t)(number >> 24) };

	strb_add(b, head, sizeof(head));
	strb_add(b, p, n);
}

int runmsg_take_answer(const void *data, size_t n, enum runmsg_answer *kind, uint32_t *number, const char **p,
		       size_t *len)
{
	const uint8_t *b = data;

	if (n < RUNMSG_ANSWER_HEAD || !b[0] || !strchr("ynshe", b[0]))
		return -EPROTO;
	*kind = b[0];
	*number = b[1] | (uint32_t)b[2] << 8 | (uint32_t)b[3] << 16 | (uint32_t)b[4] << 24;
	*p = (const char *)data + RUNMSG_ANSWER_HEAD;
	*len = n - RUNMSG_ANSWER_HEAD;
	return 0;
}

static void put_whose(struct strb *b, const struct runmsg_whose *w, const void *answer, size_t n)
{
	strb_printf(b, "dwa1\n%s\n%s\n%s\n%s\n%s\n", w->tenant, w->site, w->host, w->id, w->reply);
	strb_add(b, answer, n);
}

int runmsg_seal(struct strb *b, const struct runmsg_whose *w, const struct nkey *key, const struct strb *answer,
		struct err *err)
{
	_cleanup_(strb_free) struct strb text = { 0 };
	uint8_t signature[NKEY_SIGNATURE];
	int e;

	put_whose(&text, w, answer->s, answer->n);
	e = text.failed || answer->failed ? err_set(err, -ENOMEM, "out of memory")
					  : nkey_sign(key, text.s, text.n, signature, err);
	if (e < 0)
		return e;
	strb_addc(b, RUNMSG_SEALED);
	strb_add(b, signature, sizeof(signature));
	strb_add(b, answer->s, answer->n);
	return b->failed ? err_set(err, -ENOMEM, "out of memory") : 0;
}

int runmsg_unseal(const void *data, size_t n, const struct runmsg_whose *w, const uint8_t *key, const void **ret,
		  size_t *len)
{
	_cleanup_(strb_free) struct strb text = { 0 };
	const bool sealed = n > RUNMSG_SEAL_LEN && *(const char *)data == RUNMSG_SEALED;
	const uint8_t *p = data;
	struct err err = { 0 };

	*ret = p + (sealed ? RUNMSG_SEAL_LEN : 0);
	*len = n - (sealed ? RUNMSG_SEAL_LEN : 0);
	if (!key)
		return 0;
	put_whose(&text, w, *ret, *len);
	return !sealed || text.failed || nkey_verify(key, text.s, text.n, p + 1, &err) < 0 ? -EBADMSG : 0;
}

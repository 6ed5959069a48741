/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the configurations of nats-server and ClickHouse that let each member of a fleet do what it must, and no more.
 * Source: docs.nats.io, accounts, authorization, service imports; clickhouse.com/docs, users.xml (what 18.16 has). */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "fleet/run/access.h"
#include "fleet/wire/click.h"

/* The account that has the stream. Tenants' accounts hand on to it what their hosts send, and have no stream. */
#define STORE "DWELL"
#define API "$JS.API."

/* -- NATS -- */

/* Subjects of one that answers may be sent to: no other key hears them. */
static void put_subscribe(struct strb *b, const char *key, const char *more)
{
	strb_printf(b, " subscribe: [\"" BUS_INBOX "%s.>\"", key);
	if (*more)
		strb_printf(b, ", \"%s\"", more);
	strb_adds(b, "] } }\n");
}

static void put_user(struct strb *b, const struct access_member *m)
{
	char key[NKEY_PUBLIC_LEN + 1], t[BUS_NAME_MAX + 1] = "", s[BUS_NAME_MAX + 1] = "", h[BUS_NAME_MAX + 1] = "";
	char subject[BUS_SUBJECT_MAX] = "", name[BUS_SUBJECT_MAX];

	nkey_write(m->key, key);
	if (m->tenant)
		bus_token(m->tenant, t);
	if (m->site)
		bus_token(m->site, s);
	if (m->name)
		bus_token(m->name, h);
	strb_printf(b, "      { nkey: %s, permissions: { publish: [", key);
	switch (m->kind) {
	case ACCESS_HOST:
		snprintf(subject, sizeof(subject), "dwell.run.v1.%s.%s.%s", t, s, h);
		/* Answers go to the sender of a request, and nowhere else. */
		strb_printf(b, "\"dwell.v1.%s.%s.%s.>\"], allow_responses: { max: -1, expires: \"25h\" },", t, s, h);
		break;
	case ACCESS_USER: strb_printf(b, "\"dwell.run.v1.%s.>\"],", t); break;
	case ACCESS_COLLECT:
		snprintf(name, sizeof(name), BUS_STREAM "." BUS_CONSUMER "%s%s", *t ? "-" : "", t);
		strb_printf(b, "\"" API "CONSUMER.INFO.%s\", \"" API "CONSUMER.MSG.NEXT.%s\", \"$JS.ACK.%s.>\"],", name,
			    name, name);
		break;
	default:
		strb_adds(b, "\"" API "STREAM.*." BUS_STREAM "\", \"" API "CONSUMER.*." BUS_STREAM ".>\", \"" API
			     "CONSUMER.*.*." BUS_STREAM ".>\"],");
		break;
	}
	put_subscribe(b, key, subject);
}

static bool is_tenants(const struct access_member *m)
{
	return m->kind == ACCESS_HOST || m->kind == ACCESS_USER;
}

static void put_users(struct strb *b, const struct access *a, const char *tenant)
{
	strb_adds(b, "    users: [\n");
	for (size_t i = 0; i < a->members.n; i++) {
		const struct access_member *m = &a->members.v[i];

		if (tenant ? is_tenants(m) && !strcmp(m->tenant, tenant)
			   : m->kind == ACCESS_COLLECT || m->kind == ACCESS_INIT)
			put_user(b, m);
	}
	strb_adds(b, "    ]\n");
}

/* Whether no member before it has its tenant, among those of NATS. */
static bool is_first(const struct access *a, size_t i)
{
	const struct access_member *m = &a->members.v[i];

	if (!is_tenants(m))
		return false;
	for (size_t k = 0; k < i; k++)
		if (is_tenants(&a->members.v[k]) && !strcmp(a->members.v[k].tenant, m->tenant))
			return false;
	return true;
}

/* Writes the imports of the account with the stream, one per tenant; with users, the tenants' accounts. */
static void put_tenants(struct strb *b, const struct access *a, bool users)
{
	for (size_t i = 0; i < a->members.n; i++) {
		const char *tenant = a->members.v[i].tenant;
		char t[BUS_NAME_MAX + 1];

		if (!is_first(a, i) || !bus_token(tenant, t))
			continue;
		if (!users) {
			strb_printf(b, "      { service: \"dwell.v1.%s.>\", accounts: [\"tenant-%s\"] }\n", t, t);
			continue;
		}
		strb_printf(b,
			    "  \"tenant-%s\" {\n    imports: [ { service: { account: " STORE
			    ", subject: \"dwell.v1.%s.>\" } } ]\n",
			    t, t);
		put_users(b, a, tenant);
		strb_adds(b, "  }\n");
	}
}

int access_put_nats(struct strb *b, const struct access *a, struct err *err)
{
	if (!*a->listen || !*a->certificate || !*a->streams)
		return err_set(err, -EINVAL, "lines listen, tls and streams are wanted (dwell-fleet(1), ACCESS)");
	strb_printf(b,
		    "# Made by `dwell fleet access`.\nlisten: \"%s\"\ntls { cert_file: \"%s\", key_file: \"%s\" }\n"
		    "jetstream { store_dir: \"%s\" }\naccounts {\n  " STORE
		    " {\n    jetstream: enabled\n    exports: [\n",
		    a->listen, a->certificate, a->key, a->streams);
	put_tenants(b, a, false);
	strb_adds(b, "    ]\n");
	put_users(b, a, NULL);
	strb_adds(b, "  }\n");
	put_tenants(b, a, true);
	strb_adds(b, "}\n");
	return b->failed ? err_set(err, -ENOMEM, "out of memory") : 0;
}

/* -- ClickHouse -- */

int access_put_click(struct strb *b, const struct access *a, struct err *err)
{
	/* Readers cannot change settings, since settings allow functions like remote(), too. */
	strb_printf(b,
		    "<!-- Made by `dwell fleet access`. -->\n<yandex>\n<profiles><default></default>"
		    "<dwell_reader><readonly>1</readonly><max_execution_time>%d</max_execution_time></dwell_reader>"
		    "</profiles>\n<quotas><default></default></quotas>\n<users>\n",
		    CLICK_WAIT_S);
	for (size_t i = 0; i < a->members.n; i++) {
		const struct access_member *m = &a->members.v[i];

		if (m->kind < ACCESS_READER)
			continue;
		strb_printf(b,
			    "<%s><password_sha256_hex>%s</password_sha256_hex><networks><ip>::/0</ip></networks>"
			    "<profile>%s</profile><quota>default</quota>"
			    "%s%s%s</%s>\n",
			    m->name, m->sum, m->kind == ACCESS_READER ? "dwell_reader" : "default",
			    m->tenant ? "<allow_databases><database>" : "", m->tenant ? m->tenant : "",
			    m->tenant ? "</database></allow_databases>" : "", m->name);
	}
	strb_adds(b, "</users>\n</yandex>\n");
	return b->failed ? err_set(err, -ENOMEM, "out of memory") : 0;
}

int access_write(const char *path, bool click, FILE *out, struct err *err)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct access a = { 0 };
	int e = access_read(path, &a, err);

	if (e == 0)
		e = click ? access_put_click(&b, &a, err) : access_put_nats(&b, &a, err);
	access_free(&a);
	if (e == 0)
		fputs(strb_str(&b), out);
	return e;
}

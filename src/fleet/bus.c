/* SPDX-License-Identifier: Apache-2.0 */
/* Sends and fetches messages of a fleet through NATS: libnats, which is loaded when it is needed. */
#include "fleet/bus.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <nats/nats.h>
#include "base/cleanup.h"
#include "base/solib.h"
#include "base/units.h"

#define LIBRARY "libnats.so.3.4"
#define PREFIX "dwell.v1."
#define TAKE_MAX 256u /* messages a call */
#define RECONNECT_MS 500

static struct {
#define NATS(name) __typeof__(&name) name;
#include "fleet/nats.def"
#undef NATS
} nats;

struct bus {
	natsConnection *connection;
	jsCtx *js;
	natsSubscription *sub;
};

static int open_library(struct err *err)
{
	static const struct solib_func funcs[] = {
#define NATS(name) { #name, offsetof(__typeof__(nats), name) },
#include "fleet/nats.def"
#undef NATS
	};

	return solib_load(LIBRARY, "the library of NATS", "install Debian's package libnats3.4", funcs,
			  ARRAY_SIZE(funcs), &nats, err);
}

static int fail(natsStatus s, jsErrCode code, const char *what, struct err *err)
{
	int e = s == NATS_NO_MEMORY ? -ENOMEM : s == NATS_TIMEOUT ? -ETIMEDOUT : -EIO;

	if (code)
		return err_set(err, e, "%s: %s (JetStream error %d)", what, nats.natsStatus_GetText(s), (int)code);
	return err_set(err, e, "%s: %s", what, nats.natsStatus_GetText(s));
}

static natsStatus set_options(natsOptions *n, const struct bus_options *o)
{
	natsStatus s = nats.natsOptions_SetURL(n, o->url);

	if (s == NATS_OK)
		s = nats.natsOptions_SetName(n, "dwell");
	if (s == NATS_OK)
		s = nats.natsOptions_SetTimeout(n, BUS_WAIT_MS);
	if (s == NATS_OK)
		s = nats.natsOptions_SetMaxReconnect(n, -1);
	if (s == NATS_OK)
		s = nats.natsOptions_SetReconnectWait(n, RECONNECT_MS);
	if (s == NATS_OK && (o->ca || o->certificate))
		s = nats.natsOptions_SetSecure(n, true);
	if (s == NATS_OK && o->ca)
		s = nats.natsOptions_LoadCATrustedCertificates(n, o->ca);
	if (s == NATS_OK && o->certificate)
		s = nats.natsOptions_LoadCertificatesChain(n, o->certificate, o->key);
	if (s == NATS_OK && o->credentials)
		s = nats.natsOptions_SetUserCredentialsFromFiles(n, o->credentials, NULL);
	return s;
}

int bus_connect(const struct bus_options *o, struct bus **ret, struct err *err)
{
	struct bus *b = calloc(1, sizeof(*b));
	natsOptions *options = NULL;
	natsStatus s;
	int e = open_library(err);

	if (e < 0 || !b) {
		free(b);
		return e < 0 ? e : err_set(err, -ENOMEM, "out of memory");
	}
	s = nats.natsOptions_Create(&options);
	if (s == NATS_OK)
		s = set_options(options, o);
	if (s == NATS_OK)
		s = nats.natsConnection_Connect(&b->connection, options);
	if (s == NATS_OK)
		s = nats.natsConnection_JetStream(&b->js, b->connection, NULL);
	nats.natsOptions_Destroy(options);
	if (s != NATS_OK) {
		bus_close(b);
		return err_set(err, -ECONNREFUSED, "cannot connect to NATS at %s: %s", o->url,
			       nats.natsStatus_GetText(s));
	}
	*ret = b;
	return 0;
}

void bus_close(struct bus *b)
{
	if (!b)
		return;
	nats.natsSubscription_Destroy(b->sub);
	nats.jsCtx_Destroy(b->js);
	nats.natsConnection_Destroy(b->connection);
	free(b);
}

int bus_init(struct bus *b, unsigned replicas, uint64_t again_ns, struct err *err)
{
	const char *subjects[] = { BUS_SUBJECTS };
	jsStreamConfig stream;
	jsConsumerConfig consumer;
	jsErrCode code = 0;
	natsStatus s;

	nats.jsStreamConfig_Init(&stream);
	stream.Name = BUS_STREAM;
	stream.Subjects = subjects;
	stream.SubjectsLen = ARRAY_SIZE(subjects);
	stream.MaxAge = (int64_t)(BUS_AGE_S * NSEC_PER_SEC);
	stream.MaxBytes = BUS_BYTES;
	stream.Duplicates = (int64_t)(BUS_DUPLICATES_S * NSEC_PER_SEC);
	stream.Storage = js_FileStorage;
	stream.Replicas = replicas;
	s = nats.js_AddStream(NULL, b->js, &stream, NULL, &code);
	if (s != NATS_OK && code == JSStreamNameExistErr)
		s = nats.js_UpdateStream(NULL, b->js, &stream, NULL, &code);
	if (s != NATS_OK)
		return fail(s, code, "the stream " BUS_STREAM " cannot be made", err);
	nats.jsConsumerConfig_Init(&consumer);
	consumer.Durable = BUS_CONSUMER;
	consumer.AckPolicy = js_AckExplicit;
	consumer.AckWait = (int64_t)again_ns;
	consumer.MaxAckPending = BUS_PENDING_MAX;
	s = nats.js_AddConsumer(NULL, b->js, BUS_STREAM, &consumer, NULL, &code);
	return s == NATS_OK ? 0 : fail(s, code, "the consumer " BUS_CONSUMER " cannot be made", err);
}

/* -- subjects -- */

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool bus_token(const char *name, char ret[BUS_NAME_MAX + 1])
{
	size_t n = strlen(name);

	if (!n || n > BUS_NAME_MAX)
		return false;
	for (size_t i = 0; i <= n; i++) {
		if (name[i] && name[i] != '.' && !is_name(name[i]))
			return false;
		ret[i] = name[i] == '.' ? '~' : name[i];
	}
	return true;
}

/* One part up to the next dot; the name that it stands for. NULL: it is none. */
static const char *take_part(const char *p, char ret[BUS_NAME_MAX + 1])
{
	size_t n = strcspn(p, ".");

	if (!n || n > BUS_NAME_MAX || p[n] != '.')
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (p[i] != '~' && !is_name(p[i]))
			return NULL;
		ret[i] = p[i] == '~' ? '.' : p[i];
	}
	ret[n] = '\0';
	return p + n + 1;
}

bool bus_parse(const char *subject, struct bus_subject *ret)
{
	const char *p = subject;

	if (strncmp(p, PREFIX, strlen(PREFIX)) != 0)
		return false;
	p = take_part(p + strlen(PREFIX), ret->tenant);
	p = p ? take_part(p, ret->site) : NULL;
	p = p ? take_part(p, ret->host) : NULL;
	return p && *p && !strchr(p, '.');
}

/* -- messages -- */

int bus_publish(struct bus *b, const char *subject, const char *id, const void *data, size_t n, struct err *err)
{
	jsPubOptions o;
	jsErrCode code = 0;
	natsStatus s;

	nats.jsPubOptions_Init(&o);
	o.MsgId = id;
	o.MaxWait = BUS_WAIT_MS;
	s = nats.js_Publish(NULL, b->js, subject, data, (int)n, &o, &code);
	return s == NATS_OK ? 0 : fail(s, code, "a batch cannot be sent", err);
}

int bus_subscribe(struct bus *b, struct err *err)
{
	jsSubOptions o;
	jsErrCode code = 0;
	natsStatus s;

	nats.jsSubOptions_Init(&o);
	o.Stream = BUS_STREAM;
	o.ManualAck = true;
	s = nats.js_PullSubscribe(&b->sub, b->js, BUS_SUBJECTS, BUS_CONSUMER, NULL, &o, &code);
	if (s == NATS_NOT_FOUND)
		return err_set(err, -ENOENT, "NATS has no stream " BUS_STREAM ": `dwell fleet init` makes it");
	return s == NATS_OK ? 0 : fail(s, code, "messages of the stream " BUS_STREAM " cannot be asked for", err);
}

int bus_receive(struct bus *b, struct bus_message *v, unsigned max, int64_t wait_ms, struct err *err)
{
	natsMsgList list = { 0 };
	jsErrCode code = 0;
	unsigned n = 0;
	natsStatus s = nats.natsSubscription_Fetch(&list, b->sub, (int)(max < TAKE_MAX ? max : TAKE_MAX), wait_ms,
						   &code);

	if (s == NATS_TIMEOUT)
		return 0;
	if (s != NATS_OK)
		return fail(s, code, "messages cannot be taken", err);
	for (int i = 0; i < list.Count; i++) {
		natsMsg *m = list.Msgs[i];

		list.Msgs[i] = NULL; /* ours now */
		v[n++] = (struct bus_message){ nats.natsMsg_GetSubject(m), nats.natsMsg_GetData(m),
					       (size_t)nats.natsMsg_GetDataLength(m), m };
	}
	nats.natsMsgList_Destroy(&list);
	return (int)n;
}

void bus_give(struct bus_message *v, unsigned n, bool done)
{
	for (unsigned i = 0; i < n; i++) {
		if (done)
			(void)nats.natsMsg_Ack(v[i].own, NULL); /* else it comes again, and counts once all the same */
		nats.natsMsg_Destroy(v[i].own);
	}
}

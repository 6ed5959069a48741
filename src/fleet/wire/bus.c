/* SPDX-License-Identifier: Apache-2.0 */
/* Sends and fetches messages of a fleet through NATS: libnats, which is loaded when it is needed. */
#include "fleet/wire/bus.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <nats/nats.h>
#include "base/cleanup.h"
#include "base/solib.h"
#include "base/units.h"
#include "fleet/wire/nkey.h"

#define LIBRARY "libnats.so.3.4"
#define PREFIX "dwell.v1."
#define RECONNECT_MS 500
#define SERVERS_MAX 32		/* of a list */
#define PENDING_MESSAGES 100000 /* that wait to be taken; then the newest go */
#define PENDING_BYTES (256 << 20)
#define PIPE_BYTES (1 << 20)

static struct {
#define NATS(name) __typeof__(&name) name;
#include "fleet/wire/nats.def"
#undef NATS
} nats;

struct bus {
	char inbox[sizeof(BUS_INBOX) + NKEY_PUBLIC_LEN]; /* what its own subjects of answers begin with */
	natsConnection *connection;
	jsCtx *js;
	bool unposted; /* the stream has not taken a posted message; libnats says so in a thread of its own */
	natsSubscription *sub;
	natsSubscription *plain; /* beside the stream; */
	int pipe[2];		 /* its messages, as pointers: libnats hands them over in a thread of its own */
};

static int open_library(struct err *err)
{
	static const struct solib_func funcs[] = {
#define NATS(name) { #name, offsetof(__typeof__(nats), name) },
#include "fleet/wire/nats.def"
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

/* Whether the address is of this machine. */
static bool is_near(const char *url)
{
	static const char *const near[] = { "127.", "localhost:", "[::1]", "localhost/", "::1" };
	const char *host = strstr(url, "://"), *at;

	host = host ? host + 3 : url;
	at = strchr(host, '@');
	host = at ? at + 1 : host;
	for (size_t i = 0; i < ARRAY_SIZE(near); i++)
		if (!strncmp(host, near[i], strlen(near[i])))
			return true;
	return !strcmp(host, "localhost");
}

bool bus_is_near(const char *urls)
{
	_cleanup_free_ char *list = strdup(urls);
	char *save = NULL;
	bool near = list != NULL;

	for (char *u = list ? strtok_r(list, ", ", &save) : NULL; u; u = strtok_r(NULL, ", ", &save))
		near &= is_near(u);
	return near;
}

/* Whether the file is one of nsc, which has a JWT; else it has a seed alone. */
static bool has_jwt(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char line[4096];

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "BEGIN NATS USER JWT"))
			return true;
	return false;
}

/* A key, and subjects for answers that nobody else may hear. */
static natsStatus set_key(struct bus *b, natsOptions *n, const char *path, struct err *err)
{
	char public[NKEY_PUBLIC_LEN + 1];
	struct nkey k;
	natsStatus s;

	if (has_jwt(path))
		return nats.natsOptions_SetUserCredentialsFromFiles(n, path, NULL);
	if (nkey_load(path, &k, err) < 0)
		return NATS_INVALID_ARG;
	nkey_write(k.public, public);
	explicit_bzero(&k, sizeof(k));
	snprintf(b->inbox, sizeof(b->inbox), BUS_INBOX "%s", public);
	s = nats.natsOptions_SetNKeyFromSeed(n, public, path);
	return s == NATS_OK ? nats.natsOptions_SetCustomInboxPrefix(n, b->inbox) : s;
}

/* Ignores refusals of the server: a caller that waits for an answer notices them. */
static void on_error(natsConnection *connection, natsSubscription *sub, natsStatus s, void *bus)
{
	(void)connection;
	(void)sub;
	(void)s;
	(void)bus;
}

static void on_unposted(jsCtx *js, jsPubAckErr *e, void *bus)
{
	struct bus *b = bus;

	(void)js;
	(void)e;
	__atomic_store_n(&b->unposted, true, __ATOMIC_RELAXED);
}

/* Begins with JetStream. */
static natsStatus open_stream(struct bus *b)
{
	jsOptions o;
	natsStatus s = nats.jsOptions_Init(&o);

	o.PublishAsync.MaxPending = BUS_POSTED_MAX;
	o.PublishAsync.StallWait = BUS_WAIT_MS;
	o.PublishAsync.ErrHandler = on_unposted;
	o.PublishAsync.ErrHandlerClosure = b;
	return s == NATS_OK ? nats.natsConnection_JetStream(&b->js, b->connection, &o) : s;
}

static natsStatus set_security(struct bus *b, natsOptions *n, const struct bus_options *o, struct err *err)
{
	natsStatus s = NATS_OK;

	if (o->ca || o->certificate || (!o->plain && !bus_is_near(o->url)))
		s = nats.natsOptions_SetSecure(n, true);
	if (s == NATS_OK && o->ca)
		s = nats.natsOptions_LoadCATrustedCertificates(n, o->ca);
	if (s == NATS_OK && o->certificate)
		s = nats.natsOptions_LoadCertificatesChain(n, o->certificate, o->key);
	if (s == NATS_OK && o->credentials)
		s = set_key(b, n, o->credentials, err);
	return s;
}

/* Servers of one cluster, with commas between. */
static natsStatus set_servers(natsOptions *n, const char *urls)
{
	const char *v[SERVERS_MAX];
	_cleanup_free_ char *list = strdup(urls);
	char *save = NULL;
	int count = 0;

	for (char *s = list ? strtok_r(list, ",", &save) : NULL; s && count < SERVERS_MAX;
	     s = strtok_r(NULL, ",", &save))
		v[count++] = s;
	return list ? nats.natsOptions_SetServers(n, v, count) : NATS_NO_MEMORY;
}

static natsStatus set_options(struct bus *b, natsOptions *n, const struct bus_options *o, struct err *err)
{
	natsStatus s = set_servers(n, o->url);

	if (s == NATS_OK)
		s = nats.natsOptions_SetName(n, "dwell");
	if (s == NATS_OK)
		s = nats.natsOptions_SetTimeout(n, BUS_WAIT_MS);
	if (s == NATS_OK)
		s = nats.natsOptions_SetMaxReconnect(n, -1);
	if (s == NATS_OK)
		s = nats.natsOptions_SetReconnectWait(n, RECONNECT_MS);
	if (s == NATS_OK)
		s = nats.natsOptions_SetErrorHandler(n, on_error, b);
	return s == NATS_OK ? set_security(b, n, o, err) : s;
}

int bus_connect(const struct bus_options *o, struct bus **ret, struct err *err)
{
	struct bus *b = calloc(1, sizeof(*b));
	natsOptions *options = NULL;
	struct err reason = { 0 };
	natsStatus s;
	int e = open_library(err);

	if (e < 0 || !b) {
		free(b);
		return e < 0 ? e : err_set(err, -ENOMEM, "out of memory");
	}
	b->pipe[0] = b->pipe[1] = -1;
	snprintf(b->inbox, sizeof(b->inbox), "%.*s", (int)sizeof(BUS_INBOX) - 2, BUS_INBOX);
	if (!o->plain && !o->credentials && !bus_is_near(o->url)) {
		free(b);
		return err_set(err, -EACCES, "NATS at %s: --creds FILE is missing (--plain: without TLS and keys)",
			       o->url);
	}
	s = nats.natsOptions_Create(&options);
	if (s == NATS_OK)
		s = set_options(b, options, o, &reason);
	if (s == NATS_OK)
		s = nats.natsConnection_Connect(&b->connection, options);
	if (s == NATS_OK)
		s = open_stream(b);
	nats.natsOptions_Destroy(options);
	if (s != NATS_OK) {
		bus_close(b);
		if (reason.msg[0])
			return err_set(err, -EACCES, "%s", reason.msg);
		return err_set(err, -ECONNREFUSED, "cannot connect to NATS at %s: %s", o->url,
			       nats.natsStatus_GetText(s));
	}
	*ret = b;
	return 0;
}

/* The next pointer of the pipe. False: there is none within that time. */
static bool take_pointer(const struct bus *b, int wait_ms, natsMsg **ret)
{
	struct pollfd fd = { .fd = b->pipe[0], .events = POLLIN };

	return poll(&fd, 1, wait_ms) == 1 && read(b->pipe[0], ret, sizeof(*ret)) == sizeof(*ret);
}

/* No message comes after the last, which is NULL. */
static void stop_listening(struct bus *b)
{
	natsMsg *m = NULL;

	if (b->plain) {
		nats.natsSubscription_Unsubscribe(b->plain);
		while (take_pointer(b, BUS_WAIT_MS, &m) && m)
			nats.natsMsg_Destroy(m);
		nats.natsSubscription_Destroy(b->plain);
	}
	closep(&b->pipe[0]);
	closep(&b->pipe[1]);
}

void bus_close(struct bus *b)
{
	if (!b)
		return;
	stop_listening(b);
	nats.natsSubscription_Destroy(b->sub);
	nats.jsCtx_Destroy(b->js);
	nats.natsConnection_Destroy(b->connection);
	free(b);
}

/* The consumer of a tenant and its subjects. */
static int find_consumer(const char *tenant, char name[BUS_SUBJECT_MAX], char subjects[BUS_SUBJECT_MAX],
			 struct err *err)
{
	char token[BUS_NAME_MAX + 1];

	snprintf(name, BUS_SUBJECT_MAX, "%s", BUS_CONSUMER);
	snprintf(subjects, BUS_SUBJECT_MAX, "%s", BUS_SUBJECTS);
	if (!tenant)
		return 0;
	if (!bus_token(tenant, token))
		return err_set(err, -EINVAL, "'%s' is no name of a tenant", tenant);
	snprintf(name, BUS_SUBJECT_MAX, BUS_CONSUMER "-%s", token);
	snprintf(subjects, BUS_SUBJECT_MAX, PREFIX "%s.>", token);
	return 0;
}

int bus_init(struct bus *b, const char *tenant, unsigned replicas, uint64_t again_ns, struct err *err)
{
	char name[BUS_SUBJECT_MAX], filter[BUS_SUBJECT_MAX];
	int e = find_consumer(tenant, name, filter, err);
	const char *subjects[] = { BUS_SUBJECTS };
	jsStreamConfig stream;
	jsConsumerConfig consumer;
	jsErrCode code = 0;
	natsStatus s;

	if (e < 0)
		return e;
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
	consumer.Durable = name;
	consumer.FilterSubject = tenant ? filter : NULL;
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

int bus_post(struct bus *b, const char *subject, const char *id, const void *data, size_t n, struct err *err)
{
	jsPubOptions o;
	natsStatus s;

	nats.jsPubOptions_Init(&o);
	o.MsgId = id;
	o.MaxWait = BUS_WAIT_MS; /* what is lost with a connection is given up then */
	s = nats.js_PublishAsync(b->js, subject, data, (int)n, &o);
	return s == NATS_OK ? 0 : fail(s, 0, "a batch cannot be sent", err);
}

int bus_posted(struct bus *b, struct err *err)
{
	jsPubOptions o;
	natsStatus s;

	nats.jsPubOptions_Init(&o);
	o.MaxWait = 2 * BUS_WAIT_MS;
	s = nats.js_PublishAsyncComplete(b->js, &o);
	if (s != NATS_OK)
		return fail(s, 0, "batches cannot be sent", err);
	return __atomic_exchange_n(&b->unposted, false, __ATOMIC_RELAXED)
		       ? err_set(err, -EIO,
				 "batches cannot be sent: the stream " BUS_STREAM " has not taken all of them")
		       : 0;
}

int bus_subscribe(struct bus *b, const char *tenant, struct err *err)
{
	char name[BUS_SUBJECT_MAX], subjects[BUS_SUBJECT_MAX];
	int e = find_consumer(tenant, name, subjects, err);
	jsSubOptions o;
	jsErrCode code = 0;
	natsStatus s;

	if (e < 0)
		return e;
	nats.jsSubOptions_Init(&o);
	o.Stream = BUS_STREAM;
	o.ManualAck = true;
	s = nats.js_PullSubscribe(&b->sub, b->js, subjects, name, NULL, &o, &code);
	if (s == NATS_NOT_FOUND)
		return err_set(err, -ENOENT, "NATS has no stream " BUS_STREAM ": `dwell fleet init` makes it");
	return s == NATS_OK ? 0 : fail(s, code, "messages of the stream " BUS_STREAM " cannot be asked for", err);
}

int bus_receive(struct bus *b, struct bus_message *v, unsigned max, int64_t wait_ms, struct err *err)
{
	natsMsgList list = { 0 };
	jsErrCode code = 0;
	unsigned n = 0;
	natsStatus s = nats.natsSubscription_Fetch(&list, b->sub, (int)(max < BUS_TAKE_MAX ? max : BUS_TAKE_MAX),
						   wait_ms, &code);

	if (s == NATS_TIMEOUT)
		return 0;
	if (s != NATS_OK)
		return fail(s, code, "messages cannot be taken", err);
	for (int i = 0; i < list.Count; i++) {
		natsMsg *m = list.Msgs[i];

		list.Msgs[i] = NULL; /* ours now */
		v[n++] = (struct bus_message){ .subject = nats.natsMsg_GetSubject(m),
					       .data = nats.natsMsg_GetData(m),
					       .n = (size_t)nats.natsMsg_GetDataLength(m),
					       .own = m };
	}
	nats.natsMsgList_Destroy(&list);
	return (int)n;
}

int bus_inbox(struct bus *b, char ret[BUS_SUBJECT_MAX], struct err *err)
{
	uint64_t own[2];

	if (getrandom(own, sizeof(own), 0) != sizeof(own))
		return err_set(err, -EIO, "there is no randomness");
	snprintf(ret, BUS_SUBJECT_MAX, "%s.%016" PRIx64 "%016" PRIx64, b->inbox, own[0], own[1]);
	return 0;
}

static void on_message(natsConnection *connection, natsSubscription *sub, natsMsg *m, void *bus)
{
	struct bus *b = bus;

	(void)connection;
	(void)sub;
	if (write(b->pipe[1], &m, sizeof(m)) != sizeof(m))
		nats.natsMsg_Destroy(m); /* too many wait: answers have numbers, so it is noticed */
}

static void on_complete(void *bus)
{
	const natsMsg *last = NULL;

	while (write(((struct bus *)bus)->pipe[1], &last, sizeof(last)) < 0 && errno == EAGAIN)
		poll(NULL, 0, 1);
}

int bus_listen(struct bus *b, const char *subject, struct err *err)
{
	natsStatus s;

	if (pipe2(b->pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_set(err, -errno, "a pipe for messages: %s", strerror(errno));
	(void)fcntl(b->pipe[1], F_SETPIPE_SZ, PIPE_BYTES); /* else fewer may wait */
	s = nats.natsConnection_Subscribe(&b->plain, b->connection, subject, on_message, b);
	if (s == NATS_OK)
		s = nats.natsSubscription_SetOnCompleteCB(b->plain, on_complete, b);
	if (s == NATS_OK)
		s = nats.natsSubscription_SetPendingLimits(b->plain, PENDING_MESSAGES, PENDING_BYTES);
	return s == NATS_OK ? 0 : fail(s, 0, subject, err);
}

int bus_fd(const struct bus *b)
{
	return b->pipe[0];
}

bool bus_next(struct bus *b, struct bus_message *ret, int wait_ms)
{
	natsMsg *m = NULL;

	if (!take_pointer(b, wait_ms, &m) || !m)
		return false;
	*ret = (struct bus_message){ .subject = nats.natsMsg_GetSubject(m),
				     .data = nats.natsMsg_GetData(m),
				     .n = (size_t)nats.natsMsg_GetDataLength(m),
				     .nobody = nats.natsMsg_IsNoResponders(m),
				     .own = m };
	return true;
}

int bus_send(struct bus *b, const char *subject, const char *reply, const void *data, size_t n, struct err *err)
{
	natsStatus s = reply ? nats.natsConnection_PublishRequest(b->connection, subject, reply, data, (int)n)
			     : nats.natsConnection_Publish(b->connection, subject, data, (int)n);

	return s == NATS_OK ? 0 : fail(s, 0, subject, err);
}

int bus_flush(struct bus *b, struct err *err)
{
	natsStatus s = nats.natsConnection_FlushTimeout(b->connection, BUS_WAIT_MS);

	return s == NATS_OK ? 0 : fail(s, 0, "NATS does not answer", err);
}

void bus_give(struct bus_message *v, unsigned n, bool done)
{
	for (unsigned i = 0; i < n; i++) {
		if (done)
			(void)nats.natsMsg_Ack(v[i].own, NULL); /* else it comes again, and still counts once */
		nats.natsMsg_Destroy(v[i].own);
	}
}

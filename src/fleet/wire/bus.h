/* SPDX-License-Identifier: Apache-2.0 */
/* NATS JetStream, which carries batches from hosts to collectors. libnats is opened when it is needed. Subjects are
 * dwell.v1.TENANT.SITE.HOST.KIND: a server that gives each host leave to publish to its own subjects alone
 * (nkeys, permissions) makes the names in them true. One thread at a time. Source: docs.nats.io, JetStream; nats.h. */
#ifndef DWELL_FLEET_WIRE_BUS_H
#define DWELL_FLEET_WIRE_BUS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

#define BUS_STREAM "DWELL"
#define BUS_CONSUMER "collect" /* durable: all collectors share it; those of one tenant: with "-" and its name */
#define BUS_SUBJECTS "dwell.v1.>"
#define BUS_SUBJECT_MAX 512u
/* The beginning of subjects of answers; the receiver's public key follows, if it has one. */
#define BUS_INBOX "_INBOX."
#define BUS_NAME_MAX 100u		   /* bytes of a tenant, site or host */
#define BUS_WAIT_MS 5000		   /* for a connection, and for an answer */
#define BUS_DUPLICATES_S 120		   /* messages with one id within this time are one */
#define BUS_AGAIN_NS UINT64_C(30000000000) /* a message that a collector has not done by then goes to another one */
#define BUS_POSTED_MAX 4000		   /* posted messages that the stream has not taken yet */
#define BUS_TAKE_MAX 1000u		   /* messages that bus_receive() takes */
#define BUS_PENDING_MAX 200000		   /* messages on their way to the store; at that number no new one comes */
#define BUS_AGE_S (24u * 3600)		   /* older messages go */
#define BUS_BYTES (INT64_C(10) << 30)	   /* and the oldest of more */

struct bus;
struct bus_options {
	const char *url;		    /* nats://HOST:PORT, or tls:// */
	const char *credentials;	    /* a file with a seed, or as nsc makes them; or NULL */
	const char *ca, *certificate, *key; /* PEM files, or NULL */
	bool plain;			    /* without TLS and keys, also to other machines */
};

/* Whether every address of a list is of this machine (loopback). */
bool bus_is_near(const char *urls);
/* Connects. Beyond loopback TLS and credentials are wanted. 0, or -errno with *err: -ENOENT without the library,
 * -EINVAL, -ECONNREFUSED. */
int bus_connect(const struct bus_options *o, struct bus **ret, struct err *err);
void bus_close(struct bus *b); /* accepts NULL */
/* Makes the stream and its consumer; those that are there get today's settings. replicas: servers that keep each
 * message; again_ns: as BUS_AGAIN_NS. tenant: collectors take its messages only; NULL: all. 0 or -errno. */
int bus_init(struct bus *b, const char *tenant, unsigned replicas, uint64_t again_ns, struct err *err);

/* "web1.example" -> "web1~example": names within a subject have no dots. false: it is too long, empty, or has
 * characters that no name of a host has. */
bool bus_token(const char *name, char ret[BUS_NAME_MAX + 1]);
/* The parts of a subject. false: it is not one of ours. */
struct bus_subject {
	char tenant[BUS_NAME_MAX + 1], site[BUS_NAME_MAX + 1], host[BUS_NAME_MAX + 1];
};
bool bus_parse(const char *subject, struct bus_subject *ret);

/* Sends a message and waits until the stream has it. id: as BUS_DUPLICATES_S says. 0 or -errno. */
int bus_publish(struct bus *b, const char *subject, const char *id, const void *data, size_t n, struct err *err);
/* The same of many: sends without waiting. 0 or -errno. */
int bus_post(struct bus *b, const char *subject, const char *id, const void *data, size_t n, struct err *err);
/* Waits until the stream has all that was posted. 0 or -errno: some of it may be missing. */
int bus_posted(struct bus *b, struct err *err);

/* Messages of the consumer, not yet acknowledged. */
struct bus_message {
	const char *subject;
	const void *data;
	size_t n;
	bool nobody; /* instead of an answer: nobody has the subject that was sent to */
	void *own;
};
/* Begins to take messages: of a tenant; NULL: all. 0 or -errno. */
int bus_subscribe(struct bus *b, const char *tenant, struct err *err);
/* Takes up to `max` messages, and BUS_TAKE_MAX, waiting for the first `wait_ms` at most. How many, or -errno. */
int bus_receive(struct bus *b, struct bus_message *v, unsigned max, int64_t wait_ms, struct err *err);
/* -- messages beside the stream: listeners get them, and nobody keeps them -- */
/* A subject of one's own, for answers, without its last part. 0 or -errno. */
int bus_inbox(struct bus *b, char ret[BUS_SUBJECT_MAX], struct err *err);
/* Listens; one subject for each bus. 0 or -errno. */
int bus_listen(struct bus *b, const char *subject, struct err *err);
/* For poll(): whether there is a message. */
int bus_fd(const struct bus *b);
/* The next one, within wait_ms, which is given back by bus_give(); false: there is none. */
bool bus_next(struct bus *b, struct bus_message *ret, int wait_ms);
/* Sends; reply: the subject of an answer, or NULL. 0 or -errno. */
int bus_send(struct bus *b, const char *subject, const char *reply, const void *data, size_t n, struct err *err);
/* Waits until the server has what was sent, BUS_WAIT_MS at most. 0 or -errno. */
int bus_flush(struct bus *b, struct err *err);
/* Gives messages back: done, or to be delivered again later. */
void bus_give(struct bus_message *v, unsigned n, bool done);
#endif

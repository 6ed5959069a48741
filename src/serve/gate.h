/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which connections are let in. The gate accepts connections, waits for the head of a request and checks it
 * (head.h). Then it hands the connection over to the HTTP library, or answers itself and closes it.
 * - A connection is for one request: every answer says "Connection: close".
 * - A client is a stranger until it has proved who it is. Its connection ends stranger_s after it was accepted, in any
 *   state. When there are too many strangers the oldest one goes; they never take the room of known ones.
 * - A known client may stay. The body of its request must come at a least pace.
 * One thread; a turn of its loop is gate_run(), then the library's. */
#ifndef DWELL_SERVE_GATE_H
#define DWELL_SERVE_GATE_H
#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#define GATE_SLOTS_MAX 512 /* connections in all, with those that are being closed */
#define GATE_CLOSING 64	   /* more than strangers and known: closed, but the library has not noticed yet */
#define GATE_BATCH 32	   /* accepted in a turn: then the library reads what they say, before they can be the oldest */
#define GATE_TICK_MS 1000  /* deadlines are looked at so often */
#define GATE_DRAIN_S 2	   /* after an answer of the gate itself: time for a client that still sends to read it */
#define GATE_BODY_S 10	   /* a body comes within so long, and … */
#define GATE_BODY_PACE (4 << 10) /* … a second more for each such number of bytes that have come */

struct gate_config {
	int listen_fd;	    /* owned by the gate; does not block */
	unsigned strangers; /* connections at most; at least GATE_BATCH * 2 */
	unsigned known;
	unsigned stranger_s; /* a stranger's connection lasts so long */
	unsigned known_s;    /* 0: as long as it likes */
	bool known_give_way; /* when there are too many, the oldest goes; else the newest is refused */
	const char *type;    /* of answers: "application/json" (as {"error": why}), "text/plain…" */
};

struct gate;

/* 0, or -errno; the listening socket is closed in both cases at the latest by gate_free(). */
int gate_new(const struct gate_config *c, struct gate **ret);
void gate_free(struct gate *g); /* after the library has stopped; accepts NULL */
/* How many connections the library must have room for. */
unsigned gate_room(const struct gate *g);
/* Readable: gate_run() has something to do. It has, too, after gate_wait_ms(). */
int gate_fd(const struct gate *g);
int gate_wait_ms(const struct gate *g);
/* Takes connections, judges heads, hands over to http, closes what lasts too long. */
void gate_run(struct gate *g, struct MHD_Daemon *http);
/* For MHD_OPTION_NOTIFY_CONNECTION; arg: the gate. */
void gate_on_connection(void *arg, struct MHD_Connection *conn, void **context,
			enum MHD_ConnectionNotificationCode what);
/* Its request has shown that it may stay. False: there are too many. */
bool gate_know(struct gate *g, struct MHD_Connection *conn);
/* n bytes of the body have come by now; whole: it is complete. A connection that the gate does not know is ignored. */
void gate_body(struct gate *g, struct MHD_Connection *conn, uint64_t bytes, bool whole);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the protocol of two dwells over ssh: frames, each a letter, a length (32 bits, low byte first), and that
 * many bytes. */
#ifndef DWELL_HOSTS_WIRE_H
#define DWELL_HOSTS_WIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strb.h"
#include "base/step.h"

#define WIRE_HEAD 5
#define WIRE_FRAME_MAX (UINT32_C(64) << 20)   /* bytes of one frame from the host */
#define WIRE_REQUEST_MAX (UINT32_C(16) << 20) /* … of the request */
#define WIRE_WORDS_MAX 4096		      /* words or texts of a request */

/* The line with which the other end begins, and what it says if it has no copy of this dwell. */
#define WIRE_READY "DWELL-HOST 1 ready"
#define WIRE_NEED "DWELL-HOST 1 need "

enum wire_kind {
	/* to the host */
	WIRE_REQUEST = 'q',
	WIRE_ALIVE = 'h',     /* empty: this end is still here */
	WIRE_INTERRUPT = 'i', /* empty: Ctrl-C */
	/* from the host */
	WIRE_OUT = 'o',	   /* what the run printed */
	WIRE_ERR = 'e',	   /* its messages */
	WIRE_AGGS = 'a',   /* a printa() (view/text/aggsend.c) */
	WIRE_RECORD = 'r', /* a piece of the recording */
	WIRE_STATUS = 'x', /* the end: the exit status, one byte */
};

struct wire_frame {
	uint8_t kind;
	const char *p; /* within the buffer */
	size_t n;
};

void wire_put(struct strb *b, enum wire_kind kind, const void *p, size_t n);
/* The frame that begins at *at of a buffer, if it is whole; *at moves after it. -EPROTO: it is larger than max. */
struct step wire_next(const struct strb *b, size_t *at, size_t max, struct wire_frame *ret);
/* Drops the first n bytes of a buffer. */
void wire_drop(struct strb *b, size_t n);

/* The program that is to be run, and how. */
struct wire_request {
	uint32_t patience_ms; /* without a word from here for so long the host ends the run */
	bool merge;	      /* aggregations are wanted as WIRE_AGGS */
	bool record;	      /* the recording is wanted */
	bool forget;	      /* the copy of dwell is to be removed */
	char **words;	      /* the command line after the options of hosts; NULL-terminated */
	size_t nwords;
	char **texts; /* of its scripts (-s), in order; may have NULs */
	size_t *sizes;
	size_t ntexts;
};
/* As the frame's bytes. */
void wire_put_request(struct strb *b, const struct wire_request *r);
/* Texts point into p, which is changed and lives longer. 0, -EPROTO, -ENOMEM. */
int wire_take_request(char *p, size_t n, struct wire_request *ret);
void wire_free_request(struct wire_request *r); /* of wire_take_request() */
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The signed messages by which somebody runs a program on a fleet's machines, one for each machine. A message is its
 * magic, the public key, the signature of all that follows, and then lines "name value", an empty line and the program.
 * The host's name, site and tenant, the time and the run's id are signed, too: a message is good for one host, once,
 * for a while. */
#ifndef DWELL_FLEET_RUN_MSG_H
#define DWELL_FLEET_RUN_MSG_H
#include <stdbool.h>
#include "base/strb.h"
#include "fleet/wire/bus.h"
#include "fleet/wire/nkey.h"

#define RUNMSG_PROGRAM_MAX (256u << 10) /* bytes of a program */
#define RUNMSG_BYTES_MAX (RUNMSG_PROGRAM_MAX + 4096u)
#define RUNMSG_ID_LEN 32u  /* hexadecimal digits */
#define RUNMSG_TIME_MAX 60 /* s that clocks may differ by */
#define RUNMSG_NAME_MAX 128u

enum runmsg_kind { RUNMSG_RUN, RUNMSG_ALIVE, RUNMSG_STOP, RUNMSG_NKINDS };

struct runmsg {
	enum runmsg_kind kind;
	uint8_t user[NKEY_SIZE]; /* key of the signer */
	char tenant[BUS_NAME_MAX + 1], site[BUS_NAME_MAX + 1], host[BUS_NAME_MAX + 1];
	char id[RUNMSG_ID_LEN + 1];
	uint64_t time; /* ms since 1970; later ones of a run are larger */
	/* of RUNMSG_RUN */
	char reply[BUS_SUBJECT_MAX]; /* where answers go */
	uint64_t seconds;
	bool write, quiet, merge, json; /* -w; -q; aggregations as such; lines of JSON */
	char script[RUNMSG_NAME_MAX];	/* the file's name, or "": it stood on the command line */
	const char *program;		/* nprogram bytes, and a NUL */
	size_t nprogram;
};
/* Signs it, as m->user. 0 or -errno with *err. */
int runmsg_put(struct strb *b, const struct runmsg *m, const struct nkey *key, struct err *err);
/* Reads a message and checks its signature. program points into memory, which the caller frees. 0; -EPROTO: it is none;
 * -EBADMSG; -errno. */
int runmsg_take(const void *data, size_t n, struct runmsg *ret, char **memory, struct err *err);
/* Reads the signed text, for runmsg_take() and its fuzzer: n bytes and a NUL, which are changed; ret->kind is
 * RUNMSG_NKINDS. 0 or -EPROTO. */
int runmsg_take_body(char *text, size_t n, struct runmsg *ret);

/* -- what a host answers: a letter, a number from 0 on (32 bits, low byte first), and a text or bytes -- */
enum runmsg_answer {
	RUNMSG_YES = 'y',    /* it begins; the text says under which limits */
	RUNMSG_NO = 'n',     /* why not */
	RUNMSG_STREAM = 's', /* a piece of the frames of hosts/wire.h */
	RUNMSG_HERE = 'h',   /* the host is still there */
	RUNMSG_END = 'e',    /* the end; the text says why, if it was the host that ended it */
};
#define RUNMSG_ANSWER_HEAD 5u
#define RUNMSG_PIECE (256u << 10)
void runmsg_answer(struct strb *b, enum runmsg_answer kind, uint32_t number, const void *p, size_t n);
/* 0, or -EPROTO. *p is within data. */
int runmsg_take_answer(const void *data, size_t n, enum runmsg_answer *kind, uint32_t *number, const char **p,
		       size_t *len);

/* -- a signed answer: RUNMSG_SEALED, the signature of the host's key and the answer, and the answer -- */
#define RUNMSG_SEALED 'S'
#define RUNMSG_SEAL_LEN (1 + NKEY_SIZE * 2)
struct runmsg_whose { /* the run, the subject of answers that one host was given, and the host */
	const char *tenant, *site, *host, *id, *reply;
};
/* 0 or -errno with *err. */
int runmsg_seal(struct strb *b, const struct runmsg_whose *w, const struct nkey *key, const struct strb *answer,
		struct err *err);
/* The answer within a message, signed or not. key: it must have signed the answer; NULL: that is not checked. 0;
 * -EBADMSG: it has not, or is of another run, host or place. */
int runmsg_unseal(const void *data, size_t n, const struct runmsg_whose *w, const uint8_t *key, const void **ret,
		  size_t *len);
#endif

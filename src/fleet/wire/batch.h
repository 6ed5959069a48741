/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of a fleet's hosts: batches of rows of one kind, in few bytes. A batch stands for itself: numbers are
 * LEB128, a text is spelled once and then named by its number. The sender's name is in the subject of the message,
 * which the server has checked, and not in here. A batch may come from anybody who may write to the subject, so all of
 * it is checked. Source: DWARF 5, section 7.6 (LEB128). */
#ifndef DWELL_FLEET_WIRE_BATCH_H
#define DWELL_FLEET_WIRE_BATCH_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/strb.h"
#include "store/recording.h"

#define BATCH_VERSION 1		     /* of batches; */
#define BATCH_VERSION_HIST 2	     /* of histograms: those of version 1 are read, too */
#define BATCH_BYTES_MAX (768u << 10) /* of a batch: a server takes messages of 1 MiB */
#define BATCH_FULL (512u << 10)	     /* a batch of this size is sent */
#define BATCH_TEXT_MAX 8192u	     /* bytes of a text */
#define BATCH_TEXTS_MAX 16384u	     /* different texts of a batch */
#define BATCH_BUCKETS_MAX 4096u	     /* of a histogram */
#define BATCH_GAP_BITS 5u /* of a bucket's first number: how many empty ones are before it, up to an octave */
#define BATCH_COUNT_MAX (UINT64_MAX >> BATCH_GAP_BITS) /* of a bucket; more is cut */

enum batch_kind { BATCH_HIST = 1, BATCH_SLOW, BATCH_HOST, BATCH_GAP, BATCH_AUDIT, BATCH_NKINDS };

/* The values of one key of one tracker, or of one aggregation "@name" with hist(), in one slot of time. */
struct batch_hist {
	const char *series, *key; /* key: "" for trackers */
	uint64_t start, period;	  /* s since 1970, s */
	uint64_t count, sum, max; /* sum and max: 0 with HIST_NO_SUM */
	uint32_t flags;		  /* HIST_* */
	uint32_t nbuckets;
	const struct rec_bucket *buckets; /* ascending; of aggval_hist_bucket() */
};

struct batch_slow {
	const char *tracker, *recording;
	uint64_t id;				      /* in the recording */
	uint64_t ended;				      /* ns since 1970 */
	uint64_t delay;				      /* ns */
	uint64_t pid, tid, cpu;			      /* of the thread that opened it */
	const char *how, *comm, *key, *cause, *class; /* class: of the cause: cause_class_name(), or "" */
	const char *stack;			      /* names, the innermost first, with ';' between them */
	const char *attrs;			      /* other attributes: "name=value", with '\n' between them */
};

/* The description of itself that a host sends now and then. */
struct batch_host {
	uint64_t sent;			     /* ns since 1970, of its clock */
	const char *dwell, *kernel, *labels; /* labels: "name=value", with '\n' between them */
};

/* Data that were lost before they could be sent. */
struct batch_gap {
	uint64_t from, to; /* s since 1970 */
	const char *what;
};

/* An entry of the audit log: a program that somebody asked a host to run (fleet/run/host.h). */
struct batch_audit {
	uint64_t time;					   /* ns since 1970 */
	const char *event, *user, *key, *id;		   /* event: "run", "refused", "end"; key: that signed */
	const char *reason, *program;			   /* program: not of "end" */
	uint64_t seconds, write, status, rows, bytes, cpu; /* status: 1 + exit status, 0: none; cpu: ns */
};

/* -- making -- */

/* A batch being made. All zero at first, then batch_begin(). */
struct batch {
	struct strb b;
	enum batch_kind kind;
	uint64_t last;		     /* the time of the row before */
	uint64_t key, period, flags; /* of the histogram before; key: the number of its text */
	size_t rows;
	struct batch_text *texts; /* by uthash */
};

void batch_begin(struct batch *b, enum batch_kind kind);
/* Each appends a row; texts longer than BATCH_TEXT_MAX are cut. Without memory b->b.failed is set. */
void batch_add_hist(struct batch *b, const struct batch_hist *h);
void batch_add_slow(struct batch *b, const struct batch_slow *s);
void batch_add_host(struct batch *b, const struct batch_host *h);
void batch_add_gap(struct batch *b, const struct batch_gap *g);
void batch_add_audit(struct batch *b, const struct batch_audit *a);
/* Is it time to send it? */
bool batch_full(const struct batch *b);
void batch_free(struct batch *b);

/* -- reading -- */

/* Gets the rows; what they point at is valid until it returns. Other than 0 ends the reading, which returns that. */
struct batch_sink {
	void *ctx;
	int (*hist)(void *ctx, const struct batch_hist *h);
	int (*slow)(void *ctx, const struct batch_slow *s);
	int (*host)(void *ctx, const struct batch_host *h);
	int (*gap)(void *ctx, const struct batch_gap *g);
	int (*audit)(void *ctx, const struct batch_audit *a);
};
/* Reads a batch of n bytes. 0; -EINVAL: it is damaged, or of another version; -ENOMEM. Rows in front of the damage have
 * been given. */
int batch_read(const void *data, size_t n, const struct batch_sink *sink, struct err *err);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a recording to a file: one SQLite database (format: doc/recording.md), written during a run and read
 * later, elsewhere, without privileges. */
#ifndef DWELL_STORE_RECFILE_H
#define DWELL_STORE_RECFILE_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/step.h"
#include "store/recording.h"

#define RECFILE_APPLICATION_ID 0x6477656c /* "dwel", PRAGMA application_id */
#define RECFILE_VERSION 5		  /* PRAGMA user_version: readers refuse newer ones */
#define RECFILE_COMMIT_NS 500000000u	  /* a killed recorder loses what is younger than this and a bit */
#define RECFILE_SIZE_MIN (1u << 20)	  /* of --record-size */
#define RECFILE_HIST_KEYS 4096		  /* keys of one source with histograms of their own; then "other" */
#define RECFILE_SECOND_NS UINT64_C(1000000000)
#define RECFILE_MINUTE_NS (60 * RECFILE_SECOND_NS) /* histograms are added up by minute and hour too */
#define RECFILE_HOUR_NS (60 * RECFILE_MINUTE_NS)
/* With a limit of age, minutes and hours are kept longer than all else. */
#define RECFILE_MINUTES_AGE_NS (24 * RECFILE_HOUR_NS)
#define RECFILE_HOURS_AGE_NS (60 * 24 * RECFILE_HOUR_NS)
/* meta of a recording of a part of the threads: one in this number was looked at. */
#define RECFILE_ONE_IN "one_in"
/* meta of a recording with limits: since when (ns) something is kept: events, aggregations, processes, seconds; keys of
 * aggregations that were given up; rows that were not recorded; normal.ID: what normalize() had set for an aggregation
 * where its rows begin. */
#define RECFILE_SINCE "since."
#define RECFILE_FORGOTTEN "forgotten_keys"
#define RECFILE_UNRECORDED "unrecorded"
#define RECFILE_NORMAL "normal."
/* Limits of a reader; a file above them is called damaged. */
#define RECFILE_MAX_RECORD (16u << 20) /* bytes of a record, key, value */
#define RECFILE_MAX_VALUES (64u << 20) /* bytes of the values of all CPUs */
#define RECFILE_MAX_FIELDS 4096	       /* of an action, or keys */
#define RECFILE_MAX_FORMATS (1u << 20)
#define RECFILE_MAX_CPUS 65536

/* Name and value; lists end with a NULL name. */
struct recfile_pair {
	const char *name, *value;
};

struct recfile_info {
	const struct recfile_pair *meta;     /* what is known of the run: command line, host, kernel … */
	const struct recfile_pair *options;  /* how the run was shown: quiet, flowindent … */
	const struct recfile_pair *programs; /* name and D text */
	/* The cause of a stack that is kept by why(), for SQL; NULL: nothing, or all is left out. Valid
	 * until the next call. */
	const char *(*cause)(void *ctx, const uint8_t *frames, size_t n);
	void *cause_ctx;
	uint64_t wall_off; /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	/* The limit of the file together with its log; the oldest rows are removed. RECFILE_SIZE_MIN at least, more if
	 * the program has many probes; 0: no limit. A commit on its way may exceed it by what it adds (an eighth of the
	 * limit at most, 32 MB). */
	uint64_t max_bytes;
	uint64_t max_age_ns; /* the same by age */
};

enum recfile_space { RECFILE_KERNEL, RECFILE_USER };

struct recfile_symbol {
	enum recfile_space space;
	uint32_t tgid; /* user */
	uint64_t start, addr;
	bool found;			  /* a symbol covers it */
	const char *module, *name, *path; /* NULL: unknown */
	uint64_t offset, base;		  /* as in struct symbol (sym/sym.h): base is its addr */
};

/* A function at a user address, and where it is in the source. Texts NULL, lines 0: unknown. */
struct recfile_source {
	const char *function;	     /* as in symbols; of the outermost one the symbol tells as well */
	const char *file, *def_file; /* of the address in it; where it is defined */
	uint32_t line, def_line;
};
#define RECFILE_MAX_SOURCE 32u /* of one address */

/* -- writing -- */
struct recfile;
/* Makes the file (mode 0600). -EEXIST: there is one already, which is never overwritten. */
int recfile_create(const char *path, const struct rec_schema *schema, const struct recfile_info *info,
		   struct recfile **ret, struct err *err);
/* Appends a row. When the file cannot be written (full disk), returns the error once, with what is
 * kept in err; later rows are counted and dropped. */
int recfile_append(struct recfile *f, const struct row *row, struct err *err);
/* The row that is appended next, before its addresses are asked for and named: names go with the rows that have
 * them. */
void recfile_name_for(struct recfile *f, const struct row *row);
/* The addresses in a field of a record or key, of a stack in their order. */
typedef void recfile_address_fn(void *ctx, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr);
void recfile_addresses(const struct recfield *fld, const uint8_t *data, recfile_address_fn *fn, void *ctx);
/* Whether the name of an address is in the file; puts it there. */
bool recfile_knows(struct recfile *f, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr);
int recfile_add_symbol(struct recfile *f, const struct recfile_symbol *s, struct err *err);
/* Adds the source places at a user address (of a return address: the byte before), innermost first; once per
 * address. */
int recfile_add_source(struct recfile *f, uint32_t tgid, uint64_t start, uint64_t addr, const struct recfile_source *v,
		       size_t n, struct err *err);
/* Makes durable what was appended when the last time is RECFILE_COMMIT_NS ago. Call it often. */
int recfile_tick(struct recfile *f, uint64_t now_ns, struct err *err);
/* Makes all of it durable now. */
int recfile_flush(struct recfile *f, struct err *err);
uint64_t recfile_dropped(const struct recfile *f);    /* rows not written after an error */
uint64_t recfile_unrecorded(const struct recfile *f); /* rows left out to keep the limit of size */
/* A message that tells what the limit of size has made impossible to keep, once for each reason; else NULL. Until the
 * next row.
 */
const char *recfile_notice(struct recfile *f);
/* Ends the recording in order and frees it; accepts NULL. */
int recfile_close(struct recfile *f, struct err *err);
/* Ends in order a recording whose writer was killed: what is in its log goes into it. No process may be writing it. */
int recfile_recover(const char *path, struct err *err);

/* -- reading -- */
struct recread;
/* Opens a recording for reading; it may still be being written. Pointers into it are valid until it is closed. -EINVAL:
 * no recording, a damaged one, or one of a newer version. */
int recread_open(const char *path, struct recread **ret, struct err *err);
void recread_close(struct recread *r);
const struct rec_schema *recread_schema(const struct recread *r);
/* Copies all that is in it now into the empty file of fd, open for reading and writing: one whole file. On errors
 * what is in fd is of no use. */
int recread_copy(struct recread *r, int fd, struct err *err);
const char *recread_meta(const struct recread *r, const char *key); /* or NULL */
const struct recfile_pair *recread_options(const struct recread *r);
const struct recfile_pair *recread_programs(const struct recread *r);
/* The next row, which is valid until the next call. Every row fits the schema. */
struct step recread_next(struct recread *r, struct row *ret, struct err *err);
/* Name of an address: true when the file has one. Texts live until the reader is closed. */
bool recread_symbol(struct recread *r, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr,
		    struct recfile_symbol *ret);
/* The places that recfile_add_source() has stored; returns how many, 0: none. *ret lives until the reader is closed. */
size_t recread_source(struct recread *r, uint32_t tgid, uint64_t start, uint64_t addr,
		      const struct recfile_source **ret);
#endif

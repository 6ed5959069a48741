/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a recorded program: a head, then blocks, each packed by zstd and with a checksum of its own, of whole
 * events. A damaged or cut block ends the trace before it. No pointers, little-endian. */
#ifndef DWELL_REPLAY_TRACE_TRACE_H
#define DWELL_REPLAY_TRACE_TRACE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"
#include "replay/trace/event.h"

#define TRACE_MAGIC "dwellrec"
#define TRACE_VERSION 6u
#define TRACE_OLDEST 1u		   /* before tasks: it is read, too */
#define TRACE_EVENT_MAX (1u << 20) /* bytes of one event's payload */
#define TRACE_BLOCK_RAW (1u << 18) /* a block is written when it has so much */
#define TRACE_BLOCK_MAX (TRACE_BLOCK_RAW + TRACE_EVENT_MAX + 64u)
#define TRACE_FEATURES 8u

struct trace_head {
	char magic[8];
	uint32_t version;
	uint32_t cpu;			   /* the CPU that all of it ran on */
	uint32_t features[TRACE_FEATURES]; /* of the processor, features.h */
	uint64_t real_ns, mono_ns;	   /* both clocks at the start */
	uint32_t spare;
	uint32_t crc; /* of what is before it */
};

struct trace_out;
/* Makes the file, or empties it; of this version, unless head has one, or version 5 where libzstd is not installed. 0
 * or -errno. The caller closes it by
 * trace_close(). */
int trace_create(const char *path, const struct trace_head *head, struct trace_out **ret);
/* Appends an event: fixed part and rest, TRACE_EVENT_MAX together. 0, or the first error of the file (-errno). */
int trace_append(struct trace_out *t, enum event_kind kind, const void *fixed, size_t nfixed, const void *rest,
		 size_t nrest);
void trace_pack_all(struct trace_out *t); /* packs contents of files, too: that takes long */
int trace_flush(struct trace_out *t);	  /* all events so far are in the file. 0 or -errno */
uint64_t trace_size(const struct trace_out *t);
int trace_close(struct trace_out *t); /* flushes and frees; takes NULL. 0 or -errno */

struct trace_event {
	enum event_kind kind;
	const uint8_t *data; /* until the next trace_next() */
	size_t size;
};
enum trace_end {
	TRACE_GOES_ON,
	TRACE_ENDED,   /* the file ends after a whole block */
	TRACE_CUT,     /* in the middle of one */
	TRACE_DAMAGED, /* a checksum or a size is wrong */
};
struct trace_in;
/* Takes the stream over, also when it fails. -EINVAL: no trace; -EPROTO: another version; -EBADMSG: its head is
 * damaged; -ELIBACC: libzstd, which it needs, is not installed; -ENOMEM. */
int trace_open(FILE *f, struct trace_in **ret);
/* The error in words. */
const char *trace_words(int error);
const struct trace_head *trace_head(const struct trace_in *t);
/* True with the next event, whose size fits its kind; false when there is none: trace_ended_by() tells the reason. */
bool trace_next(struct trace_in *t, struct trace_event *ret);
/* Where the next event is, for trace_seek(). */
struct trace_place {
	long block;
	size_t at;
};
struct trace_place trace_tell(const struct trace_in *t);	 /* after a trace_next() */
int trace_seek(struct trace_in *t, const struct trace_place *p); /* 0 or -errno */
enum trace_end trace_ended_by(const struct trace_in *t);
void trace_done(struct trace_in *t); /* takes NULL */

/* Writes the events of the trace in f, which it takes over, to a file at path, all of them packed. 0, or -errno
 * after an error. -EBADMSG: f is damaged; what was before that is written. */
int trace_pack(FILE *f, const char *path, struct err *e);
#endif

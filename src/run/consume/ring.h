/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of one BPF ring buffer through its memory mapping: no system call per record, and nothing is
 * released until the caller says so.
 *
 * Accesses of both sides, and why the order holds:
 *   producer position  written by BPF with release after the record's header is BUSY; we read with acquire
 *   record header      written by commit with release (xchg); we read with acquire, then the data
 *   consumer position  written by us with release when we are done with the data; BPF reads with acquire
 * Source: Documentation/bpf/ringbuf.rst, kernel/bpf/ringbuf.c. */
#ifndef DWELL_RUN_CONSUME_RING_H
#define DWELL_RUN_CONSUME_RING_H
#include <stdint.h>
#include "base/err.h"

struct ring {
	uint64_t *consumer;	  /* own page, writable */
	const uint64_t *producer; /* first of the read-only pages; the data follow, then their begin once more */
	const uint8_t *data;
	uint32_t size, page;
	uint32_t window; /* bytes of data that are mapped: at first a part, see ring_ready() */
	int fd;
	uint32_t whole; /* … when all are: with room for one record after the end, so that none is cut */
	uint32_t idle;	/* calls of ring_ready() since there was a record */
};

/* Mapped pages count as memory of the process, also when never touched. Most runs need no more than the window. Where
 * there are many CPUs, a ring that has been idle for long (a second, as rings are looked at then) is mapped again when
 * it has records. */
#define RING_WINDOW (64u << 10)
#define RING_IDLE 40

enum ring_state {
	RING_EMPTY,  /* no record at this position yet */
	RING_BUSY,   /* one that is still being written */
	RING_RECORD, /* *data, *len are set, *pos is after it */
	RING_BROKEN, /* the header cannot be */
};

/* largest: bytes of the largest record, without the kernel's header. */
int ring_open(struct ring *r, int fd, uint32_t size, uint32_t largest, struct err *err);
void ring_close(struct ring *r); /* accepts zeroed ones */
/* Call before reading what has come since the last call. It maps all of the data when the producers have left the
 * window, and none of it when nothing has come for long. Pointers into the data given before are invalid then. */
int ring_ready(struct ring *r);
/* Position of the first record that was not released. */
uint64_t ring_start(const struct ring *r);
/* The record at *pos or, when discarded ones are there, after it. */
enum ring_state ring_read(const struct ring *r, uint64_t *pos, const void **data, uint32_t *len);
/* Position of the record with len bytes of data that ends at `end`. */
uint64_t ring_record_pos(uint64_t end, uint32_t len);
/* Gives everything before pos back to the producers. */
void ring_release(struct ring *r, uint64_t pos);
/* Bytes in use now. */
uint32_t ring_used(const struct ring *r);
#endif

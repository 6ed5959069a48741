/* SPDX-License-Identifier: Apache-2.0 */
/* The flight recorder's events around a slow event, and what follows from them: which thread had a CPU, what a thread
 * did.
 *
 * Events have kinds by name. These of dlib/latency/flight.d have a meaning here:
 *   switch     id: the thread that gets the CPU, text: its name; info: state of the one that leaves, 0: it could go on
 *   wake       id: the thread that is woken, text: its name; info: 1: in an interrupt (see run/consume/flight.c)
 *   irq, irq-end, softirq, softirq-end   id: the number; text: the handler
 *   io, io-end       id: the sector, info: the operation, text: the disk
 *   lock, lock-end   id: the thread, info: what lock (LCB_F_*), text: the thread's name
 *   holder     id: the thread that has the lock of the "lock" with the same CPU and time, text: its name */
#ifndef DWELL_STORE_FLIGHT_H
#define DWELL_STORE_FLIGHT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/flightfmt.h"

#define FLIGHT_MAX_EVENTS 65536 /* of a record: more is damaged */
#define FLIGHT_MAX_SHARES 8	/* threads that flight_shares() tells apart */

/* Data of a ROW_FLIGHT: followed by n events in the order of their times. Some are before `from`: they tell the thread
 * that had a CPU then. */
struct rec_flight {
	uint64_t from, to;	   /* what was asked for: up to the end of the slow event. CLOCK_MONOTONIC ns */
	uint64_t covered;	   /* from here on nothing is missing; later than from: it was overwritten already */
	uint64_t start;		   /* of the slow event: begin */
	uint32_t tid, cpu;	   /* the thread that opened it, and where */
	uint32_t end_tid, end_cpu; /* the thread that ended it */
	uint32_t n;
	uint32_t torn;	  /* entries that were being written */
	uint32_t skipped; /* 1: nothing was looked at, there were too many slow events in this second */
	uint32_t pad;
};
struct rec_flight_event {
	uint64_t ts;
	uint32_t cpu, id, info;
	char kind[FLIGHT_KIND], text[FLIGHT_TEXT]; /* end with a NUL where they are shorter */
};

struct flight_rec {
	struct rec_flight h;
	const struct rec_flight_event *v; /* not aligned for sure: take copies by flight_event() */
};
/* 0, or -EBADMSG: it is none. */
int flight_open(const void *data, size_t len, struct flight_rec *ret);
/* The i-th event; kind and text with a NUL in them at the latest at their ends. */
struct flight_event {
	uint64_t ts;
	uint32_t cpu, id, info;
	char kind[FLIGHT_KIND + 1], text[FLIGHT_TEXT + 1];
};
struct flight_event flight_event(const struct flight_rec *f, uint32_t i);
bool flight_is(const struct flight_event *e, const char *kind);
/* Kinds whose id is a thread. */
bool flight_kind_has_thread(const char *kind);

struct flight_share {
	uint32_t tid;
	char comm[FLIGHT_TEXT + 1];
	uint64_t ns;
};
struct flight_shares {
	struct flight_share v[FLIGHT_MAX_SHARES]; /* most first */
	size_t n;
	uint64_t others;  /* of further threads */
	uint64_t unknown; /* before the first switch */
	uint64_t irq;	  /* interrupts and soft interrupts, in the time of any thread */
};
/* The threads that had a CPU from one time to another. */
void flight_shares(const struct flight_rec *f, uint32_t cpu, uint64_t from, uint64_t to, struct flight_shares *ret);

/* The states of a thread from one time to another. */
struct flight_did {
	uint64_t ran, ready, slept, unknown;
};
void flight_did(const struct flight_rec *f, uint32_t tid, uint64_t from, uint64_t to, struct flight_did *ret);
/* The longest time from one time to another that a thread waited: for a lock that it slept for, else asleep, or for a
 * CPU. */
enum flight_waits { FLIGHT_NO_WAIT, FLIGHT_READY, FLIGHT_SLEPT, FLIGHT_LOCKED };
struct flight_wait {
	enum flight_waits what;
	uint64_t from, to;
	uint32_t lock;	 /* LOCKED: LCB_F_* */
	bool by_irq;	 /* SLEPT: it was woken up in an interrupt */
	uint32_t by_tid; /* LOCKED: the thread that had the lock; SLEPT: the thread that woke it up; READY: the thread
			    that had the CPU for most of it; 0: not known */
	uint32_t cpu;	 /* where it ended */
	char by_comm[FLIGHT_TEXT + 1];
};
void flight_longest_wait(const struct flight_rec *f, uint32_t tid, uint64_t from, uint64_t to, struct flight_wait *ret);
/* "mutex", "rwsem" … by LCB_F_* */
const char *flight_lock_name(uint32_t flags);
/* The "holder" of event i, a "lock": or -1. */
long flight_holder(const struct flight_rec *f, uint32_t i);
/* The switch to the thread that had the CPU when event i happened, or -1. */
long flight_running(const struct flight_rec *f, uint32_t i);
/* When what event i begins on its CPU is over: the next event of a kind there, or the end. */
uint64_t flight_until(const struct flight_rec *f, uint32_t i, const char *kind);
#endif

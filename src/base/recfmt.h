/* SPDX-License-Identifier: Apache-2.0 */
/* Formats of what compiled D programs write: plain data made by cg, used by run to decode, kept in the recording, and
 * read by the views. Everything is host byte order.
 *
 * A ring record is struct rec_hdr followed by the data of one clause instance (one "EPID"): all
 * fields of all its data actions at fixed offsets. Records with hdr.fmt == REC_FMT_FAULT carry
 * struct rec_fault instead. */
#ifndef DWELL_BASE_RECFMT_H
#define DWELL_BASE_RECFMT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/rectype.h"
#include "base/source.h"

struct rec_hdr {
	uint64_t ts;	/* bpf_ktime_get_ns() at the start of the clause */
	uint32_t fmt;	/* EPID: index of the clause instance, from 1; or REC_FMT_* */
	uint32_t probe; /* probe id */
};

enum { REC_FMT_FAULT = 0 };

/* DTrace's fault codes; texts in DTrace's words, see view/. */
enum rec_fault_code {
	FAULT_UNKNOWN = 0,
	FAULT_BADADDR,	   /* invalid address (0x…) */
	FAULT_BADALIGN,	   /* invalid alignment (0x…) */
	FAULT_ILLOP,	   /* illegal operation */
	FAULT_DIVZERO,	   /* divide-by-zero */
	FAULT_NOSCRATCH,   /* out of scratch space */
	FAULT_KPRIV,	   /* invalid kernel access */
	FAULT_UPRIV,	   /* invalid user access */
	FAULT_TUPOFLOW,	   /* tuple stack overflow */
	FAULT_BADSTACK,	   /* bad stack */
	FAULT_BADSIZE,	   /* invalid size (…) */
	FAULT_BADINDEX,	   /* index out of bounds (…) */
	FAULT_NOTRESIDENT, /* user page not resident at …: read it at the return of the system call */
	FAULT_LOOPMAX,	   /* a clause's loops ran more than … times: -x loopmax */
	/* Found when a record is shown: */
	FAULT_WIDTH, /* a width or precision is too large */
};

struct rec_fault {
	struct rec_hdr hdr; /* hdr.fmt == REC_FMT_FAULT */
	uint32_t epid;
	uint32_t action; /* 1-based action number within the clause; 0: predicate ("in predicate") */
	uint32_t code;	 /* enum rec_fault_code */
	uint32_t pc;	 /* BPF instruction offset where it happened, shown as "at BPF pc %d" */
	uint64_t value;	 /* address or size */
};

/* Counters of losses. One per-CPU array map (IMG_MAP_COUNTERS) with an entry u64[REC_NSLOTS] per
 * program (per-CPU values are limited to 32 KiB). */
enum rec_counter {
	CNT_FIRINGS,	       /* firings whose predicate was evaluated; counted only when asked for, else 0 */
	CNT_DROP_PRINCIPAL,    /* ring full */
	CNT_DROP_AGG,	       /* aggregation full */
	CNT_DROP_DYN,	       /* dynamic variable space full (associative arrays, thread-locals) */
	CNT_DROP_SPEC,	       /* speculation buffer full */
	CNT_DROP_SPEC_BUSY,    /* no speculation free, but some are being cleaned */
	CNT_DROP_SPEC_UNAVAIL, /* no speculation free */
	CNT_DROP_STRTRUNC,     /* string cut at strsize: shown with -x droptags only */
	CNT_COMPAT,	       /* system calls of 32-bit callers that were not traced */
	CNT_DROP_SCRATCH,      /* no scratch slot free: firing lost */
	REC_NCOUNTERS,
	/* Not in the map: found out by run/. */
	CNT_RECURSION = REC_NCOUNTERS, /* firings that the kernel skipped since a program of ours ran there */
	CNT_TIMER_MISSES,	       /* timer firings that did not happen although the CPU was busy */
	CNT_TRACK_FULL,		       /* of a tracker, the row's probe being one of its: no room for an open event */
	CNT_TRACK_DEEP,		       /* more openings of a key than it may have */
	CNT_TRACK_LIMITED,	       /* slow events beyond the limit per second */
	CNT_TRACK_LOST,		       /* events that were never closed, collected */
	CNT_TRACK_EXITED,	       /* events that were open when their thread ended */
	CNT_FLIGHT_MISSED,	       /* entries of the flight recorder on CPUs that have no ring of it */
	CNT_UNRECORDED,		       /* rows that are not in the recording: no room within its limit */
	CNT_TIMER_DUE,		       /* no loss: periods of a timer of all CPUs that have gone by, on each */
	CNT_TIMER_IDLE,		       /* no loss: of these, periods in which the CPU was idle */
	CNT_TIMER_ASLEEP,	       /* no loss: of these, firings that an idle CPU did not make */
	CNT_CALL_MISSED, /* calls of a function that its return probe did not see: the kernel had no frame */
	REC_NLOSSES
};

/* Counters that are in the map only. */
enum rec_slot {
	SLOT_IDLE_FIRINGS = REC_NCOUNTERS, /* of CNT_FIRINGS, those that met the idle thread */
	REC_NSLOTS
};

/* The kind of loss that a row tells. */
enum rec_loss {
	REC_LOST,     /* something happened and is not there */
	REC_LEFT_OUT, /* more than a limit that the user can set */
	REC_NO_LOSS,  /* counted for other reasons */
};

static inline enum rec_loss rec_loss(uint32_t kind)
{
	switch (kind) {
	case CNT_FIRINGS:
	case CNT_COMPAT:
	case CNT_TIMER_DUE:
	case CNT_TIMER_IDLE:
	case CNT_TIMER_ASLEEP: return REC_NO_LOSS;
	case CNT_TRACK_LIMITED: return REC_LEFT_OUT;
	default: return REC_LOST;
	}
}

enum field_kind {
	FLD_INT,    /* size 1, 2, 4 or 8; is_signed */
	FLD_STRING, /* NUL-terminated within size bytes */
	FLD_BYTES,  /* raw bytes: structs, arrays, tracemem */
	FLD_STACK,  /* kernel stack: u64 frames[nframes], 0 ends it */
	FLD_USTACK, /* user stack: struct rec_ustack_hdr, then u64 frames[nframes], 0 ends it */
	FLD_SYM,
	FLD_FUNC,
	FLD_MOD, /* u64 kernel address shown as mod`func+off, mod`func, mod */
	FLD_USYM,
	FLD_UFUNC,
	FLD_UMOD,
	FLD_UADDR, /* struct rec_uaddr */
	FLD_WHY,   /* as FLD_STACK, shown as what the stack waited for */
};

struct rec_ustack_hdr {
	uint32_t tgid;	/* in dwell's own pid namespace when it can be seen from there, else global */
	uint32_t flags; /* REC_USTACK_* */
	uint64_t start; /* start time of the process' leader (ns since boot): tells reused pids apart */
};
enum {
	REC_USTACK_CUT = 1,   /* deeper than the frames taken */
	REC_USTACK_FAULT = 2, /* the walk ended at memory that could not be read */
	REC_USTACK_NONE = 4,  /* no user stack here (kernel thread, or context without one) */
};
struct rec_uaddr {
	uint32_t tgid;
	uint32_t flags;
	uint64_t start;
	uint64_t addr;
};

struct recfield {
	enum field_kind kind;
	uint32_t off;  /* from the start of the record (header included) or of the key */
	uint32_t size; /* bytes */
	bool is_signed;
	bool is_char;		    /* a character, or (FLD_BYTES) an array of them, which may be shown as text */
	uint32_t nframes;	    /* stacks */
	uint32_t strframes;	    /* stacks: 0, or the string size of ustack(n, size) */
	const char *ctype;	    /* D type name as the user would write it, for messages and print(); or NULL */
	const struct rectype *type; /* print(): structure of the value; else NULL */
	const char *name;	    /* slow(): of an attribute; else NULL */
};

/* The value of an integer field at p, its sign extended; 0 if it is not one of 1 to 8 bytes. */
static inline uint64_t recfield_u64(const struct recfield *f, const uint8_t *p)
{
	unsigned shift = 64 - 8 * f->size;
	uint64_t u = 0;

	if (f->size == 0 || f->size > 8)
		return 0;
	memcpy(&u, p, f->size);
	return f->is_signed ? (uint64_t)((int64_t)(u << shift) >> shift) : u;
}

/* The address of a field that is shown as its name, at p. *ret_user: it is of a process; else of the kernel, and ret
 * has no process. False: the field is of another kind. */
static inline bool recfield_address(const struct recfield *f, const void *p, struct rec_uaddr *ret, bool *ret_user)
{
	*ret_user = f->kind >= FLD_USYM && f->kind <= FLD_UADDR;
	*ret = (struct rec_uaddr){ 0 };
	if (*ret_user)
		memcpy(ret, p, sizeof(*ret));
	else if (f->kind == FLD_SYM || f->kind == FLD_FUNC || f->kind == FLD_MOD)
		memcpy(&ret->addr, p, sizeof(ret->addr));
	else
		return false;
	return true;
}

enum act_kind {
#define RECACT(kind, name, nfields, naggs, fmt, text, json) ACT_##kind,
#include "base/recact.def"
#undef RECACT
	ACT_KINDS_ /* how many there are */
};

/* Fields of pcap(): four integers, then bytes. */
enum rec_pcap_field {
	REC_PCAP_LINK,	 /* PCAP_* of dlib/pcap.d */
	REC_PCAP_WALL,	 /* nanoseconds since 1970 */
	REC_PCAP_LEN,	 /* of the packet */
	REC_PCAP_CAPLEN, /* how much of it is here */
	REC_PCAP_DATA,
	REC_PCAP_NFIELDS
};

/* How what a tracker measured has ended. */
enum rec_slow_how {
	SLOW_NORMAL,	/* end() */
	SLOW_TIMEOUT,	/* still open: delay is the time so far */
	SLOW_REPLACED,	/* begin() of the same key */
	SLOW_COLLECTED, /* its end was lost, or the thread is gone */
	SLOW_CONTROL,	/* an ordinary event of the control sample */
	SLOW_NHOW
};

#define REC_SLOW_ATTRS 12 /* attributes of slow() at most */
#define REC_COMM 16

/* The fixed part of a slow event. The opener is the thread that called begin(), or the key if this is a
 * thread. The closer is the thread that ran when the event ended. Pids are as in dwell's pid namespace. */
struct rec_slow {
	uint64_t start, delay;		    /* CLOCK_MONOTONIC ns; it ended at start + delay */
	uint64_t exit_id;		    /* given to end() */
	uint64_t cgroup;		    /* id of the opener's */
	uint32_t tracker;		    /* id */
	uint32_t how;			    /* enum rec_slow_how */
	uint32_t pid, tid, cpu;		    /* opener */
	uint32_t end_pid, end_tid, end_cpu; /* closer */
	char comm[REC_COMM], end_comm[REC_COMM];
};

#define REC_SPEC_SIZE 8

struct aggdesc;

struct recact {
	enum act_kind kind;
	unsigned number; /* 1-based position of the action statement in the clause */
	const char *fmt; /* format string or NULL */
	size_t fmt_len;
	const struct recfield *fields;
	size_t nfields;
	const struct aggdesc *const *aggs; /* ACT_PRINTA …: which aggregations */
	size_t naggs;
	struct span at;
};

/* One clause instance: a clause together with one of its probe descriptions. */
struct recfmt {
	uint32_t epid; /* == rec_hdr.fmt */
	uint32_t size; /* of the whole record, header included, multiple of 8; 0: writes no records */
	const struct recact *acts;
	size_t nacts;
	bool is_default; /* the default action: prints only the header columns */
	bool has_exit;
	struct span at;
};

enum agg_func {
	AGG_COUNT,
	AGG_SUM,
	AGG_AVG,
	AGG_MIN,
	AGG_MAX,
	AGG_STDDEV,
	AGG_QUANTIZE,
	AGG_LQUANTIZE,
	AGG_LLQUANTIZE,
	AGG_HIST, /* dwell's own: 32 buckets for each power of two */
};

/* Layout of a value (u64 or s64 words), per CPU; merged by adding words, except min/max:
 *  every value starts with word 0 = number of firings that added to it (0: empty slot);
 *  COUNT: [0] is the value. SUM: [1] sum. AVG: [1] sum. MIN/MAX: [1] value (valid when [0] != 0).
 *  STDDEV: [1] sum, [2],[3] sum of squares, low and high word (128 bits).
 *  QUANTIZE: [1 + AGG_QUANT_ZERO + k] etc., AGG_QUANT_NBUCKETS buckets.
 *  LQUANTIZE: [1] below base, [2 … 1+levels] the levels, [2+levels] above.
 *  LLQUANTIZE: [1 …] see agg_llquant_* in base/aggval.h.
 *  HIST: [1] negative values, [2 …] the others: see aggval_hist_bucket(). */
enum {
	AGG_QUANT_NBUCKETS = 127, /* DTrace's: index 63 is the value 0, 64+k is 2^k, 62-k is -2^k */
	AGG_QUANT_ZERO = 63,
	AGG_HIST_SUB = 5, /* 2^5 buckets per power of two: at most 1/32 = 3.2 % wide */
	/* negative, 2^5 of width 1, 2^5 for each of 2^5 … 2^62 */
	AGG_HIST_NBUCKETS = 1 + (1 << AGG_HIST_SUB) * (64 - AGG_HIST_SUB),
};

struct aggdesc {
	uint32_t id;	  /* 0, 1, …; index into the image's aggregations */
	const char *name; /* "" for the anonymous @ */
	enum agg_func func;
	/* lquantize: base, limit, step. llquantize: factor, low, high, steps per magnitude. */
	int32_t param[4];
	const struct recfield *keys; /* offsets from the start of the key */
	size_t nkeys;
	uint32_t key_size;   /* bytes, multiple of 8; 0: no key */
	uint32_t value_size; /* bytes, multiple of 8 */
	bool is_signed;	     /* the aggregated expression is signed */
	/* The first key is timestamp / slot_ns, or walltimestamp / slot_ns (slot_wall): it tells the slot of
	 * time that the values are of. 0: it is something else. */
	uint64_t slot_ns;
	bool slot_wall;
	int64_t normal; /* set by normalize() in rows that the recording has dropped; 0: no such rows */
	struct span at;
};
#endif

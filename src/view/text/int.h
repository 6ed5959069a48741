/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the text view: shared between its files. */
#ifndef DWELL_VIEW_TEXT_INT_H
#define DWELL_VIEW_TEXT_INT_H
#include "base/arena.h"
#include "base/jsonw.h"
#include "base/printfmt.h"
#include "base/strb.h"
#include "store/aggstate.h"
#include "view/text/text.h"

#define JSON_COLUMNS 32	   /* of a heading */
#define JSON_HEADINGS 1024 /* different ones of a run */

struct fmtcache { /* parsed formats by the address of their text */
	const char *fmt;
	struct pfconv *convs;
	size_t n;
	bool stars; /* widths or precisions come with the record */
};

struct agg_module;
struct why_words;
struct why_stack;
struct text_cost;

struct text_view {
	const struct rec_schema *schema;
	struct sym *sym;
	struct text_opts opts;
	FILE *out;
	FILE *orig_out; /* before freopen() */
	bool own_out;
	bool terminal;	   /* orig_out is one */
	char *out_path;	   /* with own_out */
	int64_t pcap_link; /* of the packets that pcap() put into it; -1: none yet */
	text_msg_fn *msg;
	void *msg_arg;
	text_setopt_fn *setopt;
	void *setopt_arg;
	struct aggstate *aggs;
	struct agg_module *agg_modules; /* see aggkey.c */
	struct why_words *why_words;	/* see why.c */
	struct why_stack *why_stacks;
	bool *agg_printed;  /* by aggregation id: shown by a printa() */
	uint64_t *agg_lost; /* rows that were not printed any more */
	uint64_t records_lost;
	bool *agg_changed;    /* since it was shown by a snapshot */
	uint64_t snapshot_ns; /* CLOCK_MONOTONIC: when there was the last */
	bool heading_done;
	bool exit_told; /* that a fault has left out an exit() */
	struct arena *arena;
	struct fmtcache *cache;
	size_t ncache, cap_cache;
	/* flow indentation, as DTrace keeps it per CPU */
	int *indent;
	uint32_t *last_epid;
	uint32_t *last_probe;
	struct text_cost *costs; /* see cost.c */
	size_t ncosts;
	uint64_t *drops;	      /* [cpu][REC_NLOSSES]: not yet told */
	int error;		      /* sticky */
	unsigned wide_action;	      /* of this record: its conversions are too wide, so it was not shown; 0: none */
	int64_t wide_value;	      /* the one that is, or: */
#define TEXT_WIDE_CONSTANTS INT64_MIN /* the constants of its formats together */
	uint64_t padding;      /* widths and precisions of this record so far; text: those that are no constants */
	uint64_t wide_padding; /* … text: the constants */
	/* oformat=json */
	bool json_started, json_open;	    /* the first line is written; within a line */
	struct strb json_text;		    /* of the line, what is not written yet */
	struct jsonw json;		    /* into it */
	struct strb json_pending;	    /* messages to come after the line, each ended by NUL */
	char *columns[JSON_COLUMNS];	    /* of the last heading, in the arena; see json_columns.c */
	size_t ncolumns, column, nheadings; /* column: of the next value in this line */
	bool json_exited;		    /* exit() was shown, with this status */
	int json_status;
};

/* One value to be shown: bytes with a field's description. */
struct datum {
	const struct recfield *f;
	const uint8_t *p;
};

/* One or several aggregations of one key, for formats with @. aggs[0] with naggs 1. */
struct aggval {
	const struct aggdesc *d;
	const uint64_t *value; /* NULL: no such key in this aggregation: zero */
	int64_t normal;
};

/* A row of a packed aggregation. */
struct packed_row {
	const uint8_t *key;
	const uint64_t *value;
};

/* out.c, msg.c */
bool text_is_cut(const struct text_view *v); /* nothing more is to be printed */
void text_printf(struct text_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_msg(struct text_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* sym.c: addresses and stacks. */
void text_stack(struct text_view *v, const struct recfield *f, const uint8_t *p, int indent, const char *fmt);
void text_addr_str(struct text_view *v, const struct recfield *f, const uint8_t *p, char *buf, size_t n);
void text_kaddr_str(struct text_view *v, uint64_t addr, bool offset, char *buf, size_t n);
void text_uaddr_str(struct text_view *v, uint32_t tgid, uint64_t start, uint64_t addr, bool offset, char *buf,
		    size_t n);

/* Frames to be shown are [*first, returned): the machinery of tracing is left out. */
size_t text_frames(struct text_view *v, const struct recfield *f, const uint8_t *p, size_t *first);

/* data.c: default forms of values. */
void text_datum_trace(struct text_view *v, const struct recfield *f, const uint8_t *p);
void text_datum_key(struct text_view *v, const struct recfield *f, const uint8_t *p);
void text_rawbytes(struct text_view *v, const uint8_t *p, size_t n);

/* printf.c: formats. Returns the number of data used; -ERANGE, and nothing is printed: a width or precision of the
 * record is too large (PRINTFMT_MAX_…), which is in v->wide_value. */
int text_format(struct text_view *v, const char *fmt, size_t fmt_len, const struct datum *data, size_t ndata,
		const struct aggval *aggs, size_t naggs);

int text_find_format(struct text_view *v, const char *fmt, size_t len, const struct fmtcache **ret);

/* Text with C's escapes, as %S shows it. */
void text_escaped(struct text_view *v, const char *s, size_t n);

/* print.c: print(); the name of an enumerator, or NULL. */
void text_print(struct text_view *v, const struct recfield *fields, size_t n, const uint8_t *rec);
/* An integer of up to 8 bytes at p, or (bits > 0) bits of it from bit (0-7) on. */
uint64_t text_bits(const uint8_t *p, uint64_t size, uint32_t bit, uint32_t bits, bool is_signed);
const char *text_enum_name(const struct rectype *t, uint64_t value);

/* quant.c: aggregation values in their default form; value NULL: none, shown as zero or an empty
 * distribution. */
void text_aggvalue(struct text_view *v, const struct aggdesc *d, const uint64_t *value, int64_t normal);
/* A line of a distribution from its bar on. */
void text_bar(struct text_view *v, int64_t val, int64_t normal, long double total, bool positives, bool negatives);
/* The number that %@d shows. */
int64_t text_aggnumber(const struct aggdesc *d, const uint64_t *value, int64_t normal);
bool text_agg_is_dist(enum agg_func f);

/* pack.c: -x agghist and aggpack. Is the aggregation to be shown so? */
bool text_is_packed(const struct text_view *v, const struct aggdesc *d);
/* Shows it: keys and values of n rows in order. */
void text_packed(struct text_view *v, const struct aggdesc *d, const struct packed_row *rows, size_t n, int64_t normal);

/* agg.c: printing aggregations. fmt NULL: default form. */
void text_printa(struct text_view *v, const struct recact *act);
/* The rows of a printa() in order. values: naggs of them, NULL: no value for this key. */
typedef void text_row_fn(void *ctx, const uint8_t *key, const uint64_t *const *values);
void text_agg_rows(struct text_view *v, const struct aggdesc *const *aggs, size_t naggs, text_row_fn *fn, void *ctx);
void text_mark_printed(struct text_view *v, const struct recact *act); /* unless all of it is empty */
void text_print_unprinted(struct text_view *v);
/* aggsend.c: gives them to opts.send, as text_opts says. act: of the printa(); NULL: the end of the run. False: they
 * are to be shown here. */
bool text_send_aggs(struct text_view *v, const struct aggdesc *const *aggs, size_t naggs, const struct recact *act);

/* act.c */
/* Prints a formatting action to f. */
void text_act_to(struct text_view *v, const struct recfmt *fmt, size_t i, const struct row *row, FILE *f);
void text_act(struct text_view *v, const struct recfmt *fmt, size_t i, const struct row *row);
/* cost.c: what the programs cost, added up; said at the end. */
int text_cost_row(struct text_view *v, const struct row *row);
void text_cost_finish(struct text_view *v);
void text_cost_free(struct text_view *v);

/* slow.c: a slow event as a line, its attributes below. */
void text_slow(struct text_view *v, const struct recact *act, const uint8_t *rec);
void text_flight(struct text_view *v, const struct row *row); /* what went on around it */
/* pcap.c: a packet */
void text_pcap(struct text_view *v, const struct recact *act, const uint8_t *rec);
/* The probe of a row; one with empty names when it is not known. */
const struct rec_probe *text_row_probe(const struct text_view *v, const struct row *row);

/* json.c: lines of -x oformat=json. p: of the event. what: the fault in words; text: the whole message. */
void json_message(struct text_view *v, const char *text);
void json_event(struct text_view *v, const struct row *row, const struct recfmt *fmt, const struct rec_probe *p);
void json_error(struct text_view *v, const struct row *row, const struct rec_probe *p, const char *what,
		const char *text);
/* kind: what the row tells; cpu < 0, p NULL: not told. */
void json_drop(struct text_view *v, const char *tag, enum rec_loss kind, uint64_t count, long cpu,
	       const struct rec_probe *p, const char *text);
void json_hist(struct text_view *v, const struct row *row); /* of a tracker */
void json_flight(struct text_view *v, const char *object);  /* of the slow event of the line before */
void json_snapshot(struct text_view *v); /* aggregations that have changed, as they are now, when it is time */
void json_cost(struct text_view *v, const struct rec_probe *p, const struct rec_cost *c, const char *text);
void json_finish(struct text_view *v);
/* aggkey.c: a ROW_AGG goes into the state of the aggregations, addresses of one name as
 * one key. As aggstate_apply(). */
int text_agg_apply(struct text_view *v, const struct row *row);
void text_aggkey_free(struct text_view *v);
/* why.c: what the frames of a FLD_WHY waited for. Never NULL; the entry lives as long as the view. */
struct why_words {
	struct why_words *next;
	const char *words, *class; /* of text_opts.why, which gives equal texts by one pointer */
	uint32_t size;		   /* bytes of frames */
	uint8_t frames[];	   /* of the first stack that had these words: it stands for all of them */
};
const struct why_words *text_why(struct text_view *v, const struct recfield *f, const uint8_t *p);
void text_why_free(struct text_view *v);
#endif

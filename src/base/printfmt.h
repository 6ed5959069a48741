/* SPDX-License-Identifier: Apache-2.0 */
/* D's format strings (printf, printa, system, freopen): one parser for the checker and the views. Pure. */
#ifndef DWELL_BASE_PRINTFMT_H
#define DWELL_BASE_PRINTFMT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

enum {		    /* flags of a conversion */
       PF_ALT = 1,  /* # */
       PF_ZPAD = 2, /* 0 */
       PF_LEFT = 4, /* - */
       PF_SPOS = 8, /* + */
       PF_SPACE = 16,
       PF_GROUP = 32,	 /* ' */
       PF_DYNWIDTH = 64, /* * */
       PF_DYNPREC = 128, /* .* */
       PF_AGG = 256,	 /* @: the value of the aggregation (printa) */
};

/* The class of a conversion: which argument it needs, and how that is shown. Rows in printfmt.c. */
enum pf_class {
	PFC_NONE,    /* no conversion: literal text at the end of the format */
	PFC_PCT,     /* %% */
	PFC_DINT,    /* d i: signed or unsigned by the argument's type */
	PFC_UINT,    /* o u x X p */
	PFC_CHAR,    /* c */
	PFC_ECHR,    /* C: escaped character */
	PFC_STR,     /* s */
	PFC_ESTR,    /* S: escaped string */
	PFC_FLOAT,   /* e E f g G */
	PFC_ADDR,    /* a: kernel address as symbol */
	PFC_UADDR,   /* A: user address as symbol */
	PFC_STACK,   /* k */
	PFC_TIME,    /* Y: "1973 Dec  3 17:20:00" from ns since 1970 */
	PFC_TIME822, /* T: RFC 822 */
};

struct pfconv {
	const char *prefix; /* literal text before it */
	size_t preflen;
	enum pf_class class;
	char name[4]; /* as written without flags: "d", "lld" */
	char conv;    /* the last letter for printf(3): d u x X o c s e … */
	unsigned flags;
	int width, prec; /* prec < 0: none; width 0: none */
	size_t off;	 /* of the '%' in the format */
};

#define PRINTFMT_MAX_CONVS 1024
/* Padding is bounded, so that a short format cannot fill memory or a disk. */
#define PRINTFMT_MAX_WIDTH 65536  /* characters of one conversion */
#define PRINTFMT_MAX_TEXT 1048576 /* characters of all conversions of a record */
/* The same limits for constants in a text printf(), whose output goes straight to the stream. */
#define PRINTFMT_WIDE_WIDTH 16777216
#define PRINTFMT_WIDE_TEXT 67108864

/* Checks width and precision, constants or as a program computed them. 0, or -ERANGE when one is above
 * PRINTFMT_MAX_WIDTH, or makes *total more than PRINTFMT_MAX_TEXT. Both are added to *total. Negative ones are a width
 * to the left, and no precision. */
int printfmt_check_size(int64_t width, int64_t prec, uint64_t *total);
/* Parses the format; wide: PRINTFMT_WIDE_… are the limits of its constants. The conversions live in the arena and point
 * into fmt. Returns -EINVAL on a bad format, -ERANGE when widths are too large. *reason is in DTrace's words ("format
 * conversion #1 name expected before end of format string"), in the arena. A trailing literal is a last conversion of
 * class PFC_NONE. */
int printfmt_parse(struct arena *a, const char *fmt, size_t len, bool wide, struct pfconv **ret, size_t *ret_n,
		   const char **reason);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a request, judged before the HTTP library reads it. The library has its own way with what HTTP leaves
 * open or forbids. It takes the first of two Host fields, and a line that a lone CR ends. It answers twice to a length
 * below zero. dwell answers such a head once, and does not pass it to the library. Source: RFC 9112, 2.2 (lines), 3
 * (request line), 3.2 (Host), 5.1 and 5.2 (fields), 6.1 to 6.3 (length of the body). */
#ifndef DWELL_SERVE_HEAD_H
#define DWELL_SERVE_HEAD_H
#include <stddef.h>

#define HEAD_MAX (16 << 10)	/* bytes of a head, with the empty line at its end */
#define HEAD_LINE_MAX (8 << 10) /* bytes of the request line */
#define HEAD_PIECES_MAX 256 /* fields, parameters of the address and cookies: the library keeps a structure of each */

struct head_verdict {
	enum {
		HEAD_PART,  /* right so far, more must come */
		HEAD_WHOLE, /* and right */
		HEAD_WRONG  /* to be answered, and no more read */
	} is;
	int status;	    /* of HEAD_WRONG: the answer's, of HTTP (400 …) */
	const char *reason; /* of HEAD_WRONG */
};
/* p: the first n bytes of a connection. */
struct head_verdict head_judge(const char *p, size_t n);
#endif

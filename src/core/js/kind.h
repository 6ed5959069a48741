/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are no plain objects, for both printers. Inside of core/. */
#ifndef DWELL_CORE_JS_KIND_H
#define DWELL_CORE_JS_KIND_H
#include "core/js/js.h"

/* A number of an object's view of bytes. */
struct js_view {
	char name[32];	  /* of its constructor, cut */
	const char *kind; /* "Uint8Array"; of others and subclasses "Uint8Array" too */
	unsigned size;	  /* of an element, bytes */
	uint64_t at, n;	  /* address, elements */
};
/* -EBADMSG: it is none of those that are known. */
int js_view(const struct js *js, uint64_t object, struct js_view *ret);
/* Element i as text. */
int js_view_text(const struct js *js, const struct js_view *v, uint64_t i, struct strb *b);
/* "2024-01-31T12:00:00.000Z"; "Invalid Date". */
#define JS_DATE 40
int js_date_text(const struct js *js, uint64_t object, char buf[JS_DATE]);
/* "/source/flags" */
int js_regexp_text(const struct js *js, uint64_t object, struct strb *b);
/* The state of a promise, and its result. */
enum js_promise { JS_PENDING, JS_FULFILLED, JS_REJECTED };
int js_promise(const struct js *js, uint64_t object, enum js_promise *state, uint64_t *result);
/* "[Getter]", "[Setter]", "[Getter/Setter]"; "[accessor]" when V8 itself computes it. */
const char *js_accessor_word(const struct js *js, uint64_t v);
/* "undefined", "null", "true", "false", or NULL: it is another one. */
const char *js_oddball(const struct js *js, uint64_t v);
#endif

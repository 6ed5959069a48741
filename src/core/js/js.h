/* SPDX-License-Identifier: Apache-2.0 */
/* JavaScript's objects in a target, as V8 keeps them. Values are V8's tagged words: small integers and pointers. All of
 * it is a stranger's: a value that does not fit the layout is an error, -EBADMSG, or printed as what it is not. */
#ifndef DWELL_CORE_JS_JS_H
#define DWELL_CORE_JS_JS_H
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/strb.h"
#include "base/vec.h"
#include "core/target.h"
#include "runtime/v8/int.h"
#include "runtime/v8/objects.h"

#define JS_MAX_STRING (64u << 20)  /* characters of a string that are read */
#define JS_MAX_ELEMENTS (1u << 27) /* of an array, entries of a table */
#define JS_MAX_CHAIN 64u	   /* maps from one to its constructor */

struct js {
	struct core *core; /* not owned */
	struct rt_mem mem;
	struct v8_layout l;
	struct v8_objects o;
	struct v8 v;	     /* of these */
	struct v8_proc walk; /* where functions have their code */
	struct v8_lines *lines;
	uint32_t version, build, patch; /* of V8: V8_VERSION(), and what follows it */
};

/* Finds V8 in the target's files and takes its layout. js_close() frees *ret. -ENOENT: there is none; -ENOTSUP: a
 * version that is not known; -EBADMSG: the binary does not say enough. */
int js_open(struct core *c, struct js **ret, struct err *err);
void js_close(struct js *js); /* accepts NULL */

static inline int js_word(const struct js *js, uint64_t object, int64_t at, uint64_t *ret)
{
	return v8_word(&js->v, object, at, ret);
}
/* The instance type, or -errno. */
static inline int js_type(const struct js *js, uint64_t object)
{
	return v8_type(&js->v, object);
}
/* Whether a map is one: the map of its map is that map's own. */
bool js_is_map(const struct js *js, uint64_t map);
/* Whether it is an object of programs. */
static inline bool js_is_receiver(const struct js *js, int type)
{
	return type >= js->o.type_proxy && type != V8_NO_TYPE;
}
static inline bool js_is_string(const struct js *js, int type)
{
	return type >= 0 && type < js->l.type_nonstring;
}
static inline bool js_is_function(const struct js *js, int type)
{
	return type >= js->l.type_function && type <= js->l.type_last_function;
}

/* The units of a string of UTF-16, at most max; *ret_all: how many it has. */
typedef VEC(uint16_t) js_units;
int js_string(const struct js *js, uint64_t string, size_t max, js_units *ret, uint64_t *ret_all);
/* The same as UTF-8; half of a pair becomes U+FFFD. */
int js_string_text(const struct js *js, uint64_t string, size_t max, struct strb *b, uint64_t *ret_all);
/* The text of a number as JavaScript writes it. */
#define JS_NUMBER 32
void js_number_text(double v, char buf[JS_NUMBER]);
/* A BigInt in decimal; one of more than JS_MAX_BIGINT bytes is described. */
#define JS_MAX_BIGINT 4096u
int js_bigint_text(const struct js *js, uint64_t v, struct strb *b);

/* The name of a function; "" when it has none. */
int js_function_name(const struct js *js, uint64_t function, struct strb *b);
/* "name at file:line:column" of a frame as base/v8fmt.h has it; functions inlined there come first, as of
 * v8_frame_text(). */
void js_frame_text(const struct js *js, uint64_t frame, char buf[RT_MAX_TEXT]);
/* The function that an object was made by. -ENOENT: there is none. */
int js_constructor_function(const struct js *js, uint64_t object, uint64_t *ret);
/* The name of an object's constructor; "" unknown. */
int js_constructor(const struct js *js, uint64_t object, struct strb *b);
/* Whether a value is the mark of a place without a value. */
bool js_is_hole(const struct js *js, uint64_t v);

/* A property, or an element. */
struct js_prop {
	uint64_t key;	/* string or symbol; 0: an element */
	uint64_t index; /* of an element */
	uint64_t value; /* unless: */
	bool is_double; /* number is the value */
	double number;
	bool accessor; /* value is a pair of functions, or V8's own */
	bool hidden;   /* not enumerable */
	bool stored;   /* the value is in the object, not in its map */
};
/* 0 goes on; WALK_END (base/walk.h) or -errno ends. */
typedef int js_prop_fn(void *ctx, const struct js_prop *p);
/* All own properties in JavaScript's order: elements, then names as they were added. */
int js_properties(const struct js *js, uint64_t object, js_prop_fn *fn, void *ctx);
/* The same for properties that refer to the object `to`. It gives each of them, and may give others. */
int js_properties_to(const struct js *js, uint64_t object, uint64_t to, js_prop_fn *fn, void *ctx);
/* The elements alone, from `first` on; *ret_length: that of an array, else what the store has. */
int js_elements(const struct js *js, uint64_t object, js_prop_fn *fn, void *ctx, uint64_t *ret_length);
/* The value of an own property by its name. -ENOENT. */
int js_own(const struct js *js, uint64_t object, const char *name, uint64_t *ret);
/* Entries of a Map (value) or Set (key only), in their order. */
typedef int js_entry_fn(void *ctx, uint64_t key, uint64_t value);
int js_entries(const struct js *js, uint64_t object, bool map, js_entry_fn *fn, void *ctx);

/* The same of a WeakMap or WeakSet, in no order; a set's entries have the value 0. */
int js_weak_entries(const struct js *js, uint64_t object, bool map, js_entry_fn *fn, void *ctx);

/* A function or promise that waits for a promise. */
struct js_waiter {
	uint64_t async;	   /* an async function that awaits it: the object of its run; or 0 */
	uint64_t function; /* of the async function; else what was given to then(), of a program; or 0 */
	uint64_t promise;  /* that is settled by it; or 0 */
	bool all;	   /* Promise.all() and the like */
};
/* Calls fn for each waiter of a pending promise, the last one first. 0, -errno or what fn returned. */
typedef int js_waiter_fn(void *ctx, const struct js_waiter *w);
int js_waiters(const struct js *js, uint64_t promise, js_waiter_fn *fn, void *ctx);
/* Where an async function waits, as base/v8fmt.h has places; 0: it is not known. */
uint64_t js_async_place(const struct js *js, uint64_t async);
/* Whether a symbol is the name of a private member: #name. */
bool js_is_private(const struct js *js, uint64_t symbol);

/* How a value is printed. */
struct js_print {
	unsigned depth;	 /* objects within each other */
	size_t elements; /* of an array, Map, Set; properties */
	size_t chars;	 /* of a string */
	bool all;	 /* properties that are not enumerable, too */
	bool addresses;
};
/* As the program would write it, on several lines when it is long. */
int js_print(const struct js *js, uint64_t value, const struct js_print *how, struct strb *b);
/* As JSON. Values that JSON does not have are objects with one member that begins with $: {"$undefined":true},
 * {"$function":"name"}, {"$map":[[key,value]]} .... {"$more":count} stands for values that are left out. */
struct jsonw;
int js_json(const struct js *js, uint64_t value, const struct js_print *how, struct jsonw *w, const char *name);
#endif

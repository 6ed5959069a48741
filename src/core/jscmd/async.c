/* SPDX-License-Identifier: Apache-2.0 */
/* Async callers of a frame, by what waits for its promise; and the exception that V8 is about to throw. */
#include "core/jscmd/async.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/plain.h"
#include "base/rtfmt.h"
#include "base/v8fmt.h"
#include "base/walk.h"
#include "core/js/kind.h"
#include "core/jsheap/pages.h"

#define MAX_CALLERS 1000u
#define WORD 8
#define WORDS 512 /* of a stack that are read at once */
#define CHARS 1000

static void say(struct shell *s, pid_t tid, const char *kind, const char *text, uint64_t object, size_t more)
{
	struct jsonw w = jsonw_to(&s->text);

	if (s->to)
		return;
	if (!s->json) {
		shell_print(s, "%16s %s", kind, text);
		shell_print(s, more ? " (and %zu more wait for it)\n" : "\n", more);
		return;
	}
	jsonw_object(&w, NULL);
	jsonw_i64(&w, "tid", tid);
	jsonw_str(&w, "kind", kind);
	if (object)
		jsonw_strf(&w, "object", "%" PRIx64, object - V8_TAG);
	jsonw_str(&w, "text", text);
	if (more)
		jsonw_u64(&w, "more", more);
	jsonw_end_object(&w);
	jsonw_line(&w);
}

/* -- callers -- */

struct one {
	struct js_waiter w;
	size_t n;
};

/* The list begins with the latest waiter. The earliest is kept: the last one seen. */
static int see_waiter(void *ctx, const struct js_waiter *w)
{
	struct one *o = ctx;

	o->n++;
	o->w = *w;
	return 0;
}

static int say_callers(struct shell *s, const struct js *js, pid_t tid, uint64_t promise)
{
	char text[RT_MAX_TEXT];
	int r = 0;

	for (unsigned i = 0; i < MAX_CALLERS && promise && r == 0; i++) {
		struct one o = { .n = 0 };
		uint64_t shared, place;

		r = js_waiters(js, promise, see_waiter, &o);
		if (r < 0 || !o.n)
			break;
		place = o.w.async ? js_async_place(js, o.w.async) : 0;
		if (!place && o.w.function && js_word(js, o.w.function, js->l.function_shared, &shared) == 0)
			place = V8_FRAME(shared, V8_AT_MAX);
		if (place)
			js_frame_text(js, place, text);
		if (place || o.w.all)
			say(s, tid, o.w.async || o.w.all ? "async" : "async then",
			    place ? text : "Promise.all or the like", o.w.async, o.n - 1);
		promise = o.w.promise;
	}
	return r == -ENOMEM ? r : 0; /* the rest is damaged, or not in the core */
}

/* The object of a function's run, which the frame of the function has among its variables. */
static uint64_t find_run(const struct js *js, uint64_t function, uint64_t from, uint64_t to)
{
	uint64_t w[WORDS], of;

	to = to - from > JSASYNC_MAX_STACK ? from + JSASYNC_MAX_STACK : to;
	for (uint64_t at = from & ~(uint64_t)(WORD - 1); at < to; at += sizeof(w)) {
		const uint64_t n = to - at < sizeof(w) ? (to - at) / WORD : WORDS;

		if (core_read(js->core, at, w, (size_t)n * WORD) < 0)
			return 0;
		for (uint64_t i = 0; i < n; i++)
			if (v8_is_object(w[i]) && js_type(js, w[i]) == js->o.type_async &&
			    js_word(js, w[i], js->o.generator_function, &of) == 0 && of == function)
				return w[i];
	}
	return 0;
}

int js_say_async(struct shell *s, const struct js *js, pid_t tid, uint64_t function, uint64_t from, uint64_t to)
{
	const uint64_t run = from < to ? find_run(js, function, from, to) : 0;
	uint64_t promise;

	if (!run || js_word(js, run, js->o.async_promise, &promise) < 0)
		return 0;
	return say_callers(s, js, tid, promise);
}

/* -- exceptions -- */

/* Functions of V8 and Node that have an exception in their hands. */
static bool throws(const char *name)
{
	static const char *const parts[] = { "v8::internal::Isolate::Throw",
					     "v8::internal::Isolate::ReThrow",
					     "v8::internal::Isolate::CreateMessage",
					     "Runtime_Throw",
					     "Runtime_ReThrow",
					     "TriggerUncaughtException" };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

/* Is it a small integer, or an object that begins with a map, as all objects do? */
static bool is_whole(const struct js *js, uint64_t v)
{
	uint64_t map;

	return v8_is_smi(v) || (v8_is_object(v) && js_word(js, v, 0, &map) == 0 && js_is_map(js, map));
}

/* Looks for a word on the stack that is an object of a type, or leads to one as handles do. *ret: the last one. */
static bool find_on_stack(const struct js *js, uint64_t from, uint64_t to, int type, bool handles, uint64_t *ret)
{
	uint64_t w[WORDS], v;
	bool found = false;

	from &= ~(uint64_t)(WORD - 1);
	if (to - from > JSASYNC_MAX_STACK)
		from = to - JSASYNC_MAX_STACK;
	for (uint64_t at = from; at < to; at += sizeof(w)) {
		const uint64_t n = to - at < sizeof(w) ? (to - at) / WORD : WORDS;

		if (core_read(js->core, at, w, (size_t)n * WORD) < 0)
			return found;
		for (uint64_t i = 0; i < n; i++) {
			v = w[i];
			if (handles && (v % WORD || core_read(js->core, v, &v, sizeof(v)) < 0))
				continue;
			if (!v8_is_smi(v) && is_whole(js, v) && js_type(js, v) == type && js_on_page(js, v)) {
				*ret = v;
				found = true;
			}
		}
	}
	return found;
}

/* The argument of Runtime_Throw(): the last value that generated code has pushed, above the frame that it left. */
static bool find_argument(const struct js *js, const core_frames *frames, size_t i, const char *name, uint64_t *ret)
{
	const char *end = strstr(name, "Runtime_Throw"), *again = strstr(name, "Runtime_ReThrow");
	if ((!end || strcmp(end, "Runtime_Throw") != 0) && (!again || strcmp(again, "Runtime_ReThrow") != 0))
		return false;
	if (i + 1 >= frames->n || core_read(js->core, frames->v[i + 1].bp + 2 * WORD, ret, sizeof(*ret)) < 0)
		return false;
	return is_whole(js, *ret);
}

/* By the words of a stack: a message that V8 makes of what is thrown, else an error. */
static bool find_thrown(const struct js *js, uint64_t from, uint64_t to, uint64_t *ret)
{
	if ((find_on_stack(js, from, to, js->o.type_message, false, ret) ||
	     find_on_stack(js, from, to, js->o.type_message, true, ret)) &&
	    js_word(js, *ret, js->o.message_argument, ret) == 0 && is_whole(js, *ret))
		return true;
	return find_on_stack(js, from, to, js->o.type_error, false, ret) ||
	       find_on_stack(js, from, to, js->o.type_error, true, ret);
}

int js_say_exception(struct shell *s, const struct js *js, pid_t tid, const core_frames *frames, uint64_t to)
{
	const struct js_print how = { 1, 20, CHARS, false, false };
	_cleanup_(strb_free) struct strb b = { 0 }, text = { 0 };
	uint64_t v = 0, from = frames->n ? frames->v[0].sp : 0;
	struct core_symbol y;
	bool any = false, sure = false;
	int r;

	for (size_t i = 0; !s->to && i < frames->n && frames->v[i].sp < to && !sure; i++) {
		if (!core_name(js->core, frames->v[i].ip, &y))
			continue;
		any |= throws(y.name);
		sure = find_argument(js, frames, i, y.name, &v);
	}
	if (!sure && (!any || from >= to || !find_thrown(js, from, to, &v)))
		return 0;
	r = js_print(js, v, &how, &b);
	plain_part(&text, strb_str(&b), b.n, !s->json, true);
	strb_adds(&text, sure ? "" : " (a guess, by a word of the stack)");
	say(s, tid, "throws", strb_str(&text), v8_is_object(v) ? v : 0, 0);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the async functions and callbacks that wait for a promise. A pending promise leads to reactions, each to the
 * next one. A reaction has functions, and what they settle. Functions of `await` are V8's own; their context has the
 * object of the function's run. Words are told by the types of what they lead to, as versions of V8 order them
 * differently. Source: src/objects/promise.tq,
 * src/builtins/{promise-abstract-operations,async-function-gen,promise-all}.{tq,cc} of V8. */
#include <errno.h>
#include "base/v8fmt.h"
#include "base/walk.h"
#include "core/js/kind.h"

#define WORD 8
#define MAX_REACTIONS 100000u
#define REACTION_WORDS 6 /* of a PromiseReaction, the map among them */
#define CAPABILITY_WORDS 4
#define MAX_SLOTS 12u	      /* of a context of V8's own function */
#define PRIVATE_NAME (1 << 4) /* of a symbol's flags. Source: src/objects/name.tq */

bool js_is_private(const struct js *js, uint64_t symbol)
{
	uint32_t flags;

	return js_type(js, symbol) == js->o.type_symbol &&
	       v8_bytes(&js->v, symbol, js->o.symbol_name - (int64_t)sizeof(flags), &flags, sizeof(flags)) == 0 &&
	       flags & PRIVATE_NAME;
}

static bool is_async(const struct js *js, uint64_t v)
{
	const int type = v8_is_object(v) ? js_type(js, v) : -1;

	return type == js->o.type_async || type == js->o.type_async + 1; /* of an async generator */
}

uint64_t js_async_place(const struct js *js, uint64_t async)
{
	uint64_t function, shared, at;

	if (js_word(js, async, js->o.generator_function, &function) < 0 || !js_is_function(js, js_type(js, function)) ||
	    js_word(js, function, js->l.function_shared, &shared) < 0 ||
	    js_word(js, async, js->o.generator_place, &at) < 0)
		return 0;
	if (!v8_is_smi(at) || v8_smi(at) < 0 || (uint64_t)v8_smi(at) >= V8_AT_MAX)
		return V8_FRAME(shared, V8_AT_MAX);
	return V8_FRAME(shared, (uint64_t)v8_smi(at));
}

static void take_capability(const struct js *js, uint64_t v, struct js_waiter *w)
{
	uint64_t p;

	for (unsigned i = 1; i < CAPABILITY_WORDS; i++)
		if (js_word(js, v, i * WORD, &p) == 0 && v8_is_object(p) && js_type(js, p) == js->o.type_promise)
			w->promise = p;
}

/* A function of a reaction: of a program, or of V8 with what it is for in its context. */
static void take_handler(const struct js *js, uint64_t function, struct js_waiter *w)
{
	uint64_t context, v, n, shared, script;
	int type;

	if (w->async || js_word(js, function, js->l.function_shared, &shared) < 0)
		return;
	if (js_word(js, shared, js->l.shared_script, &script) == 0 && v8_is_object(script) &&
	    js_type(js, script) == js->l.type_script) {
		if (!w->function)
			w->function = function;
		return;
	}
	if (js_word(js, function, js->o.function_context, &context) < 0 || !v8_is_object(context))
		return;
	type = js_type(js, context);
	if (type < js->o.type_context_first || type > js->o.type_context_last ||
	    js_word(js, context, js->l.array_length, &n) < 0 || !v8_is_smi(n) || v8_smi(n) < 0)
		return;
	for (uint64_t i = 0; i < (uint64_t)v8_smi(n) && i < MAX_SLOTS; i++) {
		if (js_word(js, context, js->l.array_data + (int64_t)(i * WORD), &v) < 0 || !v8_is_object(v))
			continue;
		if (is_async(js, v)) {
			w->async = v;
			js_word(js, v, js->o.generator_function, &w->function);
			if (js_type(js, v) == js->o.type_async)
				js_word(js, v, js->o.async_promise, &w->promise);
			return;
		}
		if (js_type(js, v) == js->o.type_capability) {
			w->all = true;
			take_capability(js, v, w);
		}
	}
}

/* One reaction; *next: the one after it, or 0. */
static int take_reaction(const struct js *js, uint64_t reaction, struct js_waiter *w, uint64_t *next)
{
	uint64_t words[REACTION_WORDS];
	int r = v8_bytes(&js->v, reaction, 0, words, sizeof(words));

	*next = 0;
	for (unsigned i = 1; i < REACTION_WORDS && r == 0; i++) {
		const int type = v8_is_object(words[i]) ? js_type(js, words[i]) : -1;

		if (type < 0)
			continue;
		if (type == js->o.type_reaction)
			*next = words[i];
		else if (js_is_function(js, type))
			take_handler(js, words[i], w);
		else if (type == js->o.type_promise && !w->promise)
			w->promise = words[i];
		else if (type == js->o.type_capability && !w->promise)
			take_capability(js, words[i], w);
	}
	return r;
}

int js_waiters(const struct js *js, uint64_t promise, js_waiter_fn *fn, void *ctx)
{
	enum js_promise state;
	uint64_t at;
	int r = js_promise(js, promise, &state, &at);

	if (r < 0 || state != JS_PENDING)
		return r;
	for (unsigned i = 0; i < MAX_REACTIONS && r == 0 && v8_is_object(at); i++) {
		struct js_waiter w = { 0 };

		if (js_type(js, at) != js->o.type_reaction)
			return -EBADMSG;
		r = take_reaction(js, at, &w, &at);
		if (r == 0)
			r = fn(ctx, &w);
	}
	return r;
}

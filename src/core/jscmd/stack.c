/* SPDX-License-Identifier: Apache-2.0 */
/* JavaScript's frames among native ones. All code that V8 makes keeps frame pointers, and no table describes it. Below
 * the frame pointer are a context and the function, and of interpreted code the place (base/v8fmt.h). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/plain.h"
#include "base/rtfmt.h"
#include "core/cmds.h"
#include "core/js/js.h"
#include "core/jscmd/async.h"

#define FRAMES 100000
#define LINES 20
#define MAX_ARGUMENTS 256u /* that are printed */
#define CHARS 100
#define AROUND 2u  /* lines of source before and after a frame's */
#define WIDTH 200u /* bytes of a line of source */
/* Above the frame pointer: the caller's, the return address, this, then the arguments; below it how many there are,
 * this included. Source: src/execution/frame-constants.h. */
enum { AT_ARGUMENTS = 16, AT_COUNT = -24 };

struct frame {
	uint64_t fp, function, word; /* word: as base/v8fmt.h has it */
};

/* The code that a function has now, if the frame is in it: the frame of compiled code. */
static bool in_code(const struct js *js, uint64_t function, uint64_t shared, uint64_t ip, bool innermost, uint64_t *ret)
{
	const struct v8_proc *p = &js->walk;
	uint64_t code, begin, at;
	uint32_t size, flags;
	bool baseline;

	if (!p->code || js_word(js, function, (int64_t)p->code, &code) < 0 || !v8_is_object(code) ||
	    v8_bytes(&js->v, code, (int64_t)p->size, &size, sizeof(size)) < 0 ||
	    v8_bytes(&js->v, code, (int64_t)p->flags, &flags, sizeof(flags)) < 0)
		return false;
	if (p->inside)
		begin = code - V8_TAG + p->inside;
	else if (js_word(js, code, (int64_t)p->begin, &begin) < 0)
		return false;
	at = ip - begin;
	if (at > size || (flags & p->kinds) < p->baseline)
		return false;
	baseline = (flags & p->kinds) == p->baseline;
	/* Tables of optimised code have the calls only: nothing tells the place of what was interrupted. */
	at = at < V8_AT_MAX && (baseline || !innermost) ? at : V8_AT_MAX;
	*ret = V8_FRAME(baseline ? shared : code, at) | V8_COMPILED;
	return true;
}

/* Whether there is a frame of JavaScript at this frame pointer; ip: 0, or where it is. */
static bool frame_at(const struct js *js, uint64_t fp, uint64_t ip, bool innermost, struct frame *ret)
{
	uint64_t w[V8_FRAME_BYTES / 8], shared, at = V8_AT_MAX;
	uint64_t function;

	if (fp < V8_FRAME_BYTES || core_read(js->core, fp - V8_FRAME_BYTES, w, sizeof(w)) < 0)
		return false;
	function = w[V8_FRAME_AT_FUNCTION / 8];
	if (!v8_is_object(w[V8_FRAME_AT_CONTEXT / 8]) || !v8_is_object(function) ||
	    !js_is_function(js, js_type(js, function)) || js_word(js, function, js->l.function_shared, &shared) < 0 ||
	    js_type(js, shared) != js->l.type_shared)
		return false;
	if (v8_is_smi(w[0]) && v8_is_object(w[V8_FRAME_AT_ARRAY / 8]) &&
	    js_type(js, w[V8_FRAME_AT_ARRAY / 8]) == js->l.type_bytecode && v8_smi(w[0]) >= 0 &&
	    (uint64_t)v8_smi(w[0]) < V8_AT_MAX)
		at = (uint64_t)v8_smi(w[0]);
	*ret = (struct frame){ fp, function, V8_FRAME(shared, at) };
	if (at == V8_AT_MAX && ip)
		in_code(js, function, shared, ip, innermost, &ret->word);
	return true;
}

/* One function of a frame. */
static void say_function(struct shell *s, const struct core_thread *t, const struct frame *f, const char *text,
			 size_t n, bool inlined)
{
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_i64(&w, "tid", t->tid);
		jsonw_str(&w, "kind", "javascript");
		jsonw_strf(&w, "fp", "%" PRIx64, f->fp);
		jsonw_strf(&w, "function", "%" PRIx64, f->function - V8_TAG);
		jsonw_bool(&w, "inlined", inlined);
		jsonw_strn(&w, "text", text, n);
		jsonw_end_object(&w);
		jsonw_line(&w);
	} else {
		shell_print(s, "%016" PRIx64 " %.*s%s\n", f->fp, (int)n, text, inlined ? " [inlined]" : "");
	}
}

static void say_around(struct shell *s, const struct js *js, uint64_t function, const char *text);
static int say_arguments(struct shell *s, const struct js *js, const struct frame *f, unsigned depth);

/* around: with receiver, arguments and the source around its line. */
static int say_frame(struct shell *s, const struct js *js, const struct core_thread *t, const struct frame *f,
		     bool around)
{
	char text[RT_MAX_TEXT];
	const char *p = text, *into;

	if (s->to)
		return shell_emit(s, f->fp);
	js_frame_text(js, f->word, text);
	for (; (into = strstr(p, RT_INLINED_INTO)); p = into + strlen(RT_INLINED_INTO))
		say_function(s, t, f, p, (size_t)(into - p), true);
	say_function(s, t, f, p, strlen(p), false);
	if (!around || s->json)
		return 0;
	say_around(s, js, f->function, p);
	return say_arguments(s, js, f, 0);
}

static void say_native(struct shell *s, const struct core_thread *t, const struct core_frame *f)
{
	if (s->to)
		return;
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_i64(&w, "tid", t->tid);
		jsonw_str(&w, "kind", "native");
		jsonw_strf(&w, "fp", "%" PRIx64, f->bp);
		shell_json_place(s, &w, f->ip);
		jsonw_end_object(&w);
		jsonw_line(&w);
	} else {
		shell_print(s, "%016" PRIx64 " ", f->bp);
		shell_place(s, f->ip);
		shell_print(s, "\n");
	}
}

static int say_stack(struct shell *s, const struct js *js, const struct core_thread *t, const core_frames *all,
		     bool only, bool around)
{
	uint64_t last = 0;
	int r = 0;

	if (!s->json)
		shell_print(s, "thread %x (%d):\n", (unsigned)t->tid, (int)t->tid);
	for (size_t i = 0; i < all->n && r == 0 && s->error == 0; i++) {
		const struct core_frame *f = &all->v[i];
		struct frame j;

		/* A frame that is being made has the caller's frame pointer. */
		if (f->by_fp && f->bp != last && frame_at(js, f->bp, f->ip, i == 0, &j)) {
			if (!last)
				r = js_say_exception(s, js, t->tid, all, f->bp);
			if (r == 0)
				r = say_frame(s, js, t, &j, around);
			if (r == 0 && !s->to)
				r = js_say_async(s, js, t->tid, j.function, last ? last : f->sp, f->bp);
			last = f->bp;
		} else if (!only) {
			say_native(s, t, f);
		}
	}
	return r;
}

int dcmd_jsstack(struct shell *s, const struct dcall *d)
{
	const struct core_thread *t;
	core_frames all = { 0 };
	uint64_t max = FRAMES;
	const char *why = NULL;
	bool only = false, around = false;
	struct js *js;
	int r = shell_js(s, &js);

	for (int i = 0; i < d->argc && r == 0; i++) {
		if (!strcmp(d->argv[i], "-j"))
			only = true;
		else if (!strcmp(d->argv[i], "-v"))
			around = true;
		else if (!strcmp(d->argv[i], "-n"))
			r = shell_option(s, d, &i, CORE_MAX_FRAMES, &max);
		else
			r = shell_refuse(s, "jsstack", d->argv[i]);
	}
	if (r == 0)
		r = shell_thread(s, d, &t);
	if (r == 0)
		r = core_walk(s->core, t->regs, (unsigned)max, &all, &why);
	if (r == 0)
		r = say_stack(s, js, t, &all, only, around);
	if (r == 0 && why && !s->json)
		shell_print(s, "                 (the stack goes on: %s)\n", why);
	vec_free(&all);
	return r;
}

/* -- one frame -- */

static int say_value(struct shell *s, const struct js *js, const char *what, uint64_t i, uint64_t v, unsigned depth)
{
	const struct js_print how = { depth, 20, CHARS, false, true };
	_cleanup_(strb_free) struct strb b = { 0 };
	int r = js_print(js, v, &how, &b);

	shell_print(s, i ? "    %s %" PRIu64 ": " : "    %s: ", what, i);
	if (!s->to)
		plain_part(&s->text, strb_str(&b), b.n, true, true);
	shell_print(s, "\n");
	return r;
}

/* The receiver, and the arguments that the caller gave. */
static int say_arguments(struct shell *s, const struct js *js, const struct frame *f, unsigned depth)
{
	uint64_t count, v;
	int r = core_read(s->core, f->fp + (uint64_t)AT_COUNT, &count, sizeof(count));

	if (r == 0 && count > MAX_ARGUMENTS)
		count = 1; /* of another kind of frame */
	for (uint64_t i = 0; r == 0 && i < count; i++) {
		r = core_read(s->core, f->fp + AT_ARGUMENTS + i * 8, &v, sizeof(v));
		if (r == 0)
			r = say_value(s, js, i ? "argument" : "this", i, v, depth);
	}
	return r;
}

int dcmd_jsframe(struct shell *s, const struct dcall *d)
{
	char text[RT_MAX_TEXT];
	uint64_t depth = 0;
	struct frame f;
	struct js *js;
	int r = shell_js(s, &js);

	for (int i = 0; i < d->argc && r == 0; i++)
		r = !strcmp(d->argv[i], "-d") ? shell_option(s, d, &i, 60, &depth)
					      : shell_refuse(s, "jsframe", d->argv[i]);
	if (r < 0)
		return r;
	if (!frame_at(js, d->addr, 0, false, &f))
		return err_set(&s->err, -EBADMSG, "no frame of JavaScript is at %" PRIx64, d->addr);
	js_frame_text(js, f.word, text);
	shell_print(s, "%016" PRIx64 " %s\n    function: %" PRIx64 "\n", f.fp, text, f.function - V8_TAG);
	r = say_arguments(s, js, &f, (unsigned)depth);
	if (r < 0 && !s->err.code)
		return err_set(&s->err, r, "the frame at %" PRIx64 " is not whole in memory", d->addr);
	return r < 0 ? r : shell_emit(s, f.function - V8_TAG);
}

/* -- source -- */

/* Prints lines of a text from a place on. */
static void say_lines(struct shell *s, const char *text, size_t n, size_t from, uint64_t lines)
{
	size_t line = 1;

	for (size_t i = 0; i < from && i < n; i++)
		line += text[i] == '\n';
	while (from && text[from - 1] != '\n')
		from--;
	for (uint64_t i = 0; i < lines && from < n; i++, line++) {
		const size_t len = strcspn(text + from, "\n");

		shell_print(s, "%6zu ", line);
		if (!s->to)
			plain_part(&s->text, text + from, len, true, true);
		shell_print(s, "\n");
		from += len + 1;
	}
}

/* The source of a function as UTF-8, and where in it the function begins. */
static int read_source(const struct js *js, uint64_t function, struct strb *b, size_t *from)
{
	struct v8_scope scope = { .start = -1 };
	uint64_t shared, script, source, name;
	int r = js_word(js, function, js->l.function_shared, &shared);

	if (r == 0)
		r = js_word(js, shared, js->l.shared_script, &script);
	if (r == 0)
		r = js_word(js, shared, js->l.shared_name, &name);
	if (r == 0 && (js_type(js, script) != js->l.type_script || js_type(js, name) != js->l.type_scope))
		r = -ENOENT;
	if (r == 0)
		r = v8_scope_read(&js->v, name, &scope);
	if (r == 0)
		r = js_word(js, script, js->l.script_source, &source);
	if (r == 0 && scope.start > 0) { /* units before it, as bytes */
		struct strb before = { 0 };

		r = js_string_text(js, source, (size_t)scope.start, &before, NULL);
		*from = before.n;
		strb_free(&before);
	}
	if (r == 0)
		r = js_string_text(js, source, JS_MAX_STRING, b, NULL);
	return r;
}

/* Lines around the one that a frame's text ends with, ":line" or ":line:column"; nothing where there is no source. */
static void say_around(struct shell *s, const struct js *js, uint64_t function, const char *text)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	const char *end = text + strlen(text), *p = end;
	unsigned long line = 0, at = 1, first;
	size_t from = 0;

	for (unsigned i = 0; i < 2; i++) { /* from the end: the column, the line */
		const char *q = p;

		while (q > text && q[-1] >= '0' && q[-1] <= '9')
			q--;
		if (q == p || q == text || q[-1] != ':')
			break;
		line = strtoul(q, NULL, 10);
		p = q - 1;
	}
	if (!line || read_source(js, function, &b, &from) < 0)
		return;
	first = line > AROUND ? line - AROUND : 1;
	text = strb_str(&b);
	for (end = text + b.n; text < end && at <= line + AROUND; at++) {
		const size_t n = strcspn(text, "\n");

		if (at >= first) {
			shell_print(s, "%s%6lu ", at == line ? "->" : "  ", at);
			plain_part(&s->text, text, n < WIDTH ? n : WIDTH, true, true);
			shell_print(s, n > WIDTH ? "...\n" : "\n");
		}
		text += n + 1;
	}
}

int dcmd_jssource(struct shell *s, const struct dcall *d)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	uint64_t lines = LINES, object = 0;
	size_t from = 0;
	struct js *js;
	int r = shell_js(s, &js);

	for (int i = 0; i < d->argc && r == 0; i++)
		r = !strcmp(d->argv[i], "-n") ? shell_option(s, d, &i, UINT32_MAX, &lines)
					      : shell_refuse(s, "jssource", d->argv[i]);
	if (r < 0)
		return r;
	object = shell_object(js, d->addr);
	if (!object || !js_is_function(js, js_type(js, object)))
		return err_set(&s->err, -EBADMSG, "no function of JavaScript begins at %" PRIx64, d->addr);
	r = read_source(js, object, &b, &from);
	if (r < 0)
		return err_set(&s->err, r,
			       "the function at %" PRIx64
			       " has no source: it is a builtin, or its source is not in the core",
			       d->addr);
	say_lines(s, strb_str(&b), b.n, from, lines);
	return shell_emit(s, object - V8_TAG);
}

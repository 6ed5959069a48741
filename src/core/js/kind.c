/* SPDX-License-Identifier: Apache-2.0 */
/* Dates, regular expressions, promises, views of bytes. Source: src/objects/{js-date,js-regexp,js-promise}.{h,tq}. */
#include "core/js/kind.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"

#define MSEC 1000
#define MAX_DATE 8.64e15 /* ms from 1970. Source: ECMA-262, Time Values and Time Range */

const char *js_oddball(const struct js *js, uint64_t v)
{
	uint8_t kind;

	if (js_type(js, v) != js->l.type_oddball || v8_bytes(&js->v, v, js->l.oddball_kind + 4, &kind, 1) < 0)
		return NULL;
	return kind == (uint8_t)js->l.undefined ? "undefined"
	       : kind == js->o.odd_null		? "null"
	       : kind == js->o.odd_true		? "true"
	       : !kind				? "false"
						: NULL;
}

static int number_of(const struct js *js, uint64_t v, double *ret)
{
	if (v8_is_smi(v)) {
		*ret = v8_smi(v);
		return 0;
	}
	if (js_type(js, v) != js->o.type_number)
		return -EBADMSG;
	return v8_bytes(&js->v, v, js->o.number_value, ret, sizeof(*ret));
}

int js_date_text(const struct js *js, uint64_t object, char buf[JS_DATE])
{
	uint64_t w;
	int r = js_word(js, object, js->o.date_value, &w);
	double ms = 0, s;
	struct tm tm;
	time_t t;

	if (r == 0 && js->o.date_raw)
		memcpy(&ms, &w, sizeof(ms));
	else if (r == 0)
		r = number_of(js, w, &ms);
	if (r < 0)
		return r;
	if (isnan(ms) || fabs(ms) > MAX_DATE) {
		snprintf(buf, JS_DATE, "Invalid Date");
		return 0;
	}
	s = floor(ms / MSEC);
	t = (time_t)s;
	if (!gmtime_r(&t, &tm))
		return -EBADMSG;
	snprintf(buf, JS_DATE,
		 tm.tm_year + 1900 > 9999 || tm.tm_year + 1900 < 0 ? "%+07d-%02d-%02dT%02d:%02d:%02d.%03dZ"
								   : "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
		 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)(ms - s * MSEC));
	return 0;
}

int js_regexp_text(const struct js *js, uint64_t object, struct strb *b)
{
	static const char letters[] = "gimyusdlv"; /* by bit; l is V8's own */
	uint64_t source, flags;
	int r = js_word(js, object, js->o.regexp_source, &source);

	if (r == 0)
		r = js_word(js, object, js->o.regexp_flags, &flags);
	if (r < 0)
		return r;
	strb_addc(b, '/');
	r = js_string_text(js, source, V8_MAX_FILE, b, NULL);
	strb_addc(b, '/');
	/* JavaScript has them by letter. */
	for (const char *p = "dgimsuvy"; *p && v8_is_smi(flags); p++)
		if (v8_smi(flags) >> (strchr(letters, *p) - letters) & 1)
			strb_addc(b, *p);
	return r;
}

int js_promise(const struct js *js, uint64_t object, enum js_promise *state, uint64_t *result)
{
	uint64_t flags;
	int r = js_word(js, object, js->o.promise_flags, &flags);

	if (r == 0)
		r = js_word(js, object, js->o.promise_result, result);
	if (r < 0)
		return r;
	if (!v8_is_smi(flags) || (v8_smi(flags) & 3) > JS_REJECTED)
		return -EBADMSG;
	*state = (enum js_promise)(v8_smi(flags) & 3);
	return 0;
}

const char *js_accessor_word(const struct js *js, uint64_t v)
{
	static const char *const words[] = { "[accessor]", "[Getter]", "[Setter]", "[Getter/Setter]" };
	const int64_t at[2] = { js->o.accessor_getter, js->o.accessor_setter };
	unsigned has = 0;
	uint64_t w;

	for (unsigned i = 0; i < 2 && v8_is_object(v) && js_type(js, v) == js->o.type_accessors; i++)
		if (js_word(js, v, at[i], &w) == 0 && v8_is_object(w) && js_is_receiver(js, js_type(js, w)))
			has |= 1u << i;
	return words[has];
}

/* -- views -- */

static const struct kind {
	const char *name;
	unsigned size;
	char what; /* u, i, f */
} kinds[] = {
	{ "Uint8Array", 1, 'u' },     { "Int8Array", 1, 'i' },	   { "Uint8ClampedArray", 1, 'u' },
	{ "Uint16Array", 2, 'u' },    { "Int16Array", 2, 'i' },	   { "Uint32Array", 4, 'u' },
	{ "Int32Array", 4, 'i' },     { "Float32Array", 4, 'f' },  { "Float64Array", 8, 'f' },
	{ "BigUint64Array", 8, 'u' }, { "BigInt64Array", 8, 'i' },
};

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return &kinds[0];
}

int js_view(const struct js *js, uint64_t object, struct js_view *ret)
{
	_cleanup_(strb_free) struct strb name = { 0 };
	const struct v8_objects *o = &js->o;
	uint64_t external, base, bytes;
	const struct kind *k;
	int r = js_constructor(js, object, &name);

	if (r == 0 && js_type(js, object) == o->type_buffer) {
		*ret = (struct js_view){ .kind = "Uint8Array", .size = 1 };
		snprintf(ret->name, sizeof(ret->name), "%s", strb_str(&name));
		r = js_word(js, object, o->buffer_length, &ret->n);
		if (r == 0)
			r = js_word(js, object, o->buffer_store, &ret->at);
		return r == 0 && ret->n > JS_MAX_ELEMENTS ? -EBADMSG : r;
	}
	if (r == 0)
		r = js_word(js, object, o->typed_external, &external);
	if (r == 0)
		r = js_word(js, object, o->typed_base, &base);
	if (r == 0)
		r = js_word(js, object, o->view_length, &bytes);
	if (r < 0)
		return r;
	k = kind_of(strb_str(&name));
	*ret = (struct js_view){ .kind = k->name, .size = k->size, .n = bytes / k->size };
	snprintf(ret->name, sizeof(ret->name), "%s", strb_str(&name));
	/* In V8's memory: an object, and the way to its bytes. Outside: 0, and the address. */
	ret->at = external + (v8_is_object(base) ? base : 0);
	return bytes % k->size || ret->n > JS_MAX_ELEMENTS ? -EBADMSG : 0;
}

int js_view_text(const struct js *js, const struct js_view *v, uint64_t i, struct strb *b)
{
	const struct kind *k = kind_of(v->kind);
	const unsigned unused = 64 - 8 * k->size;
	char number[JS_NUMBER];
	uint64_t w = 0;
	double d = 0;
	float f;
	int r = core_read(js->core, v->at + i * k->size, &w, k->size);

	if (r < 0)
		return r;
	if (k->what == 'u') {
		strb_printf(b, "%" PRIu64, w);
	} else if (k->what == 'i') {
		strb_printf(b, "%" PRId64, (int64_t)(w << unused) >> unused);
	} else {
		memcpy(&f, &w, sizeof(f));
		memcpy(&d, &w, sizeof(d));
		js_number_text(k->size == 4 ? (double)f : d, number);
		strb_adds(b, number);
	}
	return 0;
}

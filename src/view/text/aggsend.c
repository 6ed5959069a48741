/* SPDX-License-Identifier: Apache-2.0 */
/* A printa() for another machine, which adds up those of several: values as they are kept, keys without addresses, as
 * an object of JSON. hosts/merge.c reads it. */
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonstr.h"
#include "base/recnames.h"
#include "view/text/int.h"

struct sending {
	struct text_view *v;
	const struct aggdesc *const *aggs;
	size_t naggs;
	struct strb b;
	bool more;
};

static void put_hex(struct strb *b, const void *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *from = p;

	strb_addc(b, '"');
	for (size_t i = 0; i < n; i++) {
		strb_addc(b, digits[from[i] >> 4]);
		strb_addc(b, digits[from[i] & 15]);
	}
	strb_addc(b, '"');
}

/* Stacks and symbols become what they are shown as: an address means nothing elsewhere. */
static void put_shown(struct sending *s, const struct recfield *f, const uint8_t *p)
{
	_cleanup_free_ char *text = NULL;
	FILE *out = s->v->out;
	char name[1024];
	size_t n = 0;

	if (f->kind != FLD_STACK && f->kind != FLD_USTACK) {
		text_addr_str(s->v, f, p, name, sizeof(name));
		put_hex(&s->b, name, strlen(name));
		return;
	}
	s->v->out = open_memstream(&text, &n);
	if (s->v->out) {
		text_stack(s->v, f, p, (int)s->v->opts.stackindent, "%s");
		s->b.failed |= fclose(s->v->out) != 0;
	}
	s->v->out = out;
	put_hex(&s->b, text ? text : "", text ? n : 0);
}

static void put_key(struct sending *s, const struct recfield *f, const uint8_t *p)
{
	switch (f->kind) {
	case FLD_INT: strb_printf(&s->b, "%lld", (long long)recfield_u64(f, p)); break;
	case FLD_STRING: put_hex(&s->b, p, strnlen((const char *)p, f->size)); break;
	case FLD_BYTES: put_hex(&s->b, p, f->size); break;
	default: put_shown(s, f, p);
	}
}

/* The words of a value that are not 0: [index, word, index, word ...]. */
static void put_words(struct sending *s, const struct aggdesc *d, const uint64_t *value)
{
	bool more = false;

	strb_addc(&s->b, '[');
	for (uint32_t i = 0; value && i < d->value_size / sizeof(*value); i++) {
		if (!value[i])
			continue;
		strb_printf(&s->b, "%s%u,%lld", more ? "," : "", i, (long long)value[i]);
		more = true;
	}
	strb_addc(&s->b, ']');
}

static void put_row(void *ctx, const uint8_t *key, const uint64_t *const *values)
{
	struct sending *s = ctx;
	const struct aggdesc *d = s->aggs[0];

	strb_printf(&s->b, "%s{\"key\":[", s->more ? ",\n" : "");
	s->more = true;
	for (size_t i = 0; i < d->nkeys; i++) {
		strb_adds(&s->b, i ? "," : "");
		put_key(s, &d->keys[i], key + d->keys[i].off);
	}
	strb_adds(&s->b, "],\"values\":[");
	for (size_t k = 0; k < s->naggs; k++) {
		strb_adds(&s->b, k ? "," : "");
		put_words(s, s->aggs[k], values[k]);
	}
	strb_adds(&s->b, "]}");
}

static void put_form(struct sending *s)
{
	const struct aggdesc *d = s->aggs[0];

	strb_adds(&s->b, "\"form\":{\"aggs\":[");
	for (size_t k = 0; k < s->naggs; k++) {
		const struct aggdesc *a = s->aggs[k];

		strb_printf(&s->b, "%s{\"name\":", k ? "," : "");
		jsonstr_add(&s->b, a->name, strlen(a->name));
		strb_printf(&s->b, ",\"func\":\"%s\",\"param\":[%d,%d,%d,%d],\"signed\":%s}", rec_agg_name(a->func),
			    a->param[0], a->param[1], a->param[2], a->param[3], a->is_signed ? "true" : "false");
	}
	strb_adds(&s->b, "],\"keys\":[");
	for (size_t i = 0; i < d->nkeys; i++) {
		const struct recfield *f = &d->keys[i];
		const char *kind = f->kind == FLD_INT ? "int" : f->kind == FLD_BYTES ? "bytes" : "text";

		strb_printf(&s->b, "%s{\"kind\":\"%s\",\"size\":%u,\"signed\":%s,\"char\":%s}", i ? "," : "", kind,
			    *kind == 't' ? 0 : f->size, f->is_signed ? "true" : "false", f->is_char ? "true" : "false");
	}
	strb_adds(&s->b, "]");
}

static void put_opts(struct sending *s)
{
	const struct text_opts *o = &s->v->opts;

	strb_printf(&s->b,
		    ",\"opts\":{\"sortkey\":%s,\"sortrev\":%s,\"hist\":%s,\"pack\":%s,\"zoom\":%s,\"sortkeypos\":%lld,"
		    "\"sortpos\":%lld}}",
		    o->aggsortkey ? "true" : "false", o->aggsortrev ? "true" : "false", o->agghist ? "true" : "false",
		    o->aggpack ? "true" : "false", o->aggzoom ? "true" : "false", (long long)o->aggsortkeypos,
		    (long long)o->aggsortpos);
}

/* place: of the printa() in the program; 0: the end of the run. */
bool text_send_aggs(struct text_view *v, const struct aggdesc *const *aggs, size_t naggs, const struct recact *act)
{
	struct sending s = { .v = v, .aggs = aggs, .naggs = naggs };
	bool sent;

	if (!v->opts.send || !naggs)
		return false;
	strb_adds(&s.b, "{");
	put_form(&s);
	if (act && act->fmt) {
		strb_adds(&s.b, ",\"format\":");
		put_hex(&s.b, act->fmt, act->fmt_len);
	}
	put_opts(&s);
	strb_printf(&s.b, ",\"place\":%u,\"ids\":[", act ? act->at.off + 1 : 0);
	for (size_t k = 0; k < naggs; k++)
		strb_printf(&s.b, "%s%u", k ? "," : "", aggs[k]->id);
	strb_adds(&s.b, "],\"normal\":[");
	for (size_t k = 0; k < naggs; k++)
		strb_printf(&s.b, "%s%lld", k ? "," : "", (long long)aggstate_normal(v->aggs, aggs[k]->id));
	strb_adds(&s.b, "],\"rows\":[");
	text_agg_rows(v, aggs, naggs, put_row, &s);
	strb_adds(&s.b, "]}");
	sent = !s.b.failed && !fflush(v->out) && v->opts.send(v->opts.send_arg, strb_str(&s.b), s.b.n);
	strb_free(&s.b);
	return sent;
}

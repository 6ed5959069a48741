/* SPDX-License-Identifier: Apache-2.0 */
/* A printa() for another machine, which adds up those of several: values as they are kept, keys without addresses, as
 * an object of JSON. hosts/merge.c reads it. */
#include <string.h>
#include "base/cleanup.h"
#include "base/recnames.h"
#include "view/text/int.h"

struct sending {
	struct text_view *v;
	const struct aggdesc *const *aggs;
	size_t naggs;
	struct strb b;
	struct jsonw w; /* into b */
};

/* Stacks and symbols become what they are shown as: an address means nothing elsewhere. */
static void put_shown(struct sending *s, const struct recfield *f, const uint8_t *p)
{
	_cleanup_free_ char *text = NULL;
	FILE *out = s->v->out;
	char name[1024];
	size_t n = 0;

	if (f->kind != FLD_STACK && f->kind != FLD_USTACK) {
		text_addr_str(s->v, f, p, name, sizeof(name));
		jsonw_bytes(&s->w, NULL, name, strlen(name));
		return;
	}
	s->v->out = open_memstream(&text, &n);
	if (s->v->out) {
		text_stack(s->v, f, p, (int)s->v->opts.stackindent, "%s");
		s->b.failed |= fclose(s->v->out) != 0;
	}
	s->v->out = out;
	jsonw_bytes(&s->w, NULL, text ? text : "", text ? n : 0);
}

static void put_key(struct sending *s, const struct recfield *f, const uint8_t *p)
{
	switch (f->kind) {
	case FLD_INT: jsonw_i64(&s->w, NULL, (int64_t)recfield_u64(f, p)); break;
	case FLD_STRING: jsonw_bytes(&s->w, NULL, p, strnlen((const char *)p, f->size)); break;
	case FLD_BYTES: jsonw_bytes(&s->w, NULL, p, f->size); break;
	default: put_shown(s, f, p);
	}
}

/* The words of a value that are not 0: [index, word, index, word ...]. */
static void put_words(struct sending *s, const struct aggdesc *d, const uint64_t *value)
{
	jsonw_array(&s->w, NULL);
	for (uint32_t i = 0; value && i < d->value_size / sizeof(*value); i++) {
		if (!value[i])
			continue;
		jsonw_u64(&s->w, NULL, i);
		jsonw_i64(&s->w, NULL, (int64_t)value[i]);
	}
	jsonw_end_array(&s->w);
}

static void put_row(void *ctx, const uint8_t *key, const uint64_t *const *values)
{
	struct sending *s = ctx;
	const struct aggdesc *d = s->aggs[0];

	jsonw_object(&s->w, NULL);
	jsonw_array(&s->w, "key");
	for (size_t i = 0; i < d->nkeys; i++)
		put_key(s, &d->keys[i], key + d->keys[i].off);
	jsonw_end_array(&s->w);
	jsonw_array(&s->w, "values");
	for (size_t k = 0; k < s->naggs; k++)
		put_words(s, s->aggs[k], values[k]);
	jsonw_end_array(&s->w);
	jsonw_end_object(&s->w);
}

static void put_aggs(struct sending *s)
{
	struct jsonw *w = &s->w;

	jsonw_array(w, "aggs");
	for (size_t k = 0; k < s->naggs; k++) {
		const struct aggdesc *a = s->aggs[k];

		jsonw_object(w, NULL);
		jsonw_str(w, "name", a->name);
		jsonw_str(w, "func", rec_agg_name(a->func));
		jsonw_array(w, "param");
		for (size_t i = 0; i < ARRAY_SIZE(a->param); i++)
			jsonw_i64(w, NULL, a->param[i]);
		jsonw_end_array(w);
		jsonw_bool(w, "signed", a->is_signed);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void put_keys(struct sending *s)
{
	const struct aggdesc *d = s->aggs[0];
	struct jsonw *w = &s->w;

	jsonw_array(w, "keys");
	for (size_t i = 0; i < d->nkeys; i++) {
		const struct recfield *f = &d->keys[i];
		const char *kind = f->kind == FLD_INT ? "int" : f->kind == FLD_BYTES ? "bytes" : "text";

		jsonw_object(w, NULL);
		jsonw_str(w, "kind", kind);
		jsonw_u64(w, "size", *kind == 't' ? 0 : f->size);
		jsonw_bool(w, "signed", f->is_signed);
		jsonw_bool(w, "char", f->is_char);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void put_opts(struct sending *s)
{
	const struct text_opts *o = &s->v->opts;
	struct jsonw *w = &s->w;

	jsonw_object(w, "opts");
	jsonw_bool(w, "sortkey", o->aggsortkey);
	jsonw_bool(w, "sortrev", o->aggsortrev);
	jsonw_bool(w, "hist", o->agghist);
	jsonw_bool(w, "pack", o->aggpack);
	jsonw_bool(w, "zoom", o->aggzoom);
	jsonw_i64(w, "sortkeypos", o->aggsortkeypos);
	jsonw_i64(w, "sortpos", o->aggsortpos);
	jsonw_end_object(w);
}

/* place: of the printa() in the program; 0: the end of the run. */
bool text_send_aggs(struct text_view *v, const struct aggdesc *const *aggs, size_t naggs, const struct recact *act)
{
	struct sending s = { .v = v, .aggs = aggs, .naggs = naggs };
	struct jsonw *w = &s.w;
	bool sent;

	if (!v->opts.send || !naggs)
		return false;
	s.w = jsonw_to(&s.b);
	jsonw_object(w, NULL);
	jsonw_object(w, "form");
	put_aggs(&s);
	put_keys(&s);
	if (act && act->fmt)
		jsonw_bytes(w, "format", act->fmt, act->fmt_len);
	put_opts(&s);
	jsonw_end_object(w);
	jsonw_u64(w, "place", act ? act->at.off + 1 : 0);
	jsonw_array(w, "ids");
	for (size_t k = 0; k < naggs; k++)
		jsonw_u64(w, NULL, aggs[k]->id);
	jsonw_end_array(w);
	jsonw_array(w, "normal");
	for (size_t k = 0; k < naggs; k++)
		jsonw_i64(w, NULL, aggstate_normal(v->aggs, aggs[k]->id));
	jsonw_end_array(w);
	jsonw_array(w, "rows");
	text_agg_rows(v, aggs, naggs, put_row, &s);
	jsonw_end_array(w);
	jsonw_end_object(w);
	sent = !s.b.failed && !fflush(v->out) && v->opts.send(v->opts.send_arg, strb_str(&s.b), s.b.n);
	strb_free(&s.b);
	return sent;
}

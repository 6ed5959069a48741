/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Lines: one object a line, told apart by "type". A line is whole before anything else is written. */
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/jsonstr.h"
#include "view/text/json_int.h"

#define LINE_KEPT (64u << 10) /* bytes of a line, before they go to the output */

/* Writes what there is of the line. */
static void put_out(struct text_view *v, FILE *out)
{
	if (text_is_cut(v))
		strb_reset(&v->json_text);
	else
		strb_flush(&v->json_text, out, &v->error);
}

static void drain(struct text_view *v, FILE *out)
{
	if (v->json_text.n >= LINE_KEPT)
		put_out(v, out);
}

void json_drain(struct text_view *v)
{
	drain(v, v->out);
}

static struct jsonw *begin(struct text_view *v, const char *type)
{
	v->json = jsonw_to(&v->json_text);
	jsonw_object(&v->json, NULL);
	jsonw_str(&v->json, "type", type);
	return &v->json;
}

static void end(struct text_view *v)
{
	jsonw_end_object(&v->json);
	jsonw_line(&v->json);
	put_out(v, v->out);
}

struct jsonw *json_open(struct text_view *v, const char *type)
{
	if (!v->json_started) {
		struct jsonw *w = begin(v, "start");

		v->json_started = true;
		jsonw_u64(w, "version", JSON_VERSION);
		jsonw_str(w, "program", "dwell");
		jsonw_str(w, "release", DWELL_VERSION);
		if (!v->opts.replayed) {
			jsonw_u64(w, "time", clock_ns(CLOCK_MONOTONIC));
			jsonw_u64(w, "walltime", clock_ns(CLOCK_REALTIME));
		}
		end(v);
	}
	v->json_open = true;
	return begin(v, type);
}

void json_close(struct text_view *v)
{
	struct strb pending = v->json_pending;

	v->json_pending = (struct strb){ 0 };
	end(v);
	v->json_open = false;
	for (size_t at = 0; at < pending.n; at += strlen(pending.s + at) + 1)
		json_message(v, pending.s + at);
	strb_free(&pending);
}

/* A message of dwell's; one that comes while a line is being written waits for its end. */
void json_message(struct text_view *v, const char *text)
{
	struct jsonw *w;

	if (v->json_open) {
		strb_printf(&v->json_pending, "%s", text);
		strb_addc(&v->json_pending, '\0');
		return;
	}
	w = json_open(v, "message");
	if (!v->opts.replayed)
		jsonw_u64(w, "time", clock_ns(CLOCK_MONOTONIC));
	jsonw_str(w, "text", text);
	end(v);
	v->json_open = false;
}

void json_flight(struct text_view *v, const char *object)
{
	struct jsonw *w = json_open(v, "flight");

	jsonw_raw(w, "flight", object, strlen(object));
	json_close(v);
}

void json_probe(struct jsonw *w, const struct rec_probe *p)
{
	jsonw_u64(w, "id", p->id);
	jsonw_str(w, "provider", p->prov);
	jsonw_str(w, "module", p->mod);
	jsonw_str(w, "function", p->func);
	jsonw_str(w, "name", p->name);
}

/* -- texts as they come -- */

struct jsonfile {
	struct text_view *v;
	FILE *out;	 /* v's, which is another one while somebody prints to this file */
	struct strb raw; /* not yet taken */
};

static bool pass_on(struct jsonfile *j, bool last)
{
	size_t n = jsonstr_part(&j->v->json_text, strb_str(&j->raw), j->raw.n, last);

	if (j->raw.failed)
		return false;
	if (n)
		memmove(j->raw.s, j->raw.s + n, j->raw.n - n);
	j->raw.n -= n;
	drain(j->v, j->out);
	return !j->v->error;
}

static ssize_t on_write(void *cookie, const char *s, size_t n)
{
	struct jsonfile *j = cookie;

	strb_add(&j->raw, s, n);
	return pass_on(j, false) ? (ssize_t)n : 0;
}

static int on_close(void *cookie)
{
	struct jsonfile *j = cookie;
	bool ok = pass_on(j, true);

	strb_free(&j->raw);
	free(j);
	return ok ? 0 : -1;
}

FILE *json_file(struct text_view *v)
{
	static const cookie_io_functions_t ops = { .write = on_write, .close = on_close };
	struct jsonfile *j = calloc(1, sizeof(*j));
	FILE *f = j ? fopencookie(j, "w", ops) : NULL;

	if (!f) {
		free(j);
		return NULL;
	}
	j->v = v;
	j->out = v->out;
	return f;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a compiled program against the options before it runs. */
#include "engine/run/refuse.h"
#include "base/cleanup.h"

bool is_forbidden(const struct request *c, const struct compile_session *w)
{
	return w->prog->destructive.src && !c->opts.destructive;
}

int refuse_destructive(const struct request *c, const struct compile_session *w)
{
	const struct diag g = { .tag = "D_UNKNOWN",
				.sev = SEV_ERROR,
				.at = w->prog->destructive,
				.msg = "Destructive actions not allowed",
				.hint = "-w or -x destructive allows them" };
	_cleanup_(strb_free) struct strb b = { 0 };

	compile_report(c, &g);
	diag_format_place(&b, w->prog->destructive);
	return listener_fail(&c->to, -EPERM,
			     "could not enable tracing: Destructive actions not allowed%s%s"
			     "hint: -w or -x destructive allows them",
			     b.n ? "\n" : "", strb_str(&b));
}

/* Bytes of a record in a buffer, without its data, as DTrace counts (exit() needs 60 bytes). */
#define RECORD_OVERHEAD 52
/* … and a count beside an aggregation's data, and names beside that of an array's element. */
#define AGG_OVERHEAD 8
#define ELEMENT_OVERHEAD 12

/* Whether not even one record, key or element fits the size that was asked for. */
static bool exceeds_buffers(const struct image *img, const struct dopts *o)
{
	for (uint32_t i = 0; i < img->nfmts; i++) {
		const struct recfmt *f = img->fmts[i];

		if (f && f->size > sizeof(struct rec_hdr) &&
		    f->size - sizeof(struct rec_hdr) + RECORD_OVERHEAD > o->bufsize)
			return true;
	}
	for (uint32_t i = 0; i < img->naggs; i++)
		if (img->aggs[i] && img->aggs[i]->key_size + img->aggs[i]->value_size + AGG_OVERHEAD > o->aggsize)
			return true;
	for (uint32_t i = 0; i < img->nmaps; i++)
		if (img->maps[i].role == IMG_MAP_ASSOC && img->maps[i].value_size + ELEMENT_OVERHEAD > o->dynvarsize)
			return true;
	return false;
}

/* -x flight, and nothing ever makes use of it. */
static bool flight_in_vain(const struct request *c, const struct compile_session *w)
{
	for (uint32_t i = 0; i < w->image->nfmts; i++)
		for (size_t k = 0; w->image->fmts[i] && k < w->image->fmts[i]->nacts; k++)
			if (w->image->fmts[i]->acts[k].kind == ACT_SLOW)
				return false;
	return c->opts.flight != 0;
}

static size_t total_matches(const struct compile_session *w)
{
	size_t n = 0;

	for (const struct clause_instance *s = w->prog->instances; s; s = s->next)
		n += s->probes.n;
	return n;
}

int refuse_run(const struct request *c, const struct compile_session *w)
{
	if (total_matches(w) == 0 && !c->opts.zdefs)
		return listener_fail(&c->to, -ENOENT, "no probes matched");
	if (flight_in_vain(c, w))
		return listener_fail(
			&c->to, -EINVAL,
			"the flight recorder (-x flight) has nothing to wait for: no clause of a tracker calls slow()");
	if (is_forbidden(c, w))
		return refuse_destructive(c, w);
	if (exceeds_buffers(w->image, &c->opts))
		return listener_fail(&c->to, -ENOSPC, "could not enable tracing: Enabling exceeds size of buffer");
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "view/summary/slowshow.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/units.h"
#include "latency/cause/slowwait.h"
#include "view/text/flighttext.h"
#include "view/summary/latencyprint.h"

#define JSON_VERSION 1

/* -- an event as text -- */

/* Indented below the first line, broken at spaces. Names are chosen by programs, and this is for a terminal. */
static void put_wrapped(struct strb *to, char *text, int columns)
{
	int at = 0;

	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == '\x7f')
			*c = '?';

	while (*text) {
		size_t n = strcspn(text, " ");

		if (at && at + 1 + (int)n > columns) {
			strb_adds(to, "\n    ");
			at = 4;
		} else if (at) {
			strb_addc(to, ' ');
			at++;
		}
		strb_add(to, text, n);
		at += (int)n;
		text += n + (text[n] == ' ');
	}
	strb_addc(to, '\n');
}

/* As other events than usual are told. */
static const char *const endings[] = {
	[SLOW_TIMEOUT] = ", still open",
	[SLOW_REPLACED] = ", begun again without an end",
	[SLOW_COLLECTED] = ", without an end",
};

/* "wakeup, still open" */
static char *name_of(const struct slow_event *e)
{
	const char *ending = e->fixed.how < ARRAY_SIZE(endings) ? endings[e->fixed.how] : NULL;
	struct strb b = { 0 };

	strb_printf(&b, "%s%s", e->tracker->name, ending ? ending : "");
	return strb_take(&b);
}

static uint64_t ended(const struct slowshow *l, const struct slow_event *e)
{
	return e->fixed.start + e->fixed.delay + (uint64_t)l->to_wall;
}

static void event_text(const struct slowshow *l, const struct slow_event *e, const struct chain *ch, struct strb *b)
{
	_cleanup_free_ char *name = name_of(e);
	struct strb line = { .failed = !name };
	char *text;

	slowgroup_head(&line, ended(l, e), name ? name : "");
	chain_sentence(ch, &line);
	text = strb_take(&line);
	if (text)
		put_wrapped(b, text, l->columns);
	else
		b->failed = true;
	free(text);
	if (l->has_flight)
		flighttext(b, &l->flight, l->cost);
}

/* -- those that are alike -- */

/* *ret_kept: it is told later, and text was taken. 0 or -ENOMEM. */
static int group(struct slowshow *l, const struct slow_event *e, const struct chain *ch, struct strb *text,
		 bool *ret_kept)
{
	struct slowgroup_event x = { .comm = e->fixed.comm, .wall = ended(l, e), .delay = e->fixed.delay };
	_cleanup_free_ char *name = NULL;
	struct strb reason = { 0 };
	int r;

	*ret_kept = false;
	if (!l->groups || l->has_flight)
		return 0;
	slowshow_put_groups(l, x.wall);
	x.tracker = name = name_of(e);
	chain_reason(ch, &reason);
	x.reason = strb_str(&reason);
	r = !name || reason.failed ? -ENOMEM : slowgroups_add(l->groups, &x, text, ret_kept);
	strb_free(&reason);
	return r;
}

static void wrap(void *ctx, struct strb *to, char *text)
{
	const struct slowshow *l = ctx;

	put_wrapped(to, text, l->columns);
}

void slowshow_put_groups(struct slowshow *l, uint64_t wall)
{
	struct strb b = { 0 };

	if (!l->groups || !slowgroups_due(l->groups, wall))
		return;
	slowgroups_print(l->groups, &b, wrap, l);
	fputs(strb_str(&b), l->out); /* that it could not be written is found with the summary */
	strb_free(&b);
}

/* -- an event in JSON -- */

static void json_link(struct jsonw *j, const struct chain_link *k)
{
	const struct chain_wait *w = &k->wait;

	jsonw_object(j, NULL);
	jsonw_str(j, "how", chain_how_name(k->how));
	jsonw_str(j, "evidence", chain_evidence(k));
	jsonw_bool(j, "inferred", k->inferred);
	jsonw_u64(j, "tid", w->tid);
	jsonw_u64(j, "overlap_ns", k->overlap);
	jsonw_u64(j, "delay_ns", w->to - w->from);
	jsonw_str(j, "comm", w->comm);
	jsonw_str(j, "operation", w->op);
	jsonw_str(j, "cause", w->words);
	jsonw_str(j, "object", w->object);
	jsonw_end_object(j);
}

static void json_wait(struct jsonw *j, const struct slowwait *w)
{
	jsonw_str(j, "cause", w->cause);
	jsonw_str(j, "class", cause_class_name(w->class));
	jsonw_str(j, "operation", w->wait.op);
	jsonw_str(j, "object", w->wait.object);
	if (w->wait.by_tid) {
		jsonw_u64(j, "by_tid", w->wait.by_tid);
		jsonw_str(j, "by_comm", w->wait.by_comm);
	}
}

static void json_chain(struct jsonw *j, const struct slowwait *w, const struct chain *ch)
{
	struct strb sentence = { 0 };

	chain_sentence(ch, &sentence);
	jsonw_strn(j, "sentence", strb_str(&sentence), sentence.n);
	jsonw_bool(j, "inferred", w->wait.inferred);
	jsonw_array(j, "chain");
	for (unsigned i = 1; i < ch->n; i++)
		json_link(j, &ch->links[i]);
	jsonw_end_array(j);
	jsonw_bool(j, "cycle", ch->cycle);
	strb_free(&sentence);
}

static void event_json(const struct slowshow *l, const struct slow_event *e, const struct slowwait *w,
		       const struct chain *ch, struct strb *b)
{
	struct jsonw j = jsonw_to(b);

	jsonw_object(&j, NULL);
	jsonw_str(&j, "type", "latency-slow");
	jsonw_u64(&j, "version", JSON_VERSION);
	jsonw_str(&j, "tracker", e->tracker->name);
	jsonw_str(&j, "how", slow_how_name(e->fixed.how));
	jsonw_u64(&j, "start", e->fixed.start);
	jsonw_u64(&j, "delay_ns", e->fixed.delay);
	jsonw_u64(&j, "pid", e->fixed.pid);
	jsonw_u64(&j, "tid", e->fixed.tid);
	jsonw_str(&j, "comm", e->fixed.comm);
	json_wait(&j, w);
	json_chain(&j, w, ch);
	if (l->has_flight)
		flightjson(&j, "flight", &l->flight);
	jsonw_end_object(&j);
	jsonw_line(&j);
}

static int kept_cmp(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return x->delay < y->delay ? 1 : x->delay > y->delay ? -1 : 0;
}

/* Adds one to the worst; the least of them is dropped when there are enough. */
static int keep(struct slowshow *l, const struct rec_slow *s, struct strb *b)
{
	struct kept k = { s->delay, s->tracker, strb_take(b) };

	if (!k.text || vec_try_push(&l->worst_kept, k) < 0) {
		free(k.text);
		return -ENOMEM;
	}
	if (l->worst_kept.n <= l->worst)
		return 0;
	qsort(l->worst_kept.v, l->worst_kept.n, sizeof(k), kept_cmp);
	free(l->worst_kept.v[--l->worst_kept.n].text);
	return 0;
}

void slowshow_put_worst(struct slowshow *l)
{
	if (l->worst_kept.n)
		qsort(l->worst_kept.v, l->worst_kept.n, sizeof(struct kept), kept_cmp);
	for (size_t i = 0; i < l->worst_kept.n; i++) {
		fputs(l->worst_kept.v[i].text, l->out);
		if (l->sum) /* not of recordings */
			latencysum_slow(l->sum, l->worst_kept.v[i].tracker);
		free(l->worst_kept.v[i].text);
	}
	l->worst_kept.n = 0;
}

static bool is_wanted(struct slowshow *l, const struct slow_event *e)
{
	if (l->comm && strcmp(l->comm, e->fixed.comm) != 0)
		return false;
	return !l->wants || l->wants(l->wants_ctx, e);
}

static bool is_idle(const struct slowshow *l, const struct slowwait *w)
{
	return w->wait.idle && !l->idle;
}

bool slowshow_wants(struct slowshow *l, const struct slow_event *e)
{
	struct slowwait w;

	return is_wanted(l, e) && slowwait_make(l->causes, l->sym, e, &w) == 0 && !is_idle(l, &w);
}

void slowshow_flight(struct slowshow *l, const struct row *row)
{
	l->has_flight = flight_open(row->data, row->len, &l->flight) == 0;
}

/* *ret_text: it was shown, and the text view shows what was noted, too. 0 or -errno. */
static int show_event(struct slowshow *l, const struct slow_event *e, bool *ret_text)
{
	struct strb b = { 0 };
	struct slowwait w;
	struct chain ch;
	bool kept;
	int r;

	l->met += e->tracker && e->fixed.how != SLOW_CONTROL;
	if (!e->tracker || e->fixed.how == SLOW_CONTROL || (l->recorded && e->fixed.delay < l->over_ns))
		return 0;
	r = slowwait_make(l->causes, l->sym, e, &w);
	if (r < 0)
		return r;
	if (l->has_flight)
		chain_name_holder(&w.wait, &l->flight);
	chains_add(l->chains, &w.wait);
	if (!is_wanted(l, e)) {
		l->filtered++;
		return 0;
	}
	if (is_idle(l, &w)) {
		l->idle_left_out++;
		return 0;
	}
	chains_build(l->chains, &w.wait, &ch);
	if (!l->idle && chain_is_idle(&ch)) {
		l->idle_left_out++;
		return 0;
	}
	if (!l->worst)
		latencysum_slow(l->sum, e->fixed.tracker);
	if (l->has_flight)
		chain_complete(&ch, &l->flight);
	if (l->json)
		event_json(l, e, &w, &ch, &b);
	else
		event_text(l, e, &ch, &b);
	if (l->worst)
		return keep(l, &e->fixed, &b);
	r = group(l, e, &ch, &b, &kept);
	if (r == 0 && !kept) {
		r = b.failed ? -ENOMEM : fwrite(b.s, 1, b.n, l->out) == b.n ? 0 : -errno;
		*ret_text = r == 0 && l->stacks;
	}
	strb_free(&b);
	return r;
}

/* -- the summary -- */

static void summary_json(struct slowshow *l, uint64_t now, uint64_t ns)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	jsonw_object(&w, NULL);
	jsonw_str(&w, "type", "latency-summary");
	jsonw_u64(&w, "version", JSON_VERSION);
	jsonw_u64(&w, "time", now);
	jsonw_u64(&w, "interval_ns", ns);
	jsonw_u64(&w, "idle", l->idle_left_out);
	jsonw_u64(&w, "filtered", l->filtered);
	latencyprint_json(l->sum, now, &w);
	if (l->one_in)
		jsonw_u64(&w, "one_in", l->one_in);
	if (l->by)
		latencyprint_groups_json(latencysum_groups(l->sum), l->by, &w);
	jsonw_end_object(&w);
	jsonw_line(&w);
	fputs(strb_str(&b), l->out);
	strb_free(&b);
}

int slowshow_summary(struct slowshow *l, uint64_t now, bool final)
{
	uint64_t ns = latencysum_interval(l->sum, now, final);

	slowshow_put_worst(l);
	slowshow_put_groups(l, UINT64_MAX);
	if (l->json) {
		summary_json(l, now, ns);
	} else {
		latencyprint_text(l->sum, l->out, ns, now, l->cost);
		if (l->one_in > 1)
			fprintf(l->out, "not measured: wakeup and offcpu of other threads than one in %u (--cost)\n",
				l->one_in);
		if (l->idle_left_out)
			fprintf(l->out, "not shown: %llu sleeps and waits for something to do (--idle)\n",
				(unsigned long long)l->idle_left_out);
		if (l->filters)
			fprintf(l->out, "not shown: %llu slow events of others%s\n", (unsigned long long)l->filtered,
				l->wanted_only ? "" : "; the table has all processes");
		if (l->by)
			latencyprint_groups(latencysum_groups(l->sum), l->by, l->out);
		fputc('\n', l->out);
	}
	latencysum_reset(l->sum, now);
	l->last = now;
	l->idle_left_out = l->filtered = 0;
	return fflush(l->out) != 0 || ferror(l->out) ? (errno ? -errno : -EIO) : 0;
}

int slowshow_event(struct slowshow *l, const struct row *row, bool *ret_text)
{
	const struct recfmt *f = row->id >= 1 && row->id <= l->schema->nfmts ? l->schema->fmts[row->id - 1] : NULL;
	int r = 0;

	*ret_text = false;
	for (size_t i = 0; f && i < f->nacts && r == 0 && !*ret_text; i++)
		if (f->acts[i].kind == ACT_SLOW) {
			struct slow_event e = slow_event(l->schema, &f->acts[i], row->data);

			r = show_event(l, &e, ret_text);
		}
	return r;
}

int slowshow_prepare(struct slowshow *l)
{
	return l->json || l->worst || l->stacks || l->all ? 0 : slowgroups_new(&l->groups);
}

int slowshow_begin(struct slowshow *l, const struct rec_schema *schema)
{
	l->schema = schema;
	if (chains_new(&l->chains) < 0 || latencysum_new(schema, &l->sum) < 0)
		return -ENOMEM;
	if (l->wanted_only)
		latencysum_wanted_only(l->sum);
	return 0;
}

void slowshow_end(struct slowshow *l)
{
	latencysum_free(take_ptr(l->sum));
	chains_free(take_ptr(l->chains));
}

void slowshow_done(struct slowshow *l)
{
	slowshow_end(l);
	for (size_t i = 0; i < l->worst_kept.n; i++)
		free(l->worst_kept.v[i].text);
	vec_free(&l->worst_kept);
	slowgroups_free(l->groups);
}

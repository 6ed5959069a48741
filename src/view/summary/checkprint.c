/* SPDX-License-Identifier: Apache-2.0 */
#include "view/summary/checkprint.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/columns.h"
#include "base/jsonw.h"
#include "base/recfmt.h"
#include "base/units.h"
#include "store/recloss.h"

#define JSON_VERSION 1
#define INDENT 14 /* of the lines below a finding */
#define INDENT_TITLE 3
#define MUCH 1.5 /* times as much as before: worth a word */

/* -- words -- */

void checkprint_number(struct strb *b, const struct check_finding *f)
{
	char n[UNITS_LEN];

	strb_printf(b, "%llu time%s", (unsigned long long)f->sum.count, f->sum.count == 1 ? "" : "s");
	if (f->sum.ns && f->sum.count)
		strb_printf(b, ", %s each on average", units_ns(f->sum.ns / f->sum.count, n));
	else if (f->rule->each_ns)
		strb_printf(b, ", reckoned as %s each", units_ns(f->rule->each_ns, n));
}

void checkprint_shares(struct strb *b, const struct check_finding *f, const struct check_shares *s)
{
	bool by_time = f->sum.ns > 0;
	double all = by_time ? (double)f->sum.ns : (double)f->sum.count;

	for (unsigned i = 0; i < s->n; i++) {
		double part = by_time ? (double)s->v[i].sum.ns : (double)s->v[i].sum.count;

		strb_printf(b, "%s%s %.0f %%", i ? ", " : "", s->v[i].name, all > 0 ? 100 * part / all : 0);
	}
	if (s->all > s->n)
		strb_printf(b, ", %u others", s->all - s->n);
}

void checkprint_before(struct strb *b, const struct check_finding *f)
{
	char cost[24];

	if (f->before < 0)
		return;
	check_cost_text(f->before, cost);
	if (f->before <= 0)
		strb_adds(b, "new: not there before");
	else if (f->cost > f->before * MUCH)
		strb_printf(b, "%.1f times as much as before (%s)", f->cost / f->before, cost);
	else if (f->cost * MUCH < f->before)
		strb_printf(b, "less than before (%s)", cost);
	else
		strb_printf(b, "as before (%s)", cost);
}

void checkprint_verdict(struct strb *b, const struct check_report *r)
{
	unsigned top = 0, looked = 0;

	for (unsigned i = 0; i < r->n; i++) {
		top += r->v[i].found && !r->v[i].beneath;
		looked += r->v[i].measured;
	}
	if (!r->nfound)
		strb_printf(b, "Nothing is slow: of %u kinds of waits and failures none costs anybody much.", looked);
	else
		strb_printf(b, "%u finding%s, the most expensive first.", top, top == 1 ? "" : "s");
}

static void put_lost(struct strb *b, const struct check_report *r)
{
	bool any = false;

	for (uint32_t i = 0; i < REC_NLOSSES; i++) {
		if (!r->lost[i])
			continue;
		strb_printf(b, "%s%s (%llu)", any ? ", " : "Lost: ", recloss_name(i), (unsigned long long)r->lost[i]);
		any = true;
	}
	if (any)
		strb_adds(b, ". Times and counts are at least the figures here.\n");
}

/* An array of what was lost and how much; empty: nothing. */
static void json_lost(struct jsonw *w, const struct check_report *r)
{
	jsonw_array(w, "lost");
	for (uint32_t i = 0; i < REC_NLOSSES; i++) {
		if (!r->lost[i])
			continue;
		jsonw_object(w, NULL);
		jsonw_str(w, "what", recloss_name(i));
		jsonw_u64(w, "count", r->lost[i]);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

void checkprint_notes(struct strb *b, const struct check_report *r)
{
	unsigned n = 0;

	if (r->own >= 0)
		strb_printf(b, "The probes of this check took %.2f %% of all CPUs.\n", r->own);
	put_lost(b, r);
	if (r->filtered)
		strb_adds(
			b,
			"Only waits of the chosen processes count; findings without a process (packets, interrupts) are left out.\n");
	for (unsigned i = 0; i < r->n; i++)
		if (!r->v[i].measured && !(r->filtered && strchr(r->v[i].rule->measure, '.')))
			strb_printf(b, "%s%s",
				    n++ ? ", " : "Not looked at, since this recording or kernel does not tell: ",
				    r->v[i].rule->id);
	if (n)
		strb_adds(b, ".\n");
}

bool checkprint_well(struct strb *b, const struct check_report *r, enum check_area area)
{
	bool any = false;
	char cost[24];

	for (unsigned i = 0; i < r->n; i++) {
		const struct check_finding *f = &r->v[i];

		if (f->found || !f->measured || f->rule->area != area)
			continue;
		strb_printf(b, "%s%s", any ? ", " : "", f->rule->id);
		if (f->cost >= 0.005)
			strb_printf(b, " %s", check_cost_text(f->cost, cost));
		any = true;
	}
	return any;
}

/* -- text -- */

/* Words under each other from the indent on. */
static void put_wrapped(FILE *out, const char *label, const char *text, int columns)
{
	int at = INDENT;

	fprintf(out, "   %-*s", INDENT - 3, label);
	while (*text) {
		int n = (int)strcspn(text, " ");

		if (at > INDENT && at + n + 1 > columns) {
			fprintf(out, "\n%*s", INDENT, "");
			at = INDENT;
		}
		at += fprintf(out, "%s%.*s", at > INDENT ? " " : "", n, text);
		text += n + (text[n] == ' ');
	}
	fputc('\n', out);
}

static void put_lines(FILE *out, const char *label, const char *lines)
{
	while (*lines) {
		size_t n = strcspn(lines, "\n");

		fprintf(out, "   %-*s%.*s\n", INDENT - 3, label, (int)n, lines);
		label = "";
		lines += n + (lines[n] == '\n');
	}
}

static void put_shares(FILE *out, const char *label, const struct check_finding *f, const struct check_shares *s,
		       int columns)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	if (!s->n)
		return;
	checkprint_shares(&b, f, s);
	put_wrapped(out, label, strb_str(&b), columns);
}

static void put_finding(FILE *out, const struct check_finding *f, unsigned number, int columns)
{
	_cleanup_(strb_free) struct strb b = { 0 }, old = { 0 };
	char cost[24], head[16];

	snprintf(head, sizeof(head), "%u.", number);
	fprintf(out, "\n%-3s", head);
	columns_wrap(out, f->title, INDENT_TITLE, INDENT_TITLE, columns_of_terminal());
	strb_printf(&b, "%s: ", check_cost_text(f->cost, cost));
	checkprint_number(&b, f);
	put_wrapped(out, "costs", strb_str(&b), columns);
	checkprint_before(&old, f);
	if (old.n)
		put_wrapped(out, "compared", strb_str(&old), columns);
	put_shares(out, "whom", f, &f->whom, columns);
	put_shares(out, "what", f, &f->what, columns);
	put_shares(out, "by", f, &f->by, columns);
	if (f->event[0])
		put_wrapped(out, "slowest", f->event, columns);
	put_lines(out, "stack", f->stack);
	if (f->note)
		put_wrapped(out, "again", f->note, columns);
	put_wrapped(out, "sure", f->rule->sure, columns);
	put_wrapped(out, "means", f->rule->meaning, columns);
	put_wrapped(out, "more", f->rule->more, columns);
}

static void put_findings(FILE *out, const struct check_report *r, int columns)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	char cost[24];
	unsigned number = 0;

	for (unsigned i = 0; i < r->nfound; i++) {
		const struct check_finding *f = &r->v[i];

		if (!f->beneath) {
			put_finding(out, f, ++number, columns);
			continue;
		}
		strb_reset(&b);
		strb_printf(&b, "%s (%s, %s)", f->title, f->rule->id, check_cost_text(f->cost, cost));
		fprintf(out, "   %-*s", INDENT - INDENT_TITLE, "follows");
		columns_wrap(out, strb_str(&b), INDENT, INDENT, columns_of_terminal());
	}
}

static void put_area(FILE *out, const struct check_report *r, enum check_area area, int columns)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	fprintf(out, "\n%s\n", check_area_name(area));
	for (unsigned i = 0; i < r->nused; i++)
		if (r->used[i].area == area)
			strb_printf(&b, "%s%s %s", b.n ? "; " : "", r->used[i].name, r->used[i].text);
	if (b.n)
		put_wrapped(out, "used", strb_str(&b), columns);
	strb_reset(&b);
	if (checkprint_well(&b, r, area))
		put_wrapped(out, "well", strb_str(&b), columns);
}

static int written(FILE *out)
{
	return fflush(out) || ferror(out) ? -(errno ? errno : EIO) : 0;
}

int checkprint_text(const struct check_report *r, const struct check_page *p, FILE *out)
{
	_cleanup_(strb_free) struct strb b = { 0 }, notes = { 0 };

	strb_printf(&b, "%s, %.1f s: ", p->title, r->seconds);
	checkprint_verdict(&b, r);
	columns_wrap(out, strb_str(&b), 0, 0, columns_of_terminal());
	put_findings(out, r, p->columns);
	for (unsigned a = 0; a < CHECK_NAREAS; a++)
		put_area(out, r, a, p->columns);
	checkprint_notes(&notes, r);
	fputc('\n', out);
	for (const char *line = strb_str(&notes); *line; line += strcspn(line, "\n") + 1)
		columns_wrap(out, line, 0, 0, columns_of_terminal());
	return written(out);
}

/* -- JSON -- */

static void json_shares(struct jsonw *w, const char *name, const struct check_shares *s)
{
	jsonw_array(w, name);
	for (unsigned i = 0; i < s->n; i++) {
		jsonw_object(w, NULL);
		jsonw_str(w, "name", s->v[i].name);
		jsonw_u64(w, "count", s->v[i].sum.count);
		jsonw_u64(w, "ns", s->v[i].sum.ns);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void json_finding(struct jsonw *w, const struct check_report *r, const struct check_finding *f)
{
	jsonw_object(w, NULL);
	jsonw_str(w, "id", f->rule->id);
	jsonw_str(w, "area", check_area_name(f->rule->area));
	jsonw_str(w, "kind", f->rule->kind);
	jsonw_str(w, "title", f->title);
	jsonw_fixed(w, "cost_ms_per_s", f->cost, 3);
	if (f->before >= 0)
		jsonw_fixed(w, "before_ms_per_s", f->before, 3);
	jsonw_u64(w, "count", f->sum.count);
	jsonw_u64(w, "ns", f->sum.ns);
	json_shares(w, "whom", &f->whom);
	json_shares(w, "what", &f->what);
	json_shares(w, "by", &f->by);
	jsonw_str(w, "slowest", f->event);
	jsonw_str(w, "stack", f->stack);
	if (f->note)
		jsonw_str(w, "again", f->note);
	jsonw_str(w, "sure", f->rule->sure);
	jsonw_str(w, "means", f->rule->meaning);
	jsonw_str(w, "more", f->rule->more);
	if (f->beneath)
		jsonw_str(w, "follows_from", r->v[f->beneath - 1].rule->id);
	jsonw_end_object(w);
}

static void json_well(struct jsonw *w, const struct check_report *r)
{
	jsonw_array(w, "well");
	for (unsigned i = 0; i < r->n; i++) {
		const struct check_finding *f = &r->v[i];

		if (f->found || !f->measured)
			continue;
		jsonw_object(w, NULL);
		jsonw_str(w, "id", f->rule->id);
		jsonw_fixed(w, "cost_ms_per_s", f->cost, 3);
		jsonw_u64(w, "count", f->sum.count);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_array(w, "not_looked_at");
	for (unsigned i = 0; i < r->n; i++)
		if (!r->v[i].measured)
			jsonw_str(w, NULL, r->v[i].rule->id);
	jsonw_end_array(w);
}

static void json_used(struct jsonw *w, const struct check_report *r)
{
	jsonw_array(w, "used");
	for (unsigned i = 0; i < r->nused; i++) {
		jsonw_object(w, NULL);
		jsonw_str(w, "area", check_area_name(r->used[i].area));
		jsonw_str(w, "name", r->used[i].name);
		jsonw_str(w, "text", r->used[i].text);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

int checkprint_json(const struct check_report *r, const struct check_page *p, FILE *out)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	jsonw_object(&w, NULL);
	jsonw_str(&w, "type", "check");
	jsonw_u64(&w, "version", JSON_VERSION);
	jsonw_str(&w, "of", p->title);
	jsonw_fixed(&w, "seconds", r->seconds, 3);
	jsonw_bool(&w, "slow", r->nfound > 0);
	jsonw_array(&w, "findings");
	for (unsigned i = 0; i < r->nfound; i++)
		json_finding(&w, r, &r->v[i]);
	jsonw_end_array(&w);
	json_well(&w, r);
	json_used(&w, r);
	if (r->own >= 0)
		jsonw_fixed(&w, "own_percent", r->own, 3);
	json_lost(&w, r);
	jsonw_end_object(&w);
	jsonw_line(&w);
	if (b.failed)
		return -ENOMEM;
	fwrite(b.s, 1, b.n, out);
	return written(out);
}

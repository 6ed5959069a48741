/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the findings of `dwell check` as one HTML file without a script or parts from elsewhere. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/form/xml.h"
#include "view/summary/checkprint.h"

static const char style[] =
	":root{color-scheme:light dark;--fg:#1a1a1a;--bg:#fff;--dim:#666;--line:#ddd;--bar:#c2410c;--card:#fafafa}"
	"@media(prefers-color-scheme:dark){:root{--fg:#e6e6e6;--bg:#161616;--dim:#999;--line:#333;--bar:#fb923c;"
	"--card:#1e1e1e}}"
	"body{font:15px/1.5 system-ui,'DejaVu Sans',sans-serif;color:var(--fg);background:var(--bg);max-width:60em;"
	"margin:2em auto;padding:0 1em}"
	"h1{font-size:1.4em}h2{font-size:1.05em;margin:0}h3{font-size:1em;margin:1.2em 0 .2em}"
	".f{border:1px solid var(--line);background:var(--card);border-radius:6px;padding:.8em 1em;margin:1em 0}"
	".bar{height:6px;background:var(--line);border-radius:3px;margin:.5em 0}"
	".bar i{display:block;height:6px;background:var(--bar);border-radius:3px}"
	"dl{display:grid;grid-template-columns:6.5em 1fr;gap:.15em .6em;margin:.5em 0}dt{color:var(--dim)}dd{margin:0;"
	"overflow-wrap:anywhere}"
	"pre{margin:0;font-size:.85em;overflow-x:auto}code{background:var(--line);border-radius:3px;padding:.1em .35em}"
	".cost{float:right;font-weight:600}.dim,.note{color:var(--dim)}";

static void term(struct strb *b, const char *name, const char *text, const char *tag)
{
	if (!text[0])
		return;
	strb_printf(b, "<dt>%s</dt><dd>", name);
	if (tag)
		strb_printf(b, "<%s>", tag);
	xml_add(b, text);
	if (tag)
		strb_printf(b, "</%s>", tag);
	strb_adds(b, "</dd>\n");
}

static void shares(struct strb *b, const char *name, const struct check_finding *f, const struct check_shares *s)
{
	_cleanup_(strb_free) struct strb text = { 0 };

	checkprint_shares(&text, f, s);
	term(b, name, strb_str(&text), NULL);
}

/* Writes the findings that finding i explains, which stand after it. */
static void follows(struct strb *b, const struct check_report *r, unsigned i)
{
	char cost[24];

	for (unsigned k = i + 1; k < r->nfound && r->v[k].beneath; k++) {
		_cleanup_(strb_free) struct strb text = { 0 };

		strb_printf(&text, "%s (%s)", r->v[k].title, check_cost_text(r->v[k].cost, cost));
		term(b, "follows", strb_str(&text), NULL);
	}
}

static void finding(struct strb *b, const struct check_report *r, unsigned i, unsigned number, double most)
{
	const struct check_finding *f = &r->v[i];
	_cleanup_(strb_free) struct strb n = { 0 }, old = { 0 };
	char cost[24];

	strb_printf(b, "<section class=f id=\"%s\"><span class=cost>%s</span><h2>%u. ", f->rule->id,
		    check_cost_text(f->cost, cost), number);
	xml_add(b, f->title);
	strb_printf(b, "</h2><div class=bar><i style=\"width:%.1f%%\"></i></div><dl>\n",
		    most > 0 ? 100 * f->cost / most : 0);
	checkprint_number(&n, f);
	term(b, "number", strb_str(&n), NULL);
	checkprint_before(&old, f);
	term(b, "compared", strb_str(&old), NULL);
	shares(b, "whom", f, &f->whom);
	shares(b, "what", f, &f->what);
	shares(b, "by", f, &f->by);
	term(b, "slowest", f->event, NULL);
	term(b, "stack", f->stack, "pre");
	if (f->note)
		term(b, "again", f->note, NULL);
	term(b, "sure", f->rule->sure, NULL);
	term(b, "means", f->rule->meaning, NULL);
	term(b, "more", f->rule->more, "code");
	follows(b, r, i);
	strb_adds(b, "</dl></section>\n");
}

static void area(struct strb *b, const struct check_report *r, enum check_area a)
{
	_cleanup_(strb_free) struct strb well = { 0 };

	strb_printf(b, "<h3>%s</h3><dl>\n", check_area_name(a));
	for (unsigned i = 0; i < r->nused; i++)
		if (r->used[i].area == a)
			term(b, r->used[i].name, r->used[i].text, NULL);
	if (checkprint_well(&well, r, a))
		term(b, "well", strb_str(&well), NULL);
	strb_adds(b, "</dl>\n");
}

int checkprint_html(const struct check_report *r, const struct check_page *p, FILE *out)
{
	_cleanup_(strb_free) struct strb b = { 0 }, text = { 0 };
	unsigned number = 0;
	double most = 0;

	for (unsigned i = 0; i < r->nfound; i++)
		most = !r->v[i].beneath && r->v[i].cost > most ? r->v[i].cost : most;
	strb_printf(&b, "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>"
			"<meta name=viewport content=\"width=device-width\"><title>dwell check: ");
	xml_add(&b, p->title);
	strb_printf(&b, "</title><style>%s</style></head><body>\n<h1>dwell check: ", style);
	xml_add(&b, p->title);
	strb_printf(&b, ", %.1f s</h1><p>", r->seconds);
	checkprint_verdict(&text, r);
	xml_add(&b, strb_str(&text));
	strb_adds(&b, "</p>\n");
	for (unsigned i = 0; i < r->nfound; i++)
		if (!r->v[i].beneath)
			finding(&b, r, i, ++number, most);
	strb_adds(&b, "<h2>Use of the machine, and checks that are well</h2>\n");
	for (unsigned a = 0; a < CHECK_NAREAS; a++)
		area(&b, r, a);
	strb_reset(&text);
	checkprint_notes(&text, r);
	strb_adds(&b, "<p class=note>");
	xml_add(&b, strb_str(&text));
	strb_adds(&b, "</p></body></html>\n");
	if (b.failed || text.failed)
		return -ENOMEM;
	fwrite(b.s, 1, b.n, out);
	return fflush(out) || ferror(out) ? -(errno ? errno : EIO) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions as one HTML file, or as what the page of it draws: all of it is in the head (JSON), read by web/src/histpage.ts. */
#include <math.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonstr.h"
#include "view/assets.h"
#include "view/hist.h"
#include "view/page.h"

/* A number, or null where JSON has none. */
static void put_number(struct strb *b, double v)
{
	if (isfinite(v))
		strb_printf(b, "%.17g", v);
	else
		strb_adds(b, "null");
}

static void put_series(struct strb *b, const struct hist *h, size_t i)
{
	const struct hist_series *s = &h->series.v[i];
	struct hist_diff d = hist_compare(&h->series.v[0], s);

	strb_printf(b, "%s{\"colour\":\"#%06x\",\"count\":%llu,\"name\":", i ? "," : "", s->colour, (unsigned long long)s->sum.count);
	jsonstr_add(b, s->name[0] ? s->name : h->title, strlen(s->name[0] ? s->name : h->title));
	strb_adds(b, ",\"quantiles\":[");
	for (unsigned q = 0; q < HIST_NQUANTILES; q++) {
		strb_adds(b, q ? ",{\"value\":" : "{\"value\":");
		put_number(b, s->q[q].value);
		strb_adds(b, ",\"error\":");
		put_number(b, hist_error(&s->q[q]));
		strb_adds(b, ",\"ratio\":");
		put_number(b, d.ratio[q]);
		strb_addc(b, '}');
	}
	strb_adds(b, "],\"most\":");
	put_number(b, d.most);
	strb_adds(b, ",\"at\":");
	put_number(b, d.at);
	strb_printf(b, ",\"chance\":%s,\"share\":[", d.chance ? "true" : "false");
	for (unsigned r = 0; r < h->nrows; r++)
		strb_printf(b, "%s%.9g", r ? "," : "", (double)s->share[r]);
	strb_adds(b, "]}");
}

static int put_all(const struct hist *h, const char *title, FILE *out, bool page)
{
	struct strb b = { 0 };
	int e;

	strb_adds(&b, "{\"title\":");
	jsonstr_add(&b, title, strlen(title));
	strb_adds(&b, ",\"unit\":");
	jsonstr_add(&b, h->unit, strlen(h->unit));
	strb_adds(&b, ",\"notes\":");
	jsonstr_add(&b, h->notes.n ? h->notes.s : "", h->notes.n);
	strb_printf(&b, ",\"linear\":%s,\"per\":\"%s\",\"names\":[", h->linear ? "true" : "false", h->per);
	for (unsigned q = 0; q < HIST_NQUANTILES; q++)
		strb_printf(&b, "%s\"%s\"", q ? "," : "", hist_quantile_name(q));
	strb_adds(&b, "],\"edges\":[");
	for (unsigned i = 0; i <= h->nrows; i++)
		strb_printf(&b, "%s%.17g", i ? "," : "", h->edges[i]);
	strb_adds(&b, "],\"series\":[");
	for (size_t i = 0; i < h->series.n; i++)
		put_series(&b, h, i);
	strb_adds(&b, "]}");
	e = page ? page_write(out, title, asset_histpage_css, asset_histpage_css_size, asset_histpage_js, asset_histpage_js_size, &b, NULL, 0) :
		   page_json(out, &b, NULL, 0);
	strb_free(&b);
	return e;
}

int hist_html(const struct hist *h, const char *title, FILE *out)
{
	return put_all(h, title, out, true);
}

int hist_json(const struct hist *h, const char *title, FILE *out)
{
	return put_all(h, title, out, false);
}

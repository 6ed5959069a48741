/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions as one HTML file, or as what the page of it draws: all of it is in the head (JSON), read by
 * web/src/histpage.ts. */
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "view/form/assets.h"
#include "view/picture/hist.h"
#include "view/form/page.h"

static void put_series(struct jsonw *w, const struct hist *h, size_t i)
{
	const struct hist_series *s = &h->series.v[i];
	struct hist_diff d = hist_compare(&h->series.v[0], s);

	jsonw_object(w, NULL);
	jsonw_strf(w, "colour", "#%06x", s->colour);
	jsonw_u64(w, "count", s->sum.count);
	jsonw_str(w, "name", s->name[0] ? s->name : h->title);
	jsonw_array(w, "quantiles");
	for (unsigned q = 0; q < HIST_NQUANTILES; q++) {
		jsonw_object(w, NULL);
		jsonw_double(w, "value", s->q[q].value, 17);
		jsonw_double(w, "error", hist_error(&s->q[q]), 17);
		jsonw_double(w, "ratio", d.ratio[q], 17);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_double(w, "most", d.most, 17);
	jsonw_double(w, "at", d.at, 17);
	jsonw_bool(w, "chance", d.chance);
	jsonw_array(w, "share");
	for (unsigned r = 0; r < h->nrows; r++)
		jsonw_double(w, NULL, (double)s->share[r], 9);
	jsonw_end_array(w);
	jsonw_end_object(w);
}

static void put_head(struct strb *b, const struct hist *h, const char *title)
{
	struct jsonw w = jsonw_to(b);

	jsonw_object(&w, NULL);
	jsonw_str(&w, "title", title);
	jsonw_str(&w, "unit", h->unit);
	jsonw_strn(&w, "notes", h->notes.n ? h->notes.s : "", h->notes.n);
	jsonw_bool(&w, "linear", h->linear);
	jsonw_str(&w, "per", h->per);
	jsonw_array(&w, "names");
	for (unsigned q = 0; q < HIST_NQUANTILES; q++)
		jsonw_str(&w, NULL, hist_quantile_name(q));
	jsonw_end_array(&w);
	jsonw_array(&w, "edges");
	for (unsigned i = 0; i <= h->nrows; i++)
		jsonw_double(&w, NULL, h->edges[i], 17);
	jsonw_end_array(&w);
	jsonw_array(&w, "series");
	for (size_t i = 0; i < h->series.n; i++)
		put_series(&w, h, i);
	jsonw_end_array(&w);
	jsonw_end_object(&w);
}

static int put_all(const struct hist *h, const char *title, FILE *out, bool page)
{
	struct strb b = { 0 };
	int e;

	put_head(&b, h, title);
	e = page ? page_write(out, title, asset_histpage_css, asset_histpage_css_size, asset_histpage_js,
			      asset_histpage_js_size, &b, NULL, 0)
		 : page_json(out, &b, NULL, 0);
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

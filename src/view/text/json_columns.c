/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Lines with -x columns: values by the names of their columns. A heading is a printf() whose arguments are words
 * in capitals, after a time at most. The values that are printed after it, in one line of the same number of values,
 * have these names. */
#include <string.h>
#include "view/text/json_int.h"

/* "READ_KB", "%RANDOM": how columns are called. */
static bool is_name(const char *s, size_t n)
{
	bool letter = false;

	for (size_t i = 0; i < n && s[i]; i++) {
		bool upper = s[i] >= 'A' && s[i] <= 'Z';

		if (!upper && !(s[i] >= '0' && s[i] <= '9') && !strchr("_%/", s[i]))
			return false;
		letter |= upper;
	}
	return letter;
}

/* A second column of the same name. */
static char *unique(struct text_view *v, const char *name, size_t n)
{
	char *s = arena_strndup(v->arena, name, strnlen(name, n));
	unsigned same = 1;

	for (size_t i = 0; i < v->ncolumns; i++)
		same += !strcmp(v->columns[i], s);
	return same > 1 ? arena_printf(v->arena, "%s_%u", s, same) : s;
}

bool json_heading(struct text_view *v, const struct recact *act, const uint8_t *rec)
{
	size_t first = act->nfields > 1 && act->fields[0].kind == FLD_INT;

	if (!v->opts.columns || act->nfields == first || act->nfields - first > JSON_COLUMNS)
		return false;
	for (size_t i = first; i < act->nfields; i++)
		if (act->fields[i].kind != FLD_STRING ||
		    !is_name((const char *)rec + act->fields[i].off, act->fields[i].size))
			return false;
	v->column = 0;
	if (v->ncolumns == act->nfields - first) { /* most likely the same again: no memory for each report */
		size_t same = 0;

		while (same < v->ncolumns &&
		       !strncmp(v->columns[same], (const char *)rec + act->fields[first + same].off,
				act->fields[first + same].size))
			same++;
		if (same == v->ncolumns)
			return true;
	}
	if (v->nheadings++ == JSON_HEADINGS) /* no program has as many */
		return v->ncolumns = 0, true;
	v->ncolumns = 0;
	for (size_t i = first; i < act->nfields; i++) {
		char *name = unique(v, (const char *)rec + act->fields[i].off, act->fields[i].size);

		v->columns[v->ncolumns++] = name;
	}
	return true;
}

/* A text of n values comes: how many of the names are before it. SIZE_MAX: they are none of these. */
static size_t place(struct text_view *v, const struct recact *act, size_t n)
{
	bool ends = act->fmt_len && act->fmt[act->fmt_len - 1] == '\n';
	size_t at = v->column;

	if (!v->opts.columns || !v->ncolumns)
		return SIZE_MAX;
	v->column = ends || at + n > v->ncolumns ? 0 : at + n;
	return at + n > v->ncolumns || (ends && at + n != v->ncolumns) || n == 0 ? SIZE_MAX : at;
}

void json_columns(struct text_view *v, const struct recact *act, const uint8_t *rec)
{
	size_t at = place(v, act, act->nfields);

	if (at == SIZE_MAX)
		return;
	jsonw_object(&v->json, "columns");
	for (size_t i = 0; i < act->nfields; i++)
		json_field(v, v->columns[at + i], &act->fields[i], rec + act->fields[i].off);
	jsonw_end_object(&v->json);
}

/* Values of a printa() are in the order of its format; keys are those of the first aggregation. */
bool json_row_columns(struct text_view *v, const struct recact *act, struct json_row *ret)
{
	size_t nkeys = act->naggs ? act->aggs[0]->nkeys : 0, key = 0, agg = 0;
	const struct fmtcache *c;

	*ret = (struct json_row){ 0 };
	if (!v->opts.columns || !v->ncolumns || !act->fmt || text_find_format(v, act->fmt, act->fmt_len, &c) < 0)
		return false;
	for (size_t i = 0; i < c->n; i++) {
		const struct pfconv *pf = &c->convs[i];
		bool is_agg = (pf->flags & PF_AGG) || key >= nkeys;

		if (pf->class == PFC_NONE || pf->class == PFC_PCT)
			continue;
		if (ret->n == JSON_COLUMNS || (is_agg && agg == act->naggs) || c->stars)
			return false;
		ret->value[ret->n++] = is_agg ? (int)agg++ : -1 - (int)key++;
	}
	ret->at = place(v, act, ret->n);
	return ret->at != SIZE_MAX;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the SQL functions that the views of views.c call: times, text of an event, stacks, names of
 * losses. They read the recording by its reader, which checks what it finds; damaged values become NULL. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/recfmt.h"
#include "store/recloss.h"
#include "store/file/recquery.h"
#include "store/sql/int.h"

#define STACK_MAX 4096	/* frames; as in recquery.c */
#define SLOW_ATTRS_AT 2 /* of an ACT_SLOW: after what table slow has */

static struct recsql *of(sqlite3_context *c)
{
	return sqlite3_user_data(c);
}

static void give(sqlite3_context *c, struct strb *b)
{
	if (b->failed)
		sqlite3_result_error_nomem(c);
	else
		sqlite3_result_text(c, strb_str(b), (int)b->n, SQLITE_TRANSIENT);
	strb_free(b);
}

/* dwell_time_s(ts): seconds since the recording began. */
static void time_s(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	if (sqlite3_value_type(v[0]) == SQLITE_INTEGER)
		sqlite3_result_double(c, (double)((int64_t)sqlite3_value_int64(v[0]) - (int64_t)of(c)->begun) /
						 (double)RECFILE_SECOND_NS);
}

/* dwell_wall(ts): local time to the microsecond. */
static void wall(sqlite3_context *c, int n, sqlite3_value **v)
{
	uint64_t ns = (uint64_t)sqlite3_value_int64(v[0]) + of(c)->wall_off;
	time_t t = (time_t)(ns / RECFILE_SECOND_NS);
	char text[64];
	struct tm tm;

	(void)n;
	if (sqlite3_value_type(v[0]) != SQLITE_INTEGER || !of(c)->wall_off || !localtime_r(&t, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	snprintf(text + strlen(text), sizeof(text) - strlen(text), ".%06u", (unsigned)(ns % RECFILE_SECOND_NS / 1000));
	sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

/* The row of an event by its number. */
static bool take_event(struct recsql *s, sqlite3_value *seq, struct row *ret)
{
	bool found;

	sqlite3_bind_int64(s->row, 1, sqlite3_value_int64(seq));
	found = sqlite3_step(s->row) == SQLITE_ROW && recread_row(s->r, s->row, ret, NULL) == 0 &&
		ret->kind == ROW_EVENT;
	sqlite3_reset(s->row);
	return found;
}

/* dwell_event(seq): what it printed, without the newline at its end. */
static void event(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct recsql *s = of(c);
	struct strb b = { 0 };
	struct row row;

	(void)n;
	if (!s->words.event || !take_event(s, v[0], &row))
		return;
	s->words.event(s->words.ctx, &b, &row);
	while (b.n && b.s[b.n - 1] == '\n')
		b.s[--b.n] = '\0';
	give(c, &b);
}

static void put_field(struct recsql *s, struct jsonw *w, const char *name, const struct recfield *f, const uint8_t *p)
{
	struct strb one = { 0 };

	if (f->kind == FLD_INT && f->size >= 1 && f->size <= 8) {
		uint64_t u = recfield_u64(f, p);

		if (f->is_signed)
			jsonw_i64(w, name, (int64_t)u);
		else
			jsonw_u64(w, name, u);
		return;
	}
	if (s->words.field)
		s->words.field(s->words.ctx, &one, f, p);
	jsonw_strn(w, name, strb_str(&one), one.n);
	strb_free(&one);
}

/* dwell_fields(seq): the values of an event's actions in their order, as a JSON array. */
static void fields(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct recsql *s = of(c);
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);
	const struct recfmt *f;
	struct row row;

	(void)n;
	if (!take_event(s, v[0], &row))
		return;
	f = s->r->schema.fmts[row.id - 1];
	jsonw_array(&w, NULL);
	for (size_t i = 0; i < f->nacts; i++)
		for (size_t k = f->acts[i].kind == ACT_SLOW ? SLOW_ATTRS_AT : 0; k < f->acts[i].nfields; k++)
			put_field(s, &w, NULL, &f->acts[i].fields[k],
				  (const uint8_t *)row.data + f->acts[i].fields[k].off);
	jsonw_end_array(&w);
	give(c, &b);
}

/* dwell_stack(id): a stack of the table, outermost function first, with ; between. */
static void stack(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct recsql *s = of(c);
	struct recfield f = { .kind = FLD_STACK };
	struct rec_ustack_hdr h;
	struct rec_stack st;
	struct strb b = { 0 };
	_cleanup_free_ uint8_t *p = NULL;
	size_t head = 0;

	(void)n;
	if (sqlite3_value_type(v[0]) != SQLITE_INTEGER || !s->words.field ||
	    recread_stack(s->r, sqlite3_value_int64(v[0]), &st, NULL) < 0 || st.n > STACK_MAX)
		return;
	p = calloc(1, sizeof(h) + 8 * st.n + 8);
	if (!p) {
		sqlite3_result_error_nomem(c);
		return;
	}
	if (st.space == RECFILE_USER) {
		h = (struct rec_ustack_hdr){ st.tgid, st.flags, st.start };
		memcpy(p, &h, sizeof(h));
		head = sizeof(h);
		f.kind = FLD_USTACK;
	}
	memcpy(p + head, st.frames, 8 * st.n);
	f.nframes = (uint32_t)st.n;
	f.size = (uint32_t)(head + 8 * st.n);
	s->words.field(s->words.ctx, &b, &f, p);
	give(c, &b);
}

/* dwell_loss(counter): its name. dwell_loss_kind(counter): lost, left out, or no loss. */
static void loss(sqlite3_context *c, int n, sqlite3_value **v)
{
	int64_t id = sqlite3_value_int64(v[0]);

	(void)n;
	if (id >= 0 && id < REC_NLOSSES)
		sqlite3_result_text(c, recloss_name((uint32_t)id), -1, SQLITE_STATIC);
}

static void loss_kind(sqlite3_context *c, int n, sqlite3_value **v)
{
	static const char *const names[] = {
		[REC_LOST] = "lost", [REC_LEFT_OUT] = "left out", [REC_NO_LOSS] = "no loss"
	};
	int64_t id = sqlite3_value_int64(v[0]);

	(void)n;
	if (id >= 0 && id < REC_NLOSSES)
		sqlite3_result_text(c, names[rec_loss((uint32_t)id)], -1, SQLITE_STATIC);
}

int recsql_add_funcs(struct recsql *s, struct err *err)
{
	static const struct {
		const char *name;
		void (*fn)(sqlite3_context *, int, sqlite3_value **);
	} funcs[] = { { "dwell_time_s", time_s },      { "dwell_wall", wall },	 { "dwell_event", event },
		      { "dwell_fields", fields },      { "dwell_stack", stack }, { "dwell_loss", loss },
		      { "dwell_loss_kind", loss_kind } };

	for (size_t i = 0; i < ARRAY_SIZE(funcs); i++)
		if (sqlite3_create_function(s->r->db, funcs[i].name, 1,
					    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, s, funcs[i].fn, NULL,
					    NULL) != SQLITE_OK)
			return recfile_error(s->r->db, "functions cannot be added", err);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Words for SQL: a symboliser that asks the recording, and a text view that prints into memory. */
#include "view/summary/sqlwords.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/form/fieldtext.h"
#include "view/form/kstack.h"
#include "view/form/recsym.h"

#define WHY_FRAMES 128u

struct sqlwords {
	struct sym *sym;
	struct text_view *view;
	FILE *f; /* what it prints to: text, n bytes */
	char *text;
	size_t n;
	text_why_fn *why;
	void *why_arg;
};

static void put_why(struct sqlwords *w, struct strb *b, const struct recfield *f, const uint8_t *p)
{
	const char *names[WHY_FRAMES] = { 0 }, *class, *words = NULL;
	size_t n = 0;

	for (size_t i = 0; i < f->nframes && n < WHY_FRAMES; i++) {
		struct symbol s = { 0 };
		uint64_t pc;

		memcpy(&pc, p + 8 * i, sizeof(pc));
		if (!pc)
			break;
		names[n] = sym_kernel(w->sym, pc, &s) ? s.name : NULL;
		if (n || !names[n] || !kstack_is_tracing(names[n]))
			n++;
	}
	if (w->why)
		words = w->why(w->why_arg, names, n, 0, &class);
	strb_adds(b, words ? words : "unknown");
}

static void on_field(void *ctx, struct strb *b, const struct recfield *f, const uint8_t *p)
{
	struct sqlwords *w = ctx;

	if (f->kind == FLD_WHY)
		put_why(w, b, f, p);
	else
		fieldtext_add(b, w->sym, f, p);
}

static void on_event(void *ctx, struct strb *b, const struct row *row)
{
	struct sqlwords *w = ctx;

	rewind(w->f);
	if (text_view_row(w->view, row) == 0 && text_view_flush(w->view) == 0 && fflush(w->f) == 0)
		strb_add(b, w->text, w->n);
}

static void on_message(void *arg, const char *text)
{
	(void)arg;
	(void)text;
}

int sqlwords_new(struct recsql *s, text_why_fn *why, void *why_arg, bool (*stop)(void *ctx), struct sqlwords **ret,
		 struct err *err)
{
	const struct text_opts opts = {
		.quiet = true, .replayed = true, .no_final_aggs = true, .why = why, .why_arg = why_arg
	};
	struct sqlwords *w = calloc(1, sizeof(*w));
	int e = w ? recsym_new(recsql_reader(s), &w->sym, err) : err_set(err, -ENOMEM, "out of memory");

	if (e == 0) {
		w->why = why;
		w->why_arg = why_arg;
		w->f = open_memstream(&w->text, &w->n);
		e = w->f ? text_view_new(recread_schema(recsql_reader(s)), w->sym, &opts, w->f, on_message, NULL,
					 &w->view)
			 : -ENOMEM;
		if (e < 0)
			err_set(err, e, "out of memory");
	}
	if (e < 0) {
		sqlwords_free(w);
		return e;
	}
	recsql_set_words(s, &(struct recsql_words){ w, on_field, on_event, stop });
	*ret = w;
	return 0;
}

void sqlwords_free(struct sqlwords *w)
{
	if (!w)
		return;
	text_view_free(w->view);
	if (w->f)
		fclose(w->f);
	free(w->text);
	sym_free(w->sym);
	free(w);
}

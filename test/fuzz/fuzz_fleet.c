/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that hostile machines send: batches of hosts, their subjects and answers, rows of a store as text and as
 * columns, questions of the page, and requests that a host run a program. */
#include <stdlib.h>
#include <string.h>
#include "fleet/ask/page.h"
#include "fleet/wire/batch.h"
#include "fleet/wire/bus.h"
#include "fleet/wire/click.h"
#include "fleet/wire/native.h"
#include "fleet/run/msg.h"
#include "fuzz.h"

static int on_hist(void *ctx, const struct batch_hist *h)
{
	size_t *sum = ctx;

	*sum += strlen(h->series) + strlen(h->key);
	for (uint32_t i = 0; i < h->nbuckets; i++)
		*sum += h->buckets[i].count;
	return 0;
}

static int on_slow(void *ctx, const struct batch_slow *s)
{
	*(size_t *)ctx += strlen(s->tracker) + strlen(s->stack) + strlen(s->attrs) + strlen(s->class);
	return 0;
}

static int on_host(void *ctx, const struct batch_host *h)
{
	*(size_t *)ctx += strlen(h->labels);
	return 0;
}

static int on_gap(void *ctx, const struct batch_gap *g)
{
	*(size_t *)ctx += strlen(g->what);
	return 0;
}

static int on_audit(void *ctx, const struct batch_audit *a)
{
	*(size_t *)ctx += strlen(a->program) + strlen(a->reason) + a->cpu;
	return 0;
}

/* A question of the page. */
static void read_question(char *text)
{
	struct askpage p = { 0 };
	struct err err = { 0 };

	askshow_init(&p.show);
	askpage_read(&p, text, &err);
}

/* ClickHouse's columns, of the types that questions ask for, in pieces. */
static int on_block(void *ctx, const struct native *n)
{
	size_t *sum = ctx, len;

	for (size_t row = 0; row < n->nrows; row++) {
		const char *text = native_text(n, 0, row, &len), *v;

		for (size_t i = 0; i < len; i++)
			*sum += (uint8_t)text[i];
		*sum += native_number(n, 1, row) + native_number(n, 2, row);
		v = native_array(n, 3, row, &len);
		for (size_t i = 0; i < len * sizeof(uint16_t); i++)
			*sum += (uint8_t)v[i];
		v = native_array(n, 4, row, &len);
		for (size_t i = 0; i < len * sizeof(uint64_t); i++)
			*sum += (uint8_t)v[i];
	}
	return 0;
}

static void read_columns(const uint8_t *data, size_t size, size_t piece, size_t *sum)
{
	static const enum native_type types[] = { NATIVE_TEXT, NATIVE_TIME, NATIVE_U64, NATIVE_U16S, NATIVE_U64S };
	struct native n = { .types = types, .ncolumns = sizeof(types) / sizeof(*types) };
	int e = 0;

	for (size_t at = 0; e == 0 && at < size; at += piece)
		e = native_feed(&n, data + at, size - at < piece ? size - at : piece, on_block, sum);
	native_free(&n);
}

static void read_request(char *text, size_t size)
{
	struct runmsg m = { .kind = RUNMSG_NKINDS };
	enum runmsg_answer kind;
	uint32_t number;
	const char *p;
	size_t n;

	if (runmsg_take_answer(text, size, &kind, &number, &p, &n) == 0 && p + n != text + size)
		abort();
	if (runmsg_take_body(text, size, &m) == 0 && m.kind == RUNMSG_RUN && m.program + m.nprogram != text + size)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t sum = 0;
	const struct batch_sink sink = { &sum, on_hist, on_slow, on_host, on_gap, on_audit };
	char *columns[CLICK_COLUMNS_MAX], *text = strndup((const char *)data, size);
	struct bus_subject subject;

	batch_read(data, size, &sink, NULL);
	read_columns(data, size, size, &sum);
	read_columns(data, size, 7, &sum);
	if (text) {
		bus_parse(text, &subject);
		click_split(text, columns, CLICK_COLUMNS_MAX);
	}
	free(text);
	text = strndup((const char *)data, size);
	if (text)
		read_question(text);
	free(text);
	text = malloc(size + 1);
	if (text) {
		memcpy(text, data, size);
		text[size] = '\0';
		read_request(text, size);
	}
	free(text);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of hostile hosts, their subjects, and rows of a hostile store. */
#include <stdlib.h>
#include <string.h>
#include "fleet/askpage.h"
#include "fleet/batch.h"
#include "fleet/bus.h"
#include "fleet/click.h"
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

/* A question of the page. */
static void read_question(char *text)
{
	struct askpage p = { 0 };
	struct err err = { 0 };

	askshow_init(&p.show);
	askpage_read(&p, text, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t sum = 0;
	const struct batch_sink sink = { &sum, on_hist, on_slow, on_host, on_gap };
	char *columns[CLICK_COLUMNS_MAX], *text = strndup((const char *)data, size);
	struct bus_subject subject;

	batch_read(data, size, &sink, NULL);
	if (text) {
		bus_parse(text, &subject);
		click_split(text, columns, CLICK_COLUMNS_MAX);
	}
	free(text);
	text = strndup((const char *)data, size);
	if (text)
		read_question(text);
	free(text);
	return 0;
}

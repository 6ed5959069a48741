/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated hosts of a fleet: sends, as fast as NATS takes them, what HOSTS machines with SERIES trackers would have
 * sent in SECONDS seconds up to now. Prints rows, messages and bytes. usage: fleetload URL HOSTS SERIES SECONDS */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "fleet/wire/batch.h"
#include "fleet/wire/bus.h"

#define BUCKETS 12 /* with values, of a histogram */
#define FIRST_BUCKET 300
#define SPREAD 40 /* from one to the next */

struct load {
	struct bus *bus;
	uint64_t rows, messages, bytes;
	unsigned seed;
};

static unsigned random_below(struct load *l, unsigned n)
{
	l->seed = l->seed * 1103515245u + 12345u;
	return (l->seed >> 16) % n;
}

static void add_row(struct load *l, struct batch *b, unsigned series, uint64_t second)
{
	struct rec_bucket buckets[BUCKETS];
	char name[32];
	struct batch_hist h = {
		.series = name, .key = "", .start = second, .period = 1, .nbuckets = BUCKETS, .buckets = buckets
	};
	uint32_t at = FIRST_BUCKET;

	snprintf(name, sizeof(name), "tracker%02u", series);
	for (unsigned i = 0; i < BUCKETS; i++) {
		at += 1 + random_below(l, SPREAD);
		buckets[i] = (struct rec_bucket){ .index = at, .count = 1 + random_below(l, 200) };
		h.count += buckets[i].count;
		h.sum += buckets[i].count * 1000;
	}
	h.max = h.sum / 7;
	batch_add_hist(b, &h);
	l->rows++;
}

static int send_second(struct load *l, unsigned host, unsigned nseries, uint64_t second, struct err *err)
{
	struct batch b = { 0 };
	char subject[BUS_SUBJECT_MAX], id[64];
	int e;

	batch_begin(&b, BATCH_HIST);
	for (unsigned i = 0; i < nseries; i++)
		add_row(l, &b, i, second);
	snprintf(subject, sizeof(subject), "dwell.v1.default.default.sim%04u.hist", host);
	snprintf(id, sizeof(id), "%u-%llu", host, (unsigned long long)second);
	e = bus_publish(l->bus, subject, id, b.b.s, b.b.n, err);
	l->messages++;
	l->bytes += b.b.n;
	batch_free(&b);
	return e;
}

int main(int argc, char **argv)
{
	struct load l = { .seed = 1 };
	struct bus_options o = { .url = argc == 5 ? argv[1] : NULL };
	struct err err = { 0 };
	uint64_t now = (uint64_t)time(NULL);
	unsigned hosts, series, seconds;
	int e;

	if (argc != 5)
		return fprintf(stderr, "usage: fleetload URL HOSTS SERIES SECONDS\n"), 2;
	hosts = (unsigned)atoi(argv[2]);
	series = (unsigned)atoi(argv[3]);
	seconds = (unsigned)atoi(argv[4]);
	e = bus_connect(&o, &l.bus, &err);
	for (unsigned s = 0; e == 0 && s < seconds; s++)
		for (unsigned h = 0; e == 0 && h < hosts; h++)
			e = send_second(&l, h, series, now - seconds + s, &err);
	if (e < 0)
		return fprintf(stderr, "fleetload: %s\n", err.msg), 1;
	printf("%llu rows, %llu messages, %llu bytes\n", (unsigned long long)l.rows, (unsigned long long)l.messages,
	       (unsigned long long)l.bytes);
	bus_close(l.bus);
	return 0;
}

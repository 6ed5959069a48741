/* SPDX-License-Identifier: Apache-2.0 */
/* Variables for watchpoints. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "trigger.h"

volatile uint64_t watched;
volatile uint32_t watched_read;
volatile uint8_t watched_bytes[16];

static __attribute__((noinline)) void watch_store(uint64_t v)
{
	watched = v;
	watched_bytes[8] = (uint8_t)v; /* not watched together with the others */
}

static __attribute__((noinline)) void watch_load(void)
{
	watched_read = (uint32_t)watched;
}

struct range {
	uint64_t from, to;
};

static void *store_some(void *arg)
{
	const struct range *r = arg;

	for (uint64_t i = r->from; i <= r->to; i++) {
		watch_store(i);
		watch_load();
	}
	return NULL;
}

int run_watch(int argc, char **argv)
{
	uint64_t n = (uint64_t)arg_num(argc, argv, 1, 1), threads = (uint64_t)arg_num(argc, argv, 3, 0);
	struct range all = { 1, n };

	if (!threads)
		store_some(&all);
	for (uint64_t t = 0; t < threads; t++) {
		struct range r = { t * n / threads + 1, (t + 1) * n / threads };
		pthread_t id;

		if (pthread_create(&id, NULL, store_some, &r) != 0)
			return 1;
		pthread_join(id, NULL);
	}
	usleep((useconds_t)arg_num(argc, argv, 2, 0) * 1000);
	return 0;
}

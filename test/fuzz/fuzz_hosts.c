/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a hostile machine to `dwell --host`: frames, a request, a table that is added to others and shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "hosts/merge.h"
#include "hosts/wire.h"

static void ignore(void *ctx, const char *text)
{
	(void)ctx;
	if (!text)
		abort();
}

static void take_frames(const char *p, size_t n)
{
	struct strb b = { 0 };
	struct wire_frame f;
	size_t at = 0;

	strb_add(&b, p, n);
	while (b.n && wire_next(&b, &at, WIRE_FRAME_MAX, &f).more)
		if (f.p < b.s || f.p + f.n > b.s + b.n)
			abort();
	strb_free(&b);
}

static void take_request(char *p, size_t n)
{
	struct wire_request r;

	if (wire_take_request(p, n, &r) < 0)
		return;
	for (size_t i = 0; i < r.nwords; i++)
		if (r.words[i] + strlen(r.words[i]) >= p + n)
			abort();
	wire_free_request(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const labels[] = { "a", "b" };
	const struct text_opts opts = { .stackindent = 14, .encoding = TEXT_ASCII };
	FILE *out = fopen("/dev/null", "we");
	char *copy = malloc(size + 1);
	struct merge *m = merge_new(labels, 2, &opts, out, ignore, NULL);

	if (!out || !copy || !m)
		abort();
	memcpy(copy, data, size);
	copy[size] = '\0';
	take_frames(copy, size);
	merge_add(m, 0, copy, size);
	merge_add(m, 1, copy, size);
	merge_ended(m, 0);
	merge_ended(m, 1);
	take_request(copy, size);
	merge_free(m);
	free(copy);
	fclose(out);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over all files of its corpora, without libFuzzer: each file whole, and cut at
 * a few places. Exit 1 when there was nothing to run. usage: fuzz_NAME FILE-OR-FOLDER… */
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "fuzz.h"

#define CUTS 8 /* besides the whole file, its first 1/8, 2/8 … */

/* In an allocation of exactly that size, so that AddressSanitizer sees a read past the end. */
static void run_part(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static int run_file(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(size + 1);
	size_t n;

	if (!f || !data) {
		perror(path);
		if (f)
			fclose(f);
		free(data);
		return 0;
	}
	n = fread(data, 1, size, f);
	fclose(f);
	for (size_t i = 0; i <= CUTS; i++)
		run_part(data, n * i / CUTS);
	free(data);
	return 1;
}

int main(int argc, char **argv)
{
	int files = 0;
	FTS *fts;

	if (argc < 2)
		return 1;
	fts = fts_open(argv + 1, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	if (!fts)
		return 1;
	for (FTSENT *e; (e = fts_read(fts));)
		if (e->fts_info == FTS_F)
			files += run_file(e->fts_accpath, (size_t)e->fts_statp->st_size);
	fts_close(fts);
	printf("%d files replayed\n", files);
	return files ? 0 : 1;
}

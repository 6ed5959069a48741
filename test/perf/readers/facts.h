/* SPDX-License-Identifier: Apache-2.0 */
/* Prints facts in one form, for both programs of the comparison: `own FACT FILE` reads by dwell's readers, `lib FACT
 * FILE` by libelf, libdw and libbpf. FACT is symbols, lines, types, cfi or btf. Facts go to stdout, a line each, the
 * same in both; how long it took and what memory it needed to stderr: "milliseconds kilobytes". */
#ifndef DWELL_TEST_FACTS_H
#define DWELL_TEST_FACTS_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FACTS_ADDRESSES 400u /* of the code of a file that are asked about, spread evenly */
#define FACTS_DEPTH 256u     /* of entries within each other */
#define FACTS_PARAMS 32u     /* of a function: dwell takes no more */

static inline double facts_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline uint64_t facts_address(uint64_t text, uint64_t size, unsigned i)
{
	return text + size * i / FACTS_ADDRESSES;
}

static inline const char *facts_base(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

/* With FACTS_CUT in the environment the owner of the file cuts it once it is open. */
static inline void facts_cut(const char *path)
{
	if (getenv("FACTS_CUT") && truncate(path, 4096) < 0)
		perror(path);
}

/* The most memory that this program has had. Not getrusage(): that counts what was there before exec(). */
static inline long facts_kb(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[128];
	long kb = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

struct fact {
	const char *name;
	int (*print)(FILE *out, const char *path); /* negative: cannot be read */
};

static inline int facts_main(int argc, char **argv, const struct fact *v, size_t n)
{
	char *text = NULL;
	size_t len = 0;

	for (size_t i = 0; argc == 3 && i < n; i++) {
		FILE *out;
		double begin;
		int r;

		if (strcmp(argv[1], v[i].name) != 0)
			continue;
		out = open_memstream(&text, &len);
		begin = facts_ms();
		r = v[i].print(out, argv[2]);
		fclose(out);
		begin = facts_ms() - begin;
		fwrite(text, 1, len, stdout);
		fprintf(stderr, "%.3f %ld\n", begin, facts_kb());
		free(text);
		return r < 0;
	}
	fprintf(stderr, "usage: %s symbols|lines|types|cfi|btf FILE\n", argv[0]);
	return 2;
}
#endif

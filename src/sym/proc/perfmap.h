/* SPDX-License-Identifier: Apache-2.0 */
/* Reads names of code that was made at run time from /tmp/perf-PID.map. The maker of the code writes it: lines of
 * "start size name" in hex, later ones replacing earlier ones. Source: the kernel's
 * tools/perf/Documentation/jit-interface.txt. */
#ifndef DWELL_SYM_PROC_PERFMAP_H
#define DWELL_SYM_PROC_PERFMAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERFMAP_MAX_BYTES ((uint64_t)256 << 20) /* of the file; the rest is not read */
#define PERFMAP_MAX_LINE 4096u			/* longer lines are skipped */
/* Entries before an address that are looked at; more are only needed where code was replaced often.
 */
#define PERFMAP_LOOK_BACK 64u

struct perfsym {
	uint64_t addr;
	uint32_t size;
	uint32_t name; /* offset in perfmap.text */
	uint32_t seq;  /* line number */
};

struct perfmap {
	int fd; /* -1: none */
	uint64_t dev, ino;
	uint64_t parsed;   /* bytes done, up to the last full line */
	bool skip;	   /* in the middle of a line too long to be read */
	uint64_t next_ns;  /* not read again before */
	struct perfsym *v; /* by address, then line */
	size_t n, cap;
	char *text;
	size_t ntext, captext;
	uint32_t seq;
};

void perfmap_init(struct perfmap *pm);
/* Opens the perf map of a process: procfd is its directory in /proc. The map is looked for in the root of the
 * process, by its number there. A map that is open is kept if it is still the same file. 0; -ENOENT; -EPERM: the
 * file belongs neither to the process's user nor to root. */
int perfmap_open(struct perfmap *pm, int procfd);
/* Reads what was added since, and everything again when it was cut. */
int perfmap_read(struct perfmap *pm);
/* The newest entry that covers addr, or NULL; reads more of the file first when it has grown. */
const struct perfsym *perfmap_at(struct perfmap *pm, uint64_t addr);
/* One line without its newline, as the file has it. False: skipped. */
bool perfmap_add_line(struct perfmap *pm, const char *line, size_t n);
void perfmap_sort(struct perfmap *pm);
void perfmap_free(struct perfmap *pm);
#endif

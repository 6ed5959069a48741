/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the mappings of one process as a sorted array. */
#ifndef DWELL_SYM_PROC_MAPS_H
#define DWELL_SYM_PROC_MAPS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More mappings than this are not looked at. Source: vm.max_map_count is 65530 unless raised. */
#define MAPS_MAX 262144u
/* Mappings kept after they vanished (library unloaded, program replaced by exec). */
#define MAPS_MAX_STALE 1024u

struct sym;
struct ufile;

struct umap {
	uint64_t start, end; /* [start, end) */
	uint64_t off;	     /* in the file */
	struct ufile *f;     /* owns a reference; NULL: no file with code */
	const char *name;    /* module: base name, "[heap]", "[anon]"; in sym.names */
	bool exec;
	bool stale;   /* not in the newest /proc/PID/maps */
	bool bss;     /* zeroed data after the last page of f; off is where f's page ended */
	uint64_t gap; /* of bss: bytes between that page and this memory */
};

struct umaps {
	struct umap *v; /* by address, without overlaps */
	size_t n, cap;
};

/* One line of /proc/PID/maps taken apart. */
struct maps_line {
	uint64_t start, end, off, dev, ino;
	int prot;   /* PROT_READ, PROT_WRITE, PROT_EXEC */
	char *path; /* inside of the line, "" for anonymous; " (deleted)" is cut off */
};

/* Memory of no file, by the name that the kernel or perf gives it. */
bool maps_is_anon(const char *path);
/* Takes a line apart in place (no newline). False for other text. Source: proc(5). */
bool maps_parse_line(char *line, struct maps_line *ret);
/* Reads the mappings of the process whose /proc directory is procfd, with their files.
 * -ESRCH: it has exited (no mappings left); -EACCES … */
int maps_read(struct sym *s, int procfd, struct umaps *ret);
/* Puts newer mappings in the place of m. A mapping of m that vanished is kept as stale where nothing new lies. Takes
 * over fresh's memory. */
void maps_merge(struct sym *s, struct umaps *m, struct umaps *fresh);
/* Adds one mapping, cutting those it covers. Takes over the reference to map.f. 0 or -ENOMEM. */
int maps_insert(struct sym *s, struct umaps *m, struct umap map);
const struct umap *maps_at(const struct umaps *m, uint64_t addr);
void maps_free(struct sym *s, struct umaps *m);
#endif

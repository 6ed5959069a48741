/* SPDX-License-Identifier: Apache-2.0 */
/* Loads an image into the kernel: makes its maps and has its programs verified. Attaches nothing (link.h does). */
#ifndef DWELL_LOAD_LOAD_H
#define DWELL_LOAD_LOAD_H
#include "base/err.h"
#include "cg/image.h"
#include "types/caps.h"

/* The verifier's log of a program that it has accepted. */
typedef void load_log_fn(void *ctx, const char *log);

struct load_opts {
	load_log_fn *log; /* NULL: programs are loaded without logs, which is faster */
	void *log_ctx;
	size_t log_size;  /* bytes of verifier log to ask for when a program is refused; 0: default */
	bool rings_exact; /* rings for which there is no memory are an error; else they are halved until there is */
};
#define LOAD_LOG_SIZE_DEFAULT ((size_t)16 << 20)
#define LOAD_LOG_SIZE_MAX ((size_t)1 << 30) /* kernel: UINT_MAX >> 2 */

struct load_map {
	int fd;	    /* of the map; RINGS: of the outer array */
	int *rings; /* RINGS: one ring buffer per possible CPU, else NULL */
	uint32_t nrings;
	uint32_t *ring_sizes; /* RINGS: bytes of each; few for CPUs that are not online */
	uint32_t ring_size;   /* RINGS: bytes of the largest; less than image.maps[].inner_size when there was no memory
				 for that */
	void *mem;	      /* STATE: its only value, shared with the programs (struct img_state first);
			       * UW_TABLES, UW_AREAS, FLIGHT: all values */
	size_t mem_len;	      /* of the mapping */
};

struct loaded {
	const struct image *img;
	unsigned ncpus;	       /* values per entry of per-CPU maps */
	bool hash_alloc;       /* hash maps may grow: caps.hash_alloc */
	bool rings_exact;      /* load_opts.rings_exact */
	struct load_map *maps; /* as image.maps */
	int *progs;	       /* fds, as image.progs */
	bool *joined; /* as image.progs: entry and return as one program, the fd is that of the entry; -1: no program */
	struct image *all;	 /* NULL until load_more(), then img */
	uint32_t room;		 /* of programs, with those that load_more() may add */
	int btf_fd;		 /* function and TLS types, or -1 */
	int filler;		 /* pid of the process that fills the rings' outer array, or 0 */
	uint32_t rings_map;	 /* index of the map with role RINGS, or UINT32_MAX */
	struct img_state *state; /* inside maps[].mem of role STATE, or NULL */
};

/* Makes the maps and loads the programs of an image, which must outlive the result. Needs no RCU grace
 * period. When the verifier refuses a program, err names the clause, its D line and size, and
 * err->detail is the verifier's log. Free with load_free(). */
int load_image(const struct image *img, struct typesrc *ts, const struct caps *caps, const struct load_opts *opts,
	       struct loaded **ret, struct err *err);
/* Lets the kernel set memory aside for the first keys of maps that grow (warm.c): before anything is attached. A key
 * that has no memory afterwards is counted as a loss where that happens. */
void load_warm(const struct loaded *l);
/* Adds the programs of a further image (cg_env.more) to those that are loaded, at most image.nlater in all. They use
 * the maps of the image before. Constants and scratch memory are their own. Then l->img is an image with all of them,
 * which more has to outlive. -ESTALE: a map is not as it was; -ENOSPC: there is no room. An error changes nothing. */
int load_more(struct loaded *l, const struct image *more, struct typesrc *ts, const struct load_opts *opts,
	      struct err *err);
/* Now and then while it runs: the process that filled the rings' outer array has ended by itself; it is to leave no
 * zombie. */
void load_reap(struct loaded *l);
/* The same at the end, for a caller that lives on: ends that process and waits for it. */
void load_end_filler(struct loaded *l);
/* Closes everything; accepts NULL and half-made ones. */
void load_free(struct loaded *l);
/* Maps n values of an array made for that (TRACKHIST), from the one numbered first on, to be read until it is
 * munmap'ed: *len bytes. The values before them fill whole pages. NULL: errno says why. */
const void *load_view(const struct loaded *l, uint32_t map, uint32_t first, uint32_t n, size_t *len);
/* First map with this role (agg, set: of IMG_MAP_AGG, else ignored), or NULL. */
const struct load_map *load_find_map(const struct loaded *l, enum img_map_role role, uint32_t agg, uint32_t set);
#endif

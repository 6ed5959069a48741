/* SPDX-License-Identifier: Apache-2.0 */
/* Provides memory for the first keys of hash maps.
 *
 * A hash map that is not preallocated takes its elements from a per-CPU store, which the kernel refills later,
 * from an interrupt. The store of a new map holds four elements. A program that meets more keys before that
 * interrupt (in a timer's handler, or with the run queue locked) would find none and lose them. So a program of
 * dwell inserts and deletes a key in each map once on each CPU before anything is attached: then the store holds
 * about fifty.
 *
 * Source: kernel/bpf/memalloc.c, unit_alloc(), prefill_mem_cache(), init_refill_work(). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/load.h"

enum {
	WARM_INSNS = 13,    /* for one map */
	WARM_MAX_MAPS = 64, /* of one program. Source: kernel, MAX_USED_MAPS */
};

static bool grows(const struct img_map *m)
{
	return (m->role == IMG_MAP_AGG || m->role == IMG_MAP_ASSOC || m->role == IMG_MAP_TRACK) &&
	       (m->type == BPF_MAP_TYPE_HASH || m->type == BPF_MAP_TYPE_PERCPU_HASH) && (m->flags & BPF_F_NO_PREALLOC);
}

static size_t put_ld64(struct bpf_insn *to, uint8_t reg, uint8_t kind, int fd)
{
	to[0] = (struct bpf_insn){ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = reg, .src_reg = kind, .imm = fd };
	to[1] = (struct bpf_insn){ 0 };
	return 2;
}

static size_t put_call(struct bpf_insn *to, int func)
{
	to[0] = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = func };
	return 1;
}

/* update(map, zeros, zeros, BPF_ANY); delete(map, zeros); */
static size_t put_map(struct bpf_insn *to, int map, int zeros)
{
	size_t n = put_ld64(to, BPF_REG_1, BPF_PSEUDO_MAP_FD, map);

	n += put_ld64(to + n, BPF_REG_2, BPF_PSEUDO_MAP_VALUE, zeros);
	to[n++] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_3, .src_reg = BPF_REG_2 };
	to[n++] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_4 };
	n += put_call(to + n, BPF_FUNC_map_update_elem);
	n += put_ld64(to + n, BPF_REG_1, BPF_PSEUDO_MAP_FD, map);
	n += put_ld64(to + n, BPF_REG_2, BPF_PSEUDO_MAP_VALUE, zeros);
	return n + put_call(to + n, BPF_FUNC_map_delete_elem);
}

/* An array whose only value is as long as the longest key and value. */
static int make_zeros(const struct image *img)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_ARRAY;
	a.key_size = sizeof(uint32_t);
	a.value_size = sizeof(uint64_t);
	a.max_entries = 1;
	for (uint32_t i = 0; i < img->nmaps; i++) {
		if (!grows(&img->maps[i]))
			continue;
		a.value_size = a.value_size > img->maps[i].key_size ? a.value_size : img->maps[i].key_size;
		a.value_size = a.value_size > img->maps[i].value_size ? a.value_size : img->maps[i].value_size;
	}
	return bpfsys(BPF_MAP_CREATE, &a, sizeof(a));
}

/* For the maps from *next on; *next becomes the first that is left. */
static int make_prog(const struct loaded *l, int zeros, uint32_t *next)
{
	struct bpf_insn insns[WARM_MAX_MAPS * WARM_INSNS + 2];
	size_t n = 0, maps = 0;
	union bpf_attr a;

	for (; *next < l->img->nmaps && maps < WARM_MAX_MAPS - 1; ++*next) { /* one more: the zeroes */
		uint32_t i = *next;

		if (!grows(&l->img->maps[i]))
			continue;
		n += put_map(insns + n, l->maps[i].fd, zeros);
		maps++;
	}
	insns[n++] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 };
	insns[n++] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	a.insns = BPFSYS_PTR(insns);
	a.insn_cnt = (uint32_t)n;
	a.license = BPFSYS_PTR("GPL");
	memcpy(a.prog_name, "dwell_warm", sizeof("dwell_warm"));
	return bpfsys(BPF_PROG_LOAD, &a, sizeof(a));
}

void load_warm(const struct loaded *l)
{
	_cleanup_close_ int zeros = -1;
	bool any = false;

	for (uint32_t i = 0; i < l->img->nmaps; i++)
		any |= grows(&l->img->maps[i]);
	if (!any || !l->hash_alloc)
		return;
	zeros = make_zeros(l->img);
	for (uint32_t next = 0; zeros >= 0 && next < l->img->nmaps;) {
		_cleanup_close_ int prog = make_prog(l, zeros, &next);

		/* CPUs that are off answer with an error, and need nothing. */
		for (unsigned cpu = 0; prog >= 0 && cpu < l->ncpus; cpu++)
			bpfsys_test_run(prog, (int)cpu, NULL);
	}
}

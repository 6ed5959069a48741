/* SPDX-License-Identifier: Apache-2.0 */
/* See kern_run.h. */
#include "kern_run.h"
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

#define LOG_SIZE (1u << 24)

static int make_map(void)
{
	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "test", 4, KERN_MEM, 1, NULL);
}

bool kern_usable(void)
{
	_cleanup_close_ int fd = make_map();

	return fd >= 0;
}

struct caps kern_caps(void)
{
	/* Set by test/vm/run_vm on kernels that are so. */
	bool once = getenv("DWELL_LOOP_ONCE") != NULL;

	return (struct caps){ .bpf_loop = true, .bpf_loop_once = once, .ringbuf = true, .atomics = true };
}

/* Functions need types: the verifier wants them where callbacks are used. */
static int make_btf(const struct img_prog *p, struct bpf_func_info *fi, struct btf **ret)
{
	struct btf *btf = btf__new_empty();
	int u64_id, proto, id;
	uint32_t k;
	unsigned a;

	if (!btf)
		return -ENOMEM;
	u64_id = btf__add_int(btf, "u64", 8, 0);
	for (k = 0; k < p->nfuncs; k++) {
		proto = btf__add_func_proto(btf, u64_id);
		for (a = 0; a < p->funcs[k].nargs; a++)
			btf__add_func_param(btf, (const char *[]){ "a", "b", "c", "d", "e" }[a], u64_id);
		id = btf__add_func(btf, p->funcs[k].name, BTF_FUNC_STATIC, proto);
		if (id < 0)
			return id;
		fi[k] = (struct bpf_func_info){ p->funcs[k].off, (uint32_t)id };
	}
	*ret = btf;
	return btf__load_into_kernel(btf);
}

static void parse_processed(const char *log, unsigned *ret)
{
	const char *s = strstr(log, "processed ");

	if (s && ret)
		*ret = (unsigned)strtoul(s + 10, NULL, 10);
}

int kern_load(const struct img_prog *p, int *ret_prog, int *ret_map, char **log, unsigned *ret_processed)
{
	_cleanup_free_ struct bpf_func_info *fi = calloc(p->nfuncs, sizeof(*fi));
	_cleanup_free_ char *buf = calloc(1, LOG_SIZE);
	struct btf *btf = NULL;
	int map = make_map(), fds[1] = { map }, prog, r;

	r = make_btf(p, fi, &btf);
	if (r < 0 || map < 0)
		return r < 0 ? r : map;
	LIBBPF_OPTS(bpf_prog_load_opts, o, .prog_btf_fd = (uint32_t)btf__fd(btf), .func_info = fi,
		    .func_info_cnt = p->nfuncs, .func_info_rec_size = sizeof(*fi), .fd_array = fds, .log_buf = buf,
		    .log_size = LOG_SIZE, .log_level = 4);
	prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "test", "GPL", p->insns, p->ninsns, &o);
	if (prog < 0) {
		r = -errno;
		o.log_level = 1;
		bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "test", "GPL", p->insns, p->ninsns, &o);
		if (log)
			*log = take_ptr(buf);
		close(map);
	} else {
		parse_processed(buf, ret_processed);
		*ret_prog = prog;
		*ret_map = map;
	}
	btf__free(btf);
	return prog < 0 ? r : 0;
}

int kern_exec(int prog, int map, uint8_t mem[KERN_MEM], uint32_t *ret)
{
	uint64_t ctx[1] = { 0 };
	uint32_t key = 0;
	LIBBPF_OPTS(bpf_test_run_opts, o, .ctx_in = ctx, .ctx_size_in = sizeof(ctx));

	if (bpf_map_update_elem(map, &key, mem, 0) < 0 || bpf_prog_test_run_opts(prog, &o) < 0 ||
	    bpf_map_lookup_elem(map, &key, mem) < 0)
		return -errno;
	*ret = o.retval;
	return 0;
}

int kern_run(const struct img_prog *p, uint8_t mem[KERN_MEM], uint32_t *ret, char **log, unsigned *ret_processed)
{
	_cleanup_close_ int prog = -1, map = -1;
	int r = kern_load(p, &prog, &map, log, ret_processed);

	return r < 0 ? r : kern_exec(prog, map, mem, ret);
}

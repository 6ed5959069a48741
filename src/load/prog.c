/* SPDX-License-Identifier: Apache-2.0 */
/* Loads one program of an image: map references become descriptors, the entry kind becomes a program
 * type, and a refusal becomes an error in terms of D. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/load_int.h"

/* All helpers that tracing needs are open to GPL-compatible programs only; the generated code is. */
static const char license[] = "GPL";

static const struct {
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
	const char *what;
} kinds[] = {
	[ENTRY_TEST_RUN] = { BPF_PROG_TYPE_RAW_TRACEPOINT, 0, "test-run" },
	[ENTRY_TP_BTF] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, "typed tracepoint" },
	[ENTRY_RAW_TP] = { BPF_PROG_TYPE_RAW_TRACEPOINT, 0, "raw tracepoint" },
	[ENTRY_PERF_EVENT] = { BPF_PROG_TYPE_PERF_EVENT, 0, "perf event" },
	[ENTRY_UPROBE] = { BPF_PROG_TYPE_KPROBE, 0, "uprobe" },
	[ENTRY_KPROBE] = { BPF_PROG_TYPE_KPROBE, 0, "kprobe" },
	[ENTRY_ITER_TASK] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, "walk over threads" },
	[ENTRY_ITER_MAP] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, "walk over keys" },
};

static bool is_map_ref(const struct bpf_insn *i)
{
	return i->code == (BPF_LD | BPF_IMM | BPF_DW) &&
	       (i->src_reg == BPF_PSEUDO_MAP_IDX || i->src_reg == BPF_PSEUDO_MAP_IDX_VALUE);
}

/* A copy of the instructions with descriptors in place of map indices. */
static int patch(const struct loaded *l, const struct img_prog *p, struct bpf_insn **ret, struct err *err)
{
	struct bpf_insn *v = malloc(p->ninsns * sizeof(*v));

	if (!v)
		return err_set(err, -ENOMEM, "out of memory");
	memcpy(v, p->insns, p->ninsns * sizeof(*v));
	for (uint32_t i = 0; i < p->ninsns; i++) {
		if (!is_map_ref(&v[i]))
			continue;
		if ((uint32_t)v[i].imm >= l->img->nmaps || i + 1 == p->ninsns) {
			free(v);
			return err_set(err, -EBADMSG, "bad map reference at instruction %u of %s", i, p->name);
		}
		v[i].src_reg = v[i].src_reg == BPF_PSEUDO_MAP_IDX ? BPF_PSEUDO_MAP_FD : BPF_PSEUDO_MAP_VALUE;
		v[i].imm = l->maps[v[i].imm].fd;
		i++; /* the second half: an offset */
	}
	*ret = v;
	return 0;
}

static int func_info(const struct img_prog *p, const uint32_t *ids, struct bpf_func_info **ret)
{
	struct bpf_func_info *f = calloc(p->nfuncs, sizeof(*f));

	if (!f)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->nfuncs; i++) {
		f[i].insn_off = p->funcs[i].off;
		f[i].type_id = ids[i];
	}
	*ret = f;
	return 0;
}

/* Refused: load once more for the log. The program may be accepted now (out of memory, say). */
static int explain(union bpf_attr *a, const struct img_prog *p, int code, const struct load_opts *opts, struct err *err)
{
	size_t size = opts && opts->log_size ? opts->log_size : LOAD_LOG_SIZE_DEFAULT;
	char *log;
	int r;

	if (size > LOAD_LOG_SIZE_MAX)
		size = LOAD_LOG_SIZE_MAX;
	log = calloc(1, size); /* its pages are only touched as far as the log goes */
	if (!log)
		return load_explain(p, code, "", err);
	a->log_level = 1;
	a->log_size = (uint32_t)size;
	a->log_buf = BPFSYS_PTR(log);
	r = bpfsys(BPF_PROG_LOAD, a, sizeof(*a));
	if (r >= 0) {
		free(log);
		return r;
	}
	log[size - 1] = '\0';
	load_explain(p, r == -ENOSPC ? code : r, log, err);
	if (err) {
		free(err->detail);
		err->detail = strdup(log);
	}
	free(log);
	return r == -ENOSPC ? code : r;
}

/* Loads for the log, which goes to opts->log. A negative number: refused, or the log has no room. */
static int load_logging(union bpf_attr *a, const struct load_opts *opts)
{
	size_t size = opts->log_size ? opts->log_size : LOAD_LOG_SIZE_DEFAULT;
	_cleanup_free_ char *log = NULL;
	union bpf_attr logging = *a;
	int r;

	if (size > LOAD_LOG_SIZE_MAX)
		size = LOAD_LOG_SIZE_MAX;
	log = calloc(1, size);
	if (!log)
		return -ENOMEM;
	logging.log_level = 1;
	logging.log_size = (uint32_t)size;
	logging.log_buf = BPFSYS_PTR(log);
	r = bpfsys(BPF_PROG_LOAD, &logging, sizeof(logging));
	log[size - 1] = '\0';
	if (r >= 0)
		opts->log(opts->log_ctx, log);
	return r;
}

/* The BTF object of a typed tracepoint in a module: a descriptor, the caller's to close. */
static int module_btf(const struct img_prog *p, struct typesrc *ts, struct err *err)
{
	const char *name = ts ? typesrc_obj_name(ts, p->entry.btf_type.obj) : NULL;
	int fd = name ? bpfsys_module_btf(name) : -ENOENT;

	if (fd < 0)
		return err_set(err, fd, "the kernel module %s of tracepoint %s is gone", name ? name : "?",
			       p->entry.target);
	return fd;
}

/* Fills the attributes and loads; insns and finfo stay the caller's. */
static int submit(struct loaded *l, const struct img_prog *p, const struct bpf_insn *insns,
		  const struct bpf_func_info *finfo, int module_fd, const struct load_opts *opts, struct err *err)
{
	union bpf_attr a;
	int r;

	memset(&a, 0, sizeof(a));
	a.prog_type = kinds[p->entry.kind].type;
	a.expected_attach_type = p->entry.uprobe_multi	   ? BPFSYS_UPROBE_MULTI
				 : p->entry.kprobe_session ? BPFSYS_KPROBE_SESSION
				 : p->entry.kprobe_multi   ? BPFSYS_KPROBE_MULTI
							   : kinds[p->entry.kind].attach;
	a.insns = BPFSYS_PTR(insns);
	a.insn_cnt = p->ninsns;
	a.license = BPFSYS_PTR(license);
	memcpy(a.prog_name, p->name, sizeof(a.prog_name) - 1);
	if (a.prog_type == BPF_PROG_TYPE_TRACING)
		a.attach_btf_id = p->entry.btf_type.id;
	if (p->sleepable)
		a.prog_flags |= BPF_F_SLEEPABLE;
	if (module_fd >= 0)
		a.attach_btf_obj_fd = (uint32_t)module_fd;
	if (finfo) {
		a.prog_btf_fd = (uint32_t)l->btf_fd;
		a.func_info = BPFSYS_PTR(finfo);
		a.func_info_cnt = p->nfuncs;
		a.func_info_rec_size = sizeof(*finfo);
	}
	r = opts && opts->log ? load_logging(&a, opts) : -1;
	if (r < 0)
		r = bpfsys(BPF_PROG_LOAD, &a, sizeof(a));
	return r >= 0 ? r : explain(&a, p, r, opts, err);
}

int load_one(struct loaded *l, const struct img_prog *p, const uint32_t *func_ids, struct typesrc *ts,
	     const struct load_opts *opts, struct err *err)
{
	_cleanup_free_ struct bpf_insn *insns = NULL;
	_cleanup_free_ struct bpf_func_info *finfo = NULL;
	_cleanup_close_ int module_fd = -1;
	int r;

	if ((size_t)p->entry.kind >= ARRAY_SIZE(kinds) || !kinds[p->entry.kind].what)
		return err_set(err, -EINVAL, "program %s has no entry", p->name);
	if (p->entry.kind == ENTRY_TP_BTF && p->entry.btf_type.obj != 0) {
		module_fd = module_btf(p, ts, err);
		if (module_fd < 0)
			return module_fd;
	}
	r = patch(l, p, &insns, err);
	if (r < 0)
		return r;
	if (p->nfuncs > 1) {
		r = func_info(p, func_ids, &finfo);
		if (r < 0)
			return err_set(err, r, "out of memory");
	}
	return submit(l, p, insns, finfo, module_fd, opts, err);
}

int load_prog(struct loaded *l, uint32_t i, const uint32_t *func_ids, struct typesrc *ts, const struct load_opts *opts,
	      struct err *err)
{
	int r = load_one(l, &l->img->progs[i], func_ids, ts, opts, err);

	if (r < 0)
		return r;
	l->progs[i] = r;
	return 0;
}

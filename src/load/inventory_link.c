/* SPDX-License-Identifier: Apache-2.0 */
/* Where a link is attached. Source: struct bpf_link_info of Linux 6.12, which Debian's header does not have; kernel
 * commits 7ac8d0d26192 "Support ->fill_link_info for kprobe_multi", 1b715e1b0ec5 "… for perf_event" (6.6), e56fdbfb06e2
 * "bpf: Add link_info support for uprobe multi link" (6.8). */
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/inventory_int.h"

#define NAME_BYTES 256
#define MULTI_RETURN 1u /* BPF_F_KPROBE_MULTI_RETURN */
#define KERNEL "kernel"
#define KERNEL_RETURN "return in kernel"

enum {
	LINK_RAW_TP = 1,
	LINK_TRACING = 2,
	LINK_CGROUP = 3,
	LINK_ITER = 4,
	LINK_NETNS = 5,
	LINK_XDP = 6,
	LINK_PERF = 7,
	LINK_KPROBE_MULTI = 8,
	LINK_STRUCT_OPS = 9,
	LINK_UPROBE_MULTI = 12
};
enum { PERF_UPROBE = 1, PERF_URETPROBE = 2, PERF_KPROBE = 3, PERF_KRETPROBE = 4, PERF_TRACEPOINT = 5, PERF_EVENT = 6 };

struct link_info {
	uint32_t type, id, prog_id, pad;
	union {
		struct {
			uint64_t name;
			uint32_t len;
		} raw_tp;
		struct {
			uint32_t attach_type, target_obj, target_btf;
		} tracing;
		struct {
			uint64_t name;
			uint32_t len;
		} iter;
		struct {
			uint64_t addrs;
			uint32_t count, flags;
			uint64_t missed, cookies;
		} kmulti;
		struct {
			uint64_t path, offsets, ref_ctrs, cookies;
			uint32_t path_size, count, flags, pid;
		} umulti;
		struct {
			uint32_t type, pad;
			uint64_t name; /* of the file, function or tracepoint */
			uint32_t len, offset;
			uint64_t addr, missed, cookie;
		} perf;
	};
};

/* Asks again, with room for a name: the kernel says first which kind of link it is. */
static void ask_name(int fd, struct link_info *i, char name[NAME_BYTES])
{
	struct link_info again = { 0 };
	uint32_t type = i->type;

	switch (type) {
	case LINK_RAW_TP: again.raw_tp.name = BPFSYS_PTR(name), again.raw_tp.len = NAME_BYTES; break;
	case LINK_ITER: again.iter.name = BPFSYS_PTR(name), again.iter.len = NAME_BYTES; break;
	case LINK_UPROBE_MULTI: again.umulti.path = BPFSYS_PTR(name), again.umulti.path_size = NAME_BYTES; break;
	case LINK_PERF:
		if (!i->perf.type || i->perf.type > PERF_TRACEPOINT)
			return;
		again.perf.name = BPFSYS_PTR(name), again.perf.len = NAME_BYTES;
		break;
	default: return;
	}
	if (bpfsys_obj_info(fd, &again, sizeof(again)) == 0 && again.type == type)
		*i = again;
}

static const char *perf_where(struct arena *a, const struct link_info *i, const char *name)
{
	switch (i->perf.type) {
	case PERF_UPROBE:
	case PERF_URETPROBE:
		return arena_printf(a, "%s of %s+0x%x", i->perf.type == PERF_UPROBE ? "code" : "return", name,
				    i->perf.offset);
	case PERF_KPROBE: return KERNEL;
	case PERF_KRETPROBE: return KERNEL_RETURN;
	case PERF_TRACEPOINT: return arena_printf(a, "tracepoint %s", name);
	case PERF_EVENT: return "event of a CPU";
	default: return "kprobe, uprobe or event";
	}
}

static const char *where_of(struct arena *a, const struct link_info *i, const char *name)
{
	switch (i->type) {
	case LINK_RAW_TP: return arena_printf(a, "tracepoint %s", name);
	case LINK_TRACING: return "tracepoint or function, typed";
	case LINK_CGROUP: return "cgroup";
	case LINK_ITER: return arena_printf(a, "walk over %s", *name ? name : "?");
	case LINK_NETNS: return "network namespace";
	case LINK_XDP: return "network device";
	case LINK_PERF: return perf_where(a, i, name);
	case LINK_KPROBE_MULTI: return i->kmulti.flags & MULTI_RETURN ? KERNEL_RETURN : KERNEL;
	case LINK_STRUCT_OPS: return "operations of the kernel";
	case LINK_UPROBE_MULTI: return arena_printf(a, "code of %s: %u", *name ? name : "a program", i->umulti.count);
	default: return "";
	}
}

/* The first of the functions' addresses: the kernel gives all or none. */
static void ask_addrs(int fd, const struct link_info *i, struct inv_link *l)
{
	_cleanup_free_ uint64_t *addrs = NULL;
	struct link_info again = { 0 };
	uint32_t n = i->kmulti.count;

	if (!n || n > INVENTORY_MAX_PLACES || !(addrs = calloc(n, sizeof(*addrs))))
		return;
	again.kmulti.addrs = BPFSYS_PTR(addrs);
	again.kmulti.count = n;
	if (bpfsys_obj_info(fd, &again, sizeof(again)) == 0)
		memcpy(l->addrs, addrs, (n < INV_ADDRS ? n : INV_ADDRS) * sizeof(*addrs));
}

bool inventory_event(struct arena *a, pid_t pid, int fd, struct inv_link *ret)
{
	static const uint32_t types[] = {
		[BPF_FD_TYPE_KPROBE] = PERF_KPROBE,	    [BPF_FD_TYPE_KRETPROBE] = PERF_KRETPROBE,
		[BPF_FD_TYPE_UPROBE] = PERF_UPROBE,	    [BPF_FD_TYPE_URETPROBE] = PERF_URETPROBE,
		[BPF_FD_TYPE_TRACEPOINT] = PERF_TRACEPOINT,
	};
	char name[NAME_BYTES];
	struct bpfsys_fd_query q;
	struct link_info i = { .type = LINK_PERF };

	if (bpfsys_task_fd_query((uint32_t)pid, (uint32_t)fd, name, sizeof(name), &q) < 0)
		return false;
	name[NAME_BYTES - 1] = '\0';
	i.perf.type = q.type < ARRAY_SIZE(types) ? types[q.type] : 0;
	i.perf.offset = (uint32_t)q.offset;
	*ret = (struct inv_link){ .prog = q.prog, .places = 1, .where = perf_where(a, &i, name) };
	if (i.perf.type == PERF_KPROBE || i.perf.type == PERF_KRETPROBE)
		ret->addrs[0] = q.addr;
	return true;
}

void inventory_link(struct arena *a, struct inv_link *l)
{
	_cleanup_close_ int fd = bpfsys_link_by_id(l->id);
	struct link_info i = { 0 };
	char name[NAME_BYTES] = "";

	l->places = 1;
	l->where = "";
	if (fd < 0 || bpfsys_obj_info(fd, &i, sizeof(i)) < 0)
		return;
	ask_name(fd, &i, name);
	name[NAME_BYTES - 1] = '\0';
	l->where = where_of(a, &i, name);
	if (i.type == LINK_KPROBE_MULTI) {
		l->places = i.kmulti.count ? i.kmulti.count : 1;
		l->missed = i.kmulti.missed;
		ask_addrs(fd, &i, l);
	} else if (i.type == LINK_UPROBE_MULTI) {
		l->places = i.umulti.count ? i.umulti.count : 1;
	} else if (i.type == LINK_PERF && (i.perf.type == PERF_KPROBE || i.perf.type == PERF_KRETPROBE)) {
		l->missed = i.perf.missed;
		l->addrs[0] = i.perf.addr;
	}
}

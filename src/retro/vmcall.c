/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers, as include/uapi/linux/bpf.h of the kernel describes them; what they tell comes from the recording. */
#include <errno.h>
#include <string.h>
#include "retro/vm_int.h"

#define PTR(x) ((void *)(uintptr_t)(x))

static struct vm_map *map_of(struct vm *vm, uint64_t x)
{
	if (VM_TAG(x) == VM_MAP && VM_INDEX(x) < vm->img->nmaps)
		return &vm->maps[VM_INDEX(x)];
	vm_fail(vm, "a map is expected");
	return NULL;
}

static bool needs(struct vm *vm, uint64_t addr, uint64_t n)
{
	if (vm_inside(vm, addr, n))
		return true;
	vm_fail(vm, "a helper gets an address outside of its memory");
	return false;
}

static uint64_t map_call(struct vm *vm, int32_t nr, const uint64_t a[5])
{
	struct vm_map *m = map_of(vm, a[0]);

	if (!m || !needs(vm, a[1], m->key_size))
		return 0;
	if (nr == BPF_FUNC_map_lookup_elem)
		return vm_map_find(vm, m, PTR(a[1]));
	if (nr == BPF_FUNC_map_delete_elem)
		return (uint64_t)vm_map_delete(m, PTR(a[1]));
	if (!needs(vm, a[2], m->m->value_size))
		return 0;
	return (uint64_t)vm_map_put(vm, m, PTR(a[1]), PTR(a[2]), a[3]);
}

static uint64_t map_pop(struct vm *vm, const uint64_t a[5])
{
	struct vm_map *m = map_of(vm, a[0]);

	return m && needs(vm, a[1], m->m->value_size) ? (uint64_t)vm_map_pop(m, PTR(a[1])) : 0;
}

static uint64_t task_storage(struct vm *vm, const uint64_t a[5])
{
	struct vm_map *m = map_of(vm, a[0]);
	uint64_t key = a[1];

	if (!m)
		return 0;
	if ((a[3] & BPF_LOCAL_STORAGE_GET_F_CREATE) && !vm_map_find(vm, m, &key))
		vm_map_put(vm, m, &key, a[2] ? PTR(a[2]) : NULL, BPF_ANY);
	return vm_map_find(vm, m, &key);
}

/* Reads n bytes of the kernel, or of the recorded process; nothing but zeros if some of them are not known. */
static uint64_t probe_read(struct vm *vm, const uint64_t a[5], bool user)
{
	uint64_t n = (uint32_t)a[1];

	if (!needs(vm, a[0], n))
		return 0;
	if (user ? vm->host->read_user(vm->host->ctx, a[2], PTR(a[0]), n) == n : vm_inside(vm, a[2], n)) {
		if (!user)
			memmove(PTR(a[0]), PTR(a[2]), n);
		return 0;
	}
	memset(PTR(a[0]), 0, n);
	return n ? (uint64_t)-EFAULT : 0;
}

/* Up to the NUL, which it puts there if the text is longer; its length with it. */
static uint64_t probe_read_str(struct vm *vm, const uint64_t a[5], bool user)
{
	uint64_t n = (uint32_t)a[1], got;
	char *to = PTR(a[0]), *end;

	if (!n || !needs(vm, a[0], n))
		return 0;
	if (user)
		got = vm->host->read_user(vm->host->ctx, a[2], to, n);
	else
		for (got = 0; got < n && vm_inside(vm, a[2] + got, 1) && (!got || to[got - 1]); got++)
			to[got] = *(const char *)PTR(a[2] + got);
	end = memchr(to, 0, got);
	if (!end && got < n) { /* nobody knows how it goes on */
		memset(to, 0, n);
		return (uint64_t)-EFAULT;
	}
	if (!end)
		end = to + n - 1;
	*end = 0;
	return (uint64_t)(end - to) + 1;
}

static uint64_t ring_reserve(struct vm *vm, uint64_t size)
{
	for (int i = 0; i < VM_RECORDS && size <= CG_MAX_RECORD_SIZE; i++)
		if (!vm->records[i].used) {
			vm->records[i].used = true;
			vm->records[i].size = (uint32_t)size;
			return (uint64_t)(uintptr_t)vm->records[i].data;
		}
	return 0;
}

static void ring_end(struct vm *vm, uint64_t data, bool submits)
{
	for (int i = 0; i < VM_RECORDS; i++) {
		struct vm_record *r = &vm->records[i];
		int e;

		if (PTR(data) != r->data || !r->used)
			continue;
		e = submits ? vm->host->record(vm->host->ctx, r->data, r->size) : 0;
		r->used = false;
		if (e < 0 && !vm->error)
			vm->error = e;
		return;
	}
	vm_fail(vm, "a record ends that did not begin");
}

static uint64_t loop(struct vm *vm, const uint64_t a[5], unsigned depth)
{
	uint64_t i = 0;

	if (VM_TAG(a[1]) != VM_FUNC) {
		vm_fail(vm, "a loop has no function");
		return 0;
	}
	while (i < (uint32_t)a[0] && !vm->error) {
		const uint64_t args[5] = { i++, a[2] };

		if (vm_exec(vm, VM_INDEX(a[1]), args, depth + 1))
			break;
	}
	return i;
}

static uint64_t comm(struct vm *vm, const uint64_t a[5])
{
	uint64_t n = (uint32_t)a[1];

	if (!n || !needs(vm, a[0], n))
		return 0;
	memset(PTR(a[0]), 0, n);
	memcpy(PTR(a[0]), vm->now.comm, n < sizeof(vm->now.comm) ? n - 1 : sizeof(vm->now.comm) - 1);
	return 0;
}

static uint32_t next_random(struct vm *vm)
{
	vm->random = vm->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(vm->random >> 32);
}

static uint64_t user_stack(struct vm *vm, const uint64_t a[5])
{
	uint64_t n = (uint32_t)a[2] / sizeof(uint64_t);

	if (!(a[3] & BPF_F_USER_STACK) || !vm->host->user_stack) {
		vm_fail(vm, "stacks of the kernel are not there");
		return 0;
	}
	if (!needs(vm, a[1], n * sizeof(uint64_t)))
		return 0;
	n = vm->host->user_stack(vm->host->ctx, PTR(a[1]), n);
	return n ? n * sizeof(uint64_t) : (uint64_t)-EFAULT;
}

/* Where the kernel has them: the user side's registers. */
static uint64_t user_regs(struct vm *vm)
{
	memset(vm->regs, 0, VM_REGS_BYTES);
	if (vm->host->user_regs)
		(void)vm->host->user_regs(vm->host->ctx, vm->regs);
	return (uint64_t)(uintptr_t)vm->regs;
}

uint64_t vm_helper(struct vm *vm, int32_t nr, const uint64_t a[5], unsigned depth)
{
	switch (nr) {
	case BPF_FUNC_map_lookup_elem:
	case BPF_FUNC_map_update_elem:
	case BPF_FUNC_map_delete_elem: return map_call(vm, nr, a);
	case BPF_FUNC_map_pop_elem: return map_pop(vm, a);
	case BPF_FUNC_task_storage_get: return task_storage(vm, a);
	case BPF_FUNC_probe_read_kernel: return probe_read(vm, a, false);
	case BPF_FUNC_probe_read_user: return probe_read(vm, a, true);
	case BPF_FUNC_probe_read_kernel_str: return probe_read_str(vm, a, false);
	case BPF_FUNC_probe_read_user_str: return probe_read_str(vm, a, true);
	case BPF_FUNC_ktime_get_ns: return vm->now.ns;
	case BPF_FUNC_get_current_pid_tgid: return (uint64_t)vm->now.tgid << 32 | vm->now.tid;
	case BPF_FUNC_get_current_uid_gid: return (uint64_t)vm->now.gid << 32 | vm->now.uid;
	case BPF_FUNC_get_current_comm: return comm(vm, a);
	case BPF_FUNC_get_current_task:
	case BPF_FUNC_get_current_task_btf: return vm->now.task;
	case BPF_FUNC_get_smp_processor_id: return 0;
	case BPF_FUNC_get_attach_cookie: return vm->now.cookie;
	case BPF_FUNC_task_pt_regs: return user_regs(vm);
	case BPF_FUNC_find_vma: return (uint64_t)-ENOENT; /* all mappings are in maps */
	case BPF_FUNC_get_stack: return user_stack(vm, a);
	case BPF_FUNC_get_prandom_u32: return next_random(vm);
	case BPF_FUNC_ringbuf_reserve: return ring_reserve(vm, a[1]);
	case BPF_FUNC_ringbuf_submit: ring_end(vm, a[0], true); return 0;
	case BPF_FUNC_ringbuf_discard: ring_end(vm, a[0], false); return 0;
	case BPF_FUNC_loop: return loop(vm, a, depth);
	default: vm_fail(vm, "helper %d of the kernel is not there", nr); return 0;
	}
}

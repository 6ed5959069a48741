/* SPDX-License-Identifier: Apache-2.0 */
/* Maps: arrays, stacks, and hashes of chained entries. A per-CPU map has one CPU. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "retro/vm_int.h"

#define HEADS_MIN 256u

static bool is_array(const struct img_map *m)
{
	return m->type == BPF_MAP_TYPE_ARRAY || m->type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

static bool is_stack(const struct img_map *m)
{
	return m->type == BPF_MAP_TYPE_STACK;
}

static bool is_hash(const struct img_map *m)
{
	return m->type == BPF_MAP_TYPE_HASH || m->type == BPF_MAP_TYPE_PERCPU_HASH ||
	       m->type == BPF_MAP_TYPE_TASK_STORAGE;
}

int vm_maps_new(struct vm *vm)
{
	vm->maps = calloc(vm->img->nmaps + 1, sizeof(*vm->maps));
	if (!vm->maps)
		return -ENOMEM;
	for (uint32_t i = 0; i < vm->img->nmaps; i++) {
		const struct img_map *m = &vm->img->maps[i];
		struct vm_map *v = &vm->maps[i];

		*v = (struct vm_map){ .m = m, .key_size = m->key_size, .stride = ROUND_UP((size_t)m->value_size, 8) };
		if (m->type == BPF_MAP_TYPE_TASK_STORAGE)
			v->key_size = sizeof(uint64_t);
		if ((is_array(m) || is_stack(m)) && !(v->values = vm_alloc(vm, v->stride * m->max_entries)))
			return -ENOMEM;
		if (v->values && m->init)
			memcpy(v->values, m->init, m->value_size);
		if (is_hash(m) && !(v->heads = calloc(v->nheads = HEADS_MIN, sizeof(struct vm_entry *))))
			return -ENOMEM;
	}
	return 0;
}

static void free_chain(struct vm_entry *e)
{
	while (e) {
		struct vm_entry *next = e->next;

		free(e);
		e = next;
	}
}

void vm_maps_free(struct vm *vm)
{
	for (uint32_t i = 0; vm->maps && i < vm->img->nmaps; i++) {
		struct vm_map *m = &vm->maps[i];

		for (size_t k = 0; m->heads && k < m->nheads; k++)
			free_chain(m->heads[k]);
		free_chain(m->spare);
		free(m->heads);
	}
	free(vm->maps);
}

static struct vm_map *map_with(struct vm *vm, enum img_map_role role)
{
	for (uint32_t i = 0; i < vm->img->nmaps; i++)
		if (vm->img->maps[i].role == role)
			return &vm->maps[i];
	return NULL;
}

void *vm_values(struct vm *vm, enum img_map_role role, uint32_t *ret_n)
{
	const struct vm_map *m = map_with(vm, role);

	*ret_n = m ? m->m->max_entries : 0;
	return m ? m->values : NULL;
}

struct img_state *vm_state(struct vm *vm)
{
	uint32_t n;

	return vm_values(vm, IMG_MAP_STATE, &n);
}

bool vm_has(struct vm *vm, enum img_map_role role)
{
	return map_with(vm, role) != NULL;
}

int vm_put(struct vm *vm, enum img_map_role role, const void *key, const void *value)
{
	struct vm_map *m = map_with(vm, role);

	return m ? (int)vm_map_put(vm, m, key, value, BPF_ANY) : -ENOENT;
}

int vm_delete(struct vm *vm, enum img_map_role role, const void *key)
{
	struct vm_map *m = map_with(vm, role);

	return m ? (int)vm_map_delete(m, key) : -ENOENT;
}

int vm_push(struct vm *vm, enum img_map_role role, const void *value)
{
	struct vm_map *m = map_with(vm, role);

	if (!m || m->n >= m->m->max_entries)
		return -E2BIG;
	memcpy(m->values + m->n++ * m->stride, value, m->m->value_size);
	return 0;
}

int64_t vm_map_pop(struct vm_map *m, void *value)
{
	if (!is_stack(m->m) || !m->n)
		return -ENOENT;
	memcpy(value, m->values + --m->n * m->stride, m->m->value_size);
	return 0;
}

/* FNV-1a */
static size_t head_of(const struct vm_map *m, const uint8_t *key)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < m->key_size; i++)
		h = (h ^ key[i]) * 1099511628211u;
	return (h ^ h >> 32) & (m->nheads - 1);
}

static struct vm_entry **find(struct vm_map *m, const void *key)
{
	struct vm_entry **p = &m->heads[head_of(m, key)];

	while (*p && memcmp((*p)->key, key, m->key_size) != 0)
		p = &(*p)->next;
	return p;
}

static uint8_t *value_of(struct vm *vm, struct vm_map *m, const void *key)
{
	uint32_t index;

	if (m->heads) {
		struct vm_entry *e = *find(m, key);

		return e ? e->value : NULL;
	}
	memcpy(&index, key, sizeof(index));
	if (m->values)
		return index < m->m->max_entries ? m->values + index * m->stride : NULL;
	(void)vm;
	return NULL;
}

uint64_t vm_map_find(struct vm *vm, struct vm_map *m, const void *key)
{
	uint32_t index;

	if (m->m->role == IMG_MAP_RINGS) /* one ring, for all CPUs */
		return VM_MAP | (uint32_t)(m - vm->maps);
	if (m->m->role != IMG_MAP_SHAPE)
		return (uint64_t)(uintptr_t)value_of(vm, m, key);
	memcpy(&index, key, sizeof(index));
	for (uint32_t i = 0; i < vm->img->nmaps; i++)
		if (vm->img->maps[i].outer == (uint32_t)(m - vm->maps) + 1 && vm->img->maps[i].slot == index)
			return VM_MAP | i;
	return 0;
}

/* Four times as many chains. */
static void grow(struct vm_map *m)
{
	struct vm_map wide = *m;

	wide.nheads = m->nheads * 4;
	wide.heads = calloc(wide.nheads, sizeof(*wide.heads));
	if (!wide.heads)
		return; /* longer chains do as well */
	for (size_t i = 0; i < m->nheads; i++)
		for (struct vm_entry *e = m->heads[i], *next; e; e = next) {
			struct vm_entry **p = &wide.heads[head_of(&wide, e->key)];

			next = e->next;
			e->next = *p;
			*p = e;
		}
	free(m->heads);
	*m = wide;
}

static struct vm_entry *new_entry(struct vm *vm, struct vm_map *m)
{
	struct vm_entry *e = m->spare;

	if (e) {
		m->spare = e->next;
		return e;
	}
	e = malloc(sizeof(*e) + m->key_size);
	if (e && !(e->value = vm_alloc(vm, m->stride))) {
		free(e);
		return NULL;
	}
	return e;
}

static void set(struct vm_map *m, uint8_t *to, const void *value)
{
	if (value)
		memcpy(to, value, m->m->value_size);
	else
		memset(to, 0, m->stride);
}

int64_t vm_map_put(struct vm *vm, struct vm_map *m, const void *key, const void *value, uint64_t flags)
{
	struct vm_entry **p, *e;
	uint8_t *there = value_of(vm, m, key);

	if (there && flags == BPF_NOEXIST)
		return -EEXIST;
	if (there) {
		set(m, there, value);
		return 0;
	}
	if (!m->heads || flags == BPF_EXIST)
		return m->heads ? -ENOENT : -E2BIG;
	if (m->m->max_entries && m->n >= m->m->max_entries)
		return -E2BIG;
	if (m->n > m->nheads)
		grow(m);
	e = new_entry(vm, m);
	if (!e)
		return -ENOMEM;
	memcpy(e->key, key, m->key_size);
	set(m, e->value, value);
	p = &m->heads[head_of(m, key)];
	e->next = *p;
	*p = e;
	m->n++;
	if (m->m->role == IMG_MAP_AGG && vm->host->new_key)
		vm->host->new_key(vm->host->ctx, (uint32_t)(m - vm->maps), key);
	return 0;
}

static void drop(struct vm_map *m, struct vm_entry **p)
{
	struct vm_entry *e = *p;

	*p = e->next;
	e->next = m->spare;
	m->spare = e;
	m->n--;
}

int64_t vm_map_delete(struct vm_map *m, const void *key)
{
	struct vm_entry **p = m->heads ? find(m, key) : NULL;

	if (!p)
		return -EINVAL;
	if (!*p)
		return -ENOENT;
	drop(m, p);
	return 0;
}

int vm_drain_map(struct vm *vm, uint32_t map, int (*fn)(void *ctx, const void *key, const void *value), void *ctx)
{
	struct vm_map *m = &vm->maps[map];
	int r = 0;

	for (uint32_t i = 0; m->values && i < m->m->max_entries && r == 0; i++) {
		r = fn(ctx, &i, m->values + i * m->stride);
		memset(m->values + i * m->stride, 0, m->stride);
	}
	for (size_t i = 0; i < m->nheads && r == 0; i++)
		while (m->heads[i] && r == 0) {
			r = fn(ctx, m->heads[i]->key, m->heads[i]->value);
			drop(m, &m->heads[i]);
		}
	return r;
}

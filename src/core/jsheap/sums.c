/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a number for each object of a heap, in two bytes where it is small, and adds the numbers up along a tree. */
#include "core/jsheap/sums.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNIT 8u
#define FIRST_SLOTS 1024u

static struct js_sums_slot *slot_of(const struct js_sums *s, uint32_t i)
{
	size_t k = (size_t)(i * 0x9e3779b97f4a7c15u >> 20) & (s->nslots - 1);

	while (s->slots[k].i && s->slots[k].i != i + 1)
		k = (k + 1) & (s->nslots - 1);
	return &s->slots[k];
}

static int grow(struct js_sums *s)
{
	const struct js_sums old = *s;

	s->nslots = old.nslots ? 2 * old.nslots : FIRST_SLOTS;
	s->slots = calloc(s->nslots, sizeof(*s->slots));
	if (!s->slots) {
		*s = old;
		return -ENOMEM;
	}
	for (size_t k = 0; k < old.nslots; k++)
		if (old.slots[k].i)
			*slot_of(s, old.slots[k].i - 1) = old.slots[k];
	free(old.slots);
	return 0;
}

int js_sums_make(struct js_sums *s, uint32_t n)
{
	*s = (struct js_sums){ .small = calloc(n, sizeof(*s->small)) };
	return s->small ? 0 : -ENOMEM;
}

void js_sums_done(struct js_sums *s)
{
	free(s->small);
	free(s->slots);
	*s = (struct js_sums){ 0 };
}

uint64_t js_sums_get(const struct js_sums *s, uint32_t i)
{
	return s->small[i] == JSSUMS_LARGE ? slot_of(s, i)->value : s->small[i] * (uint64_t)UNIT;
}

int js_sums_set(struct js_sums *s, uint32_t i, uint64_t value)
{
	struct js_sums_slot *slot;

	if (s->small[i] != JSSUMS_LARGE) {
		if (value % UNIT == 0 && value / UNIT < JSSUMS_LARGE) {
			s->small[i] = (uint16_t)(value / UNIT);
			return 0;
		}
		if (2 * (s->used + 1) > s->nslots && grow(s) < 0)
			return -ENOMEM;
		s->used++;
		s->small[i] = JSSUMS_LARGE;
	}
	slot = slot_of(s, i);
	slot->i = i + 1;
	slot->value = value;
	return 0;
}

/* -- along a tree -- */

/* How many nodes below one are still to be added: more than fit a byte are in the table. */
#define MANY 254u
#define DONE 255u

struct adding {
	struct js_sums *s;
	uint8_t *left;	     /* of each node */
	struct js_sums many; /* without `small` */
};

/* Counts one more (or less) below a node. *ret: how many there are now. */
static int count(struct adding *a, uint32_t i, int64_t more, uint64_t *ret)
{
	struct js_sums_slot *slot;

	if (a->left[i] < MANY) {
		*ret = (uint64_t)(a->left[i] + more);
		if (*ret < MANY) {
			a->left[i] = (uint8_t)*ret;
			return 0;
		}
		if (2 * (a->many.used + 1) > a->many.nslots && grow(&a->many) < 0)
			return -ENOMEM;
		a->many.used++;
		a->left[i] = MANY;
		*slot_of(&a->many, i) = (struct js_sums_slot){ i + 1, *ret };
		return 0;
	}
	slot = slot_of(&a->many, i);
	slot->value += (uint64_t)more;
	*ret = slot->value;
	return 0;
}

/* Adds a node, to which nothing is to be added any more, to the one above it, and so on upwards. */
static int add_upwards(struct adding *a, const uint32_t *parent, uint32_t i)
{
	uint64_t left = 0;
	int r = 0;

	for (; r == 0 && left == 0 && i; i = parent[i]) {
		const uint32_t p = parent[i];

		a->left[i] = DONE;
		r = js_sums_set(a->s, p, js_sums_get(a->s, p) + js_sums_get(a->s, i));
		if (r == 0)
			r = count(a, p, -1, &left);
	}
	return r;
}

int js_sums_add_up(struct js_sums *s, const uint32_t *parent, uint32_t n)
{
	struct adding a = { .s = s, .left = calloc(n, 1) };
	uint64_t ignored;
	int r = a.left ? 0 : -ENOMEM;

	for (uint32_t i = 1; i < n && r == 0; i++)
		r = count(&a, parent[i], 1, &ignored);
	for (uint32_t i = 1; i < n && r == 0; i++)
		if (!a.left[i])
			r = add_upwards(&a, parent, i);
	free(a.left);
	free(a.many.slots);
	return r;
}

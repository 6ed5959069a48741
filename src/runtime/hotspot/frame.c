/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a frame of HotSpot. */
#include <errno.h>
#include <string.h>
#include "runtime/hotspot/int.h"

/* Tells whether a name is that of compiled code. Source: share/code/nmethod.cpp. */
static int is_compiled(const struct hs *v, uint64_t name, bool *ret)
{
	char text[8];
	int r = v->m->read(v->m->ctx, name, text, sizeof(text));

	*ret = r == 0 && (!memcmp(text, "nmethod", 8) || !memcmp(text, "native n", 8));
	return r;
}

static int read_code(const struct hs *v, const struct hs_proc *p, uint64_t frame, struct hs_head *h)
{
	bool compiled;
	uint64_t n;
	int r = hs_blob_of(v, p, HS_FRAME_PC(frame), &h->blob);

	if (r == -ENOENT) /* a call may be the last instruction */
		r = hs_blob_of(v, p, HS_FRAME_PC(frame) - 1, &h->blob);
	if (r == 0)
		r = hs_number(v->m, h->blob, v->l->blob_name, 8, &h->name);
	if (r == 0)
		r = is_compiled(v, h->name, &compiled);
	if (r < 0 || !compiled)
		return r < 0 || !HS_FRAME_ID(frame) ? r : -ENOENT;
	r = hs_number(v->m, h->blob, v->l->code_id, 4, &n);
	h->id = (uint32_t)n;
	if (r == 0 && (h->id & HS_ID_MASK) != HS_FRAME_ID(frame))
		return -ENOENT; /* other code has its place now */
	if (r == 0)
		r = hs_number(v->m, h->blob, v->l->code_level, 1, &n);
	h->level = (uint32_t)n;
	if (r == 0)
		r = hs_number(v->m, h->blob, v->l->code_method, 8, &h->method);
	return r < 0 ? r : hs_method_read(v, h);
}

int hs_head_read(const struct hs_layout *l, const struct hs_proc *p, const struct rt_mem *m, uint64_t frame,
		 struct hs_head *ret)
{
	const struct hs v = { l, m };

	*ret = (struct hs_head){ 0 };
	if (frame & HS_COMPILED)
		return read_code(&v, p, frame, ret);
	ret->method = HS_FRAME_AT(frame);
	return hs_method_read(&v, ret);
}

static int add_stub(const struct hs *v, struct rt_text *t, const struct hs_head *h, uint64_t pc)
{
	uint64_t call = 0;
	int r = v->l->call_stub == HS_NONE ? 0 : hs_number(v->m, v->l->call_stub, 0, 8, &call);

	if (r == 0 && pc == call)
		rt_text_add(t, "call_stub");
	else if (r == 0)
		r = hs_add_string(v, t, h->name);
	if (r == 0)
		rt_text_add(t, " [stub]");
	return r;
}

int hs_frame_text(const struct hs_layout *l, const struct rt_mem *m, const struct hs_head *h, uint64_t frame, char *buf,
		  size_t size)
{
	struct rt_text t = rt_text_begin(buf, size);
	struct hs_call calls[HS_MAX_INLINED];
	const struct hs v = { l, m };
	int n, r = 0;

	if (!(frame & HS_COMPILED))
		return hs_add_method(&v, &t, h->method, HS_FRAME_BCI(frame));
	if (!h->method)
		return add_stub(&v, &t, h, HS_FRAME_PC(frame));
	n = hs_code_calls(&v, h, HS_FRAME_PC(frame), calls, HS_MAX_INLINED);
	if (n < 0)
		return n;
	if (!n)
		return hs_add_method(&v, &t, h->method, HS_BCI_MAX);
	for (int i = 0; r == 0 && i < n; i++) {
		if (i)
			rt_text_add(&t, RT_INLINED_INTO);
		r = hs_add_method(&v, &t, calls[i].method, calls[i].bci);
	}
	return r;
}

enum hs_tier hs_frame_tier(const struct hs_layout *l, const struct rt_mem *m, const struct hs_head *h)
{
	const struct hs v = { l, m };
	char text[8];

	if (!h->blob)
		return HS_INTERPRETED;
	if (!h->method)
		return HS_STUB;
	if (v.m->read(m->ctx, h->name, text, sizeof(text)) == 0 && !memcmp(text, "native n", 8))
		return HS_NATIVE;
	return h->level == HS_LEVEL_C2 ? HS_C2 : HS_C1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* pcap(skb, link type): copies a packet into the record, up to -x pcapsize bytes. It copies the contiguous data at
 * skb->data, or from the IP header on if the link type says that packets begin there. Fragments are not followed: they
 * may be in pages that the kernel has not mapped. */
#include "cg/builtin/call.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/task.h"

#define DLT_RAW 12 /* PCAP_IP */

size_t lay_pcap(struct cg *c, const struct node *call, struct lay_field *fl)
{
	for (size_t i = 0; i < REC_PCAP_DATA; i++)
		fl[i].f = (struct recfield){ .kind = FLD_INT, .size = 8 };
	fl[REC_PCAP_LINK].n = call->args->next;
	fl[REC_PCAP_DATA].n = call->args;
	fl[REC_PCAP_DATA].f = (struct recfield){ .kind = FLD_BYTES, .size = (uint32_t)c->opts->pcapsize };
	return REC_PCAP_NFIELDS;
}

/* A member of the packet's struct sk_buff. */
static vreg skb_member(struct gen *g, vreg skb, const char *name)
{
	struct mem m = gen_scratch(g, 8);
	uint32_t off, size;
	vreg d = ir_new(g->f);

	if (!lay_offset(g->cg, "sk_buff", name, &off, &size)) {
		cg_error(g, g->ds->at, TAG_NOSUPP, "pcap() needs the kernel's types");
		return ir_imm(g->f, 0);
	}
	gen_probe_read(g, m, size, skb, off, false);
	gen_ld(g, d, m, size, false);
	return d;
}

/* PCAP_IP: the packet begins at its network header. The header may be before skb->data (upper layers) or after it (the
 * packet is about to leave). 0: it has none yet. */
static void from_network(struct gen *g, vreg skb, vreg link, vreg data, vreg len, vreg n)
{
	vreg off = ir_new(g->f);
	irlabel done = ir_label(g->f);

	ir_jcci(g->f, IRC_NE, link, DLT_RAW, done);
	ir_mov(g->f, off, skb_member(g, skb, "network_header"));
	ir_jcci(g->f, IRC_EQ, off, 0, done);
	ir_alu(g->f, IRA_ADD, off, off, skb_member(g, skb, "head"));
	ir_alu(g->f, IRA_SUB, off, off, data);
	ir_alu(g->f, IRA_ADD, data, data, off);
	ir_alu(g->f, IRA_SUB, len, len, off);
	ir_alu(g->f, IRA_SUB, n, n, off);
	ir_place(g->f, done);
}

void act_pcap(struct gen *g, struct call *c)
{
	const struct lay_act *la = c->la;
	const struct recfield *to = &la->fields[REC_PCAP_DATA].f;
	vreg skb = call_reg(g, c, 0), v[REC_PCAP_DATA], data, n = ir_new(g->f), r = ir_new(g->f);
	struct mem dst = mem_at(g->rec, (int32_t)to->off);
	irlabel fits = ir_label(g->f);

	v[REC_PCAP_LINK] = call_reg(g, c, 1);
	v[REC_PCAP_WALL] = gen_wall(g);
	v[REC_PCAP_LEN] = skb_member(g, skb, "len");
	v[REC_PCAP_CAPLEN] = n;
	data = skb_member(g, skb, "data");
	ir_alu(g->f, IRA_SUB, n, v[REC_PCAP_LEN], skb_member(g, skb, "data_len"));
	from_network(g, skb, v[REC_PCAP_LINK], data, v[REC_PCAP_LEN], n);
	ir_jcci(g->f, IRC_LE, n, to->size, fits); /* unsigned: also what is less than 0 */
	ir_movi(g->f, n, to->size);
	ir_place(g->f, fits);
	for (size_t i = 0; i < REC_PCAP_DATA; i++)
		gen_st(g, mem_at(g->rec, (int32_t)la->fields[i].f.off), 8, v[i]);
	gen_zero(g, dst, to->size);
	ir_call(g->f, r, BPF_FUNC_probe_read_kernel, IR_ARGS(gen_addr(g, dst), n, data));
	gen_read_check(g, r, data, false);
	c->done = la->nfields;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A value of a record or key as one text. */
#include "view/form/fieldtext.h"
#include <string.h>
#include "store/file/keytext.h"

static void put_address(struct strb *b, struct sym *sym, const struct rec_ustack_hdr *user, uint64_t pc)
{
	struct symbol s = { 0 };
	bool found = user ? sym_user(sym, user->tgid, user->start, pc, &s) : sym_kernel(sym, pc, &s);

	if (s.module && s.module[0])
		strb_printf(b, "%s`", s.module);
	if (found && s.name)
		strb_adds(b, s.name);
	else
		strb_printf(b, "0x%llx", (unsigned long long)pc);
}

static void put_stack(struct strb *b, struct sym *sym, const struct recfield *f, const uint8_t *p)
{
	struct rec_ustack_hdr h = { 0 };
	uint32_t n = 0;
	uint64_t pc;

	if (f->kind == FLD_USTACK) {
		memcpy(&h, p, sizeof(h));
		p += sizeof(h);
	}
	for (; n < f->nframes; n++) {
		memcpy(&pc, p + 8 * (size_t)n, 8);
		if (!pc)
			break;
	}
	while (n--) {
		memcpy(&pc, p + 8 * (size_t)n, 8);
		put_address(b, sym, f->kind == FLD_USTACK ? &h : NULL, pc);
		if (n)
			strb_addc(b, ';');
	}
}

void fieldtext_add(struct strb *b, struct sym *sym, const struct recfield *f, const uint8_t *p)
{
	struct rec_uaddr u;
	uint64_t addr;

	switch (f->kind) {
	case FLD_STACK:
	case FLD_USTACK: put_stack(b, sym, f, p); break;
	case FLD_SYM:
	case FLD_FUNC:
	case FLD_MOD:
		memcpy(&addr, p, sizeof(addr));
		put_address(b, sym, NULL, addr);
		break;
	case FLD_USYM:
	case FLD_UFUNC:
	case FLD_UMOD:
	case FLD_UADDR:
		memcpy(&u, p, sizeof(u));
		put_address(b, sym, &(struct rec_ustack_hdr){ u.tgid, u.flags, u.start }, u.addr);
		break;
	default: keytext_value(b, f, p); break;
	}
}

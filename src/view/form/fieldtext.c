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
	bool user;

	if (f->kind == FLD_STACK || f->kind == FLD_USTACK)
		put_stack(b, sym, f, p);
	else if (recfield_address(f, p, &u, &user))
		put_address(b, sym, user ? &(struct rec_ustack_hdr){ u.tgid, u.flags, u.start } : NULL, u.addr);
	else
		keytext_value(b, f, p);
}

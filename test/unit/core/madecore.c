/* SPDX-License-Identifier: Apache-2.0 */
#include "core/madecore.h"
#include <elf.h>
#include <string.h>

static void put(struct made *m, const void *p, size_t n)
{
	memcpy(m->bytes + m->n, p, n);
	m->n += n;
}

static void note(struct made *m, uint32_t type, const void *p, uint32_t n)
{
	const Elf64_Nhdr h = { 5, n, type };

	put(m, &h, sizeof(h));
	put(m, "CORE\0\0\0", 8);
	put(m, p, n);
	m->n = (m->n + 3) & ~(size_t)3;
}

static void thread(struct made *m, int32_t tid, uint64_t ip, uint64_t sp, uint64_t bp)
{
	uint8_t status[336] = { [12] = 6 };

	memcpy(status + 32, &tid, sizeof(tid));
	memcpy(status + 112 + 16 * 8, &ip, sizeof(ip));
	memcpy(status + 112 + 19 * 8, &sp, sizeof(sp));
	memcpy(status + 112 + 4 * 8, &bp, sizeof(bp));
	note(m, NT_PRSTATUS, status, sizeof(status));
}

static void notes(struct made *m)
{
	const uint64_t files[] = { 1, 4096, MADE_NONE, MADE_NONE + 4096, 0 };
	uint8_t info[136] = { 0 }, all[sizeof(files) + sizeof(MADE_FILE)];

	memcpy(info + 24, &(int32_t){ MADE_TID }, 4);
	memcpy(info + 40, "made", 4);
	memcpy(info + 56, "made by hand ", 13);
	note(m, NT_PRPSINFO, info, sizeof(info));
	/* Two frames of frame pointers: in MADE_DATA's code, then one that called it. */
	thread(m, MADE_TID, MADE_DATA + 8, MADE_STACK, MADE_STACK + 16);
	thread(m, MADE_TID + 1, MADE_DATA + 16, MADE_STACK, 0);
	memcpy(all, files, sizeof(files));
	memcpy(all + sizeof(files), MADE_FILE, sizeof(MADE_FILE));
	note(m, NT_FILE, all, sizeof(all));
}

void made_core(struct made *m)
{
	Elf64_Ehdr h = { .e_type = ET_CORE,
			 .e_machine = EM_X86_64,
			 .e_phoff = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 4 };
	Elf64_Phdr ph[4] = {
		{ .p_type = PT_NOTE },
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = MADE_DATA, .p_memsz = 4096, .p_filesz = 4096 },
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = MADE_NONE, .p_memsz = 4096 },
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = MADE_STACK, .p_memsz = 4096, .p_filesz = 4096 },
	};
	const uint64_t stack[] = { 0, 0, MADE_STACK + 64, MADE_DATA + 32 };

	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	memset(m, 0, sizeof(*m));
	m->n = ph[0].p_offset = sizeof(h) + sizeof(ph);
	notes(m);
	ph[0].p_filesz = m->n - ph[0].p_offset;
	m->data_at = ph[1].p_offset = m->n;
	for (unsigned i = 0; i < 4096; i++)
		m->bytes[m->n++] = (uint8_t)i;
	ph[3].p_offset = m->n;
	memcpy(m->bytes + m->n, stack, sizeof(stack));
	m->n += 4096;
	memcpy(m->bytes, &h, sizeof(h));
	memcpy(m->bytes + sizeof(h), ph, sizeof(ph));
}

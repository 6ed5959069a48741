/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the kernel's symbols in one compact sorted table. */
#ifndef DWELL_SYM_PROC_KALLSYMS_H
#define DWELL_SYM_PROC_KALLSYMS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

#define KSYMS_MAX_SYMBOLS (8u << 20)
#define KSYMS_MAX_MODULES 65535u
#define KSYMS_MAX_NAME 1024u /* the kernel's KSYM_NAME_LEN is 512 */
/* The last symbol of a module, and of the kernel, ends at most here after its start: nothing tells.
 */
#define KSYMS_LAST_SPAN (64u << 10)

struct ksym {
	uint64_t addr;
	uint32_t name; /* offset in ksyms.text */
	uint16_t mod;  /* index in ksyms.mod */
	char type;     /* nm's letter */
};

struct ksyms {
	struct ksym *v; /* by address; of several at one address the last is shown */
	size_t n, cap;
	char *text; /* all names; offset 0 is "" */
	size_t ntext, captext;
	uint32_t *mod; /* offsets of module names in text; 0 is "vmlinux" */
	size_t nmod, capmod;
	uint64_t etext; /* end of the kernel's own text, 0: unknown */
};

/* Reads a file in the format of /proc/kallsyms. Errors: of open and read; -EPERM when the kernel
 * hides the addresses (all are 0); -E2BIG past a limit; -ENOMEM. On error ks is empty. */
int ksyms_read(struct ksyms *ks, const char *path, struct err *err);
void ksyms_free(struct ksyms *ks);
/* The symbol covering addr, or NULL. */
const struct ksym *ksyms_at(const struct ksyms *ks, uint64_t addr);
/* By name; module NULL: any, vmlinux first. NULL: there is none. Scans the table (about 1 ms). */
const struct ksym *ksyms_find(const struct ksyms *ks, const char *module, const char *name);
const char *ksyms_name(const struct ksyms *ks, const struct ksym *k);
const char *ksyms_module(const struct ksyms *ks, const struct ksym *k);
#endif

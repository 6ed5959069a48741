/* SPDX-License-Identifier: Apache-2.0 */
/* Places in the notes of core files: inside of core/. Source: struct elf_prstatus, elf_prpsinfo, in
 * include/linux/elfcore.h of Linux 6.12. */
#ifndef DWELL_CORE_TARGET_INT_H
#define DWELL_CORE_TARGET_INT_H

/* Places in the two structs on x86-64. */
enum {
	STATUS_SIGNAL = 12,
	STATUS_PID = 32,
	STATUS_REGS = 112,
	STATUS_BYTES = 336,
	INFO_PID = 24,
	INFO_NAME = 40,
	INFO_ARGS = 56,
	INFO_ARGS_BYTES = 80,
	INFO_BYTES = 136,
};
#endif

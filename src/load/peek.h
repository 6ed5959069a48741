/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one word of kernel memory. */
#ifndef DWELL_LOAD_PEEK_H
#define DWELL_LOAD_PEEK_H
#include <stdint.h>

/* size: 1, 2, 4, 8 bytes at a kernel address, into *ret. -EFAULT: they cannot be read. Other -errno: the kernel does
 * not run the tiny program that reads them. */
int peek_kernel(uint64_t addr, unsigned size, uint64_t *ret);
#endif

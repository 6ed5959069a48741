/* SPDX-License-Identifier: Apache-2.0 */
/* Types and functions that the files of runtime/hotspot share: reading the JVM's structures. */
#ifndef DWELL_RUNTIME_HOTSPOT_INT_H
#define DWELL_RUNTIME_HOTSPOT_INT_H
#include "runtime/hotspot/hotspot.h"

/* The layout and the memory by which functions read. */
struct hs {
	const struct hs_layout *l;
	const struct rt_mem *m;
};

/* A number of 1 to 8 bytes at a place of a struct. */
int hs_number(const struct rt_mem *m, uint64_t at, uint64_t place, unsigned bytes, uint64_t *ret);

/* Numbers in the compressed form of the JVM, from bytes that were read. */
struct hs_bytes {
	const uint8_t *p, *end;
	unsigned excess; /* 1: no byte of a number is 0, since version 20 */
};
/* False: there are no more. */
bool hs_take(struct hs_bytes *b, uint32_t *ret);

/* method.c: the rest of a head by its method; -EBADMSG: it is no Method. */
int hs_method_read(const struct hs *v, struct hs_head *h);
/* "class.method at file:line" of a method; bci from HS_BCI_MAX on: without line. */
int hs_add_method(const struct hs *v, struct rt_text *t, uint64_t method, uint32_t bci);
/* A NUL-terminated text of the JVM. */
int hs_add_string(const struct hs *v, struct rt_text *t, uint64_t at);

/* blob.c: the CodeBlob that has an address. -ENOENT: none has. */
int hs_blob_of(const struct hs *v, const struct hs_proc *p, uint64_t pc, uint64_t *ret);
/* Where its code begins. */
int hs_blob_code(const struct hs *v, uint64_t blob, uint64_t *ret);

/* scope.c: a function of compiled code. */
struct hs_call {
	uint64_t method;
	uint32_t bci; /* HS_BCI_MAX: not known */
};
/* The functions that compiled code is in at an address, the innermost inlined one first, max at most. Returns how many;
 * 0: the code does not say; or -errno. */
int hs_code_calls(const struct hs *v, const struct hs_head *h, uint64_t pc, struct hs_call *ret, size_t max);
#endif

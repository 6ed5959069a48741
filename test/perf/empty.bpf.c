/* SPDX-License-Identifier: Apache-2.0 */
/* A program that does nothing: what the measurement itself costs. */
#include "bpf_c.h"

SEC("tp_btf/sys_enter")
int empty(void *ctx)
{
	return 0;
}

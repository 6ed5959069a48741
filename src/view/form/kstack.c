/* SPDX-License-Identifier: Apache-2.0 */
/* Tells functions of tracing by their names: those between a tracepoint and the BPF program. */
#include "view/form/kstack.h"
#include <string.h>
#include "base/cleanup.h"

bool kstack_is_tracing(const char *function)
{
	static const char *const names[] = { "bpf_prog_",    "bpf_trace_run",	"__bpf_trace_",
					     "__traceiter_", "bpf_dispatcher_", "__bpf_prog_test_run" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(function, names[i], strlen(names[i])))
			return true;
	return false;
}

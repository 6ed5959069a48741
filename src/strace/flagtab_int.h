/* SPDX-License-Identifier: Apache-2.0 */
/* Declares macros that define tables of flags. Private to src/strace. */
#ifndef DWELL_STRACE_FLAGTAB_INT_H
#define DWELL_STRACE_FLAGTAB_INT_H
#include "base/cleanup.h"
#include "strace/flagtab.h"

#define N(name) \
	{ \
		(uint64_t)(name), #name \
	}
#define V(value, name) \
	{ \
		(uint64_t)(value), name \
	}
#define TABLE(table, unknown_text, ...) \
	static const struct flag_name names_##table[] = { __VA_ARGS__ }; \
	const struct flag_table flags_##table = { unknown_text, names_##table, ARRAY_SIZE(names_##table) };
#endif

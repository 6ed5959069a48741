/* SPDX-License-Identifier: Apache-2.0 */
/* Looks system calls up by number, name and class. */
#include "strace/call.h"
#include <asm/unistd.h>
#include <string.h>
#include "base/cleanup.h"

enum {
	F = CALL_FILE,
	D = CALL_DESC,
	N = CALL_NETWORK,
	P = CALL_PROCESS,
	M = CALL_MEMORY,
	G = CALL_SIGNAL,
	U = CALL_CREDS,
	I = CALL_IPC,
	C = CALL_CLOCK,
	S = CALL_STAT,
};

/* Up to six kinds, and how many they are. */
#define KINDS_N(a, b, c, d, e, f, n, ...) n
#define KINDS_COUNT(...) KINDS_N(__VA_ARGS__, 6, 5, 4, 3, 2, 1)
#define KINDS_1(a) A_##a
#define KINDS_2(a, ...) A_##a, KINDS_1(__VA_ARGS__)
#define KINDS_3(a, ...) A_##a, KINDS_2(__VA_ARGS__)
#define KINDS_4(a, ...) A_##a, KINDS_3(__VA_ARGS__)
#define KINDS_5(a, ...) A_##a, KINDS_4(__VA_ARGS__)
#define KINDS_6(a, ...) A_##a, KINDS_5(__VA_ARGS__)
#define KINDS_OF(n, ...) KINDS_##n(__VA_ARGS__)
#define KINDS_X(n, ...) KINDS_OF(n, __VA_ARGS__)
#define KINDS(...) \
	KINDS_COUNT(__VA_ARGS__), \
	{ \
		KINDS_X(KINDS_COUNT(__VA_ARGS__), __VA_ARGS__) \
	}

#define CALLN(number, text, classes, ret, ...) { number, #text, classes, RET_##ret, KINDS(__VA_ARGS__) },
#define CALL(text, classes, ret, ...) CALLN(__NR_##text, text, classes, ret, __VA_ARGS__)
#define CALL0(text, classes, ret) { __NR_##text, #text, classes, RET_##ret, 0, { 0 } },
const struct call_desc call_table[] = {
#include "strace/call.def"
};
#undef CALL0
#undef CALL
#undef CALLN
const size_t call_table_n = ARRAY_SIZE(call_table);

const struct call_desc *call_by_nr(uint32_t nr)
{
	static const struct call_desc *by_nr[CALL_NR_MAX];

	if (!by_nr[__NR_read])
		for (size_t i = 0; i < call_table_n; i++)
			if (call_table[i].nr < CALL_NR_MAX)
				by_nr[call_table[i].nr] = &call_table[i];
	return nr < CALL_NR_MAX ? by_nr[nr] : NULL;
}

const struct call_desc *call_by_name(const char *name)
{
	for (size_t i = 0; i < call_table_n; i++)
		if (!strcmp(call_table[i].name, name))
			return &call_table[i];
	return NULL;
}

/* True: the value is known only when the call returns. */
static bool is_out(enum capture c)
{
	return c == CAP_OUT || c == CAP_RET || c == CAP_RETARRAY || c == CAP_IOVRET || c == CAP_ADDR ||
	       c == CAP_DIRENTS;
}

enum capture call_kind(const struct call_desc *c, unsigned arg)
{
	return arg_descs[c->args[arg]].cap;
}

#define CAPTURE_SHIFT 3 /* after the argument */
#define Z_SHIFT 7
#define ELEMENT_SHIFT 3 /* in z: after the other argument */

uint32_t call_capture(const struct call_desc *c, unsigned arg, bool entry)
{
	const struct arg_desc *a = &arg_descs[c->args[arg]];
	enum capture cap = a->cap;
	uint32_t other = (uint32_t)((int)arg + a->rel) & 7, z = a->size;

	if (cap == CAP_NONE || (entry && (!a->entry || is_out(cap))) || (!entry && c->ret == RET_EXEC))
		return 0;
	if (entry && cap == CAP_MSGRET)
		cap = CAP_FIX; /* its lengths */
	else if (cap == CAP_ARRAY || cap == CAP_RETARRAY || cap == CAP_BUF || cap == CAP_IOV || cap == CAP_IOVRET ||
		 cap == CAP_ADDR)
		z = other | a->size << ELEMENT_SHIFT;
	return arg | (uint32_t)cap << CAPTURE_SHIFT | z << Z_SHIFT;
}

bool call_is_fd(enum arg_kind k)
{
	return k == A_FD || k == A_DIRFD || k == A_MAPFD;
}

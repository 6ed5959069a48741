/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for all runtimes: reading a process's memory, and making text of it. */
#ifndef DWELL_RUNTIME_RUNTIME_H
#define DWELL_RUNTIME_RUNTIME_H
#include <stddef.h>
#include <stdint.h>

/* Memory of a process. read: 0 when all n bytes are there, else -errno. */
struct rt_mem {
	int (*read)(void *ctx, uint64_t addr, void *buf, size_t n);
	void *ctx;
};

#define RT_MAX_TEXT 900u /* bytes of the text of a frame, cut after */

/* A text that never outgrows its buffer: what does not fit whole is left out. */
struct rt_text {
	char *buf;
	size_t n, size; /* n < size */
};

/* Begins a text in buf, of which RT_MAX_TEXT bytes at most are used. */
struct rt_text rt_text_begin(char *buf, size_t size);
/* At most 31 bytes at once. */
void rt_text_add(struct rt_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A character. A character that is not printable is escaped as Python does: controls, surrogates, line separators,
 * characters that change the direction of text, and the arrow of RT_INLINED_INTO. */
void rt_text_char(struct rt_text *t, uint32_t c);

/* A function of the text of a frame. name and file point into it and do not end in NUL. file_len, line and column are 0
 * when it does not tell them. */
struct rt_function {
	const char *name, *file;
	size_t name_len, file_len;
	uint32_t line, column;
};
/* The functions in the text of a frame, "function at file:line:column", the innermost first, separated by
 * RT_INLINED_INTO. Functions after the first max are left out. Returns how many. */
size_t rt_text_functions(const char *text, struct rt_function *ret, size_t max);
#endif

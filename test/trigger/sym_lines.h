/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that sym_lines.c has put in place of their calls: in a file of their own. */
#ifndef DWELL_TEST_SYM_LINES_H
#define DWELL_TEST_SYM_LINES_H
#define IN_PLACE static inline __attribute__((always_inline))

IN_PLACE unsigned long lines_innermost(unsigned long x)
{
	for (unsigned i = 0; i < 200; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}
#endif

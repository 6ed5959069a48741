/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean …": the name with the smallest edit distance. near_init(), near_try() for each name that there is; then
 * best is the nearest, or NULL when none is near. Names are not copied. */
#ifndef DWELL_BASE_NEAR_H
#define DWELL_BASE_NEAR_H

struct near {
	const char *want, *best;
	unsigned dist;
};
void near_init(struct near *m, const char *want);
void near_try(struct near *m, const char *name);
#endif

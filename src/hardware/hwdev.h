/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the devices of this machine, from sysfs. */
#ifndef DWELL_HARDWARE_HWDEV_H
#define DWELL_HARDWARE_HWDEV_H
#include "hardware/hwalias.h"

#define HWDEV_MAX 16384u /* further ones are left out */

struct hwdev {
	enum hwbus bus;
	const char *name;     /* "0000:00:03.0" */
	const char *modalias; /* what it calls itself */
	const char *driver;   /* that has it; NULL: none */
	const char *module;   /* of the driver; NULL: none, or it is part of the kernel */
	uint32_t vendor, device;
};

/* Below root, /sys as a rule; by bus and name. Devices that do not tell what they are are left out, and counted in
 * *left_out. 0; -errno. */
int hwdev_read(struct arena *a, const char *root, struct hwdev **ret, size_t *ret_n, size_t *left_out);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Shows which devices of this machine have a driver, and which devices a kernel has modules for: as lines, JSON or
 * a page. */
#ifndef DWELL_HARDWARE_HWSHOW_H
#define DWELL_HARDWARE_HWSHOW_H
#include <stdbool.h>
#include <stdio.h>
#include "base/err.h"
#include "hardware/hwdev.h"
#include "hardware/hwids.h"

struct hwshow {
	bool list;	    /* the kernel's devices will be shown, not this machine's */
	bool json;	    /* JSON Lines */
	const char *kernel; /* its folder of modules; NULL: the running one's */
	int columns;	    /* of the terminal; 0: none */
	struct arena *a;
	FILE *out;
	void (*note)(const char *text); /* what is missing or left out */
	/* read */
	struct hwids *pci, *usb; /* NULL: without names */
	const char *no_modules;	 /* why the running kernel's are not known; or NULL */
	struct hwaliases aliases;
};

/* Reads names and modules. Where the running kernel's folder is not there, devices are shown without what it could
 * have. 0, or -errno with a message. */
int hwshow_read(struct hwshow *h, struct err *err);
/* The devices of this machine. 0; -errno with a message, without one of writing. */
int hwshow_devices(struct hwshow *h, struct err *err);
/* The devices that the kernel's modules support. 0, or -errno of writing. */
int hwshow_list(struct hwshow *h);
/* The same as a page that can be searched. */
int hwshow_page(struct hwshow *h, FILE *out);
#endif

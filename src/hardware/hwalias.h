/* SPDX-License-Identifier: Apache-2.0 */
/* Reads module aliases: the PCI, USB, virtio and ACPI devices that each module of a kernel declares to support.
 * Source: modules.alias(5) of kmod, scripts/mod/file2alias.c of the kernel. */
#ifndef DWELL_HARDWARE_HWALIAS_H
#define DWELL_HARDWARE_HWALIAS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"

#define HWALIAS_MAX 500000u /* of a kernel; further ones are left out */

enum hwbus { HW_PCI, HW_USB, HW_VIRTIO, HW_ACPI, HW_NBUSES };

struct hwalias {
	enum hwbus bus;
	const char *pattern; /* glob over the device's own name for itself (modalias) */
	const char *module;
	bool builtin;		 /* part of the kernel */
	uint32_t vendor, device; /* HW_ANY: of all */
};
#define HW_ANY UINT32_MAX

struct hwaliases {
	struct hwalias *v;
	size_t n;
	size_t left_out;
};

/* "pci", "usb" … */
const char *hwbus_name(enum hwbus b);
/* The bus of a pattern or of a device's name; HW_NBUSES: of another. */
enum hwbus hwbus_of(const char *alias);
/* Vendor and device in it; HW_ANY where it does not say. Virtio's vendor is PCI's; ACPI has names only. */
void hwalias_ids(const char *alias, uint32_t *vendor, uint32_t *device);
/* Reads the aliases of a folder of modules (/lib/modules/VERSION). -errno with words in err. */
int hwalias_read(struct arena *a, const char *dir, struct hwaliases *ret, struct err *err);
/* The first that fits the device; NULL. */
const struct hwalias *hwalias_find(const struct hwaliases *t, const char *modalias);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Finds names of vendors and devices in the files pci.ids and usb.ids. Source: their own heads. */
#ifndef DWELL_HARDWARE_HWIDS_H
#define DWELL_HARDWARE_HWIDS_H
#include <stdint.h>
#include "base/arena.h"

#define HWIDS_MAX 200000u /* names of a file; further ones are left out */

struct hwids;
/* Names that were left out. */
size_t hwids_left_out(const struct hwids *ids);
/* 0; -errno: the file cannot be read. */
int hwids_read(struct arena *a, const char *path, struct hwids **ret);
/* NULL: not known; ids may be NULL. */
const char *hwids_vendor(const struct hwids *ids, uint32_t vendor);
const char *hwids_device(const struct hwids *ids, uint32_t vendor, uint32_t device);
#endif

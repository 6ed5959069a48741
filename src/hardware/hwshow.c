/* SPDX-License-Identifier: Apache-2.0 */
/* Prints devices with their drivers, and the devices that a kernel has modules for. */
#include "hardware/hwshow.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/columns.h"
#include "base/jsonw.h"
#include "hardware/hwpage.h"
#include "view/form/table.h"

#define WIDE 110 /* columns of a terminal that has room for all */
#define IDS_DIR "/usr/share/misc"

__attribute__((format(printf, 2, 3))) static void say(struct hwshow *h, const char *fmt, ...)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	strb_vprintf(&b, fmt, ap);
	va_end(ap);
	h->note(strb_str(&b));
}

static const struct hwids *ids_of(const struct hwshow *h, enum hwbus bus)
{
	return bus == HW_PCI ? h->pci : bus == HW_USB ? h->usb : NULL;
}

/* "8086:100e", "*" for what is not said; of ACPI the name itself. */
static const char *id_text(struct hwshow *h, enum hwbus bus, const char *alias, uint32_t vendor, uint32_t device)
{
	const char *colon = strchr(alias, ':');
	unsigned digits = 4;

	if (bus == HW_ACPI)
		return colon ? colon + 1 : alias;
	return arena_printf(h->a, "%s:%s", vendor == HW_ANY ? "*" : arena_printf(h->a, "%0*x", (int)digits, vendor),
			    device == HW_ANY ? "*" : arena_printf(h->a, "%0*x", (int)digits, device));
}

/* Virtio's numbers. Source: include/uapi/linux/virtio_ids.h. */
static const char *virtio_name(uint32_t device)
{
	static const char *const names[] = {
		[1] = "network",   [2] = "block",   [3] = "console", [4] = "entropy",	   [5] = "memory balloon",
		[8] = "SCSI host", [9] = "9P",	    [16] = "GPU",    [18] = "input",	   [19] = "socket",
		[20] = "crypto",   [24] = "memory", [25] = "sound",  [26] = "file system", [27] = "persistent memory"
	};

	return device < ARRAY_SIZE(names) && names[device] ? names[device] : NULL;
}

/* "" where nothing is known. */
static const char *name_of(struct hwshow *h, enum hwbus bus, uint32_t vendor, uint32_t device)
{
	const char *v = hwids_vendor(ids_of(h, bus), vendor), *d = hwids_device(ids_of(h, bus), vendor, device);

	if (bus == HW_VIRTIO)
		d = virtio_name(device);
	return !v && !d ? "" : arena_printf(h->a, "%s%s%s", v ? v : "", v && d ? " " : "", d ? d : "");
}

static void device_line(struct hwshow *h, struct table *t, const struct hwdev *d)
{
	const struct hwalias *found = d->driver ? NULL : hwalias_find(&h->aliases, d->modalias);
	const char *module = d->module ? d->module : found ? found->module : NULL;
	const bool narrow = h->columns && h->columns < WIDE;
	const char *state = d->driver ? "driven" : found ? "module" : "none";
	const char *id = id_text(h, d->bus, d->modalias, d->vendor, d->device),
		   *name = name_of(h, d->bus, d->vendor, d->device);
	const struct column columns[] = {
		{ { "BUS", CELL_TEXT, -6, 0, { .s = hwbus_name(d->bus) } }, "bus", 0 },
		{ { "DEVICE", CELL_TEXT, -13, 0, { .s = d->name } }, "device", 0 },
		{ { "ID", CELL_TEXT, -10, 0, { .s = id } }, "id", 0 },
		{ { "STATE", CELL_TEXT, -6, 0, { .s = state } }, "state", 0 },
		{ { "DRIVER", CELL_TEXT, -16, 0, { .s = narrow && !h->json && !d->driver ? module : d->driver } },
		  "driver",
		  0 },
		{ { narrow ? NULL : "MODULE", CELL_TEXT, -16, 0, { .s = module } }, "module", 0 },
		{ { "NAME", CELL_NAME, -1, 0, { .s = name } }, "name", 0 },
		{ { NULL, CELL_TEXT, 0, 0, { .s = d->modalias } }, "modalias", 0 },
	};

	table_columns(t, columns, ARRAY_SIZE(columns));
}

int hwshow_devices(struct hwshow *h, struct err *err)
{
	struct table t = { .out = h->out, .type = "device", .json = h->json, .fit = h->columns };
	struct hwdev *v;
	size_t n, left_out, driven = 0, with_module = 0;
	int r = hwdev_read(h->a, "/sys", &v, &n, &left_out);

	if (r < 0)
		return err_set(err, r, "hardware: cannot read /sys: %s", strerror(-r));
	for (size_t i = 0; i < n; i++) {
		device_line(h, &t, &v[i]);
		driven += v[i].driver != NULL;
		with_module += !v[i].driver && hwalias_find(&h->aliases, v[i].modalias);
	}
	if (!h->json)
		fprintf(h->out, "%s%zu devices: %zu have a driver, for %zu there is a module, %zu have none\n",
			n ? "\n" : "", n, driven, with_module, n - driven - with_module);
	if (left_out)
		say(h, "hardware: more than %u devices: %zu are left out", HWDEV_MAX, left_out);
	if (!h->json && h->no_modules)
		columns_wrap(h->out, arena_printf(h->a, "the list of modules cannot be read: %s", h->no_modules), 0, 0,
			     h->columns);
	return t.error;
}

int hwshow_list(struct hwshow *h)
{
	struct table t = { .out = h->out, .type = "alias", .json = h->json, .fit = h->columns };

	for (size_t i = 0; i < h->aliases.n && !t.error; i++) {
		const struct hwalias *x = &h->aliases.v[i];
		const char *id = id_text(h, x->bus, x->pattern, x->vendor, x->device),
			   *name = name_of(h, x->bus, x->vendor, x->device);
		const struct column columns[] = {
			{ { "BUS", CELL_TEXT, -6, 0, { .s = hwbus_name(x->bus) } }, "bus", 0 },
			{ { "ID", CELL_TEXT, -10, 0, { .s = id } }, "id", 0 },
			{ { "MODULE", CELL_TEXT, -20, 0, { .s = x->module } }, "module", 0 },
			{ { "NAME", CELL_TEXT, -1, 0, { .s = *name ? name : NULL } }, "name", 0 },
			{ { NULL, CELL_TEXT, 0, 0, { .s = x->pattern } }, "alias", 0 },
			{ { NULL, CELL_UINT, 0, 0, { .u = x->builtin } }, "builtin", 0 },
		};

		table_columns(&t, columns, ARRAY_SIZE(columns));
	}
	return t.error;
}

int hwshow_page(struct hwshow *h, FILE *out)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	const char *slash = strrchr(h->kernel, '/');
	struct jsonw j = jsonw_to(&b);

	jsonw_array(&j, NULL);
	for (size_t i = 0; i < h->aliases.n; i++) {
		const struct hwalias *x = &h->aliases.v[i];

		jsonw_array(&j, NULL);
		jsonw_str(&j, NULL, hwbus_name(x->bus));
		jsonw_str(&j, NULL, id_text(h, x->bus, x->pattern, x->vendor, x->device));
		jsonw_str(&j, NULL, x->module);
		jsonw_str(&j, NULL, name_of(h, x->bus, x->vendor, x->device));
		jsonw_end_array(&j);
	}
	jsonw_end_array(&j);
	return hwpage_write(out, arena_printf(h->a, "Hardware of Linux %s", slash && slash[1] ? slash + 1 : h->kernel),
			    &b);
}

/* Where the running kernel's folder is not there, devices are shown without what it could have. */
int hwshow_read(struct hwshow *h, struct err *err)
{
	const char *given;
	struct utsname u;
	int r;

	if (hwids_read(h->a, IDS_DIR "/pci.ids", &h->pci) < 0 || hwids_read(h->a, IDS_DIR "/usb.ids", &h->usb) < 0)
		say(h, "hardware: some devices go without names: install Debian's packages pci.ids and usb.ids");
	given = h->kernel;
	if (!given && uname(&u) == 0)
		h->kernel = arena_printf(h->a, "/lib/modules/%s", u.release);
	r = hwalias_read(h->a, h->kernel ? h->kernel : "", &h->aliases, err);
	if (r == 0 && h->aliases.left_out)
		say(h, "hardware: more than %u devices in the modules of a kernel: %zu are left out", HWALIAS_MAX,
		    h->aliases.left_out);
	if (hwids_left_out(h->pci) || hwids_left_out(h->usb))
		say(h, "hardware: more than %u names in a file of them: some devices go without", HWIDS_MAX);
	if (r == 0 || h->list || given)
		return r;
	h->no_modules = arena_strdup(h->a, err->msg);
	err_done(err);
	return 0;
}

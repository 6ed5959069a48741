/* SPDX-License-Identifier: Apache-2.0 */
/* Aliases of modules, names of devices, devices of a made sysfs, the page. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "hardware/hwdev.h"
#include "hardware/hwids.h"
#include "hardware/hwpage.h"
#include "unit.h"

static char dir[] = "/tmp/hardware.XXXXXX";

static char *at(struct arena *a, const char *name)
{
	return arena_printf(a, "%s/%s", dir, name);
}

static void put(struct arena *a, const char *name, const char *text, size_t n)
{
	FILE *f;

	for (char *p = at(a, name), *s = p + sizeof(dir); (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(p, 0755);
		*s = '/';
	}
	f = fopen(at(a, name), "we");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	fclose(f);
}

static void ids(void **state)
{
	static const struct {
		const char *alias;
		enum hwbus bus;
		uint32_t vendor, device;
	} rows[] = {
		{ "pci:v00008086d0000100Esv*sd*bc*sc*i*", HW_PCI, 0x8086, 0x100e },
		{ "pci:v*d*sv*sd*bc01sc06i01*", HW_PCI, HW_ANY, HW_ANY },
		{ "pci:v00008086d*sv*sd*bc02sc*i*", HW_PCI, 0x8086, HW_ANY },
		{ "usb:v046DpC52Bd0111dc00dsc00dp00ic03isc01ip02in00", HW_USB, 0x46d, 0xc52b },
		{ "usb:v*p*d*dc*dsc*dp*ic08isc*ip*in*", HW_USB, HW_ANY, HW_ANY },
		{ "virtio:d00000002v*", HW_VIRTIO, HW_ANY, 2 },
		{ "virtio:d00000005v00001AF4", HW_VIRTIO, 0x1af4, 5 },
		{ "acpi*:PNP0501:*", HW_ACPI, HW_ANY, HW_ANY },
		{ "of:N*T*Cvirtio,mmio", HW_NBUSES, HW_ANY, HW_ANY },
		{ "pcimcia:m*", HW_NBUSES, HW_ANY, HW_ANY },
		{ "pci:", HW_PCI, HW_ANY, HW_ANY },
		{ "", HW_NBUSES, HW_ANY, HW_ANY },
	};
	uint32_t v, d;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(hwbus_of(rows[i].alias), rows[i].bus);
		hwalias_ids(rows[i].alias, &v, &d);
		assert_int_equal(v, rows[i].vendor);
		assert_int_equal(d, rows[i].device);
	}
}

static void aliases(void **state)
{
	static const char text[] = "# Aliases\nalias pci:v00008086d0000100Esv*sd*bc*sc*i* e1000\nalias fs-ext4 ext4\n"
				   "alias acpi*:PNP0303:* i8042\nnonsense\nalias pci:v*\n";
	static const char builtin[] = "virtio_net.alias=virtio:d00000001v*\0ext4.license=GPL\0x.alias=fs-x";
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	const struct hwalias *h;
	struct hwaliases t;
	struct err err = { 0 };

	(void)state;
	assert_true(hwalias_read(a, at(a, "none"), &t, &err) < 0);
	assert_non_null(strstr(err.msg, "modules.alias"));
	put(a, "modules/modules.alias", text, sizeof(text) - 1);
	put(a, "modules/modules.builtin.modinfo", builtin, sizeof(builtin));
	assert_int_equal(hwalias_read(a, at(a, "modules"), &t, &err), 0);
	assert_int_equal(t.n, 3);
	h = hwalias_find(&t, "pci:v00008086d0000100Esv00001AF4sd00001100bc02sc00i00");
	assert_true(h && !strcmp(h->module, "e1000") && !h->builtin);
	assert_null(hwalias_find(&t, "pci:v00008086d0000100Fsv00001AF4sd00001100bc02sc00i00"));
	h = hwalias_find(&t, "virtio:d00000001v00001AF4");
	assert_true(h && !strcmp(h->module, "virtio_net") && h->builtin);
	assert_string_equal(hwalias_find(&t, "acpi:PNP0303:")->module, "i8042");
	err_done(&err);
	arena_free(a);
}

static void names(void **state)
{
	static const char text[] = "# comment\n8086  Intel Corporation\n\t100e  82540EM\n\t\t8086 001e  PRO/1000\n"
				   "1af4  Red Hat, Inc.\n\t1000  Virtio network\nC 01  Mass storage\n\t06  SATA\n";
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct hwids *i;

	(void)state;
	assert_int_equal(hwids_read(a, at(a, "none"), &i), -ENOENT);
	put(a, "pci.ids", text, sizeof(text) - 1);
	assert_int_equal(hwids_read(a, at(a, "pci.ids"), &i), 0);
	assert_string_equal(hwids_vendor(i, 0x8086), "Intel Corporation");
	assert_string_equal(hwids_device(i, 0x8086, 0x100e), "82540EM");
	assert_string_equal(hwids_device(i, 0x1af4, 0x1000), "Virtio network");
	assert_null(hwids_device(i, 0x1af4, 0x100e));
	assert_null(hwids_vendor(i, HW_ANY));
	assert_null(hwids_vendor(NULL, 0x8086));
	arena_free(a);
}

static void devices(void **state)
{
	static const char modalias[] = "pci:v00001AF4d00001000sv0sd0bc02sc00i00\n", acpi[] = "acpi:PNP0501:\n";
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct hwdev *v;
	size_t n, left_out;

	(void)state;
	put(a, "sys/bus/pci/devices/0000:00:03.0/modalias", modalias, sizeof(modalias) - 1);
	put(a, "sys/bus/pci/devices/0000:00:04.0/vendor", "x", 1); /* does not say what it is */
	put(a, "sys/bus/acpi/devices/PNP0501:00/modalias", acpi, sizeof(acpi) - 1);
	put(a, "sys/drivers/virtio-pci/x", "", 0);
	put(a, "sys/drivers/serial/x", "", 0);
	put(a, "sys/node/x", "", 0);
	assert_int_equal(symlink("../../../../module/virtio_pci", at(a, "sys/drivers/virtio-pci/module")), 0);
	assert_int_equal(symlink("../../../../drivers/virtio-pci", at(a, "sys/bus/pci/devices/0000:00:03.0/driver")),
			 0);
	assert_int_equal(symlink("../../../../node", at(a, "sys/bus/acpi/devices/PNP0501:00/physical_node")), 0);
	assert_int_equal(symlink("../drivers/serial", at(a, "sys/node/driver")), 0);
	assert_int_equal(hwdev_read(a, at(a, "sys"), &v, &n, &left_out), 0);
	assert_int_equal(n, 2);
	assert_string_equal(v[0].name, "0000:00:03.0");
	assert_string_equal(v[0].driver, "virtio-pci");
	assert_string_equal(v[0].module, "virtio_pci");
	assert_int_equal(v[0].device, 0x1000);
	assert_string_equal(v[1].driver, "serial");
	assert_null(v[1].module);
	assert_int_equal(hwdev_read(a, at(a, "nothing"), &v, &n, &left_out), 0);
	assert_int_equal(n, 0);
	arena_free(a);
}

static void page(void **state)
{
	_cleanup_(strb_free) struct strb rows = { 0 };
	_cleanup_free_ char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	strb_adds(&rows, "[[\"pci\",\"1:2\",\"m\",\"</script><b>\"]]");
	assert_int_equal(hwpage_write(f, "A <title>", &rows), 0);
	fclose(f);
	assert_non_null(strstr(text, "const title=\"A \\u003ctitle>\",rows=[[\"pci\",\"1:2\",\"m\",\"\\u003c/script>"));
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
	char line[64];

	(void)state;
	snprintf(line, sizeof(line), "rm -rf %s", dir);
	return system(line);
}

/* At a limit everything is taken; one more is left out, and counted. */
static void alias_limit(void **state)
{
	struct arena *a = arena_new((size_t)512 << 20);
	struct hwaliases t;
	struct err err = { 0 };
	FILE *f;

	(void)state;
	put(a, "many/modules.alias", "", 0);
	f = fopen(at(a, "many/modules.alias"), "we");
	assert_non_null(f);
	for (unsigned i = 0; i < HWALIAS_MAX; i++)
		fprintf(f, "alias pci:v%08Xd%08Xs m\n", i >> 16, i & 0xffff);
	fflush(f);
	assert_int_equal(hwalias_read(a, at(a, "many"), &t, &err), 0);
	assert_int_equal(t.n, HWALIAS_MAX);
	assert_int_equal(t.left_out, 0);
	fprintf(f, "alias pci:v0000FFFFd0000FFFFs last\nalias fs-ext4 ext4\n");
	fclose(f);
	assert_int_equal(hwalias_read(a, at(a, "many"), &t, &err), 0);
	assert_int_equal(t.n, HWALIAS_MAX);
	assert_int_equal(t.left_out, 1);
	unlink(at(a, "many/modules.alias"));
	arena_free(a);
}

static void name_limit(void **state)
{
	struct arena *a = arena_new((size_t)512 << 20);
	struct hwids *i;
	FILE *f;

	(void)state;
	put(a, "many.ids", "", 0);
	f = fopen(at(a, "many.ids"), "we");
	assert_non_null(f);
	for (unsigned k = 0; k < HWIDS_MAX; k++) /* a vendor, and 65535 of its devices */
		fprintf(f, k % 65536 ? "\t%04x  device\n" : "%04x  vendor\n", k % 65536 ? k % 65536 : k / 65536);
	fflush(f);
	assert_int_equal(hwids_read(a, at(a, "many.ids"), &i), 0);
	assert_int_equal(hwids_left_out(i), 0);
	assert_non_null(hwids_device(i, (HWIDS_MAX - 1) / 65536, (HWIDS_MAX - 1) % 65536));
	fprintf(f, "ffff  last\n");
	fclose(f);
	assert_int_equal(hwids_read(a, at(a, "many.ids"), &i), 0);
	assert_int_equal(hwids_left_out(i), 1);
	assert_null(hwids_vendor(i, 0xffff));
	assert_int_equal(hwids_left_out(NULL), 0);
	unlink(at(a, "many.ids"));
	arena_free(a);
}

static void device_limit(void **state)
{
	static const char modalias[] = "pci:v00001AF4d00001000sv0sd0bc02sc00i00\n";
	struct arena *a = arena_new((size_t)512 << 20);
	size_t n, left_out;
	struct hwdev *v;

	(void)state;
	put(a, "crowd/one/modalias", modalias, sizeof(modalias) - 1);
	put(a, "crowd/bus/pci/devices/x", "", 0); /* does not say what it is */
	for (unsigned i = 0; i < HWDEV_MAX; i++)
		assert_int_equal(symlink("../../../one", at(a, arena_printf(a, "crowd/bus/pci/devices/%u", i))), 0);
	unlink(at(a, "crowd/bus/pci/devices/x"));
	assert_int_equal(hwdev_read(a, at(a, "crowd"), &v, &n, &left_out), 0);
	assert_int_equal(n, HWDEV_MAX);
	assert_int_equal(left_out, 0);
	assert_int_equal(symlink("../../../one", at(a, "crowd/bus/pci/devices/more")), 0);
	assert_int_equal(hwdev_read(a, at(a, "crowd"), &v, &n, &left_out), 0);
	assert_int_equal(n, HWDEV_MAX);
	assert_int_equal(left_out, 1);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids),		cmocka_unit_test(aliases),     cmocka_unit_test(names),
		cmocka_unit_test(devices),	cmocka_unit_test(alias_limit), cmocka_unit_test(name_limit),
		cmocka_unit_test(device_limit), cmocka_unit_test(page),
	};

	return cmocka_run_group_tests(tests, begin, end);
}

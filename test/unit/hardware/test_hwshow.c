/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a kernel's devices, of a folder of modules that is made here. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit.h"
#include "base/arena.h"
#include "hardware/hwshow.h"

static char root[] = "/tmp/hwshow-XXXXXX", told[512];

static void note(const char *text)
{
	snprintf(told, sizeof(told), "%s", text);
}

static void file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int make(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(root));
	file("modules.alias",
	     "alias pci:v00008086d0000100Esv*sd*bc*sc*i* e1000\nalias virtio:d00000001v* virtio_net\n");
	file("modules.builtin.modinfo", "");
	return 0;
}

static int clear(void **state)
{
	char cmd[64];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", root);
	return system(cmd);
}

static char *show(struct hwshow *h, int (*put)(struct hwshow *h, FILE *out))
{
	struct err err = { 0 };
	char *text = NULL;
	size_t n;

	h->a = arena_new(ARENA_DEFAULT_LIMIT);
	h->note = note;
	h->kernel = root;
	h->list = true;
	h->out = open_memstream(&text, &n);
	assert_int_equal(hwshow_read(h, &err), 0);
	assert_int_equal(put ? put(h, h->out) : hwshow_list(h), 0);
	fclose(h->out);
	arena_free(h->a);
	return text;
}

static void a_line_for_each_device(void **state)
{
	struct hwshow h = { 0 }, j = { .json = true };
	char *text = show(&h, NULL), *json = show(&j, NULL);

	(void)state;
	assert_non_null(strstr(text, "8086:100e"));
	assert_non_null(strstr(text, "e1000"));
	assert_non_null(strstr(text, "network")); /* virtio's names need no file */
	assert_non_null(strstr(json, "\"module\":\"virtio_net\""));
	free(text);
	free(json);
}

static void a_page_has_the_same(void **state)
{
	struct hwshow h = { 0 };
	char *text = show(&h, hwshow_page);

	(void)state;
	assert_non_null(strstr(text, "Hardware of Linux hwshow-"));
	assert_non_null(strstr(text, "virtio_net"));
	free(text);
}

static void a_folder_without_modules_is_an_error_when_given(void **state)
{
	struct hwshow h = { .note = note, .kernel = "/no/such", .a = arena_new(ARENA_DEFAULT_LIMIT) };
	struct err err = { 0 };

	(void)state;
	assert_true(hwshow_read(&h, &err) < 0);
	assert_non_null(strstr(err.msg, "/no/such"));
	assert_null(h.no_modules);
	arena_free(h.a);
}

static void devices_of_this_machine_are_counted(void **state)
{
	char *text = NULL;
	size_t n;
	struct hwshow h = { .note = note, .a = arena_new(ARENA_DEFAULT_LIMIT) };
	struct err err = { 0 };

	(void)state;
	h.out = open_memstream(&text, &n);
	assert_int_equal(hwshow_read(&h, &err), 0);
	assert_int_equal(hwshow_devices(&h, &err), 0);
	fclose(h.out);
	assert_non_null(strstr(text, " devices: "));
	free(text);
	arena_free(h.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_for_each_device),
		cmocka_unit_test(a_page_has_the_same),
		cmocka_unit_test(a_folder_without_modules_is_an_error_when_given),
		cmocka_unit_test(devices_of_this_machine_are_counted),
	};

	return cmocka_run_group_tests(tests, make, clear);
}

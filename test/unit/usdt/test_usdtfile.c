/* SPDX-License-Identifier: Apache-2.0 */
/* -h and -G as a request: files that are written, and what is refused. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "unit.h"
#include "usdt/usdtfile.h"

static char folder[] = "/tmp/usdtfile-XXXXXX", told[1024];

static void keep(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(told, sizeof(told), "%s", text);
}

static const struct listener to = { .message = keep };

static const char *place(const char *name)
{
	static char path[4][128];
	static unsigned i;

	i = (i + 1) % 4;
	snprintf(path[i], sizeof(path[i]), "%s/%s", folder, name);
	return path[i];
}

static void write_text(const char *name, const char *text)
{
	FILE *f = fopen(place(name), "we");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int run(bool link, const char *script, const char *output, int nobjects, const char **objects)
{
	struct request c;
	int e;

	told[0] = '\0';
	request_init(&c, "dtrace", &to);
	c.link = link;
	c.header = !link;
	c.output = output;
	if (script)
		request_prog(&c, PROG_SCRIPT, script);
	if (objects) {
		c.argv = objects;
		c.argc = nobjects;
	}
	e = usdtfile(&c);
	request_done(&c);
	return e;
}

static void a_header_is_written(void **state)
{
	char text[4096] = "";
	FILE *f;

	(void)state;
	write_text("p.d", "provider app { probe request__start(int); };\n");
	assert_int_equal(run(false, place("p.d"), place("p.h"), 0, NULL), 0);
	f = fopen(place("p.h"), "re");
	assert_non_null(f);
	assert_true(fread(text, 1, sizeof(text) - 1, f) > 0);
	fclose(f);
	assert_non_null(strstr(text, "APP_REQUEST_START"));
}

static void an_object_is_for_the_machine_of_the_others(void **state)
{
	const char *objects[] = { "dtrace", "a", "b" };
	char text[5] = "";
	FILE *f;

	(void)state;
	assert_int_equal(run(true, place("p.d"), place("p.o"), 0, NULL), 0);
	f = fopen(place("p.o"), "re");
	assert_non_null(f);
	assert_int_equal(fread(text, 1, 4, f), 4);
	fclose(f);
	assert_memory_equal(text, "\177ELF", 4);
	write_text("32.o", "\177ELF\001");
	objects[1] = strdup(place("p.o"));
	objects[2] = strdup(place("32.o"));
	assert_int_equal(run(true, place("p.d"), place("q.o"), 3, objects), -EINVAL);
	assert_non_null(strstr(told, "is of 64 bits"));
	free((char *)(uintptr_t)objects[1]);
	free((char *)(uintptr_t)objects[2]);
}

static void what_is_wrong_is_told(void **state)
{
	(void)state;
	assert_int_equal(run(false, NULL, NULL, 0, NULL), -EINVAL);
	assert_string_equal(told, "-h needs one script: -s FILE");
	write_text("bad.d", "provider {\n");
	assert_int_equal(run(false, place("bad.d"), place("bad.h"), 0, NULL), -EINVAL);
	assert_non_null(strstr(told, "failed to compile script"));
	assert_int_equal(access(place("bad.h"), F_OK), -1);
}

static int make(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int clear(void **state)
{
	char cmd[64];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", folder);
	return system(cmd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_is_written),
		cmocka_unit_test(an_object_is_for_the_machine_of_the_others),
		cmocka_unit_test(what_is_wrong_is_told),
	};

	return cmocka_run_group_tests(tests, make, clear);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and inlined functions: every address of real programs beside what addr2line says of it. */
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "sym/elf/debugfile.h"
#include "sym/dwarf/srcline.h"
#include "unit.h"

/* Appends places in the words of addr2line. */
static void say(struct strb *b, const struct srcframe *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		strb_printf(b, "%s\n%s:", f[i].func ? f[i].func : "??", f[i].file ? f[i].file : "??");
		if (f[i].line)
			strb_printf(b, "%u\n", f[i].line);
		else
			strb_printf(b, f[i].file ? "?\n" : "0\n");
	}
}

/* addr2line shortens paths where it can, and tells discriminators. */
static void as_dwell_says(char *line)
{
	char *p = strstr(line, " (discriminator");

	if (p)
		*p = '\0';
}

struct compared {
	unsigned addresses, frames, different;
};

static void compare(const char *path, const char *as, uint64_t from, uint64_t to, struct compared *c)
{
	_cleanup_free_ char *cmd = NULL, *line = NULL;
	struct strb ours = { 0 }, theirs = { 0 };
	struct srcframe f[SRCLINE_MAX_FRAMES];
	struct debugfile alt;
	struct srcline *s;
	struct stat st;
	struct elf e;
	bool has_alt;
	size_t cap = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	assert_int_equal(elf_open(&e, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size }), 0);
	has_alt = debugfile_open_alt(&e, path, "/nowhere", 0, &alt) == 0;
	assert_int_equal(srcline_open(&e, has_alt ? &alt.elf : NULL, &(struct debugplace){ path, 0 }, &s), 0);
	if (has_alt)
		debugfile_close(&alt);
	assert_true(asprintf(&cmd, "seq %llu %llu | xargs printf '%%x\\n' | addr2line -a -i -f -e %s",
			     (unsigned long long)from, (unsigned long long)to - 1, as) > 0);
	FILE *p = popen(cmd, "r");

	assert_non_null(p);
	assert_true(getline(&line, &cap, p) > 0);
	for (uint64_t at = from; at < to; at++) {
		size_t n = srcline_at(s, at, f);

		say(&ours, f, n);
		while (getline(&line, &cap, p) > 0 && strncmp(line, "0x", 2) != 0) {
			line[strcspn(line, "\n")] = '\0';
			as_dwell_says(line);
			strb_printf(&theirs, "%s\n", line);
		}
		c->addresses++;
		c->frames += (unsigned)n;
		/* Where debug information tells no function (between two), or nothing, addr2line has the names of the
		 * symbol table. */
		if (n && !f[n - 1].func)
			strb_reset(&ours), strb_printf(&ours, "%.*s\n%s:%u\n", (int)strcspn(strb_str(&theirs), "\n"),
						       strb_str(&theirs), f[0].file, f[0].line);
		bool same = n ? strcmp(strb_str(&ours), strb_str(&theirs)) == 0
			      : strstr(strb_str(&theirs), ":?\n") || strstr(strb_str(&theirs), ":0\n");

		if (!same && c->different++ < 3)
			print_message("%s %llx\nours:\n%saddr2line:\n%s", path, (unsigned long long)at, strb_str(&ours),
				      strb_str(&theirs));
		strb_reset(&ours);
		strb_reset(&theirs);
	}
	pclose(p);
	strb_free(&ours);
	strb_free(&theirs);
	srcline_free(s);
	elf_close(&e);
	close(fd);
}

/* The file that addr2line is asked about. addr2line of binutils 2.40 misses ranges by index (DWARF 5 as clang writes
 * it), and names that are in the third file of dwz or in packages. It knows .zdebug_* for DWARF 4 only. It is given the
 * same code with DWARF 4, and whole. */
static const char *for_addr2line(const char *path, char *buf, size_t n)
{
	static const char *const forms[][2] = {
		{ "4split", "4" },
		{ "4package", "4" },
		{ "5split", "4" },
		{ "5package", "4" },
		{ "5zlib-gnu", "5" },
		{ "4dwz", "4" },
		{ "_clang5", "_clang4" },
		{ "_clangz", "_clang4" },
		{ "_clang5zstd", "_clang4" },
		{ "_clang5zlib-gnu", "_clang4" },
	};
	size_t len = strlen(path);

	snprintf(buf, n, "%s", path);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		size_t k = strlen(forms[i][0]);

		if (len > k && !strcmp(path + len - k, forms[i][0]))
			snprintf(buf, n, "%.*s%s", (int)(len - k), path, forms[i][1]);
	}
	return buf;
}

/* All code of the built forms: of every byte, function, file and line, also of what is inlined there. */
static void beside_addr2line(void **state)
{
	const char *dir = getenv("DWELL_BUILD_DIR");
	char pattern[4096];
	glob_t g;

	(void)state;
	if (system("addr2line --version >/dev/null 2>&1") != 0)
		skip();
	assert_non_null(dir);
	snprintf(pattern, sizeof(pattern), "%s/test/unit/sym/sym_lines_*", dir);
	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 5);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct compared c = { 0 };
		struct stat st;
		struct elf e;
		int fd;

		if (strchr(strrchr(g.gl_pathv[i], '/'), '.'))
			continue; /* a package */
		fd = open(g.gl_pathv[i], O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0 && fstat(fd, &st) == 0);
		assert_int_equal(elf_open(&e, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size }), 0);
		const Elf64_Shdr *code = elf_section(&e, ".text");

		assert_non_null(code);
		compare(g.gl_pathv[i], for_addr2line(g.gl_pathv[i], pattern, sizeof(pattern)), code->sh_addr,
			code->sh_addr + code->sh_size, &c);
		print_message("%s: %u addresses, %u frames, %u different\n", strrchr(g.gl_pathv[i], '/') + 1,
			      c.addresses, c.frames, c.different);
		assert_true(c.frames > c.addresses / 2);
		assert_int_equal(c.different, 0);
		elf_close(&e);
		close(fd);
	}
	globfree(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beside_addr2line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

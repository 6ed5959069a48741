/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the type information (BTF or DWARF) of a program or library: in the file, in its debug file, or next to it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/readall.h"
#include "sym/elf/debugfile.h"
#include "sym/dwarf/dwarf.h"
#include "sym/elf/open.h"
#include "sym/object/uobj.h"

int uobj_types(const struct uobj *o, int tgid, struct dwarf_types *ret)
{
	struct uobj_file file;
	int r = uobj_open(o, &file);

	if (r < 0)
		return r;
	r = dwarf_read_file_types(&file.elf, o->path, (uint32_t)tgid, false, ret);
	uobj_close(&file);
	return r;
}

static int btf_section(const struct elf *e, char **ret, size_t *ret_n)
{
	const Elf64_Shdr *sh = elf_section(e, ".BTF");

	return sh ? elf_section_read(e, sh, UOBJ_MAX_BTF, ret, ret_n) : -ENODATA;
}

static int btf_beside(const struct uobj *o, int tgid, char **ret, size_t *ret_n)
{
	char path[PATH_MAX + 8], root[64];
	_cleanup_close_ int fd = -1, in = -1;
	_cleanup_free_ char *buf = NULL;
	struct stat st;

	snprintf(path, sizeof(path), "%s.btf", o->path);
	snprintf(root, sizeof(root), "/proc/%d/root", tgid);
	if (tgid)
		in = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = in >= 0 ? open_regular_in_root(in, path, true, &st) : open_regular(AT_FDCWD, path, true, &st);
	if (fd < 0)
		return -ENODATA;
	if ((uint64_t)st.st_size > UOBJ_MAX_BTF)
		return -EFBIG;
	buf = malloc((size_t)st.st_size + 1);
	if (!buf)
		return -ENOMEM;
	if (read_exactly(fd, buf, (size_t)st.st_size) < 0)
		return -ENODATA;
	*ret = take_ptr(buf);
	*ret_n = (size_t)st.st_size;
	return 0;
}

int uobj_btf(const struct uobj *o, int tgid, char **ret, size_t *ret_n)
{
	struct uobj_file file;
	struct debugfile d;
	int r = uobj_open(o, &file);

	if (r < 0)
		return r;
	r = btf_section(&file.elf, ret, ret_n);
	if (r == -ENODATA && debugfile_open(&file.elf, o->path, DEBUGFILE_DIR, (uint32_t)tgid, &d) == 0) {
		r = btf_section(&d.elf, ret, ret_n);
		debugfile_close(&d);
	}
	uobj_close(&file);
	return r == -ENODATA ? btf_beside(o, tgid, ret, ret_n) : r;
}

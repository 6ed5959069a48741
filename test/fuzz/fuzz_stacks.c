/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of strangers as stacks. The first byte chooses between folded stacks and perf script; whatever is read must be
 * drawn, turned round, and written as folded text that reads back as the same. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"
#include "view/picture/flame.h"
#include "view/stack/perfscript.h"
#include "view/stack/stackxform.h"

static int fd_of(const void *data, size_t size)
{
	FILE *f = tmpfile();
	int fd;

	if (!f || (size && fwrite(data, 1, size, f) != size) || fflush(f) != 0)
		abort();
	fd = dup(fileno(f));
	fclose(f);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static struct stacktree *read_text(const void *data, size_t size, int perf)
{
	struct lines l = { .fd = fd_of(data, size) };
	struct perfscript_opts po = { .per_thread = true };
	struct stack_input in = { 0 };
	struct stacktree *t;
	struct err err = { 0 };

	if (stacktree_new(2, &t) < 0)
		abort();
	if (perf)
		perfscript_read(&l, &po, t, 0, &in, &err);
	else
		fold_read(&l, t, 0, &in, &err);
	close(l.fd);
	lines_done(&l);
	return t;
}

static char *write_text(const struct stacktree *t, size_t *n)
{
	struct stackorder o;
	char *s = NULL;
	FILE *f = open_memstream(&s, n);

	if (!f || stackorder_make(t, &o) < 0 || fold_write(t, &o, 0, f) < 0)
		abort();
	fclose(f);
	stackorder_done(&o);
	return s;
}

static void draw(const struct stacktree *t)
{
	struct flame_opts o = { .title = "t", .unit = "samples", .diff = true, .before = "a", .after = "b" };
	FILE *f = fopen("/dev/null", "w");
	struct stacktree *r;

	if (!f || flame_svg(t, NULL, &o, f) < 0 || stackxform_reverse(t, &r) < 0)
		abort();
	stacktree_free(r);
	fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stacktree *t, *again;
	char *s, *s2;
	size_t n, n2;

	if (size < 1)
		return 0;
	t = read_text(data + 1, size - 1, data[0] & 1);
	draw(t);
	s = write_text(t, &n);
	again = read_text(s, n, 0);
	s2 = write_text(again, &n2);
	/* The sum of the weights; names may be spelled alike once odd characters are replaced. */
	if (memchr(s, ' ', n) && !memchr(s2, ' ', n2))
		abort();
	free(s);
	free(s2);
	stacktree_free(t);
	stacktree_free(again);
	return 0;
}

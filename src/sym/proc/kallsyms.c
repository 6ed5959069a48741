/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/kallsyms ("address type name [module]" per line) into a compact sorted table. */
#include "sym/proc/kallsyms.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"

/* One read of a seq_file gives about a page; a line never exceeds this together with its module. */
#define KSYMS_READ (64u << 10)

static int add_text(struct ksyms *ks, const char *s, size_t n, uint32_t *ret)
{
	if (ks->ntext + n + 1 > UINT32_MAX)
		return -E2BIG;
	int r = vec_reserve_raw((void **)&ks->text, &ks->captext, ks->ntext + n + 1, 1);

	if (r < 0)
		return r;
	*ret = (uint32_t)ks->ntext;
	memcpy(ks->text + ks->ntext, s, n);
	ks->text[ks->ntext + n] = '\0';
	ks->ntext += n + 1;
	return 0;
}

static int add_module(struct ksyms *ks, const char *s, size_t n, uint16_t *ret)
{
	/* Symbols of one module follow each other. */
	for (size_t i = ks->nmod; i-- > 0;) {
		const char *m = ks->text + ks->mod[i];

		if (strncmp(m, s, n) == 0 && m[n] == '\0') {
			*ret = (uint16_t)i;
			return 0;
		}
	}
	if (ks->nmod >= KSYMS_MAX_MODULES)
		return -E2BIG;
	int r = vec_reserve_raw((void **)&ks->mod, &ks->capmod, ks->nmod + 1, sizeof(*ks->mod));

	if (r < 0)
		return r;
	r = add_text(ks, s, n, &ks->mod[ks->nmod]);
	if (r < 0)
		return r;
	*ret = (uint16_t)ks->nmod++;
	return 0;
}

/* Hex digits at s; stops at the first other character. */
static const char *parse_hex(const char *s, const char *end, uint64_t *ret)
{
	uint64_t v = 0;

	for (; s < end; s++) {
		unsigned c = (unsigned char)*s;

		if (c - '0' < 10)
			v = v << 4 | (c - '0');
		else if ((c | 0x20) - 'a' < 6)
			v = v << 4 | ((c | 0x20) - 'a' + 10);
		else
			break;
	}
	*ret = v;
	return s;
}

/* One line without its newline. Lines of another form are skipped: the format is the kernel's. */
static int add_line(struct ksyms *ks, const char *s, const char *end)
{
	struct ksym k = { 0 };
	const char *p = parse_hex(s, end, &k.addr);

	if (p == s || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return 0;
	k.type = p[1];
	p += 3;
	const char *name = p;

	while (p < end && *p != ' ' && *p != '\t')
		p++;
	size_t len = (size_t)(p - name);
	const char *open = memchr(p, '[', (size_t)(end - p));

	if (len == 0 || len > KSYMS_MAX_NAME)
		return 0;
	if (ks->n >= KSYMS_MAX_SYMBOLS)
		return -E2BIG;
	int r = 0;

	if (open) {
		const char *close = memchr(open, ']', (size_t)(end - open));

		r = close ? add_module(ks, open + 1, (size_t)(close - open - 1), &k.mod) : 0;
	}
	if (r == 0)
		r = add_text(ks, name, len, &k.name);
	if (r == 0)
		r = vec_reserve_raw((void **)&ks->v, &ks->cap, ks->n + 1, sizeof(*ks->v));
	if (r == 0)
		ks->v[ks->n++] = k;
	return r;
}

static int read_lines(struct ksyms *ks, int fd)
{
	_cleanup_free_ char *buf = malloc(KSYMS_READ);
	size_t have = 0;

	if (!buf)
		return -ENOMEM;
	for (;;) {
		ssize_t got = read(fd, buf + have, KSYMS_READ - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		have += (size_t)got;
		char *s = buf, *end = buf + have, *nl;

		while ((nl = memchr(s, '\n', (size_t)(end - s)))) {
			int r = add_line(ks, s, nl);

			if (r < 0)
				return r;
			s = nl + 1;
		}
		if (got == 0)
			return 0;
		have = (size_t)(end - s);
		if (have == KSYMS_READ)
			have = 0; /* no line is that long: drop it */
		memmove(buf, s, have);
	}
}

static int by_addr(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name; /* as listed: the sort becomes stable */
}

/* True for names that mark a place and name no function: _stext, __irqentry_text_start, __stop_x.
 */
static bool is_marker(const char *s)
{
	static const char *const ends[] = { "_start", "_end", "_begin", "text", "_sdata", "_edata" };
	size_t n = strlen(s);

	if (s[0] != '_')
		return false;
	if (strncmp(s, "__start_", 8) == 0 || strncmp(s, "__stop_", 7) == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t e = strlen(ends[i]);

		if (n >= e && strcmp(s + n - e, ends[i]) == 0)
			return true;
	}
	return false;
}

/* How well a name tells what is at its address; larger is better. Global and weak names are what
 * other code calls; local ones are by-products of compilation. */
static unsigned rank(const struct ksyms *ks, const struct ksym *k)
{
	const char *s = ksyms_name(ks, k);
	unsigned r = 0, underscores = 0;

	while (s[underscores] == '_' && underscores < 3)
		underscores++;
	r |= is_marker(s) ? 0 : 1u << 8;
	r |= isupper((unsigned char)k->type) || k->type == 'w' || k->type == 'v' ? 1u << 4 : 0;
	r |= 3 - underscores;
	return r;
}

static void sort_table(struct ksyms *ks)
{
	bool sorted = true;

	for (size_t i = 1; i < ks->n && sorted; i++)
		sorted = ks->v[i - 1].addr <= ks->v[i].addr;
	if (!sorted)
		qsort(ks->v, ks->n, sizeof(*ks->v), by_addr);
	for (size_t i = 0, j; i < ks->n; i = j) {
		size_t best = i;

		for (j = i + 1; j < ks->n && ks->v[j].addr == ks->v[i].addr; j++) {
			if (rank(ks, &ks->v[j]) > rank(ks, &ks->v[best]))
				best = j;
		}
		struct ksym k = ks->v[best];

		ks->v[best] = ks->v[j - 1];
		ks->v[j - 1] = k;
	}
}

static void shrink(struct ksyms *ks)
{
	void *v = realloc(ks->v, ks->n * sizeof(*ks->v));
	void *t = realloc(ks->text, ks->ntext);

	if (v) {
		ks->v = v;
		ks->cap = ks->n;
	}
	if (t) {
		ks->text = t;
		ks->captext = ks->ntext;
	}
}

static int read_table(struct ksyms *ks, int fd)
{
	uint32_t empty;
	uint16_t mod;
	int r = add_text(ks, "", 0, &empty);

	if (r == 0)
		r = add_module(ks, "vmlinux", strlen("vmlinux"), &mod);
	return r < 0 ? r : read_lines(ks, fd);
}

int ksyms_read(struct ksyms *ks, const char *path, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	*ks = (struct ksyms){ 0 };
	if (fd < 0)
		return err_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	int r = read_table(ks, fd);

	if (r < 0) {
		ksyms_free(ks);
		return err_set(err, r, "cannot read the kernel's symbols from %s: %s", path, strerror(-r));
	}
	bool any = false;

	for (size_t i = 0; i < ks->n && !any; i++)
		any = ks->v[i].addr != 0;
	if (!any) {
		ksyms_free(ks);
		return err_set(err, -EPERM,
			       "the kernel hides the addresses of its symbols in %s: "
			       "run as root with kernel.kptr_restrict 0 or 1",
			       path);
	}
	sort_table(ks);
	shrink(ks);
	const struct ksym *e = ksyms_find(ks, "vmlinux", "_etext");

	ks->etext = e ? e->addr : 0;
	return 0;
}

void ksyms_free(struct ksyms *ks)
{
	free(ks->v);
	free(ks->text);
	free(ks->mod);
	*ks = (struct ksyms){ 0 };
}

const struct ksym *ksyms_at(const struct ksyms *ks, uint64_t addr)
{
	size_t lo = 0, hi = ks->n; /* the first symbol above addr */

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ks->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return NULL;
	const struct ksym *k = &ks->v[lo - 1], *next = lo < ks->n ? &ks->v[lo] : NULL;

	if ((!next || next->mod != k->mod) && addr - k->addr >= KSYMS_LAST_SPAN)
		return NULL;
	if (ks->etext && k->addr < ks->etext && addr >= ks->etext && (k->type | 0x20) == 't')
		return NULL;
	return k;
}

const struct ksym *ksyms_find(const struct ksyms *ks, const char *module, const char *name)
{
	const struct ksym *found = NULL;

	for (size_t i = 0; i < ks->n; i++) {
		const struct ksym *k = &ks->v[i];

		if (strcmp(ksyms_name(ks, k), name) != 0)
			continue;
		if (module ? strcmp(ksyms_module(ks, k), module) == 0 : k->mod == 0)
			return k;
		if (!module && !found)
			found = k;
	}
	return found;
}

const char *ksyms_name(const struct ksyms *ks, const struct ksym *k)
{
	return ks->text + k->name;
}

const char *ksyms_module(const struct ksyms *ks, const struct ksym *k)
{
	return ks->text + ks->mod[k->mod];
}

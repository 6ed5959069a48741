/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the shipped programs with their heads. */
#include "launcher/gallery.h"
#include <string.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "engine/request.h"
#include "shelf/shelf.h"

/* Finds the text after "NAME.d: " in the comment at the top, up to the end of the line. */
static const char *summary_of(struct arena *a, const char *name, const char *text)
{
	const char *at = strstr(text, arena_printf(a, " * %s.d: ", name));

	if (!at)
		return "";
	at = strchr(at, ':') + 2;
	return arena_strndup(a, at, strcspn(at, "\n"));
}

/* NULL: it cannot be read, or is larger than the server takes programs. */
static const char *text_of(struct arena *a, const char *path)
{
	int fd = shelf_open(path, 0);
	_cleanup_fclose_ FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *text = f ? arena_alloc(a, SERVE_PROGRAM_MAX + 1) : NULL;
	size_t n = f ? fread(text, 1, SERVE_PROGRAM_MAX + 1, f) : 0;

	if (!f || ferror(f) || n > SERVE_PROGRAM_MAX)
		return NULL;
	return arena_strndup(a, text, n);
}

/* Adds the programs of a folder of dlib/; their names stand after prefix. */
static size_t read_folder(struct arena *a, const char *folder, const char *prefix, struct serve_program *v, size_t n)
{
	const char *dir = arena_printf(a, "%s/%s", libs_dir(a), folder);
	const char **names;
	int found = shelf_list(a, dir, &names);

	for (int i = 0; i < found; i++) {
		const char *file = names[i];
		const char *text = n < GALLERY_MAX ? text_of(a, arena_printf(a, "%s/%s", dir, file)) : NULL;
		const char *name = arena_strndup(a, file, strlen(file) - 2);

		if (text)
			v[n++] = (struct serve_program){ arena_printf(a, "%s%s", prefix, name),
							 summary_of(a, name, text), text };
	}
	return n;
}

size_t gallery_read(struct arena *a, const struct serve_program **ret)
{
	struct serve_program *v = arena_alloc(a, GALLERY_MAX * sizeof(*v));

	*ret = v;
	return read_folder(a, "latency", "latency.", v, read_folder(a, "tools", "", v, 0));
}

size_t gallery_words(const struct serve_word **ret)
{
#define WORD_VAR "variable"
#define WORD_ACT "action"
#define WORD_SUB "subroutine"
#define WORD_AGG "aggregation"
	static const struct serve_word words[] = {
#define BI(id, name, kind, proto, since, flags, bound, check, code, par, doc) { name, WORD_##kind, proto, doc },
#include "lang/builtin.def"
#undef BI
	};

	*ret = words;
	return ARRAY_SIZE(words);
}

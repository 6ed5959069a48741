/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rules come from: the file of -x causes goes before dlib/causes. */
#include "cmd/why.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/compile.h"

int why_open(struct why *w, const struct dopts *opts)
{
	struct err err = { 0 };

	*w = (struct why){ .opts = opts };
	if (!opts->causes[0])
		return 0;
	if (causes_new(&w->causes) < 0)
		return cmd_fail("out of memory");
	return causes_add_file(w->causes, opts->causes, &err) < 0 ? cmd_fail("%s", err.msg) : 0;
}

void why_done(struct why *w)
{
	causes_free(w->causes);
	w->causes = NULL;
}

struct causes *why_causes(struct why *w)
{
	struct err err = { 0 };
	const char *dir;
	struct arena *a;

	if (w->tried)
		return w->causes;
	w->tried = true;
	if (!w->causes && causes_new(&w->causes) < 0)
		return NULL;
	a = arena_new(ARENA_DEFAULT_LIMIT);
	dir = w->opts->syslibdir[0] ? w->opts->syslibdir : libs_dir(a);
	if (causes_add_file(w->causes, arena_printf(a, "%s/causes", dir), &err) < 0) {
		cmd_msg("%s", err.msg);
		if (!w->opts->causes[0])
			why_done(w);
	}
	arena_free(a);
	return w->causes;
}

const char *why_words(void *arg, const char *const *names, size_t n, const char **ret_class)
{
	struct causes *c = why_causes(arg);
	struct cause why;

	if (!c || causes_classify(c, names, n, 0, &why) < 0)
		return NULL;
	*ret_class = cause_class_name(why.class);
	return why.words;
}

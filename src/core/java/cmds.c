/* SPDX-License-Identifier: Apache-2.0 */
/* The command ::jstack: the stack of a thread with Java's frames. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/cmds.h"
#include "core/java/java.h"

#define FRAMES 100000u

struct wants {
	uint64_t frames;
	bool java; /* no native frames */
};

/* As JSON has it. The text of native methods and stubs has the word already. */
static const char *tier_word(enum hs_tier t)
{
	static const char *const words[] = {
		[HS_INTERPRETED] = "interpreted", [HS_C1] = "C1",     [HS_C2] = "C2",
		[HS_NATIVE] = "native",		  [HS_STUB] = "stub",
	};

	return words[t];
}

/* The text of a frame, or why there is none. *named: there is one, and *tier. */
static const char *describe(const struct javaview *v, uint64_t word, char *buf, size_t size, enum hs_tier *tier,
			    bool *named)
{
	const int r = javaview_text(v, word, buf, size, tier);

	*named = r == 0;
	if (r == -ENODATA || r == -EFAULT)
		return "(its method is not in the core)";
	return r < 0 ? "(its method is damaged)" : buf;
}

static void say_java(struct shell *s, const struct core_thread *t, const struct javaview *v,
		     const struct javaview_frame *f)
{
	char buf[RT_MAX_TEXT];
	enum hs_tier tier = HS_STUB;
	bool named;
	const char *text = describe(v, f->word, buf, sizeof(buf), &tier, &named);
	struct rt_function fn[HS_MAX_INLINED] = { 0 };
	const size_t n = named ? rt_text_functions(text, fn, HS_MAX_INLINED) : 0;
	struct jsonw w = jsonw_to(&s->text);

	if (!s->json) {
		shell_print(s, "%016" PRIx64 " %s", f->at.sp, text);
		if (named && tier != HS_NATIVE && tier != HS_STUB)
			shell_print(s, " [%s]", tier_word(tier));
		shell_print(s, "\n");
		return;
	}
	jsonw_object(&w, NULL);
	jsonw_i64(&w, "tid", t->tid);
	jsonw_strf(&w, "sp", "%" PRIx64, f->at.sp);
	jsonw_str(&w, "kind", named ? tier_word(tier) : "unknown");
	jsonw_array(&w, "functions"); /* the innermost one first */
	for (size_t i = 0; i < n; i++) {
		jsonw_object(&w, NULL);
		jsonw_strf(&w, "function", "%.*s", (int)fn[i].name_len, fn[i].name);
		jsonw_strf(&w, "file", "%.*s", (int)fn[i].file_len, fn[i].file ? fn[i].file : "");
		jsonw_u64(&w, "line", fn[i].line);
		jsonw_end_object(&w);
	}
	jsonw_end_array(&w);
	jsonw_end_object(&w);
	jsonw_line(&w);
}

static void say_native(struct shell *s, const struct core_thread *t, const struct javaview_frame *f)
{
	struct jsonw w = jsonw_to(&s->text);

	if (!s->json) {
		shell_print(s, "%016" PRIx64 " ", f->at.sp);
		shell_place(s, f->at.ip);
		shell_print(s, "\n");
		return;
	}
	jsonw_object(&w, NULL);
	jsonw_i64(&w, "tid", t->tid);
	jsonw_strf(&w, "sp", "%" PRIx64, f->at.sp);
	jsonw_str(&w, "kind", "system");
	shell_json_place(s, &w, f->at.ip);
	jsonw_end_object(&w);
	jsonw_line(&w);
}

static int say(struct shell *s, const struct core_thread *t, const struct javaview *v, const javaview_frames *f,
	       const struct wants *w)
{
	int r = 0;

	for (size_t i = 0; i < f->n && r == 0 && s->error == 0; i++) {
		const struct javaview_frame *x = &f->v[i];

		if (!x->word && w->java)
			continue;
		if (s->to)
			r = shell_emit(s, x->at.sp);
		else if (x->word)
			say_java(s, t, v, x);
		else
			say_native(s, t, x);
	}
	return r;
}

static int read_wants(struct shell *s, const struct dcall *d, struct wants *w)
{
	int r = 0;

	for (int i = 0; i < d->argc && r == 0; i++) {
		if (!strcmp(d->argv[i], "-j"))
			w->java = true;
		else if (!strcmp(d->argv[i], "-n"))
			r = shell_option(s, d, &i, FRAMES, &w->frames);
		else
			r = shell_refuse(s, "jstack", d->argv[i]);
	}
	return r;
}

int dcmd_jstack(struct shell *s, const struct dcall *d)
{
	struct wants w = { FRAMES, false };
	const struct core_thread *t;
	javaview_frames f = { 0 };
	const char *reason = NULL;
	struct javaview v;
	int r = read_wants(s, d, &w);

	if (r == 0)
		r = shell_thread(s, d, &t);
	if (r == 0 && !t->has_regs)
		r = err_set(&s->err, -ENODATA, "the registers of thread %x are not known", (unsigned)t->tid);
	if (r == 0)
		r = javaview_open(s->core, &v, &s->err);
	if (r < 0)
		return r;
	r = javaview_walk(&v, t->regs, (unsigned)w.frames, &f, &reason);
	if (r == 0 && !s->json)
		shell_print(s, "thread %x (%d)%s%s:\n", (unsigned)t->tid, (int)t->tid, *t->comm ? " " : "", t->comm);
	if (r == 0)
		r = say(s, t, &v, &f, &w);
	if (r == 0 && reason && !s->json)
		shell_print(s, "                 (the stack goes on: %s)\n", reason);
	vec_free(&f);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "view/summary/stuckprint.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/strb.h"
#include "base/units.h"
#include "base/vec.h"

#define JSON_VERSION 1
#define INDENT 9     /* of what belongs to a thread */
#define MAX_ALIKE 12 /* numbers of threads in one entry */

bool stuckprint_wants(const struct stuck_print *p, const struct stuck_thread *t)
{
	if ((p->pid && t->pid != p->pid) || t->off_cpu_ns < p->over_ns)
		return false;
	if (p->comm && strcmp(t->name, p->comm) != 0 && strcmp(t->process, p->comm) != 0)
		return false;
	if (p->container && (!p->container[0] || strncmp(t->container, p->container, strlen(p->container)) != 0))
		return false;
	if (p->cgroup && t->cgroup != p->cgroup)
		return false;
	if (p->wants && !p->wants(p->wants_ctx, t->pid))
		return false;
	return p->all || stuck_is(t);
}

/* "postgres 412", with the thread where it is not the first. */
static void put_who(struct strb *b, const char *process, const char *name, uint32_t pid, uint32_t tid)
{
	if (process && strcmp(process, name) != 0)
		strb_printf(b, "%s %u, thread %s %u", process, pid, name, tid);
	else if (pid != tid)
		strb_printf(b, "%s %u, thread %u", name, pid, tid);
	else
		strb_printf(b, "%s %u", name, pid);
}

static void frame_name(struct strb *b, bool known, const struct symbol *s, uint64_t addr)
{
	if (known)
		strb_adds(b, s->name);
	else if (s->module && s->module[0])
		strb_printf(b, "%s+0x%llx", s->module, (unsigned long long)s->offset);
	else
		strb_printf(b, "0x%llx", (unsigned long long)addr);
}

static void name_frame(const struct stuck_print *p, const struct stuck_thread *t, bool user, size_t i, struct strb *b)
{
	uint64_t addr = user ? t->ustack[i] : t->stack[i];
	struct symbol s;
	/* A return address is after the call, which may be the function's last instruction. */
	uint64_t in = i ? addr - 1 : addr;
	bool known = user ? sym_user(p->sym, t->pid, t->start, in, &s) : sym_kernel(p->sym, in, &s);

	frame_name(b, known && s.name, &s, addr);
}

/* -- text -- */

/* Words one after the other, in lines of the width with this indentation. */
struct fill {
	FILE *out;
	int columns, indent, at;
};

/* How much of a word that is longer than a line stays in it: up to a place where names have a seam, if there is one. */
static int fill_part(const char *word, int room)
{
	for (int n = room; n > room / 2; n--)
		if (strchr(":,<>(){} ", word[n - 1]) && word[n - 1] != word[n])
			return n;
	return room;
}

static void fill_word(struct fill *f, const char *word)
{
	const int room = f->columns - f->indent;
	int n = (int)strlen(word);

	if (n > room && f->at > f->indent) {
		fprintf(f->out, "\n%*s", f->indent, "");
		f->at = f->indent;
	}
	for (; n > room; n = (int)strlen(word)) {
		int part = fill_part(word, room);

		fprintf(f->out, "%.*s\n%*s", part, word, f->indent, "");
		word += part;
	}
	if (f->at > f->indent && f->at + 1 + n > f->columns) {
		fprintf(f->out, "\n%*s", f->indent, "");
		f->at = f->indent;
	} else if (f->at > f->indent) {
		fputc(' ', f->out);
		f->at++;
	}
	fputs(word, f->out);
	f->at += n;
}

static void fill_words(struct fill *f, const char *text)
{
	struct strb word = { 0 };

	while (*text) {
		size_t n = strcspn(text, " ");

		strb_reset(&word);
		strb_add(&word, text, n);
		if (n)
			fill_word(f, strb_str(&word));
		text += n + (text[n] == ' ');
	}
	strb_free(&word);
}

static struct fill fill_begin(const struct stuck_print *p, const char *label)
{
	struct fill f = { p->out, p->columns, INDENT + 8, INDENT + 8 };

	fprintf(p->out, "%*s%-8s", INDENT, "", label);
	return f;
}

static void put_stack(const struct stuck_print *p, const struct stuck_thread *t, bool user)
{
	size_t n = user ? t->nustack : t->nstack;
	struct strb b = { 0 };
	struct fill f;

	if (!n)
		return;
	f = fill_begin(p, user ? "user" : "kernel");
	for (size_t i = 0; i < n; i++) {
		strb_reset(&b);
		name_frame(p, t, user, i, &b);
		fill_word(&f, strb_str(&b));
	}
	if (user && (t->ustack_flags & (REC_USTACK_CUT | REC_USTACK_FAULT)))
		fill_word(&f, "[cut]");
	fputc('\n', p->out);
	strb_free(&b);
}

static void put_waited(struct strb *b, const struct stuck_thread *t)
{
	char time[UNITS_LEN];

	strb_printf(b, "%s", t->state == 'R' ? "waits for a CPU" : t->cause.words);
	if (t->cause.inferred)
		strb_adds(b, " (inferred)");
	if (t->off_cpu_ns)
		strb_printf(b, ", for %s", units_ns(t->off_cpu_ns, time));
}

/* Writes the thread that has the lock, what that one waits for, and so on. */
static void put_holders(const struct stuck_print *p, const struct stuck_thread *t)
{
	const struct stuck_thread *chain[STUCK_MAX_CHAIN];
	struct strb b = { 0 };
	struct fill f;
	bool cycle;
	size_t n = stuck_chain(t, chain, &cycle);
	const bool readers = t->shared && t->kind != STUCK_SEMAPHORE;

	if (!t->holder_tid && !readers)
		return;
	f = fill_begin(p, "held by");
	if (!t->holder_tid) {
		fill_words(&f, "readers; the kernel does not note which");
		fputc('\n', p->out);
		return;
	}
	put_who(&b, t->holder ? t->holder->process : NULL, t->holder_name, t->holder_pid, t->holder_tid);
	if (t->shared)
		strb_adds(&b, " (took it last; others may have it, too)");
	if (!t->holder)
		strb_adds(&b, ", which runs");
	for (size_t i = 0; i < n; i++) {
		strb_adds(&b, ", which waits: ");
		put_waited(&b, chain[i]);
		if (!chain[i]->holder_tid)
			break;
		strb_adds(&b, "; that is held by ");
		put_who(&b, NULL, chain[i]->holder_name, chain[i]->holder_pid, chain[i]->holder_tid);
	}
	if (cycle)
		strb_adds(&b, ": they wait for each other, a deadlock");
	fill_words(&f, strb_str(&b));
	fputc('\n', p->out);
	strb_free(&b);
}

/* Writes what the thread waits for, which thread has it, and where: all but its number and how long. */
static void put_wait(const struct stuck_print *p, const struct stuck_thread *t)
{
	struct strb b = { 0 };
	struct fill f = fill_begin(p, "waits");

	fill_words(&f, t->state == 'R' ? "for a CPU" : t->cause.words);
	if (t->cause.inferred)
		fill_words(&f, "(inferred)");
	if (t->kind != STUCK_NO_LOCK) {
		strb_reset(&b);
		strb_printf(&b, "[%s 0x%llx%s]", stuck_kind_name(t->kind), (unsigned long long)t->lock,
			    t->found ? ", found on its stack" : "");
		fill_words(&f, strb_str(&b));
	}
	fputc('\n', p->out);
	put_holders(p, t);
	put_stack(p, t, false);
	put_stack(p, t, true);
	strb_free(&b);
}

/* Threads of one name that wait for the same in the same place. */
struct alike {
	VEC(const struct stuck_thread *) v;
	char *wait; /* what put_wait() says of each; malloc'ed */
};
struct entries {
	VEC(struct alike) a;
};

static bool is_alike(const struct stuck_thread *a, const struct stuck_thread *b)
{
	return a->state == b->state && !strcmp(a->name, b->name) && !strcmp(a->process, b->process) &&
	       !strcmp(a->container, b->container);
}

/* Adds it to those like it. -ENOMEM. */
static int group(const struct stuck_print *p, const struct stuck_thread *t, struct entries *to)
{
	struct stuck_print one = *p;
	_cleanup_free_ char *wait = NULL;
	size_t len;

	one.out = open_memstream(&wait, &len);
	if (!one.out)
		return -ENOMEM;
	put_wait(&one, t);
	if (fclose(one.out) != 0)
		return -ENOMEM;
	for (size_t i = 0; i < to->a.n; i++)
		if (is_alike(to->a.v[i].v.v[0], t) && !strcmp(to->a.v[i].wait, wait))
			return vec_try_push(&to->a.v[i].v, t);
	if (vec_try_push(&to->a, (struct alike){ 0 }) < 0)
		return -ENOMEM;
	to->a.v[to->a.n - 1].wait = take_ptr(wait);
	return vec_try_push(&to->a.v[to->a.n - 1].v, t);
}

static void put_alike(const struct stuck_print *p, const struct alike *a)
{
	const struct stuck_thread *t = a->v.v[0], *last = a->v.v[a->v.n - 1];
	char time[UNITS_LEN], least[UNITS_LEN];
	_cleanup_(strb_free) struct strb b = { 0 };

	put_who(&b, t->process, t->name, t->pid, t->tid);
	fprintf(p->out, "%8s %c %s%s%.12s\n", t->off_cpu_ns ? units_ns(t->off_cpu_ns, time) : "?", t->state,
		strb_str(&b), t->container[0] ? ", container " : "", t->container);
	if (a->v.n > 1) {
		struct fill f = fill_begin(p, "alike");

		strb_reset(&b);
		strb_printf(&b, "%zu more", a->v.n - 1);
		if (last->off_cpu_ns)
			strb_printf(&b, ", for %s at least", units_ns(last->off_cpu_ns, least));
		strb_addc(&b, ':');
		for (size_t i = 1; i < a->v.n && i <= MAX_ALIKE; i++)
			strb_printf(&b, " %u", a->v.v[i]->tid);
		strb_adds(&b, a->v.n - 1 > MAX_ALIKE ? " ..." : "");
		fill_words(&f, strb_str(&b));
		fputc('\n', p->out);
	}
	fprintf(p->out, "%s\n", a->wait);
}

/* Ten workers that are stopped, or wait for one lock, are one entry. */
static int put_text(const struct stuck_print *p, const struct stuck_thread *const *v, size_t n, size_t *ret_shown)
{
	struct entries all = { 0 };
	int e = 0;

	for (size_t i = 0; i < n && e == 0; i++)
		if (stuckprint_wants(p, v[i])) {
			e = group(p, v[i], &all);
			++*ret_shown;
		}
	for (size_t i = 0; i < all.a.n; i++) {
		if (e == 0)
			put_alike(p, &all.a.v[i]);
		free(all.a.v[i].wait);
		vec_free(&all.a.v[i].v);
	}
	vec_free(&all.a);
	return e;
}

/* -- JSON -- */

static void json_stack(const struct stuck_print *p, const struct stuck_thread *t, bool user, struct jsonw *w)
{
	size_t n = user ? t->nustack : t->nstack;
	struct strb name = { 0 };

	jsonw_array(w, user ? "ustack" : "stack");
	for (size_t i = 0; i < n; i++) {
		strb_reset(&name);
		name_frame(p, t, user, i, &name);
		jsonw_object(w, NULL);
		jsonw_strf(w, "addr", "0x%llx", (unsigned long long)(user ? t->ustack[i] : t->stack[i]));
		jsonw_strn(w, "name", strb_str(&name), name.n);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	strb_free(&name);
}

static void json_holder(struct jsonw *w, const struct stuck_thread *t)
{
	const struct stuck_thread *chain[STUCK_MAX_CHAIN];
	bool cycle;

	stuck_chain(t, chain, &cycle);
	jsonw_object(w, "holder");
	jsonw_u64(w, "pid", t->holder_pid);
	jsonw_u64(w, "tid", t->holder_tid);
	jsonw_str(w, "comm", t->holder_name);
	jsonw_bool(w, "one_of_several", t->shared);
	jsonw_bool(w, "runs", !t->holder);
	jsonw_bool(w, "deadlock", cycle);
	jsonw_end_object(w);
}

static void json_thread(const struct stuck_print *p, const struct stuck_thread *t, struct strb *b)
{
	struct jsonw w = jsonw_to(b);

	jsonw_object(&w, NULL);
	jsonw_str(&w, "type", "stuck");
	jsonw_u64(&w, "version", JSON_VERSION);
	jsonw_u64(&w, "pid", t->pid);
	jsonw_u64(&w, "tid", t->tid);
	jsonw_str(&w, "comm", t->name);
	jsonw_str(&w, "process", t->process);
	jsonw_strn(&w, "state", &t->state, 1);
	if (t->off_cpu_ns)
		jsonw_u64(&w, "off_cpu_ns", t->off_cpu_ns);
	jsonw_str(&w, "cause", t->cause.words);
	jsonw_str(&w, "class", cause_class_name(t->cause.class));
	jsonw_bool(&w, "inferred", t->cause.inferred);
	jsonw_u64(&w, "cgroup", t->cgroup);
	jsonw_str(&w, "container", t->container);
	if (t->kind != STUCK_NO_LOCK) {
		jsonw_str(&w, "lock", stuck_kind_name(t->kind));
		jsonw_strf(&w, "lock_addr", "0x%llx", (unsigned long long)t->lock);
		jsonw_str(&w, "lock_from", t->found ? "stack" : "note");
	}
	if (t->holder_tid)
		json_holder(&w, t);
	json_stack(p, t, false, &w);
	json_stack(p, t, true, &w);
	jsonw_end_object(&w);
	jsonw_line(&w);
}

/* -- all -- */

static void put_summary(const struct stuck_print *p, size_t shown, size_t all)
{
	if (p->all || p->pid || p->comm || p->container || p->cgroup || p->wants)
		fprintf(p->out, "%zu of %zu sleeping threads.\n", shown, all);
	else
		fprintf(p->out, "%zu of %zu sleeping threads %s stuck; the others have nothing to do (--all).\n", shown,
			all, shown == 1 ? "is" : "are");
}

int stuckprint(const struct stuck_print *p, struct stuck *s)
{
	const struct stuck_thread *const *v;
	struct strb b = { 0 };
	size_t n, shown = 0;
	int e = 0;

	v = stuck_list(s, &n);
	for (size_t i = 0; i < n && p->json; i++) {
		if (!stuckprint_wants(p, v[i]))
			continue;
		strb_reset(&b);
		json_thread(p, v[i], &b);
		fputs(strb_str(&b), p->out);
	}
	strb_free(&b);
	if (!p->json) {
		e = put_text(p, v, n, &shown);
		put_summary(p, shown, n);
	}
	if (e < 0)
		return e;
	return ferror(p->out) || fflush(p->out) != 0 ? -EPIPE : 0;
}

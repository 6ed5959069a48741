/* SPDX-License-Identifier: Apache-2.0 */
/* Adds probes to a running session: compiles, loads and attaches them. */
#include "run/session/dynamic_probes.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "lang/later.h"
#include "run/follow/jvmwatch.h"
#include "run/follow/latewatch.h"
#include "run/follow/modwatch.h"
#include "run/session/int.h"
#include "sym/object/uobj.h"

#define ARENA_LIMIT ((size_t)64 << 20) /* of what is compiled for one file */

struct dynprobes {
	struct session *s;
	struct latewatch *watch;    /* NULL: nobody waits for files */
	const char **provs;	    /* providers of the descriptions that wait for files */
	const struct pdesc **descs; /* the descriptions */
	size_t nprovs;
	bool classes;			   /* somebody waits for classes of Java */
	struct jvmwatch *jvms;		   /* NULL: nobody waits for JVMs */
	int modules;			   /* of modwatch; -1: nobody waits for modules */
	uint64_t lost_modules, no_modules; /* times that messages were lost; modules that could not be looked at */
	VEC(struct arena *) arenas;	   /* of what was added */
	uint64_t second, spent_ns;	   /* since when; of it */
	uint64_t nclasses, njvms;	   /* for which there was no room */
	uint64_t busy, gone, full;	   /* files: not looked at; could not be read; for which there was no room */
};

int dynprobes_new(struct session *s, struct dynprobes **ret)
{
	const struct dprog *p = s->c.prog;
	struct dynprobes *l;
	bool modules = false, jvms = false;
	int r;

	*ret = NULL;
	if (!s->c.img->nlater || !s->c.cg || !s->c.schema)
		return 0;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->s = s;
	l->modules = -1;
	l->provs = calloc(p->ninstances + 1, sizeof(*l->provs));
	l->descs = calloc(p->ninstances + 1, sizeof(*l->descs));
	for (const struct clause_instance *ds = p->instances; l->provs && l->descs && ds; ds = ds->next)
		if (later_is(ds) && registry_is_java(&ds->desc)) {
			l->classes = true;
			jvms |= registry_wants_jvms(&ds->desc);
		} else if (later_is(ds) && registry_is_user(s->c.reg, &ds->desc)) {
			l->descs[l->nprovs] = &ds->desc;
			l->provs[l->nprovs++] = ds->desc.prov;
		} else {
			modules |= later_is(ds);
		}
	r = !l->provs || !l->descs ? -ENOMEM : l->nprovs ? latewatch_new(l->provs, l->nprovs, &l->watch) : 0;
	if (r == 0 && jvms)
		r = jvmwatch_new(registry_connect_jvm, &l->jvms);
	if (r == 0 && modules)
		l->modules = modwatch_open();
	if (l->modules < 0 && modules && r == 0)
		r = session_note(
			s,
			"functions of modules that are loaded later are not traced: the kernel does not tell of "
			"modules (netlink): %s",
			strerror(-l->modules));
	if (r == 0) {
		*ret = l;
		return 0;
	}
	dynprobes_free(l);
	if (r == -ENOMEM)
		return r;
	return session_note(s,
			    "probes of programs that start later are not looked for: the kernel does not tell of "
			    "mappings (perf): %s",
			    strerror(-r));
}

void dynprobes_free(struct dynprobes *l)
{
	if (!l)
		return;
	latewatch_free(l->watch); /* takes NULL */
	jvmwatch_free(l->jvms);
	closep(&l->modules);
	for (size_t i = 0; i < l->arenas.n; i++)
		arena_free(l->arenas.v[i]);
	vec_free(&l->arenas);
	free(l->provs);
	free(l->descs);
	free(l);
}

/* -- what is added -- */

enum found_in { OF_FILE, OF_MODULE, OF_CLASS, OF_JVM };

struct adding {
	struct dynprobes *l;
	enum found_in source;
	const char *where; /* in words */
	struct arena *a;
	struct probe_list *found; /* by epid - 1 */
	size_t n;
	const char *reason; /* of a probe that does not fit */
	const struct probe *unfit;
};

static void add_probe(struct adding *ad, const struct clause_instance *ds, struct probe *p)
{
	const char *reason = later_misfit(ad->a, ad->l->s->c.prog, ds, p);
	struct probe_list *list = &ad->found[ds->epid - 1];

	if (reason && !ad->reason) {
		ad->reason = reason;
		ad->unfit = p;
	}
	if (reason)
		return;
	list->v[list->n++] = p;
	ad->n++;
}

static void find_probes(struct adding *ad)
{
	const struct session *s = ad->l->s;

	for (const struct clause_instance *ds = s->c.prog->instances; ds; ds = ds->next) {
		struct probe_list all, *list = &ad->found[ds->epid - 1];

		if (!later_is(ds))
			continue;
		if (registry_is_java(&ds->desc) != (ad->source == OF_CLASS || ad->source == OF_JVM))
			continue;
		if (ad->source == OF_MODULE)
			registry_match_module(s->c.reg, ad->a, &ds->desc, &all);
		else if (ad->source == OF_CLASS)
			registry_match_class(s->c.reg, ad->a, &ds->desc, &all);
		else if (ad->source == OF_JVM)
			registry_match_jvm(s->c.reg, ad->a, &ds->desc, &all);
		else
			registry_match_file(s->c.reg, ad->a, &ds->desc, later_wants_args(ds), &all);
		list->v = arena_new_arr(ad->a, struct probe *, all.n + 1);
		for (size_t i = 0; i < all.n; i++)
			add_probe(ad, ds, all.v[i]);
	}
}

/* Formats and aggregations are as they were: later_program() has the same clauses. */
static bool same_records(const struct image *a, const struct image *b)
{
	if (a->nfmts != b->nfmts || a->naggs != b->naggs)
		return false;
	for (uint32_t i = 0; i < a->nfmts; i++)
		if (a->fmts[i]->size != b->fmts[i]->size || a->fmts[i]->nacts != b->fmts[i]->nacts)
			return false;
	return true;
}

static int compile(struct adding *ad, struct image **ret, struct err *err)
{
	const struct session *s = ad->l->s;
	struct cg_env cg = *s->c.cg;
	struct diags d;
	int r;

	cg.more = true;
	cg.first_prog = s->l->img->nprogs;
	diags_init(&d, ad->a);
	r = cg_compile(ad->a, later_program(ad->a, s->c.prog, ad->found), &cg, &d, ret);
	if (r < 0 || d.nerrors)
		return err_set(err, r < 0 ? r : -EINVAL, "%s", d.first ? d.first->msg : strerror(-r));
	return same_records(s->l->img, *ret)
		       ? 0
		       : err_set(err, -ESTALE, "its records would differ from those of other programs");
}

static void add_schema(struct adding *ad)
{
	const struct session *s = ad->l->s;

	for (const struct clause_instance *ds = s->c.prog->instances; ds; ds = ds->next) {
		const struct probe_list *list = &ad->found[ds->epid - 1];

		for (size_t i = 0; i < list->n; i++)
			session_schema_add(s->c.prog->arena, s->c.schema, list->v[i]);
	}
}

static int load_and_attach(struct adding *ad, struct err *err)
{
	struct session *s = ad->l->s;
	struct load_opts opts = { .log = s->c.prog->opts->bpflog ? s->c.log : NULL,
				  .log_ctx = s->c.ctx,
				  .log_size = s->c.prog->opts->bpflogsize };
	uint32_t first = s->l->img->nprogs;
	struct image *img;
	int r = compile(ad, &img, err);

	if (r == 0)
		r = load_more(s->l, img, s->c.ts, &opts, err);
	if (r < 0)
		return r;
	s->c.img = s->l->img;
	add_schema(ad);
	for (uint32_t i = first; i < s->l->img->nprogs && r == 0; i++) {
		r = session_attach(s, i);
		if (r < 0)
			err_set(err, r, "%s", s->err->msg);
	}
	return r;
}

/* The compiled image is kept: the names of its programs are in it. */
static int add(struct adding *ad)
{
	struct dynprobes *l = ad->l;
	struct err err = { 0 };
	int r = 0;

	ad->found = arena_new_arr(ad->a, struct probe_list, l->s->c.prog->ninstances + 1);
	find_probes(ad);
	if (ad->reason)
		r = session_note(l->s, "%s:%s:%s:%s of %s is not enabled: %s", ad->unfit->prov, ad->unfit->mod,
				 ad->unfit->func, ad->unfit->name, ad->where, ad->reason);
	if (!ad->n || r < 0 || vec_try_push(&l->arenas, ad->a) < 0) {
		arena_free(ad->a);
		return r;
	}
	r = load_and_attach(ad, &err);
	if (r < 0)
		r = session_note(l->s, "%s of %s cannot be enabled: %s",
				 ad->source == OF_MODULE ? "functions" : "probes", ad->where, err.msg);
	err_done(&err);
	err_done(l->s->err);
	return r;
}

/* *ret_any: it has probes that were not there already. */
static int add_file(struct dynprobes *l, const struct side_event *e, bool *ret_any)
{
	struct adding ad = { .l = l, .a = arena_new(ARENA_LIMIT) };

	int r;

	ad.where = arena_printf(ad.a, "%s, which process %u has mapped,", e->path, e->tgid);
	r = add(&ad);
	*ret_any = ad.n > 0;
	return r;
}

static int add_module(struct dynprobes *l, const char *name)
{
	struct adding ad = { .l = l, .source = OF_MODULE };
	bool any;
	int r = registry_module(l->s->c.reg, name, &any);

	l->no_modules += r < 0;
	if (!any)
		return 0;
	if (l->arenas.n >= DYNPROBES_MAX_FILES) {
		l->full++;
		return 0;
	}
	ad.a = arena_new(ARENA_LIMIT);
	ad.where = arena_printf(ad.a, "the kernel module %s", name);
	return add(&ad);
}

/* Adds the probes of a class that a JVM loads. */
static int add_class(struct dynprobes *l, const char *name, int pid)
{
	struct adding ad = { .l = l, .source = OF_CLASS, .a = arena_new(ARENA_LIMIT) };
	struct err err = { 0 };
	const char *where = arena_printf(ad.a, "the class %s, which process %d has loaded,", name, pid);
	int r = 0;

	ad.where = where;
	if (l->arenas.n >= DYNPROBES_MAX_FILES) {
		l->nclasses++;
		arena_free(ad.a);
		ad.n = 0;
	} else {
		r = add(&ad);
	}
	if (registry_class_done(l->s->c.reg, &err) < 0 && r == 0)
		r = session_note(l->s, "probes of a class that process %d has loaded cannot be enabled: %s", pid,
				 err.msg);
	err_done(&err);
	return r;
}

static int drain_classes(struct dynprobes *l)
{
	const char *name;
	int pid, r = 0;

	while (r == 0 && registry_next_class(l->s->c.reg, &name, &pid))
		r = add_class(l, name, pid);
	return r;
}

/* Adds the probes of a JVM that began. One that has ended meanwhile is nothing to tell of. */
static int add_jvm(struct dynprobes *l, int pid, int fd, struct err *err)
{
	struct adding ad = { .l = l, .source = OF_JVM };
	int r = fd;

	if (r >= 0 && l->arenas.n >= DYNPROBES_MAX_FILES) {
		close(fd);
		l->njvms++;
		return 0;
	}
	if (r >= 0)
		r = registry_add_jvm(l->s->c.reg, pid, fd, err);
	if (r < 0)
		return kill(pid, 0) < 0 && errno == ESRCH ? 0 : session_note(l->s, "a JVM is left out: %s", err->msg);
	ad.a = arena_new(ARENA_LIMIT);
	ad.where = arena_printf(ad.a, "the JVM %d", pid);
	r = add(&ad);
	registry_jvm_done(l->s->c.reg);
	return r;
}

static int drain_jvms(struct dynprobes *l)
{
	struct err err = { 0 };
	int pid, fd, r = 0;

	while (r == 0 && jvmwatch_next(l->jvms, &pid, &fd, &err)) {
		r = add_jvm(l, pid, fd, &err);
		err_done(&err);
	}
	return r;
}

/* The result of a look at a file. */
struct look {
	bool gone;   /* it could not be looked at */
	bool wanted; /* it has probes that are wanted and were not there already */
};

/* 0, or -errno of the recording. */
static int look_at_file(struct dynprobes *l, const struct side_event *e, struct look *ret)
{
	struct uobj_mapping m = { .pid = (int)e->tgid,
				  .start = e->addr,
				  .end = e->addr + e->len,
				  .off = e->off,
				  .dev = e->dev,
				  .ino = e->ino,
				  .path = e->path };

	ret->gone = registry_file(l->s->c.reg, &m, l->descs, l->nprovs, &ret->wanted) < 0;
	l->gone += ret->gone;
	if (!ret->wanted)
		return 0;
	if (l->arenas.n >= DYNPROBES_MAX_FILES) {
		l->full++;
		return 0;
	}
	return add_file(l, e, &ret->wanted);
}

static int drain_modules(struct dynprobes *l)
{
	char name[MODWATCH_MAX_NAME];
	struct step s = step_more();
	int r = 0;

	while (r == 0 && (s.more || s.error == -ENOBUFS)) {
		s = modwatch_next(l->modules, name);
		if (s.more)
			r = add_module(l, name);
		l->lost_modules += s.error == -ENOBUFS;
	}
	return r;
}

/* Adds probes of the modules that were loaded after the compiler looked. */
static int look_at_modules(struct dynprobes *l)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/modules", "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	int r = 0;

	while (f && r == 0 && getline(&line, &cap, f) > 0) {
		line[strcspn(line, " \n")] = '\0';
		if (!registry_knows_module(l->s->c.reg, line))
			r = add_module(l, line);
	}
	return r;
}

int dynprobes_drain(struct dynprobes *l)
{
	struct latefile *f;
	int r = l->modules >= 0 ? drain_modules(l) : 0;

	if (r == 0 && l->classes)
		r = drain_classes(l);
	if (r == 0 && l->jvms)
		r = drain_jvms(l);
	while (l->watch && (f = latewatch_next(l->watch))) {
		/* CPU time: on a busy machine more time passes */
		uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID), now = clock_ns(CLOCK_MONOTONIC);

		if (now - l->second >= NSEC_PER_SEC) {
			l->second = now;
			l->spent_ns = 0;
		}
		if (l->spent_ns >= DYNPROBES_SHARE_NS) {
			l->busy++;
			f->again = true;
		} else if (r == 0) {
			struct look found;

			r = look_at_file(l, &f->e, &found);
			f->again = found.gone;
			f->wanted = found.wanted;
		}
		latewatch_done(l->watch, f);
		l->spent_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	return r;
}

/* -- between the compiler's look at processes and the first event -- */

/* When a process started, in ticks. Source: proc(5), stat, field 22. */
static unsigned long long start_ticks(int pid)
{
	char path[32], buf[1024], *s;
	_cleanup_fclose_ FILE *f = NULL;
	unsigned long long v = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f || !fgets(buf, sizeof(buf), f))
		return 0;
	s = strrchr(buf, ')'); /* the name may have anything in it */
	for (int i = 2; s && i < 22; i++)
		s = strchr(s + 1, ' ');
	return s && sscanf(s, "%llu", &v) == 1 ? v : 0;
}

static int look_at_process(struct dynprobes *l, int pid)
{
	struct arena *a = arena_new(ARENA_LIMIT);
	struct err err = { 0 };
	struct uobj *v = NULL;
	size_t n = 0;
	int r = 0;

	if (uobj_list(a, pid, &v, &n, &err) < 0)
		n = 0;
	err_done(&err);
	for (size_t i = 0; i < n && r == 0; i++) {
		const struct side_event e = { .kind = SIDE_MMAP,
					      .tgid = (uint32_t)pid,
					      .addr = v[i].start,
					      .off = v[i].off,
					      .dev = v[i].dev,
					      .ino = v[i].ino,
					      .path = v[i].path };
		struct look found;

		r = look_at_file(l, &e, &found);
	}
	arena_free(a);
	return r;
}

static int look_at_young(struct dynprobes *l)
{
	unsigned long long ours = start_ticks(getpid());
	DIR *dir = opendir("/proc");
	struct dirent *d;
	int r = 0;

	while (dir && r == 0 && (d = readdir(dir))) {
		int pid = atoi(d->d_name);

		if (pid > 0 && pid != getpid() && start_ticks(pid) >= ours)
			r = look_at_process(l, pid);
	}
	if (dir)
		closedir(dir);
	return r;
}

/* JVMs that began after the compiler looked, too. */
static int start_jvms(struct dynprobes *l)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	int r;

	while (dir && (d = readdir(dir))) {
		int pid = atoi(d->d_name);

		if (pid > 0 && pid != getpid() && registry_is_new_jvm(l->s->c.reg, pid))
			jvmwatch_add(l->jvms, pid);
	}
	if (dir)
		closedir(dir);
	r = jvmwatch_start(l->jvms);
	return r < 0 ? session_note(l->s, "JVMs that begin later are not traced: %s", strerror(-r)) : 0;
}

int dynprobes_start(struct dynprobes *l)
{
	int r = l->modules >= 0 ? look_at_modules(l) : 0;

	if (r == 0 && l->classes) {
		registry_classes_start(l->s->c.reg);
		r = drain_classes(l);
	}
	if (r == 0 && l->jvms)
		r = start_jvms(l);
	if (r < 0 || !l->watch)
		return r;
	/* system() of destructive programs runs with the user's rights, and waits for its shell. */
	r = latewatch_start(l->watch, l->s->c.prog->opts->destructive ? LATEWATCH_SPARE_CHILDREN : LATEWATCH_DROP);
	if (r < 0)
		return session_note(l->s, "probes of programs that start later are not looked for: %s", strerror(-r));
	return look_at_young(l);
}

int dynprobes_fd(const struct dynprobes *l)
{
	return l->watch ? latewatch_fd(l->watch) : -1;
}

int dynprobes_class_fd(const struct dynprobes *l)
{
	return l->classes ? registry_classes_fd(l->s->c.reg) : -1;
}

int dynprobes_jvm_fd(const struct dynprobes *l)
{
	return l->jvms ? jvmwatch_fd(l->jvms) : -1;
}

int dynprobes_module_fd(const struct dynprobes *l)
{
	return l->modules;
}

void dynprobes_stop(struct dynprobes *l)
{
	if (l->watch)
		latewatch_stop(l->watch);
	if (l->jvms)
		jvmwatch_stop(l->jvms);
}

static int note(struct dynprobes *l, uint64_t n, const char *what)
{
	return n ? session_note(l->s, "probes of programs that started later: %llu %s", (unsigned long long)n, what)
		 : 0;
}

int dynprobes_note_losses(struct dynprobes *l)
{
	struct latewatch_losses w = { 0 };
	int r = 0;

	if (l->watch)
		w = latewatch_losses(l->watch);
	if (l->lost_modules || l->no_modules)
		r = session_note(
			l->s,
			"functions of modules that were loaded later: some may be missing (%llu could not be read)",
			(unsigned long long)l->no_modules);
	if (r == 0 && l->nclasses)
		r = session_note(l->s, "classes that were loaded later: %llu were left out, there is no room for more",
				 (unsigned long long)l->nclasses);
	if (l->jvms)
		l->njvms += jvmwatch_lost(l->jvms);
	if (r == 0 && l->njvms)
		r = session_note(l->s, "JVMs that began later: %llu or more may have been left out: too many at a time",
				 (unsigned long long)l->njvms);
	if (r == 0)
		r = note(l, w.events, "events of mappings were lost");
	if (r == 0)
		r = note(l, w.skipped + l->busy, "new files were not looked at: too many at a time");
	if (r == 0)
		r = note(l, l->gone,
			 "new files could not be looked at: they, or the processes that had them, were gone");
	if (r == 0)
		r = note(l, l->full, "files were left out: there is no room for more");
	if (r == 0)
		r = note(l, w.unpaused, "processes may have run past probes before they were enabled");
	return r;
}

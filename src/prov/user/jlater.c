/* SPDX-License-Identifier: Apache-2.0 */
/* Adds probes of the provider java while the program runs: of classes that a JVM loads, and, for java*, of JVMs that
 * begin. */
#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "prov/user/jprov.h"

/* -- classes that are loaded while the program runs -- */

int java_classes_fd(struct prov_env *env)
{
	struct prov_cache *pc = env->cache;

	if (!pc->java_events)
		pc->java_events = epoll_create1(EPOLL_CLOEXEC);
	if (pc->java_events < 0)
		return pc->java_events = 0, -1;
	for (struct jvms *j = pc->jvms; j; j = j->next) {
		struct epoll_event e = { .events = EPOLLIN };

		if (j->agent && !j->polled)
			j->polled = epoll_ctl(pc->java_events, EPOLL_CTL_ADD, jagent_fd(j->agent), &e) == 0;
	}
	return pc->java_events;
}

void java_classes_start(struct prov_env *env)
{
	struct err err = { 0 };

	for (struct jvms *j = env->cache->jvms; j; j = j->next)
		if (j->agent)
			jagent_ask(j->agent, "live\n", NULL, NULL, &err);
	err_done(&err);
}

bool java_next_class(struct prov_env *env, const char **ret_name, int *ret_pid)
{
	struct arena *keep = env->cache->arena;

	for (struct jvms *j = env->cache->jvms; j; j = j->next) {
		unsigned idx;

		if (!j->agent)
			continue;
		if (!arena_exhausted(keep) && jagent_next_loading(j->agent, &idx, ret_name)) {
			struct matching m = { .env = env, .jvm = j };
			char line[JAVA_LINE];

			*ret_pid = j->pid;
			snprintf(line, sizeof(line), "class %u %s", idx, *ret_name);
			java_add_class(&m, line);
			j->loading = j->last;
			j->nloading = 0;
			return true;
		}
		if (jagent_is_gone(j->agent) && j->polled) {
			epoll_ctl(env->cache->java_events, EPOLL_CTL_DEL, jagent_fd(j->agent), NULL);
			j->polled = false;
		}
	}
	return false;
}

void java_match_later(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out)
{
	struct matching m = { .env = env, .a = a, .d = d, .out = out };
	int pid = 0;

	if (!java_is_everyone(d->prov) && !java_parse_pid(d->prov, &pid))
		return;
	for (struct jvms *j = env->cache->jvms; j; j = j->next) {
		struct jclass *c = j->loading;

		if (!c || (pid && j->pid != pid) || !(pdesc_glob(d->mod, c->name) || pdesc_glob(d->mod, c->dotted)))
			continue;
		m.jvm = j;
		java_match_class(&m, c);
		j->nloading += (unsigned)out->n;
	}
	prov_list_sort(out, 0);
}

int java_class_done(struct prov_env *env, struct err *err)
{
	int r = 0;

	for (struct jvms *j = env->cache->jvms; j; j = j->next) {
		char line[64];

		if (!j->loading)
			continue;
		snprintf(line, sizeof(line), "done %u %u\n", j->loading->idx, j->nloading);
		j->loading = NULL;
		r = jagent_ask(j->agent, line, NULL, NULL, err);
	}
	return r;
}

/* -- JVMs that begin while the program runs, for java* -- */

bool java_knows(struct prov_env *env, int pid)
{
	const struct jvms *j = env->cache->jvms;

	while (j && j->pid != pid)
		j = j->next;
	return j != NULL;
}

int java_add_jvm(struct prov_env *env, int pid, int fd, struct err *err)
{
	struct prov_cache *pc = env->cache;
	struct matching m = { .env = env, .a = pc->arena };
	int r;

	if (arena_exhausted(pc->arena)) {
		close(fd);
		return err_set(err, -ENOMEM, "there is no room for the classes of process %d", pid);
	}
	m.jvm = java_new_jvm(env, pid, true);
	m.jvm->told = true;
	r = uproc_get(env, pid, &m.jvm->proc, err);
	if (r < 0)
		close(fd);
	else
		r = java_begin(&m, fd, err);
	if (r < 0)
		m.jvm->failed = "it is left out";
	else
		pc->java_born = m.jvm;
	return r;
}

void java_match_jvm(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out)
{
	struct matching m = { .env = env, .a = a, .d = d, .out = out, .jvm = env->cache->java_born };

	if (!m.jvm || !java_is_everyone(d->prov))
		return;
	java_watch(&m);
	java_match_classes(&m);
	prov_list_sort(out, 0);
}

void java_jvm_done(struct prov_env *env)
{
	struct jvms *j = env->cache->java_born;
	struct err err = { 0 };

	env->cache->java_born = NULL;
	if (j)
		jagent_ask(j->agent, "live\n", NULL, NULL, &err);
	err_done(&err);
	java_classes_fd(env);
}

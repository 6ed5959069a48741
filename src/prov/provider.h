/* SPDX-License-Identifier: Apache-2.0 */
/* Declares struct provider: a const table of functions that find probes, give types to their arguments, describe
 * how the kernel enters them, and attach loaded programs. Providers emit no instructions; cg knows no provider. */
#ifndef DWELL_PROV_PROVIDER_H
#define DWELL_PROV_PROVIDER_H
#include "base/err.h"
#include "cg/entry.h"
#include "lang/options.h"
#include "lang/probeinfo.h"
#include "load/link.h"
#include "types/caps.h"

/* The processes of a recording, which live under other numbers now. */
struct prov_processes {
	void *ctx;
	int (*find)(void *ctx, int pid);  /* where it lives; 0: there is none */
	int (*each)(void *ctx, size_t i); /* the i-th, as recorded; 0: there are no more */
};
/* The environment of providers; one per session. */
struct prov_env {
	struct typesrc *ts;
	const struct caps *caps;
	int tracefs_fd;			   /* directory; -1 when it cannot be had; PROV_UNOPENED: not tried yet */
	int tracefs_error;		   /* -errno when it cannot be had */
	int64_t target;			   /* $target, or 0 */
	bool listing;			   /* registry_list_only() */
	bool target_begins;		   /* registry_target_begins() */
	const struct dopts *opts;	   /* registry_options(), or NULL */
	int (*stop)(void);		   /* registry_stop_when(), or NULL */
	const struct prov_processes *past; /* registry_processes(), or NULL */
	struct prov_cache *cache;	   /* lists the providers keep for the session (prov_int.h) */
};
#define PROV_UNOPENED (-2)

struct provider {
	const char *name;	    /* "syscall" */
	bool of_processes;	    /* its probes have provider names of their own (pid123): asked for any given one */
	uint32_t id_base, id_count; /* its range of probe ids: fixed, so ids are stable within a boot */
	/* Adds all probes that match d (exact names are looked up, not listed). */
	int (*match)(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		     const char **reason);
	int (*by_id)(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret);
	int (*args)(struct prov_env *env, struct arena *a, struct probe *p);
	int (*entry)(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
		     const char **reason);
	/* NULL: attached by the common code for entry.kind (load/link.h). probes: all that the program serves,
	 * in id order. 0 with words in err: attached, but the user should know that. */
	int (*attach)(struct prov_env *env, const struct probe *const *probes, uint32_t nprobes, const struct entry *e,
		      int prog_fd, struct link **ret, struct err *err);
};

/* The registry: all providers as one probe source for the compiler. Lazy: a description that only BEGIN, a timer or
 * a system call can match touches neither BTF nor tracefs. ts may be NULL (kernel without BTF). Then there are no
 * tracepoint probes, and system calls are traced by raw tracepoints. */
struct registry;
int registry_new(struct typesrc *ts, const struct caps *caps, int64_t target, struct registry **ret);
void registry_free(struct registry *r);
/* For compile_env.probes; lives with r. Matching also fills probe.provider. */
const struct probe_source *registry_source(struct registry *r);
/* The name of the i-th provider that has probes of its own name; NULL: there are fewer. */
const char *registry_provider(size_t i);
/* May the description name probes inside of processes: a provider's name that none of the others has? */
bool registry_is_user(struct registry *r, const struct pdesc *d);
/* Probes are only going to be listed: those of patterns over processes for each of them. */
void registry_list_only(struct registry *r);
/* Options of the program that say where to look for probes: they are read when a description is matched. */
void registry_options(struct registry *r, const struct dopts *o);
/* Processes are those of a recording from now on; nothing is attached to them. p must outlive r. */
void registry_processes(struct registry *r, const struct prov_processes *p);
/* Where a probe in a file is. */
struct probe_place {
	uint64_t dev, ino, off; /* of the file as stat(2) has it */
	bool ret;		/* where the function that begins there returns */
	bool everyone;		/* in all processes that have the file */
	bool counted;		/* the program looks at a counter first, which is 0 unless somebody raises it */
	int pid;		/* where the process lives */
};
/* The i-th place of it; false: there are no more. */
bool registry_place(const struct probe *p, size_t i, struct probe_place *ret);
/* Slow steps of attaching end with -EINTR once stop() does not return 0. */
void registry_stop_when(struct registry *r, int (*stop)(void));
/* Looks at a file that a process has mapped. *ret_wanted: one of the descriptions means its static probes or its
 * functions ("pid*"); registry_match_file() is about it from now on. -errno: it cannot be looked at; *ret_wanted is
 * false. */
struct uobj_mapping;
int registry_file(struct registry *r, const struct uobj_mapping *m, const struct pdesc *const *descs, size_t n,
		  bool *ret_wanted);
/* The probes of a file that d matches and that no description had matched when it was opened. They have their arguments
 * if asked for: types of functions take long to read. */
void registry_match_file(struct registry *r, struct arena *a, const struct pdesc *d, bool with_args,
			 struct probe_list *ret);
/* Looks at a kernel module that was loaded. *ret_any: it has functions that can be traced, and registry_match_module()
 * is about it from now on. 0 or -errno; then *ret_any is false. */
int registry_module(struct registry *r, const char *name, bool *ret_any);
/* Was the module there when the kernel's functions were listed? */
bool registry_knows_module(struct registry *r, const char *name);
/* The probes of a module's functions that d matches; without args[]. */
void registry_match_module(struct registry *r, struct arena *a, const struct pdesc *d, struct probe_list *ret);
/* Classes that JVMs load, for the provider java: a descriptor that is readable when there may be one, -1: none is
 * waited for. From registry_classes_start() on the threads that load them wait for a moment. */
int registry_classes_fd(struct registry *r);
void registry_classes_start(struct registry *r);
/* d describes methods of the target, a JVM that has not begun. A class that d names is loaded ahead; other classes are
 * probed when the program loads them. Call it with all descriptions before the first is matched. */
void registry_target_begins(struct registry *r, const struct pdesc *d);
/* Is the description one of the provider java? */
bool registry_is_java(const struct pdesc *d);
/* The next one: registry_match_class(), which gives arguments, too, is about it until registry_class_done(), which lets
 * its thread go on. */
bool registry_next_class(struct registry *r, const char **ret_name, int *ret_pid);
void registry_match_class(struct registry *r, struct arena *a, const struct pdesc *d, struct probe_list *ret);
/* -errno with words: its code could not be changed. */
int registry_class_done(struct registry *r, struct err *err);
/* Does the description mean JVMs that begin later, too ("java*")? */
bool registry_wants_jvms(const struct pdesc *d);
/* Is the process a JVM that is not known yet? */
bool registry_is_new_jvm(struct registry *r, int pid);
/* Has the JVM load the agent, which takes up to 10 s, or until *stop; may be called in any thread. The connection, for
 * registry_add_jvm(), or -errno with words. */
int registry_connect_jvm(int pid, const _Atomic bool *stop, struct err *err);
/* registry_match_jvm(), which gives arguments, too, is about this JVM until registry_jvm_done(). It takes the
 * connection. -errno with words: it is left out. */
int registry_add_jvm(struct registry *r, int pid, int fd, struct err *err);
void registry_match_jvm(struct registry *r, struct arena *a, const struct pdesc *d, struct probe_list *ret);
void registry_jvm_done(struct registry *r);
/* For cg_env.entry (ctx is the registry). */
int registry_entry(void *registry, const struct probe *p, struct entry *ret, const char **reason);
/* Attaches a loaded program that serves these probes (at least one, in id order) at its entry; *ret is
 * freed by link_free(). 0 with words in err is a warning. */
int registry_attach(struct registry *r, const struct probe *const *probes, uint32_t nprobes, const struct entry *e,
		    int prog_fd, struct link **ret, struct err *err);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the providers of processes (pid, USDT) share: the processes that descriptions name, their files,
 * and the probes in them. Private to src/prov. */
#ifndef DWELL_PROV_USER_UPROC_H
#define DWELL_PROV_USER_UPROC_H
#include "prov/prov_int.h"
#include "sym/object/stapsdt.h"
#include "sym/object/uobj.h"

/* A static probe of a file: all places with the same name, function and arguments. */
struct usdt {
	const char *prov, *name; /* "-" in place of "__" */
	const char *func;	 /* "" where there is no symbol */
	const char *args;	 /* as in the notes */
	const struct stapsdt **v;
	size_t n;
};

struct uproc_obj { /* a file of a process */
	const struct uobj *o;
	struct ufuncs *funcs; /* once asked for */
	int funcs_error;
	bool touched;	    /* its constants are in memory */
	const char *pinned; /* a path that leads to it also when the process has gone on; NULL: no probes in it yet */
	bool funcs_tried, usdt_tried, notes_tried, types_tried;
	const struct utypes *types; /* utypes.c */
	struct stapsdt *notes;
	size_t nnotes;
	struct usdt *usdt; /* once asked for */
	size_t nusdt;
};

struct uproc {
	int pid;		 /* where it lives now */
	const char *prov;	 /* "pid123": with its own number, that of then in a replay */
	struct uproc_obj **objs; /* they stay where they are */
	size_t nobjs;
	struct uproc *next;
};

enum upoint_kind { UP_ENTRY, UP_RETURN, UP_OFFSET, UP_LINE, UP_COPY, UP_USDT, UP_JAVA };

/* probe.priv of these providers: where the probe is. */
struct upoint {
	enum upoint_kind kind;
	const struct uproc *proc;
	const struct uobj *obj;
	struct uproc_obj *file; /* that obj is */
	uint64_t addr;		/* of the function as linked: UP_ENTRY, UP_RETURN */
	uint16_t machine;
	uint64_t off;		 /* in the file */
	uint32_t line;		 /* UP_LINE: several may begin at one place; UP_COPY: which one */
	const char *note;	 /* struct probe.note, or NULL */
	uint64_t ref_ctr;	 /* in the file: counter to be raised, or 0 */
	const struct usdt *usdt; /* UP_USDT: what it is, and further places */
	bool everyone;		 /* in all processes that have the file, also those that start later */
	struct jprobe *java;	 /* UP_JAVA: java.c */
};

/* The process; its files are listed at the first call. 0, or -ESRCH, -EACCES … with words in err. */
int uproc_get(struct prov_env *env, int pid, struct uproc **ret, struct err *err);
/* Libraries that the process has not loaded, which a description names: they become files of it. The number of
 * the first of them in p->objs; they go on to p->nobjs. */
size_t uproc_find_later(struct prov_env *env, struct uproc *p, const char *module);
/* A file that no process needs to have, as the only one of a process with the number 0. */
int uproc_of_path(struct prov_env *env, const char *path, struct uproc **ret);
/* The programs with static probes in the directories of PATH (absolute ones, the first UPROC_MAX_PATH), each as by
 * uproc_of_path(): what is likely to be started later. Looked at once in a session. */
#define UPROC_MAX_PATH 64u
struct uproc *const *uproc_commands(struct prov_env *env, size_t *ret_n);
/* Its functions, NULL when the file cannot be read. */
const struct ufuncs *uproc_funcs(struct prov_env *env, const struct uproc *p, struct uproc_obj *o);
/* The probe at this point: the one that was made before, or a new one. Texts are kept, not copied. */
struct probe *uproc_probe(struct prov_env *env, struct arena *a, const struct upoint *at, const char *prov,
			  const char *func, const char *name);
int uproc_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret);
/* The first file that was given with this identity: so that what several processes have is looked at once. */
struct uproc_obj *uproc_same_file(struct prov_env *env, const struct uproc *p, struct uproc_obj *o,
				  const struct uproc **ret_proc);
/* The same for a file that was opened just now: what was known by its identity was another file, unless it is kept
 * open. */
struct uproc_obj *uproc_this_file(struct prov_env *env, const struct uproc *p, struct uproc_obj *o,
				  const struct uproc **ret_proc);
/* Does a description's module mean the file? "libc.so.6" is libc.so.6, libc.so and libc, too; "/…" is a path. */
bool uproc_module_matches(const char *pat, const struct uobj *o);
/* ufiles.c: calls fn once for each file that the module means. These are the files that a process maps, in its mount
 * namespace, and the file that it would find by that name here. p: a process that has it, or one with the number 0. */
void uproc_each_file(struct prov_env *env, const char *module,
		     void (*fn)(void *arg, struct uproc *p, struct uproc_obj *o), void *arg);
/* It as the only file of a process with the number 0. o stays where it is. */
struct uproc *uproc_of_file(struct prov_env *env, const struct uobj *o);
/* It as a file of a process that is known. */
struct uproc_obj *uproc_add_file(struct prov_env *env, struct uproc *p, struct uproc_obj *o);
struct ulater *uproc_ulater(struct prov_env *env);
uint32_t uproc_nprobes(struct prov_env *env); /* number of probes that have ids */
/* How uprobes are attached here: multi or not; -EOPNOTSUPP with the reason. */
int uproc_caps(struct prov_env *env, bool *ret_multi, const char **reason);
/* provider.attach of all of them. */
int uproc_attach(struct prov_env *env, const struct probe *const *probes, uint32_t nprobes, const struct entry *e,
		 int prog_fd, struct link **ret, struct err *err);
/* ---- usdt_notes.c: static probes of a file ---- */
/* Does the file have static probes of a provider that matches? Reads its notes only. */
bool usdt_has(struct prov_env *env, struct uproc_obj *o, const char *prov);
/* All of them, by name and function, with the functions' names. */
void usdt_load(struct prov_env *env, const struct uproc *p, struct uproc_obj *o);
/* Its arguments' places, and types as C names them. */
struct sdtarg;
unsigned usdt_args(struct prov_env *env, const struct upoint *at, struct sdtarg *ret);

/* D's form of a name: hyphens where C's has two underscores. */
const char *usdt_name(struct arena *a, const char *c);

/* ---- ulater.c: files that are mapped while the program runs ---- */
struct ulater {
	struct ulater_model *models;
	/* The file that is being looked at, as the only one of the process that has mapped it. */
	struct uproc *proc;
	struct uproc_obj *obj;
	uint32_t first_new; /* probes with a lower id were known before */
};
/* The probe that stands for those that the description may find later. */
struct probe *ulater_model(struct prov_env *env, struct arena *a, const struct pdesc *d);
/* Leaves those that were not known before. */
void ulater_only_new(struct prov_env *env, struct probe_list *l);
/* "pid*", functions in all processes. */
bool upid_is_everyone(const char *prov);
/* How it is entered: any places do, since what is made of them is not run. */
void ulater_entry(struct entry *e);
/* See registry_file(). */
int ulater_open(struct prov_env *env, const struct uobj_mapping *m, const struct pdesc *const *descs, size_t n,
		bool *ret_wanted);
/* See registry_match_file(): static probes, and functions of "pid*". */
void usdt_match_later(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out);
void pid_match_later(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out);

/* ---- ulines.c: lines of the source ---- */
/* The file that was asked for debug information last; it stays open. */
struct ulines_file {
	const struct uproc_obj *of;
	struct srcline *lines; /* NULL: none */
	struct uobj_file file;
};
struct ulines_file *uproc_lines(struct prov_env *env); /* uproc.c has it */
void ulines_forget(struct ulines_file *k);
/* Where statements of the lines begin that "FILE@LINE" means, both globs. fn gets the offset in the file, and the
 * line by its name. -ENODATA: no debug information tells. *ret_near has the nearest lines with code in those files,
 * or NULL. */
struct uline {
	uint64_t off;
	uint32_t line;
	const char *name; /* "load.c@14" */
};
int ulines_each(struct prov_env *env, const struct uproc *p, const struct uproc_obj *o, const char *name,
		void (*fn)(void *arg, const struct uline *l), void *arg, const char **ret_near);

/* Where inlined copies of the function are entered: calls fn with the offset in the file, the line that called it, and
 * "load.c@14" as its name, or NULL. -ENODATA as above. */
int ulines_copies(struct prov_env *env, const struct uproc *p, const struct uproc_obj *o, const char *func,
		  void (*fn)(void *arg, const struct uline *l), void *arg);

/* ---- utypes.c: typed arguments ---- */
/* Fills the arguments of a UP_ENTRY or UP_RETURN. -ENODATA: no debug information tells. */
int utypes_args(struct prov_env *env, struct arena *a, struct probe *p);

/* A provider's name that is java.c's: "java123". */
bool java_is_ours(const char *prov);
/* See registry_classes_fd() and what follows there. */
void java_load_ahead(struct prov_env *env, const struct pdesc *d); /* see registry_target_begins() */
int java_classes_fd(struct prov_env *env);
void java_classes_start(struct prov_env *env);
bool java_next_class(struct prov_env *env, const char **ret_name, int *ret_pid);
void java_match_later(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out);
int java_class_done(struct prov_env *env, struct err *err);
/* See registry_add_jvm() and what follows there. */
bool java_has_libjvm(int pid);
bool java_knows(struct prov_env *env, int pid);
int java_add_jvm(struct prov_env *env, int pid, int fd, struct err *err);
void java_match_jvm(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out);
void java_jvm_done(struct prov_env *env);
/* Has the agents take their probes out, and ends the connections. */
void java_done(struct prov_cache *pc);
/* Frees the index of probes. */
void uproc_done(struct prov_cache *pc);
#endif

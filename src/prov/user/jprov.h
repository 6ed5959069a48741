/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the JVMs of the provider java, their classes and methods: what java.c finds at the start, and jlater.c adds
 * while the program runs. Private to these two. */
#ifndef DWELL_PROV_USER_JPROV_H
#define DWELL_PROV_USER_JPROV_H
#include "prov/user/jvm.h"
#include "prov/user/uproc.h"

#define JAVA_LINE 2048 /* bytes of a line about a method */

enum jkind { J_ENTRY, J_RETURN, J_THROW, J_OF_METHODS, J_MADE = J_OF_METHODS, J_KINDS };

struct jmethod {
	const char *name, *desc; /* as the JVM has them: "add", "(IJ)J" */
	const char *plain;	 /* "add(int,long)" */
	bool overloaded;
	struct jprobe *probes[J_KINDS]; /* NULL: none yet */
};

struct jclass {
	const char *name;   /* "java.util.Map$Entry" */
	const char *dotted; /* "java.util.Map.Entry" */
	unsigned idx;	    /* the agent's number */
	struct jmethod *v;
	size_t n;
	struct jmethod all; /* its constructors together, for J_MADE */
	bool known;	    /* its methods were asked for */
	struct jclass *next;
};

/* A process with an agent. */
struct jvms {
	int pid;
	const char *prov; /* "java123" */
	struct jagent *agent;
	const char *failed; /* why there is none */
	bool any, told;	    /* java*: it may end, or have no agent; the user knows */
	struct jclass *classes, *last, **tail;
	struct uproc *proc;
	struct uproc_obj *file; /* the agent's library */
	uint64_t sites_off;	/* of its places, in the file */
	uint32_t listed;	/* probes made for a list */
	bool polled;		/* among what java_classes_fd() waits for */
	struct jclass *loading; /* a class that is being loaded, and that java_match_later() is about */
	unsigned nloading;	/* probes that were made for it */
	struct jvms *next;
};

/* A probe of a method: what struct upoint.java points to. */
struct jprobe {
	struct jvms *jvm;
	const struct jclass *class;
	const struct jmethod *method;
	enum jkind kind;
	unsigned slot; /* the place that the agent gave */
	bool on;       /* the agent was told */
};

struct matching {
	struct prov_env *env;
	struct arena *a;
	const struct pdesc *d;
	struct probe_list *out;
	struct jvms *jvm;
	struct jclass *class; /* its methods are listed now */
	const char *reason;
	bool any; /* java* */
	long slot;
};

/* ---- java.c ---- */
/* "class NUMBER NAME" of the agent, in m->jvm. */
void java_add_class(void *m, char *line);
/* Its probes that m->d means, in m->out; m->reason: they cannot be had. */
void java_match_class(struct matching *m, struct jclass *c);
/* The same for all classes of m->jvm. */
void java_match_classes(struct matching *m);
/* Has the agent tell of classes that are loaded later, which m->d may mean. */
bool java_watch(struct matching *m);
/* The process of m->jvm has an agent, with which fd is the connection. Asks for its classes. */
int java_begin(struct matching *m, int fd, struct err *err);
/* A process that is not known yet; it has no agent. */
struct jvms *java_new_jvm(struct prov_env *env, int pid, bool any);
/* "java*": all JVMs. */
bool java_is_everyone(const char *prov);
/* "java123" */
bool java_parse_pid(const char *prov, int *ret);
#endif

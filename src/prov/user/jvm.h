/* SPDX-License-Identifier: Apache-2.0 */
/* Declares how the provider java reaches a running JVM: loading the agent, and talking to it. Private to src/prov. */
#ifndef DWELL_PROV_USER_JVM_H
#define DWELL_PROV_USER_JVM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"

/* The agent (java/): a jar, and a library with the places of the probes. Empty: dwell was built without. */
extern const char asset_java_jar[], asset_java_lib[];
extern const size_t asset_java_jar_size, asset_java_lib_size;

/* ---- jname.c ---- */
/* "add" and "(IJ)J" as "add(int,long)", in the arena. NULL: it is no descriptor, or it is too long. */
const char *java_plain_name(struct arena *a, const char *name, const char *desc);
/* The end of a type of a descriptor; NULL: it is none. */
const char *java_type_end(const char *s);

/* ---- jattach.c ---- */
/* Has the JVM load the agent, and connects with it. The files that it needs are in a folder of its /tmp meanwhile. The
 * connection, which the caller closes; or -errno with words. stop: it does not wait for a JVM any more; or NULL. */
int jattach(int pid, const _Atomic bool *stop, struct err *err);

/* ---- jagent.c: what the agent is asked ---- */
struct jagent;
#define JAGENT_VERSION 17 /* bytes of its text */
/* The agent that this dwell carries. A JVM keeps the first that was loaded into it. */
void jagent_version(char ret[JAGENT_VERSION]);
/* The connection becomes its. An agent of another dwell is refused. */
int jagent_new(int fd, int pid, struct jagent **ret, struct err *err);
/* Has it take all out of the code, waits until that is done, and ends the connection. NULL is fine. */
void jagent_free(struct jagent *j);
/* Where the places are in the process. */
uint64_t jagent_sites(const struct jagent *j);
#define JAGENT_SITE_SIZE 8u /* as in the library */
/* Asks, and calls fn for each line of the answer. 0; -errno with words. */
int jagent_ask(struct jagent *j, const char *question, void (*fn)(void *arg, char *line), void *arg, struct err *err);
/* The agent told of a class that is being loaded, by its number; false: not now. The name is good until the next call.
 */
bool jagent_next_loading(struct jagent *j, unsigned *ret_idx, const char **ret_name);
int jagent_fd(const struct jagent *j);	     /* readable when there may be one */
bool jagent_is_gone(const struct jagent *j); /* the connection ended */
/* Sends what has no answer of its own. */
int jagent_say(struct jagent *j, const char *line, struct err *err);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Commands and walkers of users: in shared objects (include/dwell-core.h), and in files of D: translators of structs,
 * and lines that get a name. Inside of core/. */
#ifndef DWELL_CORE_MODULE_MODULE_H
#define DWELL_CORE_MODULE_MODULE_H
#include "core/shell.h"

#define MODULE_MAX 1000u	   /* commands and walkers of users, each */
#define MODULE_MAX_NAME 30u	   /* characters of a name */
#define MODULE_MAX_TEXT (1u << 20) /* bytes of a file of D */

struct module_lines;
struct modules {
	VEC(struct dcmd *) commands; /* each malloc'ed, own first */
	VEC(struct walker *) walkers;
	VEC(void *) memory; /* what they refer to, malloc'ed */
	struct strb said;   /* text of the command that runs */
};

/* Loads FILE.so, FILE.d, or all files of a folder that end in .d, by name. 0, or -errno with s->err: then some of the
 * file's commands may be there. A shared object must belong to root or the user, as must its folder, and nobody else
 * may write either. It stays loaded until the process ends. */
int modules_load(struct shell *s, const char *path);
void modules_free(struct modules *m); /* accepts NULL */

/* -- inside -- */

/* Gives s->modules, made if there is none; NULL: no memory. */
struct modules *modules_of(struct shell *s);
/* Keeps memory until modules_free(), which frees it also when this fails. */
int modules_keep(struct modules *m, void *memory);
/* Adds a copy of a command or walker. -EINVAL: its name is none, -EEXIST: there is one of this name, with s->err. */
int modules_add_command(struct shell *s, const struct dcmd *c);
int modules_add_walker(struct shell *s, const struct walker *w);
/* The same for all of a shared object, of a file of D. */
int module_load_c(struct shell *s, const char *path);
int module_load_d(struct shell *s, const char *path);
#endif

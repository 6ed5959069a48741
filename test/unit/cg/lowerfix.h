/* SPDX-License-Identifier: Apache-2.0 */
/* D texts to images with the fixture of test/unit/lang, for a fixed kernel: nothing is loaded. */
#ifndef TEST_LOWERFIX_H
#define TEST_LOWERFIX_H
#include "../lang/langfix.h"
#include "cg/image.h"
#include "types/caps.h"

struct lowerfix {
	struct langfix lang;
	struct caps caps;
	struct cg_env env;
	bool may_goto;	     /* set before: the kernel has it */
	bool typed;	     /* set before: the kernel has typed tracepoints and BTF */
	bool old;	     /* set before: the kernel has no task storage */
	unsigned cpus;	     /* set before: CPUs that there may be; 0: four */
	unsigned online_ids; /* set before: CPUs from this number on are not online; 0: all are */
	bool locked;	     /* as under lockdown: no writes to user memory; without bpf_loop() */
	struct image *img;   /* NULL after an error */
	char *messages;	     /* of the compiler, "" when there are none */
};

/* Compiles; every image has passed image_check(). Fails the test when the language refuses the text. */
void lowerfix_run(struct lowerfix *f, const char *text);
void lowerfix_close(struct lowerfix *f);
/* image_dump() as malloc'ed text. */
char *lowerfix_dump(const struct lowerfix *f);
/* The first map with this role, or NULL. */
const struct img_map *lowerfix_map(const struct lowerfix *f, enum img_map_role role);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The D library: texts with types, inlines and translators that every program may use. They are read when a program
 * first uses an unknown name. A declaration is checked when its own name is used. So a text that is not needed costs
 * nothing, and one that is broken, or does not fit this kernel, concerns only programs that need it. Everything lives
 * in the arena of the compilation. */
#ifndef DWELL_LANG_DLIB_H
#define DWELL_LANG_DLIB_H
#include "lang/dprog.h"

#define DLIB_MAX_FILES 1024	  /* in all directories together */
#define DLIB_MAX_BYTES (8u << 20) /* of text in all files together */

/* One control line of a text that means something later than the line itself. */
enum pragma_kind { PRAGMA_ATTRIBUTES, PRAGMA_BINDING, PRAGMA_DEPENDS };
struct pragma {
	enum pragma_kind kind;
	/* attributes: "Stable/Stable/Common", name [, provider's name, part]; binding: version, name;
	 * depends_on: class, name [, of a probe: which kernels have it]. NULL where there is none. */
	const char *word[4];
	struct span at;
	struct pragma *next;
};

struct dlib_texts {
	const struct source *v; /* name: the path */
	size_t n;
};

/* How texts are read. The reader is the process that may open files. */
struct dlib_reader {
	void *ctx;
	/* All texts, in the order in which their names hold. Texts in the arena. dlib_warn_text() tells
	 * what cannot be read. */
	void (*read)(void *ctx, struct arena *a, struct dlib *l, struct dlib_texts *ret);
};

enum dlib_state { DLIB_NEW, DLIB_BUSY, DLIB_GOOD, DLIB_BAD };

struct dlib_file {
	const struct source *src;
	const struct unit *unit; /* NULL: not parsed, or broken */
	enum dlib_state state;	 /* of the parser */
	enum dlib_state depends; /* are the modules and providers there that it asks for? */
};

/* A declaration. */
struct dlib_item {
	const struct decl *decl;
	struct dlib_file *file;
	enum dlib_state state;	/* of the checker */
	struct dlib_item *next; /* of translators */
	struct dlib_item *alt;	/* the same name again: holds when this one does not fit the kernel */
};

enum dlib_space { DLIB_NAME, DLIB_TYPE, DLIB_TAG }; /* inlines and enumerators; typedefs; tags */

struct dlib *dlib_new(struct arena *a, const struct dlib_reader *rd);
/* A new checker begins: nothing that is declared has been checked. l may be NULL. */
void dlib_recheck(struct dlib *l);
/* The declaration of a name, or NULL. l may be NULL. Reads the library if need be. */
struct dlib_item *dlib_find(struct dlib *l, const struct compile_env *env, enum dlib_space sp, const char *name);
/* Calls fn for each name that is declared, with the declaration that holds. l may be NULL. Reads the library if need
 * be. */
void dlib_each_name(struct dlib *l, const struct compile_env *env,
		    void (*fn)(void *arg, enum dlib_space sp, const char *name, const struct dlib_item *it), void *arg);
/* All translators, in order; reads nothing. */
struct dlib_item *dlib_translators(const struct dlib *l);
/* The control lines of all texts that were read: calls fn for each. */
void dlib_each_pragma(const struct dlib *l, void (*fn)(void *arg, const struct pragma *p), void *arg);
/* Errors in a text of the library are warnings for its user. */
void dlib_warn(struct dlib *l, const struct diags *errors);
void dlib_warn_text(struct dlib *l, struct span at, const char *text);
/* The warnings so far; the caller prints them. */
const struct diags *dlib_warnings(const struct dlib *l);
#endif

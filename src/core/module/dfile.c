/* SPDX-License-Identifier: Apache-2.0 */
/* Modules in D: files with translators, each of which is a command that prints its members, and with lines that get a
 * name.
 *
 *     translator conninfo < struct conn *C > { host = C->peer.host; port = C->peer.port; };
 *     #pragma D walker conns "first::list struct conn next" "all connections"
 *     #pragma D command busy "::walk conns | ::print struct conn state" "states of connections"
 *
 * What a translator may say of a member is a path from its variable. Declarations of types, which D wants for the
 * output of translators, are passed over, as are other pragmas. Nothing of it runs programs. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/module/module.h"
#include "core/native/ctype.h"

#define MAX_MEMBERS 200u /* of a translator */
#define MAX_WORDS 4u	 /* of a type */
#define DEPTH 3u	 /* of structs that are printed */
#define ELEMENTS 32u

/* Texts are in the copy of the file, which is kept. */
struct translator {
	const char *name;
	char *type[MAX_WORDS];
	unsigned ntype, n;
	struct member {
		const char *name, *path;
	} members[MAX_MEMBERS];
};

struct reading {
	struct shell *s;
	const char *path;
	char *text, *p;
};

/* -- running -- */

static const struct member *member_of(const struct translator *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->members[i].name, name))
			return &t->members[i];
	return NULL;
}

static int show_member(struct shell *s, const struct cplace *from, const struct member *m, struct jsonw *w)
{
	const struct cprint how = { false, DEPTH, ELEMENTS };
	struct cplace p = *from;
	int r = *m->path ? cplace_follow(s, &p, m->path, CPLACE_READ) : 0;
	uint64_t v = p.addr;

	if (r < 0)
		return r;
	if (s->to) {
		struct tinfo info;
		struct ctype t;

		if (ctype_resolve(&p.type, &t, &info) &&
		    (info.kind == TK_PTR || info.kind == TK_INT || info.kind == TK_ENUM))
			r = cplace_value(s, &p, &v);
		return r < 0 ? r : shell_emit(s, v);
	}
	return w ? cplace_json(s, &p, &how, w, m->name) : cplace_print(s, &p, &how, m->name);
}

static int run_translator(struct shell *s, const struct dcall *d)
{
	const struct translator *t = d->cmd->own;
	struct cplace from = { .addr = d->addr };
	struct jsonw w = jsonw_to(&s->text), *to = s->json && !s->to ? &w : NULL;
	char *type[MAX_WORDS];
	int used, r;

	memcpy(type, t->type, sizeof(type));
	for (int i = 0; i < d->argc; i++)
		if (!member_of(t, d->argv[i]))
			return err_set(&s->err, -EINVAL, "%s has no member '%s'", t->name, d->argv[i]);
	r = ctype_parse(s, (int)t->ntype, type, &used, &from.type);
	if (r < 0)
		return r;
	if (s->to && !d->argc)
		return shell_emit(s, d->addr);
	if (to) {
		jsonw_object(to, NULL);
		jsonw_strf(to, "address", "%" PRIx64, d->addr);
	}
	for (unsigned i = 0; i < t->n && !d->argc && r == 0; i++)
		r = show_member(s, &from, &t->members[i], to);
	for (int i = 0; i < d->argc && r == 0; i++)
		r = show_member(s, &from, member_of(t, d->argv[i]), to);
	if (to) {
		jsonw_end_object(to);
		jsonw_line(to);
	}
	return r;
}

static void complete_members(struct shell *s, const struct dcall *d, const char *word, shell_offer *offer, void *to)
{
	const struct translator *t = d->cmd->own;

	(void)s;
	(void)word;
	for (unsigned i = 0; i < t->n; i++)
		offer(to, t->members[i].name);
}

static int run_line(struct shell *s, const struct dcall *d)
{
	return d->argc ? shell_refuse(s, d->cmd->name, d->argv[0]) : shell_within(s, d->cmd->own, d);
}

static int walk_line(struct shell *s, const struct dcall *d)
{
	return shell_within(s, d->walker->own, d);
}

/* -- reading -- */

static int bad(const struct reading *f, const char *why)
{
	unsigned line = 1;

	for (const char *p = f->text; p < f->p; p++)
		line += *p == '\n';
	return err_set(&f->s->err, -EINVAL, "%s:%u: %s", f->path, line, why);
}

/* Comments become blanks, so that lines keep their number. */
static void blank_comments(char *p)
{
	while ((p = strstr(p, "/*"))) {
		char *end = strstr(p + 2, "*/");

		for (; *p && p != end + 2; p++)
			*p = *p == '\n' ? '\n' : ' ';
	}
}

static void pass_blanks(struct reading *f)
{
	f->p += strspn(f->p, " \t\r\n");
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* The next word, kept; NULL: none is there, or no memory. */
static char *take_word(struct reading *f)
{
	size_t n = 0;
	char *w;

	pass_blanks(f);
	while (is_word(f->p[n]))
		n++;
	w = n ? strndup(f->p, n) : NULL;
	f->p += n;
	return w && modules_keep(f->s->modules, w) == 0 ? w : NULL;
}

static bool take_sign(struct reading *f, char sign)
{
	pass_blanks(f);
	if (*f->p != sign)
		return false;
	f->p++;
	return true;
}

/* A text in quotation marks in this line, which has no \ in it; NULL: there is none. */
static char *take_text(struct reading *f)
{
	char *from, *end;

	f->p += strspn(f->p, " \t");
	if (*f->p != '"')
		return NULL;
	from = f->p + 1;
	end = from + strcspn(from, "\"\\\n");
	if (*end != '"')
		return NULL;
	*end = '\0';
	f->p = end + 1;
	return from;
}

/* #pragma D command|walker NAME "LINE" ["SUMMARY"]; others, up to the end of the line, say nothing here. */
static int take_pragma(struct reading *f)
{
	char *name, *line, *summary;
	bool command;

	for (unsigned i = 0; i < 2; i++) {
		const char *w = take_sign(f, '#') || i ? take_word(f) : NULL;

		if (!w || strcmp(w, i ? "D" : "pragma") != 0) {
			f->p += strcspn(f->p, "\n");
			return 0;
		}
	}
	name = take_word(f);
	command = name && !strcmp(name, "command");
	if (!name || (!command && strcmp(name, "walker") != 0)) {
		f->p += strcspn(f->p, "\n");
		return 0;
	}
	name = take_word(f);
	line = name ? take_text(f) : NULL;
	if (!line)
		return bad(f, "#pragma D command|walker NAME \"LINE\" [\"SUMMARY\"] wanted");
	summary = take_text(f);
	if (!command)
		return modules_add_walker(f->s,
					  &(struct walker){ name, summary ? summary : line, false, walk_line, line });
	return modules_add_command(f->s, &(struct dcmd){ .name = name,
							 .args = "",
							 .summary = summary ? summary : line,
							 .help = line,
							 .run = run_line,
							 .own = line });
}

/* C->a.b; of the variable C, up to the semicolon. */
static int take_path(struct reading *f, const char *variable, const char **ret)
{
	const size_t n = strlen(variable);
	char *from, *end, *to;

	pass_blanks(f);
	from = f->p;
	end = from + strcspn(from, ";}");
	if (*end != ';' || strncmp(from, variable, n) != 0 || is_word(from[n]))
		return bad(f, "a member's value is a path from the variable, as in C->peer.port;");
	from += n;
	from += from[0] == '-' && from[1] == '>' ? 2 : from[0] == '.' ? 1 : 0;
	to = from;
	for (char *p = from; p < end; p++)
		if (!strchr(" \t\r\n", *p))
			*to++ = *p;
	*to = '\0';
	for (const char *p = from; *p; p++)
		if (!is_word(*p) && !strchr(".->[]", *p))
			return bad(f, "a member's value is a path from the variable, as in C->peer.port;");
	f->p = end + 1;
	*ret = from;
	return 0;
}

/* < [struct] NAME [*]VARIABLE > */
static int take_input(struct reading *f, struct translator *t, const char **variable)
{
	char *word;

	if (!take_sign(f, '<'))
		return bad(f, "translator OUTPUT < TYPE *VARIABLE > wanted");
	while (t->ntype < MAX_WORDS && (word = take_word(f)))
		t->type[t->ntype++] = word;
	if (take_sign(f, '*'))
		*variable = take_word(f);
	else if (t->ntype)
		*variable = t->type[--t->ntype];
	if (!t->ntype || !*variable || !take_sign(f, '>'))
		return bad(f, "translator OUTPUT < TYPE *VARIABLE > wanted");
	return 0;
}

static int take_translator(struct reading *f)
{
	struct translator *t = calloc(1, sizeof(*t));
	const char *variable = NULL;
	struct dcmd c = { .run = run_translator, .complete = complete_members, .own = t, .addr = true };
	int r = t ? modules_keep(f->s->modules, t) : -ENOMEM;

	if (r < 0)
		return r;
	t->name = take_word(f);
	r = take_input(f, t, &variable);
	if (r == 0 && !take_sign(f, '{'))
		r = bad(f, "a { wanted");
	while (r == 0 && !take_sign(f, '}')) {
		struct member m = { take_word(f), NULL };

		if (!m.name || !take_sign(f, '='))
			return bad(f, "MEMBER = PATH; wanted");
		if (t->n == MAX_MEMBERS)
			return bad(f, "too many members");
		r = take_path(f, variable, &m.path);
		if (r == 0)
			t->members[t->n++] = m;
	}
	if (r < 0)
		return r;
	c.name = t->name;
	c.args = "[MEMBER...]";
	c.summary = "print what a translator gives";
	c.help =
		"Prints the members that a translator of a module in D gives of the thing at ADDRESS, or some of them.\n"
		"In front of a |: the values of those, or ADDRESS.\n";
	return modules_add_command(f->s, &c);
}

/* A declaration, up to its semicolon. */
static int pass_declaration(struct reading *f)
{
	unsigned depth = 0;

	for (; *f->p && (*f->p != ';' || depth); f->p++) {
		if (*f->p == '}' && !depth)
			return bad(f, "a } without {");
		depth += *f->p == '{';
		depth -= *f->p == '}';
	}
	if (!*f->p)
		return bad(f, "the end of a declaration is missing");
	f->p++;
	return 0;
}

static int take_all(struct reading *f)
{
	static const char word[] = "translator";
	int r = 0;

	for (pass_blanks(f); r == 0 && *f->p; pass_blanks(f)) {
		if (*f->p == '#') {
			r = take_pragma(f);
		} else if (*f->p == ';') {
			f->p++;
		} else if (!strncmp(f->p, word, sizeof(word) - 1) && !is_word(f->p[sizeof(word) - 1])) {
			f->p += sizeof(word) - 1;
			r = take_translator(f);
		} else if (is_word(*f->p)) {
			r = pass_declaration(f);
		} else {
			r = bad(f, "a translator, a declaration or #pragma D wanted");
		}
	}
	return r;
}

int module_load_d(struct shell *s, const char *path)
{
	struct modules *m = modules_of(s);
	char *text = m ? malloc(MODULE_MAX_TEXT + 1) : NULL;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int r = m && text ? modules_keep(m, text) : -ENOMEM;

	if (r < 0 || fd < 0) {
		if (fd >= 0)
			close(fd);
		return r < 0 ? r : err_set(&s->err, -errno, "%s: %s", path, strerror(errno));
	}
	n = read(fd, text, MODULE_MAX_TEXT + 1);
	close(fd);
	if (n < 0 || n > (ssize_t)MODULE_MAX_TEXT)
		return err_set(&s->err, -EINVAL, "%s: no file of D of at most %u bytes", path, MODULE_MAX_TEXT);
	text[n] = '\0';
	blank_comments(text);
	return take_all(&(struct reading){ s, path, text, text });
}

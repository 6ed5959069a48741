/* SPDX-License-Identifier: Apache-2.0 */
/* Implements -v: prints stability reports of programs and probes in DTrace's layout. */
#include "base/cleanup.h"
#include "engine/front/compile.h"
#include "lang/attr.h"
#include <string.h>

static void print_attr(FILE *out, const char *what, struct dattr a)
{
	fprintf(out, "\n\t%s\n", what);
	fprintf(out, "\t\tIdentifier Names: %s\n", attr_stability_name(a.name));
	fprintf(out, "\t\tData Semantics:   %s\n", attr_stability_name(a.data));
	fprintf(out, "\t\tDependency Class: %s\n", attr_class_name(a.class));
}

void stability_print_probe(const struct dprog *p, const struct pdesc *d, FILE *out)
{
	print_attr(out, "Probe Description Attributes", attr_desc(p, d));
	print_attr(out, "Argument Attributes", attr_args(p, d));
}

static const char *part(const char *s)
{
	return s ? s : "";
}

/* Each description once, as long as its clauses follow each other. */
static void print_descs(struct compile_session *w, struct request *c, const struct source *src, FILE *out)
{
	const char *last = "";

	for (const struct clause_instance *s = w->prog->instances; s; s = s->next) {
		const struct pdesc *d = &s->desc;

		if (s->at.src != src || s->event_again || !strcmp(last, s->desc_text))
			continue;
		last = s->desc_text;
		fprintf(out, "\n%s:%s:%s:%s\n", part(d->prov), part(d->mod), part(d->func), part(d->name));
		if (!s->probes.n || s->probes.v[0]->later)
			continue;
		stability_print_probe(w->prog, d, out);
		list_probe_args(w, c, w->prog->types, s->probes.v[0], out);
	}
}

void stability_print(struct compile_session *w, struct request *c, FILE *out)
{
	for (size_t i = 0; i < c->progs.n; i++) {
		const struct source *src = &c->progs.v[i].src;
		const char *label = prog_label(c, &c->progs.v[i]);
		struct dattr desc, stmt;
		size_t n = strlen(label);
		char *plain = arena_strdup(c->arena, label), *q = strchr(plain, '\'');

		/* "description 'BEGIN'" is shown without the quotes here */
		if (q && plain[n - 1] == '\'') {
			plain[n - 1] = '\0';
			memmove(q, q + 1, strlen(q));
		}
		attr_program(w->prog, src, &desc, &stmt);
		fprintf(out, "\nStability attributes for %s:\n", plain);
		print_attr(out, "Minimum Probe Description Attributes", desc);
		print_attr(out, "Minimum Statement Attributes", stmt);
		if (c->compile_only)
			print_descs(w, c, src, out);
		else
			fputc('\n', out);
	}
}

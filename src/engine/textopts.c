/* SPDX-License-Identifier: Apache-2.0 */
/* Translates the options of D to those of the text view. */
#include "engine/textopts.h"
#include <string.h>
#include "base/cleanup.h"

const char *const textopts_names[] = {
	"quiet",     "flowindent",   "rawbytes", "noresolve", "droptags",      "aggsortkey", "aggsortrev",
	"aggpercpu", "agghist",	     "aggpack",	 "encoding",  "aggsortkeypos", "aggsortpos", "stackindent",
	"printsize", "ustackframes", "aggzoom",	 "columns",   "aggtop",	       NULL,
};

void textopts_fill(struct text_opts *t, const struct dopts *o)
{
	t->quiet = o->quiet;
	t->flowindent = o->flowindent;
	t->rawbytes = o->rawbytes;
	t->noresolve = o->noresolve;
	t->droptags = o->droptags;
	t->aggsortkey = o->aggsortkey;
	t->aggsortrev = o->aggsortrev;
	t->aggpercpu = o->aggpercpu;
	t->columns = o->columns;
	t->json = !strcmp(o->oformat, "json");
	t->snapshotrate = o->snapshotrate;
	t->agghist = o->agghist;
	t->aggpack = o->aggpack;
	t->aggzoom = o->aggzoom;
	t->encoding = !strcmp(o->encoding, "utf8") ? TEXT_UTF8 : !strcmp(o->encoding, "ascii") ? TEXT_ASCII : TEXT_AUTO;
	t->aggsortkeypos = o->aggsortkeypos;
	t->aggsortpos = o->aggsortpos;
	t->aggtop = o->aggtop;
	t->stackindent = o->stackindent;
	t->printsize = (int64_t)o->printsize;
	t->ustackframes = o->ustackframes;
	t->destructive = o->destructive;
}

bool textopts_dynamic(const char *name)
{
	static const char *const dynamic[] = { "agghist",	"aggpack",     "encoding",   "aggrate",	   "aggsortkey",
					       "aggsortkeypos", "aggsortpos",  "aggsortrev", "flowindent", "quiet",
					       "rawbytes",	"stackindent", "switchrate", "printsize",  "aggzoom" };

	for (size_t i = 0; i < ARRAY_SIZE(dynamic); i++)
		if (!strcmp(dynamic[i], name))
			return true;
	return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the commands that draw. */
#include "cmd/picopts.h"
#include <errno.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "cmd/outfile.h"
#include "view/picture/flame.h"

static const char *const pictures[] = {
	[PIC_HTML] = "html", [PIC_SVG] = "svg", [PIC_JSON] = "json", [PIC_TEXT] = "text"
};

int picopts_take_picture(void *picopts, const struct optrow *o, const char *arg, struct err *err)
{
	struct picopts *p = picopts;
	enum picture k = (enum picture)o->value;

	(void)arg;
	if (p->picture != PIC_NONE && p->picture != k)
		return err_set(err, -EINVAL, "--%s and --%s are different pictures: choose one", pictures[p->picture],
			       pictures[k]);
	p->picture = k;
	return 0;
}

int picopts_check_times(uint64_t from, uint64_t to)
{
	if (!to || to > from)
		return 0;
	return cmd_wrong("--to is not behind --from: nothing is between");
}

int picopts_choose(struct picopts *p, enum picture alone)
{
	if (p->picture == PIC_NONE)
		p->picture = outfile_is(p->output, ".html")			  ? PIC_HTML
			     : alone == PIC_NONE || outfile_is(p->output, ".svg") ? PIC_SVG
										  : alone;
	if (p->picture == PIC_HTML && !flame_has_html())
		return cmd_fail("this dwell was built without pages, since esbuild was missing: --svg works");
	if (!p->output && (p->picture == PIC_HTML || p->picture == PIC_SVG) && isatty(STDOUT_FILENO))
		return cmd_wrong("the picture would go to the terminal: give -o FILE.%s", pictures[p->picture]);
	return 0;
}

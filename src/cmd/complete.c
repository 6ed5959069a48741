/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell complete WORD…`: prints what may come next, for the completion of shells. */
#include <string.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmdline/opts.h"
#include "engine/run/listing.h"
#include "front/complete.h"
#include "front/tool.h"
#include "prov/provider.h"
#include "store/file/recfile.h"

#define OUTPUT_MAX (8u << 20) /* of a list of probes; that of all functions of the kernel has 4 MB */

static int probes(void *ctx, const char *pattern, const char *consent, struct strb *out)
{
	(void)ctx;
	return listing_probes(pattern, consent, OUTPUT_MAX, out);
}

static ssize_t write_text(void *out, const char *buf, size_t n)
{
	strb_add(out, buf, n);
	return (ssize_t)n;
}

static FILE *open_text(struct strb *out)
{
	return fopencookie(out, "w", (cookie_io_functions_t){ .write = write_text });
}

static void help(void *ctx, const char *word, const char *part, struct strb *out)
{
	const struct command *c = word ? cmd_find(word) : NULL, *p = c && part ? cmd_part(c, part) : NULL;
	_cleanup_fclose_ FILE *f = open_text(out);
	char name[TOOL_NAME_MAX];
	bool other;

	(void)ctx;
	if (f && !word)
		cmdline_usage(cmd_name(), f);
	else if (f && c == &cmd_run && part && tool_name(part, name, &other))
		cmd_help_of_tool(name, f);
	else if (f && c)
		cmd_help_of(p ? p : c, f);
}

static void tools(void *ctx, struct strb *out)
{
	_cleanup_fclose_ FILE *f = open_text(out);

	(void)ctx;
	if (f)
		cmd_list_tools("", f);
}

static const char *provider(void *ctx, size_t i)
{
	(void)ctx;
	return registry_provider(i);
}

static void keys(void *ctx, const char *file, struct strb *out)
{
	struct recread *r = NULL;
	struct err err = { 0 };
	const struct rec_schema *s;

	(void)ctx;
	if (recread_open(file, &r, &err) < 0)
		return;
	s = recread_schema(r);
	for (size_t i = 0; i < s->naggs; i++)
		strb_printf(out, "@%s\n", s->aggs[i]->name);
	recread_close(r);
}

static int complete_words(int argc, char **argv)
{
	static const struct complete_env env = { .help = help,
						 .tools = tools,
						 .probes = probes,
						 .command = cmd_listed,
						 .provider = provider,
						 .keys = keys };
	_cleanup_(strb_free) struct strb out = { 0 };

	if (argc < 2)
		return cmd_wrong("complete: the words after the name of dwell are wanted, the last of them unfinished");
	complete(&env, (size_t)argc - 1, (const char *const *)argv + 1, &out);
	return out.failed || fputs(strb_str(&out), stdout) < 0 ? EXIT_ERROR : EXIT_OK;
}

const struct command cmd_complete = { "complete", NULL, .run = complete_words };

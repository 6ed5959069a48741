/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell hardware`: its options. */
#include "base/cleanup.h"
#include "base/columns.h"
#include "cmd/cmd.h"
#include "cmd/outfile.h"
#include "cmd/words.h"
#include "hardware/hwshow.h"

struct hardware {
	struct hwshow show;
	const char *html;
};

static const struct optrow rows[] = {
	{ .name = "list",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct hardware, show.list),
	  .help = "all devices that the kernel's modules support" },
	{ .name = "kernel",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hardware, show.kernel),
	  .arg = "DIR",
	  .help = "a kernel's folder of modules (/lib/modules/ and the running one's version)" },
	{ .name = "html",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hardware, html),
	  .arg = "FILE",
	  .help = "with --list: a page that can be searched" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct hardware, show.json), .help = "JSON Lines" },
};
static const struct optable options = {
	.command = "hardware",
	.synopsis = "hardware [options]\nhardware --list [--kernel DIR] [--html FILE]",
	.notes =
		"\tShows the devices of this machine (PCI, USB, virtio, ACPI) with their drivers, or those a kernel has modules for.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};

static void note(const char *text)
{
	cmd_msg("%s", text);
}

static int put_page(struct hardware *h)
{
	struct outfile out;
	int e = outfile_open(&out, h->html);

	return e ? e : outfile_close(&out, hwshow_page(&h->show, out.f));
}

static int show(struct hardware *h)
{
	struct err err = { 0 };
	int e = hwshow_read(&h->show, &err);

	if (e < 0)
		return cmd_fail("hardware: %s", err.msg);
	if (h->html)
		return put_page(h);
	return cmd_ended(h->show.list ? hwshow_list(&h->show) : hwshow_devices(&h->show, &err), &err);
}

static int hardware(int argc, char **argv)
{
	struct hardware h = { .show = { .out = stdout, .note = note, .columns = columns_of_terminal() } };
	int e = cmd_options(&options, &h, argc, argv);

	if (e == 0 && optind < argc)
		e = cmd_words(&options, argv[optind], NULL);
	if (e == 0 && h.html && (!h.show.list || h.show.json))
		e = cmd_words(&options, NULL,
			      h.show.list ? "one of --html and --json is possible" : "--html goes with --list");
	if (e == 0) {
		h.show.a = arena_new(ARENA_DEFAULT_LIMIT);
		e = show(&h);
		arena_free(h.show.a);
	}
	return e;
}

const struct command cmd_hardware = { "hardware", "devices of this machine, and of a kernel", hardware,
				      .options = &options };

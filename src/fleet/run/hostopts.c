/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options of hosts and collectors, and starts the two parts of a host. */
#include "fleet/run/hostopts.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "fleet/wire/serverrows.h"

static int take_label(void *member, const struct optrow *o, const char *arg, struct err *err)
{
	struct publish_options *p = member;

	(void)o;
	if (!strchr(arg, '=') || *arg == '=' || strchr(arg, '\n'))
		return err_set(err, -EINVAL, "fleet host: --label %s: a label is NAME=VALUE", arg);
	if (p->nlabels == PUBLISH_LABELS_MAX)
		return err_set(err, -EINVAL, "fleet host: --label: %u labels at most", PUBLISH_LABELS_MAX);
	p->labels[p->nlabels++] = arg;
	return 0;
}

const struct optrow hostopts_rows[HOSTOPTS_NROWS] = {
	FLEET_BUS_ROWS(struct hostopts, o.bus),
	{ .name = "state",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hostopts, o.state),
	  .arg = "FOLDER",
	  .help = "the daemon's recordings (" HOSTOPTS_STATE ")" },
	{ .name = "name",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hostopts, o.host),
	  .arg = "NAME",
	  .help = "of this machine (its host name)" },
	{ .name = "tenant",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hostopts, o.tenant),
	  .arg = "NAME",
	  .help = "(default)" },
	{ .name = "site",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hostopts, o.site),
	  .arg = "NAME",
	  .help = "(default)" },
	{ .name = "label",
	  .kind = OPT_CALL,
	  .at = offsetof(struct hostopts, o),
	  .arg = "NAME=VALUE",
	  .help = "to select hosts by; may be given several times",
	  .take = take_label },
	{ .name = "policy",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hostopts, run.policy),
	  .arg = "FILE",
	  .help = "take programs of the users in this file (`dwell fleet run`)" },
	{ .name = "sign",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hostopts, run.key),
	  .arg = "FILE",
	  .help = "the key that signs answers (that of --creds)" },
	{ .name = "audit",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct hostopts, run.audit),
	  .arg = "FILE",
	  .help = "the log of these (" RUNHOST_AUDIT " in the folder)" },
	{ .name = "for",
	  .kind = OPT_TIME,
	  .at = offsetof(struct hostopts, o.for_ns),
	  .arg = "TIME",
	  .help = "end after this",
	  .value = 1 },
	{ .name = "once",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct hostopts, o.once),
	  .help = "send the rows that exist, and end" },
};

const struct optrow collectopts_rows[COLLECTOPTS_NROWS] = {
	FLEET_BUS_ROWS(struct collectopts, o.bus),
	FLEET_STORE_ROWS(struct collectopts, o.store),
	{ .name = "tenant",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct collectopts, o.tenant),
	  .arg = "NAME",
	  .help = "only what hosts of this one send" },
	{ .name = "for",
	  .kind = OPT_TIME,
	  .at = offsetof(struct collectopts, o.for_ns),
	  .arg = "TIME",
	  .help = "end after this",
	  .value = 1 },
};

#define REPLICAS_MAX 5 /* Source: JetStream */

const struct optrow initopts_rows[INITOPTS_NROWS] = {
	FLEET_BUS_ROWS(struct collectopts, o.bus),
	FLEET_STORE_ROWS(struct collectopts, o.store),
	{ .name = "tenant",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct collectopts, o.tenant),
	  .arg = "NAME",
	  .help = "only what hosts of this one send" },
	{ .name = "replicas",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct collectopts, replicas),
	  .arg = "N",
	  .help = "servers of NATS that keep each message (1)",
	  .value = REPLICAS_MAX },
	{ .name = "again",
	  .kind = OPT_TIME,
	  .at = offsetof(struct collectopts, again_ns),
	  .arg = "TIME",
	  .help = "rows that a collector has not stored by then go to another one (30s)",
	  .value = 1 },
};

int hostopts_start(struct hostopts *h, const struct listener *to, pid_t *ret, struct err *err)
{
	if (!h->o.host && gethostname(h->name, sizeof(h->name) - 1) == 0)
		h->o.host = h->name;
	if (!h->run.policy)
		return 0;
	if (!h->run.audit && snprintf(h->audit, sizeof(h->audit), "%s/" RUNHOST_AUDIT, h->o.state) < PATH_MAX)
		h->run.audit = h->audit;
	h->run.bus = h->o.bus;
	h->run.tenant = h->o.tenant;
	h->run.site = h->o.site;
	h->run.host = h->o.host;
	h->run.stop = h->o.stop;
	return runhost_start(&h->run, to, ret, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the parts of a fleet: a host (how it sends recordings and whether it takes programs), a collector, and the
 * setup of stream and tables. */
#ifndef DWELL_FLEET_RUN_HOSTOPTS_H
#define DWELL_FLEET_RUN_HOSTOPTS_H
#include <limits.h>
#include "base/optrow.h"
#include "fleet/carry/collect.h"
#include "fleet/carry/publish.h"
#include "fleet/run/host.h"
#include "fleet/wire/serverrows.h"

#define HOSTOPTS_STATE "/var/lib/dwell"
#define HOSTOPTS_NROWS (FLEET_BUS_NROWS + 10u)

struct hostopts {
	struct publish_options o;
	struct runhost_options run;
	char name[BUS_NAME_MAX + 1], audit[PATH_MAX];
};
extern const struct optrow hostopts_rows[];
/* Its name, if it was given none; then the process that takes programs, before this one has threads: *ret, or 0. */
int hostopts_start(struct hostopts *h, const struct listener *to, pid_t *ret, struct err *err);

struct collectopts {
	struct collect_options o;
	unsigned replicas;
	uint64_t again_ns;
};
#define COLLECTOPTS_NROWS (FLEET_BUS_NROWS + FLEET_STORE_NROWS + 2u)
#define INITOPTS_NROWS (FLEET_BUS_NROWS + FLEET_STORE_NROWS + 3u)
extern const struct optrow collectopts_rows[], initopts_rows[];
#endif

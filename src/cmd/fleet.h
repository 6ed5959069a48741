/* SPDX-License-Identifier: Apache-2.0 */
/* Options that the parts of `dwell fleet` share: where NATS and ClickHouse are. */
#ifndef DWELL_CMD_FLEET_H
#define DWELL_CMD_FLEET_H
#include "cmd/words.h"
#include "fleet/wire/serverrows.h"

/* Questions to the store. */
extern const struct command fleet_hosts, fleet_latency, fleet_why, fleet_flame, fleet_heat, fleet_hist, fleet_outliers;
extern const struct command fleet_top, fleet_diff, fleet_changes, fleet_programs, fleet_program, fleet_key,
	fleet_access, fleet_watch;
extern const struct command fleet_serve, fleet_query, fleet_simulate, fleet_demo;

/* The address as given, or of the environment. 0, or EXIT_USAGE after a message. */
int fleet_bus(struct bus_options *o);
int fleet_store(struct click_options *o);
bool fleet_stop(void *unused); /* a signal asks to end */
#endif

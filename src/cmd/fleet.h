/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `dwell fleet` share: where NATS and ClickHouse are. */
#ifndef DWELL_CMD_FLEET_H
#define DWELL_CMD_FLEET_H
#include "cmd/words.h"
#include "fleet/bus.h"
#include "fleet/click.h"

/* Questions to the store. */
extern const struct command fleet_hosts, fleet_latency, fleet_why, fleet_flame, fleet_heat, fleet_hist, fleet_outliers;
extern const struct command fleet_top, fleet_diff;
extern const struct command fleet_serve, fleet_query, fleet_simulate, fleet_demo;

/* The address as given, or of the environment. 0, or EXIT_USAGE after a message. */
int fleet_bus(struct bus_options *o);
int fleet_store(struct click_options *o);
bool fleet_stop(void *unused); /* a signal asks to end */

/* Rows of options: of a struct bus_options, and of a struct click_options. */
#define FLEET_BUS_ROWS(type, member) \
	{ .name = "fleet", \
	  .kind = OPT_TEXT, \
	  .at = offsetof(type, member.url), \
	  .arg = "URL", \
	  .help = "of NATS: nats://HOST:PORT, tls://HOST:PORT" }, \
		{ .name = "creds", \
		  .kind = OPT_TEXT, \
		  .at = offsetof(type, member.credentials), \
		  .arg = "FILE", \
		  .help = "credentials (nkey) as nsc makes them" }, \
		{ .name = "ca", \
		  .kind = OPT_TEXT, \
		  .at = offsetof(type, member.ca), \
		  .arg = "FILE", \
		  .help = "certificates that sign the server's" }, \
		{ .name = "cert", \
		  .kind = OPT_TEXT, \
		  .at = offsetof(type, member.certificate), \
		  .arg = "FILE", \
		  .help = "this client's certificate" }, \
	{ \
		.name = "key", .kind = OPT_TEXT, .at = offsetof(type, member.key), .arg = "FILE", \
		.help = "and its key" \
	}
#define FLEET_STORE_NROWS 3
#define FLEET_STORE_ROWS(type, member) \
	{ .name = "store", \
	  .kind = OPT_TEXT, \
	  .at = offsetof(type, member.url), \
	  .arg = "URL", \
	  .help = "of ClickHouse: http://HOST:PORT, https://HOST:PORT" }, \
		{ .name = "store-user", \
		  .kind = OPT_TEXT, \
		  .at = offsetof(type, member.user), \
		  .arg = "NAME", \
		  .help = "a user there" }, \
	{ \
		.name = "store-password", .kind = OPT_TEXT, .at = offsetof(type, member.password_file), .arg = "FILE", \
		.help = "a file with the password" \
	}
#endif

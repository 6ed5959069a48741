/* SPDX-License-Identifier: Apache-2.0 */
/* Options that say where NATS and ClickHouse are, for the tables of all commands of a fleet. */
#ifndef DWELL_FLEET_WIRE_SERVERROWS_H
#define DWELL_FLEET_WIRE_SERVERROWS_H
#include "base/optrow.h"
#include "fleet/wire/bus.h"
#include "fleet/wire/click.h"

/* Rows of options: of a struct bus_options, and of a struct click_options. */
#define FLEET_BUS_NROWS 6
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
		  .help = "the key (`dwell fleet key`), or credentials as nsc makes them" }, \
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
		{ .name = "key", \
		  .kind = OPT_TEXT, \
		  .at = offsetof(type, member.key), \
		  .arg = "FILE", \
		  .help = "and its key" }, \
	{ \
		.name = "plain", .kind = OPT_FLAG, .at = offsetof(type, member.plain), \
		.help = "other machines without TLS and credentials" \
	}
#define FLEET_STORE_NROWS 4
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
		{ .name = "store-database", \
		  .kind = OPT_TEXT, \
		  .at = offsetof(type, member.database), \
		  .arg = "NAME", \
		  .help = "(dwell)" }, \
	{ \
		.name = "store-password", .kind = OPT_TEXT, .at = offsetof(type, member.password_file), .arg = "FILE", \
		.help = "a file with the password" \
	}
#endif

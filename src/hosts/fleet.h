/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a D program on several machines: starts it on each, merges and shows their output, ends it. */
#ifndef DWELL_HOSTS_FLEET_H
#define DWELL_HOSTS_FLEET_H
#include "base/units.h"
#include "engine/listener.h"
#include "hosts/place.h"
#include "hosts/wire.h"
#include "view/text/text.h"

#define FLEET_HOSTS_MAX 64
#define FLEET_PATIENCE_NS (10 * NSEC_PER_SEC) /* --host-timeout */
#define FLEET_PATIENCE_MIN NSEC_PER_SEC

struct fleet_opts {
	const char *places[FLEET_HOSTS_MAX]; /* "ssh:…" */
	size_t nplaces;
	const char *config, *binary; /* of ssh; what is copied (NULL: this program): or NULL */
	uint64_t patience;	     /* ns */
	bool sudo, forget;
	bool by_host, separate;	     /* no merging; an output for each */
	bool json;		     /* what comes is JSON Lines */
	const char *output, *record; /* files here, or NULL */
	struct wire_request request; /* words and texts of it */
	struct text_opts text;
};

struct fleet_result {
	int status;    /* the largest exit status of all machines */
	unsigned lost; /* machines that gave none, told */
};

/* 0, even if machines failed; -errno, told: of this machine. LISTENER_WRONG: places. */
int fleet_run(const struct fleet_opts *o, const struct listener *to, struct fleet_result *ret);
#endif

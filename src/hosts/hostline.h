/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the beginning of a command line that says on which machines a program runs: --host and the options that go
 * with it. The rest is dtrace(1)'s (cmdline/opts.h). */
#ifndef DWELL_HOSTS_HOSTLINE_H
#define DWELL_HOSTS_HOSTLINE_H
#include "engine/request.h"
#include "hosts/fleet.h"

/* Is the word one of these options, with or without "=VALUE"? */
bool hostline_is(const char *word);
/* Reads from argv[1] on into o; *ret: the first word that is none of these options, or argc. Texts live as long as
 * argv. 0; CMDLINE_USAGE or -EINVAL with a message. */
int hostline_read(int argc, char **argv, struct fleet_opts *o, int *ret, struct err *err);
/* Puts the texts of c's scripts into r, since they are sent; in c's arena. 0 or -errno, told. */
int hostline_texts(struct request *c, struct wire_request *r);
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file of a fleet's members, which names the servers' files and everybody's public key. Writes the
 * configurations of nats-server and ClickHouse from it. `dwell fleet run` checks by these keys that an answer comes
 * from the host. The lines:
 *
 *	listen 0.0.0.0:4222
 *	tls /etc/dwell/server.pem /etc/dwell/server.key
 *	streams /var/lib/nats
 *	host UABC… acme/default/web-1     tenant, site and name
 *	user UABC… acme                   runs programs on hosts of a tenant
 *	collect UABC… acme                a collector of a tenant; without one, of all
 *	init UABC…                        makes the stream
 *	reader ann dwell_acme SHA-256     of ClickHouse: asks one database; the sum is of the password
 *	writer collector SHA-256          … stores, and makes tables
 *
 * "#" begins a comment. Only its owner may write the file. The owner is root, or the user who runs dwell. */
#ifndef DWELL_FLEET_RUN_ACCESS_H
#define DWELL_FLEET_RUN_ACCESS_H
#include <stdio.h>
#include "base/optrow.h"
#include "base/strb.h"
#include "base/vec.h"
#include "fleet/wire/bus.h"
#include "fleet/wire/nkey.h"

#define ACCESS_MEMBERS_MAX 20000u
#define ACCESS_SUM_LEN 64u
#define ACCESS_PATH_MAX 400u

enum access_kind { ACCESS_HOST, ACCESS_USER, ACCESS_COLLECT, ACCESS_INIT, ACCESS_READER, ACCESS_WRITER, ACCESS_NKINDS };

struct access_member {
	enum access_kind kind;
	uint8_t key[NKEY_SIZE];	      /* not of readers and writers */
	char *tenant, *site, *name;   /* tenant of a reader: the database */
	char sum[ACCESS_SUM_LEN + 1]; /* of these */
};
struct access {
	char listen[BUS_NAME_MAX], certificate[ACCESS_PATH_MAX], key[ACCESS_PATH_MAX], streams[ACCESS_PATH_MAX];
	VEC(struct access_member) members;
};
/* 0 or -errno with *err. */
int access_read(const char *path, struct access *ret, struct err *err);
void access_free(struct access *a);
/* The key of a host; NULL: it is not enrolled. */
const uint8_t *access_host(const struct access *a, const char *tenant, const char *site, const char *host);

/* The configuration of nats-server. Each tenant has an account, which has nothing of the others. Each key has leave to
 * send and to hear what it must. 0 or -errno. */
int access_put_nats(struct strb *b, const struct access *a, struct err *err);
/* The users of ClickHouse. One who may ask sees one database, and nothing else. 0 or -errno. */
int access_put_click(struct strb *b, const struct access *a, struct err *err);
/* Reads the file and writes one of them; what cannot be written is seen by ferror(). 0 or -errno. */
int access_write(const char *path, bool click, FILE *out, struct err *err);
#endif

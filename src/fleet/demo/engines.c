/* SPDX-License-Identifier: Apache-2.0 */
/* NATS and ClickHouse for a while, on loopback. Source: nats-server --help; clickhouse.com/docs, server settings (the
 * ones that 18.16 has, too). */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/findprog.h"
#include "base/units.h"
#include "fleet/wire/bus.h"
#include "fleet/demo/demo.h"
#include "fleet/wire/tables.h"

enum { PORT_BUS, PORT_HTTP, PORT_TCP, PORT_INTER, NPORTS };

static const char config[] =
	"<yandex><logger><level>warning</level><log>%1$s/log</log><errorlog>%1$s/errors</errorlog></logger>"
	"<http_port>%2$u</http_port><tcp_port>%3$u</tcp_port><interserver_http_port>%4$u</interserver_http_port>"
	"<listen_host>127.0.0.1</listen_host><path>%1$s/data/</path><tmp_path>%1$s/tmp/</tmp_path>"
	"<user_files_path>%1$s/files/</user_files_path><users_config>%1$s/users.xml</users_config>"
	"<default_profile>default</default_profile><default_database>default</default_database>"
	"<mark_cache_size>50000000</mark_cache_size><timezone>UTC</timezone></yandex>";
static const char users[] =
	"<yandex><profiles><default><max_threads>2</max_threads></default></profiles><users><default>"
	"<password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>"
	"</default></users><quotas><default></default></quotas></yandex>";

/* Ports that nobody has now. */
static int free_ports(unsigned ports[NPORTS])
{
	int fds[NPORTS], e = 0;

	for (size_t i = 0; i < NPORTS; i++) {
		struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		socklen_t n = sizeof(a);

		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fds[i] < 0 || bind(fds[i], (struct sockaddr *)&a, n) < 0 ||
		    getsockname(fds[i], (struct sockaddr *)&a, &n) < 0)
			e = -errno;
		ports[i] = ntohs(a.sin_port);
	}
	for (size_t i = 0; i < NPORTS; i++)
		closep(&fds[i]);
	return e;
}

static int need(const char *program, struct err *err)
{
	_cleanup_free_ char *path = findprog(program);

	return path ? 0
		    : err_set(err, -ENOENT,
			      "%s is not installed: Debian's package has the same name, and needs no set-up", program);
}

static int start_bus(struct demo *d, const unsigned *ports, struct err *err)
{
	char store[sizeof(d->folder) + 8], port[16];
	char *argv[] = { (char[]){ "nats-server" },
			 (char[]){ "-js" },
			 (char[]){ "-sd" },
			 store,
			 (char[]){ "-a" },
			 (char[]){ "127.0.0.1" },
			 (char[]){ "-p" },
			 port,
			 NULL };

	snprintf(store, sizeof(store), "%s/nats", d->folder);
	snprintf(port, sizeof(port), "%u", ports[PORT_BUS]);
	snprintf(d->bus, sizeof(d->bus), "nats://127.0.0.1:%u", ports[PORT_BUS]);
	return demo_start(d, "nats-server", argv, -1, err);
}

static int start_store(struct demo *d, const unsigned *ports, struct err *err)
{
	char path[sizeof(d->folder) + 32], folder[sizeof(d->folder) + 8];
	char option[sizeof(path) + 32];
	char *argv[] = { (char[]){ "clickhouse-server" }, option, NULL };
	_cleanup_fclose_ FILE *f = NULL, *u = NULL;

	snprintf(folder, sizeof(folder), "%s/store", d->folder);
	if (mkdir(folder, 0700) < 0)
		return err_set(err, -errno, "%s: %s", folder, strerror(errno));
	snprintf(path, sizeof(path), "%s/users.xml", folder);
	u = fopen(path, "we");
	snprintf(path, sizeof(path), "%s/config.xml", folder);
	f = fopen(path, "we");
	if (!f || !u || fputs(users, u) < 0 ||
	    fprintf(f, config, folder, ports[PORT_HTTP], ports[PORT_TCP], ports[PORT_INTER]) < 0 || fflush(u) != 0 ||
	    fflush(f) != 0)
		return err_set(err, -EIO, "%s cannot be written: %s", path, strerror(errno));
	snprintf(option, sizeof(option), "--config-file=%s", path);
	snprintf(d->store, sizeof(d->store), "http://127.0.0.1:%u", ports[PORT_HTTP]);
	return demo_start(d, "clickhouse-server", argv, -1, err);
}

static int make(const struct demo *d, struct err *err)
{
	const struct bus_options bus = { .url = d->bus };
	const struct click_options store = { .url = d->store, .database = TABLES_DATABASE };
	struct bus *b = NULL;
	int e = bus_connect(&bus, &b, err);

	if (e == 0)
		e = bus_init(b, NULL, 1, BUS_AGAIN_NS, err);
	if (e == 0)
		e = tables_init(&store, err);
	bus_close(b);
	return e;
}

int demo_engines(struct demo *d, struct err *err)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + DEMO_START_S * NSEC_PER_SEC;
	unsigned ports[NPORTS];
	int e = need("nats-server", err);

	if (e == 0)
		e = need("clickhouse-server", err);
	if (e == 0 && free_ports(ports) < 0)
		e = err_set(err, -EADDRINUSE, "there are no free ports");
	if (e == 0)
		e = start_bus(d, ports, err);
	if (e == 0)
		e = start_store(d, ports, err);
	while (e == 0) {
		struct err reason = { 0 };
		int r = make(d, &reason);

		if (r == 0)
			return 0;
		if (d->stop(d->ctx))
			return err_set(err, -EINTR, "interrupted");
		if (r == -ENOENT || clock_ns(CLOCK_MONOTONIC) > end)
			return err_set(err, r, "%s", reason.msg);
		e = demo_watch(d, 1, err);
	}
	return e;
}

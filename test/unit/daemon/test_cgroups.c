/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of cgroups, and names of pods and containers from the files of kubelet and of runtimes. */
#include "../unit.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/cgroups.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UID "3f4a8c1e-9b2d-4c6f-8a7e-1d2c3b4a5f60"
#define UID_ "3f4a8c1e_9b2d_4c6f_8a7e_1d2c3b4a5f60"
#define STATIC_UID "0123456789abcdef0123456789abcdef"

static void paths(void **state)
{
	static const struct {
		const char *path, *container, *pod;
		bool named;
	} rows[] = {
		{ "/", "", "", false },
		{ "/system.slice/ssh.service", "", "", false },
		{ "/docker/" ID, ID, "", false },
		{ "/system.slice/docker-" ID ".scope", ID, "", false },
		{ "/machine.slice/libpod-" ID ".scope/container", ID, "", false },
		{ "/machine.slice/libpod-conmon-" ID ".scope", "", "", false },
		{ "/kubepods/burstable/pod" UID "/" ID, ID, UID, false },
		{ "/kubepods/pod" UID, "", UID, false },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/cri-containerd-" ID
		  ".scope",
		  ID, UID, false },
		{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope", ID, UID, false },
		{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-conmon-" ID ".scope", "", UID, false },
		{ "/kubepods/besteffort/pod" STATIC_UID "/" ID "/init", ID, STATIC_UID, false },
		{ "/lxc.payload.web/system.slice/ssh.service", "web", "", true },
		{ "/machine.slice/systemd-nspawn@db.service", "db", "", true },
		{ "/machine.slice/machine-mail.scope", "mail", "", true },
		{ "/x/" ID "0", "", "", false }, /* 65 digits */
		{ "/x/0123", "", "", false },
		{ "/x/y" ID, "", "", false },
		{ "/podium/pod", "", "", false },
	};
	struct cgroup_ids ids;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cgroup_parse(rows[i].path, &ids);
		assert_string_equal(ids.container, rows[i].container);
		assert_string_equal(ids.pod, rows[i].pod);
		assert_int_equal(ids.named, rows[i].named);
	}
}

static char root[] = "/tmp/dwell-cgroups.XXXXXX";

static void put_file(const char *path, const char *text)
{
	char full[1024];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *p = full + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		assert_true(mkdir(full, 0700) == 0 || errno == EEXIST);
		*p = '/';
	}
	if (!text)
		return;
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const struct cgroup_names *find(struct cgroups *c, const char *path, uint64_t now)
{
	char full[1024];
	struct stat st;

	snprintf(full, sizeof(full), "%s/sys/fs/cgroup%s", root, path);
	assert_int_equal(stat(full, &st), 0);
	return cgroups_find(c, st.st_ino, now);
}

static void check(struct cgroups *c, const char *path, const char *container, const char *pod, const char *space)
{
	const struct cgroup_names *n = find(c, path, 1);

	assert_non_null(n);
	assert_string_equal(n->path, path);
	assert_string_equal(n->container, container);
	assert_string_equal(n->pod, pod);
	assert_string_equal(n->space, space);
}

#define CGROUP(path) "/sys/fs/cgroup" path "/"
#define OTHER(digit) digit ID_TAIL
#define ID_TAIL "123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void kubernetes(void **state)
{
	struct cgroups *c = cgroups_new(root);

	(void)state;
	assert_non_null(c);
	put_file(CGROUP("/kubepods/pod" UID "/" ID), NULL);
	put_file("/var/log/pods/other_thing_11111111-9b2d-4c6f-8a7e-1d2c3b4a5f60/x", "");
	put_file("/var/log/pods/shop_cart-7d9f_" UID "/cart/0.log", "");
	put_file("/var/log/containers/cart-7d9f_shop_cart-" ID ".log", "");
	check(c, "/kubepods/pod" UID "/" ID, "cart", "cart-7d9f", "shop");
	check(c, "/kubepods/pod" UID, "", "cart-7d9f", "shop");
	check(c, "/kubepods", "", "", "");
	cgroups_free(c);
}

static void runtimes(void **state)
{
	struct cgroups *c = cgroups_new(root);

	(void)state;
	put_file(CGROUP("/docker/" OTHER("1")), NULL);
	put_file("/var/lib/docker/containers/" OTHER("1") "/config.v2.json", "{\"Name\":\"/web\",\"State\":{}}");
	put_file(CGROUP("/k8s/" OTHER("2")), NULL);
	put_file(
		"/run/containerd/io.containerd.runtime.v2.task/k8s.io/" OTHER("2") "/config.json",
		"{\"annotations\":{\"io.kubernetes.cri.container-name\":\"app\",\"io.kubernetes.cri.sandbox-name\":\"p\","
		"\"io.kubernetes.cri.sandbox-namespace\":\"ns\"}}");
	put_file(CGROUP("/crio-" OTHER("3") ".scope"), NULL);
	put_file("/run/containers/storage/overlay-containers/" OTHER("3") "/userdata/config.json",
		 "{\"annotations\":{\"io.kubernetes.container.name\":\"q\",\"io.kubernetes.pod.name\":\"r\","
		 "\"io.kubernetes.pod.namespace\":\"s\"}}");
	put_file(CGROUP("/docker/" OTHER("4")), NULL); /* nobody knows it */
	put_file(CGROUP("/docker/" OTHER("5")), NULL);
	put_file("/var/lib/docker/containers/" OTHER("5") "/config.v2.json", "{\"Name\": [ damaged");
	check(c, "/docker/" OTHER("1"), "web", "", "");
	check(c, "/k8s/" OTHER("2"), "app", "p", "ns");
	check(c, "/crio-" OTHER("3") ".scope", "q", "r", "s");
	check(c, "/docker/" OTHER("4"), "4123456789ab", "", "");
	check(c, "/docker/" OTHER("5"), "5123456789ab", "", "");
	cgroups_free(c);
}

/* New ones are found; one that is not there is not looked for again and again; what has gone is forgotten. */
static void looks(void **state)
{
	struct cgroups *c = cgroups_new(root);
	const uint64_t later = UINT64_C(3600) * 1000000000;
	char full[1024];
	struct stat st;

	(void)state;
	put_file(CGROUP("/first"), NULL);
	assert_non_null(find(c, "/first", 1));
	put_file(CGROUP("/second"), NULL);
	assert_null(find(c, "/second", 2)); /* too early to look */
	assert_non_null(find(c, "/second", later));
	assert_null(cgroups_find(c, UINT64_MAX, 2 * later));
	put_file(CGROUP("/third"), NULL);
	assert_null(cgroups_find(c, UINT64_MAX, 2 * later + CGROUPS_GONE_NS)); /* makes no look */
	assert_non_null(find(c, "/third", 2 * later + CGROUPS_GONE_NS));
	snprintf(full, sizeof(full), "%s/sys/fs/cgroup/first", root);
	assert_int_equal(stat(full, &st), 0);
	assert_int_equal(rmdir(full), 0);
	assert_null(cgroups_find(c, UINT64_MAX - 1, 3 * later));
	assert_null(cgroups_find(c, st.st_ino, 3 * later));
	cgroups_free(c);
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(kubernetes),
		cmocka_unit_test(runtimes),
		cmocka_unit_test(looks),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

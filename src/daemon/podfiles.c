/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files of kubelet and container runtimes and finds names by container id. */
#include "daemon/podfiles.h"
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/readall.h"

#define FOLDER_MAX 10000 /* names of a folder that are looked at */

static void keep(char to[CGROUPS_NAME], const char *s, size_t n)
{
	if (!to[0] && n && n < CGROUPS_NAME)
		snprintf(to, CGROUPS_NAME, "%.*s", (int)n, s);
}

/* -- what kubelet keeps -- */

typedef bool name_fn(const char *name, const struct cgroup_ids *ids, struct cgroup_names *ret);

/* Gives the names in a folder to fn until it says that it was the one. */
static void look_in(const char *root, const char *folder, name_fn *fn, const struct cgroup_ids *ids,
		    struct cgroup_names *ret)
{
	char path[CGROUPS_PATH + 64];
	const struct dirent *d;
	unsigned n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s%s", root, folder);
	dir = opendir(path);
	while (dir && (d = readdir(dir)) && n++ < FOLDER_MAX && !fn(d->d_name, ids, ret))
		;
	if (dir)
		closedir(dir);
}

static bool ends_with(const char *s, const char *end, size_t *ret_before)
{
	size_t n = strlen(s), k = strlen(end);

	if (n <= k || strcmp(s + n - k, end) != 0)
		return false;
	*ret_before = n - k;
	return true;
}

/* /var/log/pods/NAMESPACE_POD_UID. Source: kubelet, kuberuntime/helpers.go, BuildPodLogsDirectory(). */
static bool by_pod(const char *name, const struct cgroup_ids *ids, struct cgroup_names *ret)
{
	const char *pod = strchr(name, '_');
	size_t n;

	if (!pod || !ends_with(name, ids->pod, &n) || name[n - 1] != '_' || pod + 1 >= name + n)
		return false;
	keep(ret->space, name, (size_t)(pod - name));
	keep(ret->pod, pod + 1, (size_t)(name + n - 1 - (pod + 1)));
	return true;
}

/* /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log. Source: kubelet, kuberuntime/legacy.go, legacyLogSymlink(). */
static bool by_container(const char *name, const struct cgroup_ids *ids, struct cgroup_names *ret)
{
	char end[sizeof(ids->container) + 8];
	const char *space, *container;
	size_t n;

	snprintf(end, sizeof(end), "-%s.log", ids->container);
	space = strchr(name, '_');
	container = space ? strchr(space + 1, '_') : NULL;
	if (!container || !ends_with(name, end, &n) || container >= name + n)
		return false;
	keep(ret->pod, name, (size_t)(space - name));
	keep(ret->space, space + 1, (size_t)(container - space - 1));
	keep(ret->container, container + 1, (size_t)(name + n - container - 1));
	return true;
}

/* -- what runtimes keep -- */

/* A file of JSON of this path, in which %s is the container's id; the object with annotations or labels, and the member
 * that has the name. */
static const struct runtime_file {
	const char *path, *object, *container, *pod, *space;
} runtime_files[] = {
	{ "/run/containerd/io.containerd.runtime.v2.task/k8s.io/%s/config.json", "annotations",
	  "io.kubernetes.cri.container-name", "io.kubernetes.cri.sandbox-name", "io.kubernetes.cri.sandbox-namespace" },
	{ "/run/containers/storage/overlay-containers/%s/userdata/config.json", "annotations",
	  "io.kubernetes.container.name", "io.kubernetes.pod.name", "io.kubernetes.pod.namespace" },
	{ "/var/lib/docker/containers/%s/config.v2.json", NULL, "Name", NULL, NULL },
};

static void keep_member(char to[CGROUPS_NAME], const json_t *o, const char *name)
{
	const char *s = name ? json_string_value(json_object_get(o, name)) : NULL;

	if (s && *s == '/') /* Docker's */
		s++;
	if (s)
		keep(to, s, strlen(s));
}

static void by_file(const char *root, const struct runtime_file *f, const struct cgroup_ids *ids,
		    struct cgroup_names *ret)
{
	char path[CGROUPS_PATH + 256], id[sizeof(ids->container)];
	const char *at = strstr(f->path, "%s");
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = NULL;
	struct stat st;
	json_t *json;
	size_t n;

	snprintf(id, sizeof(id), "%s", ids->container);
	snprintf(path, sizeof(path), "%s%.*s%s%s", root, (int)(at - f->path), f->path, id, at + 2);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > CGROUPS_FILE_MAX)
		return;
	text = malloc((size_t)st.st_size + 1);
	json = text && read_all(fd, text, (size_t)st.st_size, &n) == 0 ? json_loadb(text, n, 0, NULL) : NULL;
	if (json) {
		const json_t *o = f->object ? json_object_get(json, f->object) : json;

		keep_member(ret->container, o, f->container);
		keep_member(ret->pod, o, f->pod);
		keep_member(ret->space, o, f->space);
	}
	json_decref(json);
}

void podfiles_find(const char *root, const struct cgroup_ids *ids, struct cgroup_names *ret)
{
	if (ids->pod[0])
		look_in(root, "/var/log/pods", by_pod, ids, ret);
	if (!ids->container[0])
		return;
	if (ids->pod[0])
		look_in(root, "/var/log/containers", by_container, ids, ret);
	for (size_t i = 0; i < ARRAY_SIZE(runtime_files) && !ret->container[0]; i++)
		by_file(root, &runtime_files[i], ids, ret);
}

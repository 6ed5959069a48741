/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/run/policy.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/num.h"

#define CPU 1u
#define SECONDS 60u
#define ROWS 100000u
#define PROGRAMS 2u
#define LINE_MAX_ 512
#define BLANKS " \t\r\n"

static int take_user(struct runpolicy *p, char *rest)
{
	char *save = NULL, *key = strtok_r(rest, BLANKS, &save), *name = strtok_r(NULL, BLANKS, &save),
	     *may = strtok_r(NULL, BLANKS, &save);
	struct runpolicy_user u = { .write = may != NULL };

	if (!name || strlen(name) >= sizeof(u.name) || (may && strcmp(may, "write") != 0) ||
	    strtok_r(NULL, BLANKS, &save) || nkey_read(key, u.key) < 0 || p->users.n == RUNPOLICY_USERS_MAX)
		return -EINVAL;
	snprintf(u.name, sizeof(u.name), "%s", name);
	return vec_try_push(&p->users, u);
}

static int take_line(struct runpolicy *p, char *line)
{
	static const struct {
		const char *name;
		size_t at;
		uint64_t max;
	} numbers[] = { { "cpu", offsetof(struct runpolicy, cpu), 100 },
			{ "seconds", offsetof(struct runpolicy, seconds), 86400 },
			{ "rows", offsetof(struct runpolicy, rows), UINT32_MAX },
			{ "programs", offsetof(struct runpolicy, programs), 100 } };
	char *save = NULL, *word, *value;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, BLANKS, &save);
	if (!word)
		return 0;
	if (!strcmp(word, "user"))
		return take_user(p, save);
	value = strtok_r(NULL, BLANKS, &save);
	for (size_t i = 0; value && i < ARRAY_SIZE(numbers); i++) {
		uint64_t *n = (uint64_t *)((char *)p + numbers[i].at);

		if (strcmp(word, numbers[i].name) != 0)
			continue;
		if (*word == 'c') /* cpu: percent */
			value[strcspn(value, "%")] = '\0';
		if (num_parse_u64(value, n) < 0 || !*n || *n > numbers[i].max || strtok_r(NULL, BLANKS, &save))
			return -EINVAL;
		return 0;
	}
	return -EINVAL;
}

int runpolicy_open(const char *path, const char *what, FILE **ret, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(err, -errno, "the %s cannot be read from %s: %s", what, path, strerror(errno));
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) || (st.st_uid != 0 && st.st_uid != geteuid()))
		return err_set(err, -EPERM, "%s: others may write this %s", path, what);
	*ret = fdopen(fd, "r");
	if (!*ret)
		return err_set(err, -ENOMEM, "out of memory");
	fd = -1; /* the FILE's */
	return 0;
}

int runpolicy_read(const char *path, struct runpolicy *ret, struct err *err)
{
	char line[LINE_MAX_];
	FILE *f = NULL;
	int e = runpolicy_open(path, "policy", &f, err), n = 0;

	*ret = (struct runpolicy){ .cpu = CPU, .seconds = SECONDS, .rows = ROWS, .programs = PROGRAMS };
	if (e < 0)
		return e;
	while (e == 0 && fgets(line, sizeof(line), f)) {
		n++;
		e = strchr(line, '\n') || feof(f) ? take_line(ret, line) : -EINVAL;
	}
	if (e < 0)
		err_set(err, e, "%s:%d: %s", path, n,
			e == -EINVAL ? "user KEY NAME [write], cpu, seconds, rows or programs with a number is wanted"
				     : "out of memory");
	fclose(f);
	if (e < 0)
		runpolicy_free(ret);
	return e;
}

void runpolicy_free(struct runpolicy *p)
{
	vec_free(&p->users);
}

const struct runpolicy_user *runpolicy_user(const struct runpolicy *p, const uint8_t key[NKEY_SIZE])
{
	for (size_t i = 0; i < p->users.n; i++)
		if (!memcmp(p->users.v[i].key, key, NKEY_SIZE))
			return &p->users.v[i];
	return NULL;
}

int runpolicy_check(const struct runpolicy *p, const struct runmsg *m, size_t running, struct err *err)
{
	const struct runpolicy_user *u = runpolicy_user(p, m->user);
	char key[NKEY_PUBLIC_LEN + 1];

	nkey_write(m->user, key);
	if (!u)
		return err_set(err, -EPERM, "its policy does not allow the user %s", key);
	if (m->write && !u->write)
		return err_set(err, -EPERM, "its policy does not allow %s destructive actions (-w)", u->name);
	if (!m->seconds || m->seconds > p->seconds)
		return err_set(err, -EPERM, "its policy allows %" PRIu64 " s, and not %" PRIu64, p->seconds,
			       m->seconds);
	if (running >= p->programs)
		return err_set(err, -EPERM, "%zu programs run there, and its policy allows no more", running);
	return 0;
}

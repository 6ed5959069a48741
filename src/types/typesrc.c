/* SPDX-License-Identifier: Apache-2.0 */
/* Opens types: vmlinux and its modules are numbered objects, each one BTF blob that is opened when something in it
 * is first asked for. */
#include "types/typesrc.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/readall.h"
#include "base/vec.h"
#include "types/btf_int.h"

#define BTF_DIR "/sys/kernel/btf"
#define BTF_FILE_MAX ((size_t)1 << 30)
#define TYPESRC_MAX_OBJS 4096 /* modules of one kernel */

enum obj_state { OBJ_UNOPENED, OBJ_OPEN, OBJ_BAD };

struct tobj {
	char *name;
	enum obj_state state;
	int bad; /* why it cannot be used, negative errno */
	bool mapped;
	bool user; /* of a program: without base */
	void *data;
	size_t len;
	struct btf_blob blob;
};

struct typesrc {
	VEC(struct tobj *) objs; /* pointers: blobs refer to their base */
	bool kernel;		 /* objects come from BTF_DIR */
	bool foreign;		 /* from a file: the kernel does not know the ids */
	bool listed;		 /* the modules of BTF_DIR are in objs */
};

static void obj_free(struct tobj *o)
{
	if (!o)
		return;
	btf_blob_done(&o->blob);
	if (o->mapped)
		munmap(o->data, o->len);
	else
		free(o->data);
	free(o->name);
	free(o);
}

void typesrc_free(struct typesrc *ts)
{
	if (!ts)
		return;
	for (size_t i = 0; i < ts->objs.n; i++)
		obj_free(ts->objs.v[i]);
	vec_free(&ts->objs);
	free(ts);
}

static int obj_add(struct typesrc *ts, const char *name, struct tobj **ret)
{
	struct tobj *o = calloc(1, sizeof(*o));
	int r = -ENOMEM;

	if (o)
		o->name = strdup(name);
	if (o && o->name)
		r = ts->objs.n < TYPESRC_MAX_OBJS ? vec_try_push(&ts->objs, o) : -E2BIG;
	if (r < 0) {
		obj_free(o);
		return r;
	}
	*ret = o;
	return 0;
}

/* Maps a file, as the kernel's from Linux 6.16 on, or else reads it. */
static int obj_map(struct tobj *o, const char *path, bool copy, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *p;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EBADMSG, "%s is no file", path);
	if (st.st_size <= 0 || (size_t)st.st_size > BTF_FILE_MAX)
		return err_set(err, -EBADMSG, "%s has a size of %lld bytes", path, (long long)st.st_size);
	o->len = (size_t)st.st_size;
	p = copy ? MAP_FAILED : mmap(NULL, o->len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p != MAP_FAILED) {
		o->data = p;
		o->mapped = true;
		return 0;
	}
	o->data = malloc(o->len);
	if (!o->data)
		return err_set(err, -ENOMEM, "no memory for %s", path);
	if (read_exactly(fd, o->data, o->len) < 0)
		return err_set(err, -EIO, "cannot read %s", path);
	return 0;
}

static int obj_read_file(struct tobj *o, struct err *err)
{
	char path[sizeof(BTF_DIR) + NAME_MAX + 2];

	snprintf(path, sizeof(path), BTF_DIR "/%s", o->name);
	return obj_map(o, path, false, err);
}

/* Opens and indexes an object once; afterwards its ids can be used. */
static int obj_open(struct typesrc *ts, uint32_t obj, struct err *err)
{
	struct tobj *o = ts->objs.v[obj];
	struct btf_blob *base = NULL;
	int r = 0;

	if (o->state == OBJ_OPEN)
		return 0;
	if (o->state == OBJ_BAD)
		return err_set(err, o->bad, "BTF of %s cannot be used", o->name);
	if (obj > 0 && !o->user) {
		r = obj_open(ts, 0, err);
		base = &ts->objs.v[0]->blob;
	}
	if (r >= 0 && !o->data)
		r = obj_read_file(o, err);
	if (r >= 0)
		r = btf_blob_init(&o->blob, o->data, o->len, base, err);
	if (r >= 0) {
		r = btf_blob_index(&o->blob);
		if (r == -EBADMSG)
			err_set(err, r, "BTF of %s has a damaged or unknown type record", o->name);
	}
	o->state = r < 0 ? OBJ_BAD : OBJ_OPEN;
	o->bad = r;
	return r;
}

static struct typesrc *ts_new(void)
{
	return calloc(1, sizeof(struct typesrc));
}

int typesrc_open_kernel(struct typesrc **ret, struct err *err)
{
	struct typesrc *ts;
	struct tobj *o;
	int r;

	if (access(BTF_DIR "/vmlinux", R_OK) < 0)
		return err_set(err, -errno,
			       "this kernel has no type information: " BTF_DIR
			       "/vmlinux: %s (needs CONFIG_DEBUG_INFO_BTF=y)",
			       strerror(errno));
	ts = ts_new();
	if (!ts)
		return err_set(err, -ENOMEM, "no memory");
	ts->kernel = true;
	r = obj_add(ts, "vmlinux", &o);
	if (r < 0) {
		typesrc_free(ts);
		return err_set(err, r, "no memory");
	}
	*ret = ts;
	return 0;
}

/* Opens the newest object, and proves that it has no loops; if it does, or the step before failed, it is gone. */
static int prove(struct typesrc *ts, struct tobj *o, int r, struct err *err)
{
	if (r >= 0)
		r = obj_open(ts, (uint32_t)ts->objs.n - 1, err);
	if (r >= 0) {
		r = btf_blob_check(&o->blob);
		if (r < 0)
			err_set(err, r, "BTF of %s: a type has a bad reference, a loop or more than %d levels", o->name,
				BTF_BLOB_MAX_NEST);
	}
	if (r < 0) {
		ts->objs.n--;
		obj_free(o);
	}
	return r;
}

/* Copies the data into a new object. */
static int add_copy(struct typesrc *ts, const char *name, const void *data, size_t len, bool user, struct err *err)
{
	struct tobj *o;
	int r = obj_add(ts, name, &o);

	if (r < 0)
		return err_set(err, r, "no memory for types of %s", name);
	o->user = user;
	o->len = len;
	o->data = malloc(len ? len : 1);
	if (!o->data)
		r = err_set(err, -ENOMEM, "no memory for types of %s", name);
	else if (len)
		memcpy(o->data, data, len);
	return prove(ts, o, r, err);
}

/* The file may change while it is used: it is copied. */
int typesrc_open_file(const char *path, struct typesrc **ret, struct err *err)
{
	struct typesrc *ts = ts_new();
	struct tobj *o;
	int r = ts ? obj_add(ts, "vmlinux", &o) : -ENOMEM;

	if (r < 0)
		err_set(err, r, "no memory");
	else
		r = prove(ts, o, obj_map(o, path, true, err), err);
	if (r < 0) {
		typesrc_free(ts);
		return r;
	}
	ts->foreign = true;
	*ret = ts;
	return 0;
}

int typesrc_open(const char *path, struct typesrc **ret, struct err *err)
{
	return path && *path ? typesrc_open_file(path, ret, err) : typesrc_open_kernel(ret, err);
}

bool typesrc_attaches(const struct typesrc *ts)
{
	return !ts->foreign;
}

int typesrc_open_mem(const char *name, const void *data, size_t len, struct typesrc **ret, struct err *err)
{
	struct typesrc *ts = ts_new();
	int r;

	if (!ts)
		return err_set(err, -ENOMEM, "no memory");
	r = add_copy(ts, name, data, len, false, err);
	if (r < 0) {
		typesrc_free(ts);
		return r;
	}
	*ret = ts;
	return 0;
}

int typesrc_add_mem(struct typesrc *ts, const char *name, const void *data, size_t len, struct err *err)
{
	return add_copy(ts, name, data, len, false, err);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_module(const struct dirent *d)
{
	return d->d_name[0] != '.' && strcmp(d->d_name, "vmlinux") != 0;
}

/* Adds the modules by name (sorted, so that object numbers are stable), without opening them. */
static void list_modules(struct typesrc *ts)
{
	struct dirent **v;
	struct tobj *o;
	int n;

	if (!ts->kernel || ts->listed)
		return;
	ts->listed = true;
	n = scandir(BTF_DIR, &v, is_module, by_name);
	for (int i = 0; i < n; i++) {
		obj_add(ts, v[i]->d_name, &o); /* past the limit: that module has no types */
		free(v[i]);
	}
	if (n >= 0)
		free(v);
}

int typesrc_add_user(struct typesrc *ts, const char *name, const void *data, size_t len, uint32_t *ret_obj,
		     struct err *err)
{
	int r;

	list_modules(ts); /* they keep their numbers */
	r = add_copy(ts, name, data, len, true, err);
	if (r == 0)
		*ret_obj = (uint32_t)ts->objs.n - 1;
	return r;
}

bool typesrc_is_user(const struct typesrc *ts, uint32_t obj)
{
	return obj < ts->objs.n && ts->objs.v[obj]->user;
}

uint32_t typesrc_nobjs(struct typesrc *ts)
{
	list_modules(ts);
	return (uint32_t)ts->objs.n;
}

const char *typesrc_obj_name(struct typesrc *ts, uint32_t obj)
{
	if (obj >= ts->objs.n)
		list_modules(ts);
	return obj < ts->objs.n ? ts->objs.v[obj]->name : NULL;
}

static int blob_of(struct typesrc *ts, uint32_t obj, struct btf_blob **ret)
{
	int r;

	if (obj >= ts->objs.n)
		list_modules(ts);
	if (obj >= ts->objs.n)
		return -ENOENT;
	r = obj_open(ts, obj, NULL);
	if (r < 0)
		return r;
	*ret = &ts->objs.v[obj]->blob;
	return 0;
}

/* Ids below a module's own belong to vmlinux. */
static struct tref norm(const struct btf_blob *b, uint32_t obj, uint32_t id)
{
	return (struct tref){ .obj = id < b->first_id ? 0 : obj, .id = id };
}

/* Looks into one object; a forward declaration is kept in *fwd (id 0: none yet). */
static int find_in(struct typesrc *ts, uint32_t obj, const char *name, uint32_t kinds, struct tref *ret,
		   struct tref *fwd)
{
	struct btf_blob *b;
	uint32_t id, first_fwd = 0;
	int r = blob_of(ts, obj, &b);

	if (r < 0)
		return r;
	r = btf_blob_find(b, name, kinds, &id, &first_fwd);
	if (r >= 0)
		*ret = (struct tref){ .obj = obj, .id = id };
	else if (first_fwd && !fwd->id)
		*fwd = (struct tref){ .obj = obj, .id = first_fwd };
	return r;
}

int typesrc_find(struct typesrc *ts, const char *module, const char *name, uint32_t kinds, struct tref *ret)
{
	struct tref fwd = { 0 };

	if (!*name)
		return -ENOENT;
	for (uint32_t obj = 0; typesrc_obj_name(ts, obj); obj++) {
		int r;

		if (module && strcmp(ts->objs.v[obj]->name, module) != 0)
			continue;
		r = find_in(ts, obj, name, kinds, ret, &fwd);
		if (r >= 0)
			return 0;
		/* A damaged or vanished module must not hide the others. */
		if (r != -ENOENT && (obj == 0 || module))
			return r;
	}
	if (!fwd.id)
		return -ENOENT;
	*ret = fwd;
	return 0;
}

int typesrc_find_var(struct typesrc *ts, const char *module, const char *name, struct tref *ret)
{
	return typesrc_find(ts, module, name, TKM(TK_VAR), ret);
}

static int each_in(struct btf_blob *b, uint32_t obj, enum tkind kind, const char *prefix,
		   int (*fn)(void *arg, struct tref ref, const char *name), void *arg)
{
	size_t plen = strlen(prefix);

	for (uint32_t id = b->first_id; id < b->end_id; id++) {
		const struct btf_type *t = btf_blob_type(b, id);
		const char *s;
		int r;

		if (btf_blob_kind(t) != kind)
			continue;
		s = btf_blob_str(b, t->name_off);
		if (!s || strncmp(s, prefix, plen) != 0)
			continue;
		r = fn(arg, (struct tref){ .obj = obj, .id = id }, s);
		if (r)
			return r;
	}
	return 0;
}

int typesrc_each_in(struct typesrc *ts, uint32_t obj, enum tkind kind, const char *prefix,
		    int (*fn)(void *arg, struct tref ref, const char *name), void *arg)
{
	struct btf_blob *b;
	int r = blob_of(ts, obj, &b);

	return r < 0 ? r : each_in(b, obj, kind, prefix, fn, arg);
}

int typesrc_each(struct typesrc *ts, enum tkind kind, const char *prefix,
		 int (*fn)(void *arg, struct tref ref, const char *name), void *arg)
{
	for (uint32_t obj = 0; typesrc_obj_name(ts, obj); obj++) {
		struct btf_blob *b;
		int r = blob_of(ts, obj, &b);

		if (r < 0 && obj == 0)
			return r;
		if (r < 0) /* a damaged or vanished module must not hide the others */
			continue;
		r = each_in(b, obj, kind, prefix, fn, arg);
		if (r)
			return r;
	}
	return 0;
}

int typesrc_get(struct typesrc *ts, struct tref ref, struct tinfo *ret)
{
	struct btf_blob *b;
	int r;

	if (ref.id == 0) {
		*ret = (struct tinfo){ .kind = TK_VOID, .name = "void" };
		return 0;
	}
	r = blob_of(ts, ref.obj, &b);
	if (r >= 0)
		r = btf_blob_info(b, ref.id, ret);
	if (r >= 0)
		ret->target = norm(b, ref.obj, ret->target.id);
	return r;
}

int typesrc_member(struct typesrc *ts, struct tref ref, uint32_t i, struct tmember *ret)
{
	struct btf_blob *b;
	int r;

	r = ref.id ? blob_of(ts, ref.obj, &b) : -ENOENT;
	if (r >= 0)
		r = btf_blob_member(b, ref.id, i, ret);
	if (r >= 0)
		ret->type = norm(b, ref.obj, ret->type.id);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads the types of values that print() shows. The parts of a type have smaller ids than the type, so
 * that reading ends. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "base/vec.h"
#include "store/file/int.h"

#define TYPES_MAX 65536
#define DEPTH_MAX 64
#define EXPANDED_MAX 1000000 /* parts of a value of the type, parts of parts included */

static const char *const kind_names[] = {
	[RTY_INT] = "int",     [RTY_FLOAT] = "float",	[RTY_ENUM] = "enum",	 [RTY_PTR] = "pointer",
	[RTY_ARRAY] = "array", [RTY_STRUCT] = "struct", [RTY_STRING] = "string", [RTY_BYTES] = "bytes",
};

/* -- writing -- */

struct rectype_ids {
	const struct rectype *type;
	int64_t id;
	UT_hash_handle hh;
};

void recfile_types_free(struct rectype_ids **ids)
{
	struct rectype_ids *i, *next;

	HASH_ITER (hh, *ids, i, next) {
		HASH_DEL(*ids, i);
		free(i);
	}
}

static int put_parts(sqlite3 *db, struct rectype_ids **ids, const struct rectype *t, int64_t *elem, int64_t *members)
{
	int rc = SQLITE_OK;

	*elem = 0;
	if (t->elem)
		rc = recfile_put_type(db, ids, t->elem, elem);
	for (uint32_t i = 0; rc == SQLITE_OK && i < t->nmembers; i++)
		rc = recfile_put_type(db, ids, t->members[i].type, &members[i]);
	return rc;
}

static int put_rows(sqlite3 *db, const struct rectype *t, int64_t id, int64_t elem, const int64_t *members)
{
	int rc = recfile_exec(db, "INSERT INTO type VALUES(?,?,?,?,?,?,?,?)", "issiiiii", id, kind_names[t->kind],
			      t->name, (int64_t)t->size, (int64_t)t->is_signed, (int64_t)t->is_char, elem,
			      (int64_t)t->nelems);

	for (uint32_t i = 0; rc == SQLITE_OK && i < t->nmembers; i++)
		rc = recfile_exec(db, "INSERT INTO type_member VALUES(?,?,?,?,?,?)", "iisiii", id, (int64_t)i,
				  t->members[i].name, members[i], (int64_t)t->members[i].bit_off,
				  (int64_t)t->members[i].bit_size);
	for (uint32_t i = 0; rc == SQLITE_OK && i < t->nenumerators; i++)
		rc = recfile_exec(db, "INSERT INTO type_value VALUES(?,?,?,?)", "iisi", id, (int64_t)i,
				  t->enumerators[i].name, t->enumerators[i].value);
	return rc;
}

int recfile_put_type(sqlite3 *db, struct rectype_ids **ids, const struct rectype *t, int64_t *ret)
{
	_cleanup_free_ int64_t *members = NULL;
	struct rectype_ids *known;
	int64_t elem;
	int rc;

	HASH_FIND_PTR(*ids, &t, known);
	if (known) {
		*ret = known->id;
		return SQLITE_OK;
	}
	members = calloc(t->nmembers + 1, sizeof(*members));
	known = calloc(1, sizeof(*known));
	rc = members && known ? put_parts(db, ids, t, &elem, members) : SQLITE_NOMEM;
	if (rc != SQLITE_OK) {
		free(known);
		return rc;
	}
	known->type = t;
	known->id = *ret = (int64_t)HASH_COUNT(*ids) + 1;
	HASH_ADD_PTR(*ids, type, known);
	if (!known->hh.tbl) {
		free(known);
		return SQLITE_NOMEM;
	}
	return put_rows(db, t, *ret, elem, members);
}

/* -- reading -- */

struct type_load {
	sqlite3 *db;
	struct arena *a;
	struct rectype_table *t;
	struct err *err;
};

static int bad_type(struct type_load *l)
{
	return err_set(l->err, -EINVAL, "the recording is damaged: a type that cannot be");
}

static int kind_of(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(kind_names); i++)
		if (!strcmp(kind_names[i], name))
			return (int)i;
	return -1;
}

/* Type by id, which must be smaller than the one being read. */
static const struct rectype *part(const struct type_load *l, int64_t id)
{
	return id >= 1 && (uint64_t)id <= l->t->n ? l->t->v[id - 1] : NULL;
}

/* Adds a part to the size of the tree below a type. */
static bool grow(struct rectype_table *t, int64_t id, uint64_t times, uint64_t *expanded, unsigned *depth)
{
	uint64_t n;

	if (__builtin_mul_overflow(t->expanded[id - 1], times, &n) || n > EXPANDED_MAX)
		return false;
	*expanded += n;
	if (t->depth[id - 1] + 1u > *depth)
		*depth = t->depth[id - 1] + 1;
	return *expanded <= EXPANDED_MAX && *depth <= DEPTH_MAX;
}

static int load_members(struct type_load *l, int64_t id, struct rectype *t, uint64_t *expanded, unsigned *depth)
{
	VEC(struct rec_member) v = { 0 };
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(l->db,
				    "SELECT name, part, bit_off, bit_size FROM type_member WHERE type = ?"
				    " ORDER BY pos",
				    -1, &st, NULL),
	    e = 0;

	sqlite3_bind_int64(st, 1, id);
	while (rc == SQLITE_OK && e == 0 && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		int64_t off = sqlite3_column_int64(st, 2), bits = sqlite3_column_int64(st, 3);
		struct rec_member m = { recfile_text(l->a, st, 0), part(l, sqlite3_column_int64(st, 1)), (uint32_t)off,
					(uint32_t)bits };

		if (!m.type || off < 0 || (uint64_t)off > t->size * 8 || bits < 0 || bits > 64 ||
		    (bits ? (uint64_t)bits > t->size * 8 - (uint64_t)off
			  : m.type->size > t->size - (uint64_t)off / 8) ||
		    !grow(l->t, sqlite3_column_int64(st, 1), 1, expanded, depth))
			e = bad_type(l);
		else
			e = vec_try_push(&v, m);
		rc = SQLITE_OK;
	}
	if (rc != SQLITE_OK && rc != SQLITE_DONE && e == 0)
		e = recfile_error(l->db, "the recording cannot be read", l->err);
	sqlite3_finalize(st);
	t->members = v.n ? arena_memdup(l->a, v.v, v.n * sizeof(*v.v)) : NULL;
	t->nmembers = (uint32_t)v.n;
	vec_free(&v);
	return e;
}

static int load_values(struct type_load *l, int64_t id, struct rectype *t)
{
	VEC(struct rec_enumerator) v = { 0 };
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(l->db, "SELECT name, value FROM type_value WHERE type = ? ORDER BY pos", -1, &st,
				    NULL),
	    e = 0;

	sqlite3_bind_int64(st, 1, id);
	while (rc == SQLITE_OK && e == 0 && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct rec_enumerator ev = { recfile_text(l->a, st, 0), sqlite3_column_int64(st, 1) };

		e = ev.name ? vec_try_push(&v, ev) : bad_type(l);
		rc = SQLITE_OK;
	}
	if (rc != SQLITE_OK && rc != SQLITE_DONE && e == 0)
		e = recfile_error(l->db, "the recording cannot be read", l->err);
	sqlite3_finalize(st);
	t->enumerators = v.n ? arena_memdup(l->a, v.v, v.n * sizeof(*v.v)) : NULL;
	t->nenumerators = (uint32_t)v.n;
	vec_free(&v);
	return e;
}

static bool scalar_fits(const struct rectype *t)
{
	switch (t->kind) {
	case RTY_INT:
	case RTY_ENUM:
	case RTY_PTR: return t->size >= 1 && t->size <= 16;
	default: return true;
	}
}

static int load_type(struct type_load *l, sqlite3_stmt *st)
{
	struct rectype *t = arena_new_obj(l->a, struct rectype);
	int64_t size = sqlite3_column_int64(st, 3), elem = sqlite3_column_int64(st, 6),
		nelems = sqlite3_column_int64(st, 7);
	int kind = kind_of((const char *)sqlite3_column_text(st, 1));
	uint64_t expanded = 1, bytes;
	unsigned depth = 1;
	int e;

	t->name = recfile_text(l->a, st, 2);
	if (kind < 0 || !t->name || size < 0 || size > RECFILE_MAX_RECORD || nelems < 0 ||
	    sqlite3_column_int64(st, 0) != (int64_t)l->t->n + 1 || l->t->n >= TYPES_MAX)
		return bad_type(l);
	t->kind = (enum rectype_kind)kind;
	t->size = (uint64_t)size;
	t->is_signed = sqlite3_column_int(st, 4) != 0;
	t->is_char = sqlite3_column_int(st, 5) != 0;
	t->nelems = (uint64_t)nelems;
	if (t->kind == RTY_ARRAY) {
		t->elem = part(l, elem);
		if (!t->elem || __builtin_mul_overflow(t->elem->size, t->nelems, &bytes) || bytes > t->size ||
		    !grow(l->t, elem, t->nelems, &expanded, &depth))
			return bad_type(l);
	}
	if (!scalar_fits(t))
		return bad_type(l);
	e = load_members(l, sqlite3_column_int64(st, 0), t, &expanded, &depth);
	if (e == 0)
		e = load_values(l, sqlite3_column_int64(st, 0), t);
	if (e == 0) {
		l->t->expanded[l->t->n] = (uint32_t)expanded;
		l->t->depth[l->t->n] = (uint8_t)depth;
		l->t->v[l->t->n++] = t;
	}
	return e;
}

int recfile_get_types(sqlite3 *db, struct arena *a, struct rectype_table *ret, struct err *err)
{
	struct type_load l = { db, a, ret, err };
	sqlite3_stmt *st = NULL;
	int rc, e = 0;

	*ret = (struct rectype_table){ .v = arena_new_arr(a, const struct rectype *, TYPES_MAX),
				       .expanded = arena_new_arr(a, uint32_t, TYPES_MAX),
				       .depth = arena_new_arr(a, uint8_t, TYPES_MAX) };
	rc = sqlite3_prepare_v2(db,
				"SELECT id, kind, name, size, is_signed, is_char, elem, nelems FROM type ORDER BY id",
				-1, &st, NULL);
	while (rc == SQLITE_OK && e == 0 && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		e = load_type(&l, st);
		rc = SQLITE_OK;
	}
	if (rc != SQLITE_OK && rc != SQLITE_DONE && e == 0)
		e = recfile_error(db, "the recording cannot be read", err);
	sqlite3_finalize(st);
	return e;
}

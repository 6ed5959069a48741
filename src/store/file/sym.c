/* SPDX-License-Identifier: Apache-2.0 */
/* Writes names and source lines of addresses to a recording file. Each address is stored once, and no longer than
 * a row refers to it. */
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "store/file/int.h"

#define SYMBOL_BYTES 60 /* of a row, without its texts */
#define SOURCE_BYTES 40

struct known { /* an address that is in the file */
	struct known_key {
		uint64_t addr, start;
		uint32_t tgid, space;
	} key;
	uint32_t bytes;
	uint64_t offset; /* from its function's start, which is known as well; 0: it is that, or there is none */
	uint64_t used[SYM_USERS]; /* the mark in which a row had it last, by what it was */
	UT_hash_handle hh;
};

struct symfile {
	sqlite3 *db;
	sqlite3_stmt *symbol, *source, *remove;
	struct known *known;
	uint64_t mark;
	enum sym_user user; /* of what is asked for next */
};

int symfile_new(sqlite3 *db, struct symfile **ret)
{
	static const struct {
		size_t at;
		const char *sql;
	} st[] = {
		{ offsetof(struct symfile, symbol), "INSERT OR IGNORE INTO symbol VALUES(?,?,?,?,?,?,?,?,?,?)" },
		{ offsetof(struct symfile, source), "INSERT OR IGNORE INTO source VALUES(?,?,?,?,?,?,?,?,?)" },
		{ offsetof(struct symfile, remove),
		  "DELETE FROM symbol WHERE space = ? AND tgid = ? AND start = ? AND addr = ?" },
	};
	struct symfile *f = calloc(1, sizeof(*f));
	int rc = SQLITE_OK;

	if (!f)
		return SQLITE_NOMEM;
	*ret = f;
	f->db = db;
	for (size_t i = 0; i < ARRAY_SIZE(st) && rc == SQLITE_OK; i++)
		rc = sqlite3_prepare_v3(db, st[i].sql, -1, SQLITE_PREPARE_PERSISTENT,
					(sqlite3_stmt **)(void *)((char *)f + st[i].at), NULL);
	return rc;
}

void symfile_free(struct symfile *f)
{
	struct known *k, *next;

	if (!f)
		return;
	sqlite3_finalize(f->symbol);
	sqlite3_finalize(f->source);
	sqlite3_finalize(f->remove);
	HASH_ITER (hh, f->known, k, next) {
		HASH_DEL(f->known, k);
		free(k);
	}
	free(f);
}

static struct known_key key_of(enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr)
{
	struct known_key k;

	memset(&k, 0, sizeof(k));
	k = (struct known_key){ addr, space == RECFILE_USER ? start : 0, space == RECFILE_USER ? tgid : 0, space };
	return k;
}

static struct known *find(const struct symfile *f, const struct known_key *key)
{
	struct known *k;

	HASH_FIND(hh, f->known, key, sizeof(*key), k);
	return k;
}

bool symfile_knows(struct symfile *f, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr)
{
	struct known_key key = key_of(space, tgid, start, addr);
	struct known *k = find(f, &key);

	if (k)
		k->used[f->user] = f->mark;
	return k != NULL;
}

static void bind_key(sqlite3_stmt *st, const struct known_key *k)
{
	sqlite3_bind_int64(st, 1, k->space);
	sqlite3_bind_int64(st, 2, k->tgid);
	sqlite3_bind_int64(st, 3, (int64_t)k->start);
	sqlite3_bind_int64(st, 4, (int64_t)k->addr);
}

static uint32_t length(const char *s)
{
	return s ? (uint32_t)strlen(s) : 0;
}

int symfile_add(struct symfile *f, const struct recfile_symbol *s, uint64_t *ret_bytes)
{
	struct known *k = calloc(1, sizeof(*k));
	sqlite3_stmt *st = f->symbol;
	int rc;

	if (!k)
		return SQLITE_NOMEM;
	k->key = key_of(s->space, s->tgid, s->start, s->addr);
	k->used[f->user] = f->mark;
	k->offset = s->found && s->name && s->offset <= s->addr ? s->offset : 0;
	k->bytes = SYMBOL_BYTES + length(s->module) + length(s->name) + length(s->path);
	HASH_ADD(hh, f->known, key, sizeof(k->key), k);
	if (!k->hh.tbl) {
		free(k);
		return SQLITE_NOMEM;
	}
	*ret_bytes = k->bytes;
	bind_key(st, &k->key);
	sqlite3_bind_int(st, 5, s->found);
	sqlite3_bind_text(st, 6, s->module, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 7, s->name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 8, (int64_t)s->offset);
	sqlite3_bind_int64(st, 9, (int64_t)s->base);
	sqlite3_bind_text(st, 10, s->path, -1, SQLITE_STATIC);
	rc = sqlite3_step(st);
	sqlite3_reset(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int symfile_add_source(struct symfile *f, uint32_t tgid, uint64_t start, uint64_t addr, const struct recfile_source *v,
		       size_t n, uint64_t *ret_bytes)
{
	sqlite3_stmt *st = f->source;
	int rc = SQLITE_DONE;

	*ret_bytes = 0;
	for (size_t i = 0; i < n && i < RECFILE_MAX_SOURCE && rc == SQLITE_DONE; i++) {
		sqlite3_bind_int64(st, 1, tgid);
		sqlite3_bind_int64(st, 2, (int64_t)start);
		sqlite3_bind_int64(st, 3, (int64_t)addr);
		sqlite3_bind_int64(st, 4, (int64_t)i);
		sqlite3_bind_text(st, 5, v[i].function, -1, SQLITE_STATIC);
		sqlite3_bind_text(st, 6, v[i].file, -1, SQLITE_STATIC);
		sqlite3_bind_int64(st, 7, v[i].line);
		sqlite3_bind_text(st, 8, v[i].def_file, -1, SQLITE_STATIC);
		sqlite3_bind_int64(st, 9, v[i].def_line);
		rc = sqlite3_step(st);
		sqlite3_reset(st);
		*ret_bytes += SOURCE_BYTES + length(v[i].function) + length(v[i].file) + length(v[i].def_file);
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* -- what nobody has any more -- */

void recfile_addresses(const struct recfield *fld, const uint8_t *data, recfile_address_fn *fn, void *ctx)
{
	enum recfile_space space = fld->kind == FLD_STACK || fld->kind == FLD_WHY ? RECFILE_KERNEL : RECFILE_USER;
	const uint8_t *p = data + fld->off;
	struct rec_ustack_hdr h = { 0 };
	struct rec_uaddr u;
	bool user;
	uint64_t addr;

	switch (fld->kind) {
	case FLD_USTACK:
		memcpy(&h, p, sizeof(h));
		p += sizeof(h);
		/* fallthrough */
	case FLD_STACK:
	case FLD_WHY:
		for (uint32_t i = 0; i < fld->nframes; i++, p += sizeof(addr)) {
			memcpy(&addr, p, sizeof(addr));
			if (!addr)
				break;
			fn(ctx, space, h.tgid, h.start, addr);
		}
		break;
	default:
		if (recfield_address(fld, p, &u, &user))
			fn(ctx, user ? RECFILE_USER : RECFILE_KERNEL, u.tgid, u.start, u.addr);
		break;
	}
}

void symfile_mark(struct symfile *f, uint64_t mark)
{
	f->mark = mark;
}
void symfile_use_for(struct symfile *f, enum sym_user user)
{
	f->user = user;
}

static bool is_used(const struct known *k, const uint64_t *gone)
{
	for (int u = 0; u < SYM_USERS; u++)
		if (k->used[u] > gone[u])
			return true;
	return false;
}

/* The starts of functions live as long as addresses in them. */
static void use_starts(struct symfile *f, const uint64_t *gone)
{
	struct known *k, *next, *start;

	HASH_ITER (hh, f->known, k, next) {
		struct known_key key = k->key;

		if (!k->offset || !is_used(k, gone))
			continue;
		key.addr -= k->offset;
		start = find(f, &key);
		for (int u = 0; start && u < SYM_USERS; u++)
			if (start->used[u] < k->used[u])
				start->used[u] = k->used[u];
	}
}

int symfile_sweep(struct symfile *f, const uint64_t *gone, uint64_t max_bytes, bool *ret_more)
{
	struct known *k, *next;
	uint64_t bytes = 0;

	use_starts(f, gone);
	HASH_ITER (hh, f->known, k, next) {
		int rc;

		if (is_used(k, gone))
			continue;
		if (bytes > max_bytes) {
			*ret_more = true;
			return SQLITE_OK;
		}
		bind_key(f->remove, &k->key);
		rc = sqlite3_step(f->remove);
		sqlite3_reset(f->remove);
		if (rc != SQLITE_DONE)
			return rc;
		bytes += k->bytes;
		HASH_DEL(f->known, k);
		free(k);
	}
	return SQLITE_OK;
}

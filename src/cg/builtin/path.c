/* SPDX-License-Identifier: Apache-2.0 */
/* d_path(), cwd, root: the name of a struct path, found by walking from its directory entry over the
 * mounts to the root of the mount namespace. Nothing is locked. If names change meanwhile, the text may mix old and new
 * ones, but each part is right. The text is made from its end to its start in a buffer. A path that does not fit begins
 * with "...". The kernel's own bpf_d_path() is for few kinds of programs only. Source: fs/d_path.c; d_dname() of
 * fs/pipe.c, net/socket.c, fs/anon_inodes.c, fs/nsfs.c. */
#include "cg/rt/int.h"
#include "cg/builtin/call.h"
#include "cg/gen/fault.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"

#define NAME_MAX_LEN 255 /* NAME_MAX */
#define PATH_DEPTH 512	 /* components and mounts; fewer where the verifier has to walk them one by one */
#define PATH_DEPTH_NOLOOP 64
#define PATH_MIN 32   /* strsize below it: no room for " (deleted)" */
#define BUF_EXTRA 264 /* a name after the last place of the text */
#define DELETED " (deleted)"
#define CUT "..."

struct path_layout {
	uint32_t path_mnt, path_dentry;
	uint32_t mnt, mnt_root, mnt_parent, mnt_mountpoint; /* in struct mount */
	uint32_t d_parent, d_name, d_hash, d_op, d_sb, d_inode, d_dname, len, s_magic, i_ino, i_private;
	uint32_t ns_ops, ns_name;
	bool has_ns;
};

static bool path_layout(struct cg *c, struct path_layout *l)
{
	uint32_t size, root;

	if (!lay_offset(c, "mount", "mnt", &l->mnt, &size) || !lay_offset(c, "vfsmount", "mnt_root", &root, &size))
		return false;
	l->mnt_root = l->mnt + root;
	l->has_ns = lay_offset(c, "ns_common", "ops", &l->ns_ops, &size) &&
		    lay_offset(c, "proc_ns_operations", "name", &l->ns_name, &size);
	return lay_offset(c, "path", "mnt", &l->path_mnt, &size) &&
	       lay_offset(c, "path", "dentry", &l->path_dentry, &size) &&
	       lay_offset(c, "mount", "mnt_parent", &l->mnt_parent, &size) &&
	       lay_offset(c, "mount", "mnt_mountpoint", &l->mnt_mountpoint, &size) &&
	       lay_offset(c, "dentry", "d_parent", &l->d_parent, &size) &&
	       lay_offset(c, "dentry", "d_name.name", &l->d_name, &size) &&
	       lay_offset(c, "dentry", "d_name.len", &l->len, &size) &&
	       lay_offset(c, "dentry", "d_hash.pprev", &l->d_hash, &size) &&
	       lay_offset(c, "dentry", "d_op", &l->d_op, &size) && lay_offset(c, "dentry", "d_sb", &l->d_sb, &size) &&
	       lay_offset(c, "dentry", "d_inode", &l->d_inode, &size) &&
	       lay_offset(c, "dentry_operations", "d_dname", &l->d_dname, &size) &&
	       lay_offset(c, "super_block", "s_magic", &l->s_magic, &size) &&
	       lay_offset(c, "inode", "i_ino", &l->i_ino, &size) &&
	       lay_offset(c, "inode", "i_private", &l->i_private, &size);
}

/* size bytes (at most 8) at p + off in kernel memory; what cannot be read is 0. dst: where to put them. */
static vreg peek_at(struct irfn *f, vreg dst, vreg p, uint32_t off, unsigned size)
{
	vreg d = ir_new(f);

	ir_call(f, VREG_NONE, BPF_FUNC_probe_read_kernel, IR_ARGS(dst, ir_imm(f, size), rt_alui(f, IRA_ADD, p, off)));
	ir_load(f, d, dst, 0, size);
	return d;
}

static vreg peek(struct irfn *f, irslot tmp, vreg p, uint32_t off, unsigned size)
{
	return peek_at(f, rt_slot_addr(f, tmp), p, off, size);
}

/* -- what is no file in a directory: pipes, sockets, … -- */

/* Appends a constant to dst; returns the new length. len: VREG_NONE at the start. */
static vreg add_const(struct gen *g, vreg dst, vreg cap, vreg len, const char *s)
{
	size_t n = strlen(s);
	vreg src = gen_mapval(g, cg_map_rodata(g->cg), ro_string(g->cg, s, n)), d = ir_new(g->f);
	vreg b = ir_imm(g->f, ROUND_UP(n + 1, 8));
	enum rt_id id = len >= 0 ? RT_STRAPPEND : RT_STRCPY;
	struct irfn *fn = rt_get(g->pr->ip, id, g->cg->caps);

	if (len >= 0)
		ir_call_fn(g->f, d, fn, IR_ARGS(dst, cap, len, src, b));
	else
		ir_call_fn(g->f, d, fn, IR_ARGS(dst, cap, src, b));
	return d;
}

static vreg add_text(struct gen *g, vreg dst, vreg cap, vreg len, vreg buf, uint32_t bound)
{
	vreg d = ir_new(g->f), b = ir_imm(g->f, bound);

	ir_call_fn(g->f, d, rt_get(g->pr->ip, RT_STRAPPEND, g->cg->caps), IR_ARGS(dst, cap, len, buf, b));
	return d;
}

/* "NAME:[INODE]" after what dst has. */
static void add_inode(struct gen *g, vreg dst, vreg cap, vreg len, vreg buf, vreg ino)
{
	vreg n = ir_imm(g->f, PATH_MIN), ten = ir_imm(g->f, 10);

	ir_call_fn(g->f, VREG_NONE, rt_get(g->pr->ip, RT_LLTOSTR, g->cg->caps), IR_ARGS(buf, n, ino, ten));
	len = add_text(g, dst, cap, len, buf, PATH_MIN);
	add_const(g, dst, cap, len, "]");
	ir_reti(g->f, 1);
}

static void read_name(struct gen *g, vreg buf, vreg src)
{
	vreg n = ir_imm(g->f, NAME_MAX_LEN + 1);

	ir_storei(g->f, buf, 0, 1, 0);
	ir_call(g->f, VREG_NONE, BPF_FUNC_probe_read_kernel_str, IR_ARGS(buf, n, src));
}

enum { MAGIC_PIPE = 0x50495045, MAGIC_SOCK = 0x534f434b, MAGIC_ANON = 0x09041934, MAGIC_NS = 0x6e736673 };

/* special(dst, cap, buf, dentry): 1 when the kernel makes up a name for it, which is then in dst. */
static struct irfn *special_fn(struct prog *pr, const struct path_layout *l)
{
	struct gen g;
	irlabel no, sock, anon, ns, other;
	vreg dst, cap, buf, de, op, magic, inode, ino, len;
	irslot tmp;

	gen_init(&g, pr, irfn_new(pr->ip, "path_special", 4));
	tmp = ir_slot(g.f, 8);
	no = ir_label(g.f), sock = ir_label(g.f), anon = ir_label(g.f), ns = ir_label(g.f);
	other = ir_label(g.f);
	dst = irfn_arg(g.f, 0), cap = irfn_arg(g.f, 1), buf = irfn_arg(g.f, 2), de = irfn_arg(g.f, 3);
	op = peek(g.f, tmp, de, l->d_op, 8);
	ir_jcci(g.f, IRC_EQ, op, 0, no);
	ir_jcci(g.f, IRC_EQ, peek(g.f, tmp, op, l->d_dname, 8), 0, no);
	magic = peek(g.f, tmp, peek(g.f, tmp, de, l->d_sb, 8), l->s_magic, 4);
	inode = peek(g.f, tmp, de, l->d_inode, 8);
	ino = peek(g.f, tmp, inode, l->i_ino, 8);
	ir_jcci(g.f, IRC_EQ, magic, MAGIC_SOCK, sock);
	ir_jcci(g.f, IRC_EQ, magic, MAGIC_ANON, anon);
	ir_jcci(g.f, IRC_EQ, magic, MAGIC_NS, ns);
	ir_jcci(g.f, IRC_NE, magic, MAGIC_PIPE, other);
	add_inode(&g, dst, cap, add_const(&g, dst, cap, VREG_NONE, "pipe:["), buf, ino);
	ir_place(g.f, sock);
	add_inode(&g, dst, cap, add_const(&g, dst, cap, VREG_NONE, "socket:["), buf, ino);
	ir_place(g.f, anon);
	read_name(&g, buf, peek(g.f, tmp, de, l->d_name, 8));
	len = add_const(&g, dst, cap, VREG_NONE, "anon_inode:");
	add_text(&g, dst, cap, len, buf, NAME_MAX_LEN + 1);
	ir_reti(g.f, 1);
	ir_place(g.f, ns);
	if (l->has_ns) {
		vreg nsp = peek(g.f, tmp, inode, l->i_private, 8);

		read_name(&g, buf, peek(g.f, tmp, peek(g.f, tmp, nsp, l->ns_ops, 8), l->ns_name, 8));
		len = add_text(&g, dst, cap, add_const(&g, dst, cap, VREG_NONE, ""), buf, PATH_MIN);
		add_inode(&g, dst, cap, add_const(&g, dst, cap, len, ":["), buf, ino);
	}
	ir_place(g.f, other); /* memory of programs that has a name: memfd, SysV shared memory */
	read_name(&g, buf, peek(g.f, tmp, de, l->d_name, 8));
	len = add_text(&g, dst, cap, add_const(&g, dst, cap, VREG_NONE, "/"), buf, NAME_MAX_LEN + 1);
	add_const(&g, dst, cap, len, DELETED);
	ir_reti(g.f, 1);
	ir_place(g.f, no);
	ir_reti(g.f, 0);
	return g.f;
}

/* -- the walk -- */

enum { W_BUF = 0, W_CAP = 8, W_AT = 16, W_DENTRY = 24, W_MNT = 32, W_DONE = 40, W_TMP = 48, W_SIZE = 56 };

/* One step: a component is put in front, or a mount is left. Ends the loop at the root or when full. */
static struct irfn *step_fn(struct prog *pr, const struct path_layout *l)
{
	struct irfn *f = irfn_new(pr->ip, "path_step", 2);
	vreg st = irfn_arg(f, 1), tmp = rt_alui(f, IRA_ADD, st, W_TMP), de = rt_ld(f, st, W_DENTRY);
	vreg mnt = rt_ld(f, st, W_MNT), up, len, at, p;
	irlabel root = ir_label(f), mount = ir_label(f), end = ir_label(f), ok = ir_label(f);

	ir_jcc(f, IRC_EQ, peek_at(f, tmp, mnt, l->mnt_root, 8), de, mount);
	up = peek_at(f, tmp, de, l->d_parent, 8);
	ir_jcc(f, IRC_EQ, up, de, root);
	ir_jcci(f, IRC_EQ, up, 0, end);
	ir_store(f, st, W_DENTRY, 8, up);
	len = peek_at(f, tmp, de, l->len, 4);
	ir_jcci(f, IRC_LE, len, NAME_MAX_LEN, ok);
	ir_movi(f, len, NAME_MAX_LEN);
	ir_place(f, ok);
	at = rt_alu(f, IRA_SUB, rt_blur(f, rt_ld(f, st, W_AT), len), len);
	ir_alui(f, IRA_SUB, at, at, 1);
	ir_jcc(f, IRC_GE, at, rt_ld(f, st, W_CAP), end); /* below 0 as well */
	ir_store(f, st, W_AT, 8, at);
	p = rt_alu(f, IRA_ADD, rt_ld(f, st, W_BUF), at);
	ir_storei(f, p, 0, 1, '/');
	ir_alui(f, IRA_ADD, p, p, 1);
	vreg name = peek_at(f, tmp, de, l->d_name, 8);

	ir_call(f, VREG_NONE, BPF_FUNC_probe_read_kernel, IR_ARGS(p, len, name));
	ir_reti(f, 0);

	ir_place(f, mount);
	up = peek_at(f, tmp, mnt, l->mnt_parent, 8);
	ir_jcc(f, IRC_EQ, up, mnt, root);
	ir_jcci(f, IRC_EQ, up, 0, end);
	ir_store(f, st, W_DENTRY, 8, peek_at(f, tmp, mnt, l->mnt_mountpoint, 8));
	ir_store(f, st, W_MNT, 8, up);
	ir_reti(f, 0);
	ir_place(f, root);
	ir_storei(f, st, W_DONE, 8, 1);
	ir_place(f, end);
	ir_reti(f, 1);
	return f;
}

/* " (deleted)" at the end, of a file whose name is gone. */
static void put_deleted(struct irfn *f, irslot st, const struct path_layout *l)
{
	vreg de = ir_new(f), p, at = ir_new(f), mnt = ir_new(f);
	irslot tmp = ir_slot(f, 8);
	irlabel no = ir_label(f);

	ir_load_slot(f, de, st, W_DENTRY, 8);
	ir_load_slot(f, mnt, st, W_MNT, 8);
	ir_load_slot(f, at, st, W_CAP, 8);
	ir_alui(f, IRA_SUB, at, at, 1);
	p = rt_alu(f, IRA_ADD, irfn_arg(f, 2), at);
	ir_storei(f, p, 0, 1, 0);
	ir_store_slot(f, st, W_AT, 8, at);
	ir_jcci(f, IRC_NE, peek(f, tmp, de, l->d_hash, 8), 0, no);
	ir_jcc(f, IRC_EQ, peek(f, tmp, de, l->d_parent, 8), de, no);
	for (size_t i = 0; i < strlen(DELETED); i++)
		ir_storei(f, p, (int32_t)i - (int32_t)strlen(DELETED), 1, DELETED[i]);
	ir_alui(f, IRA_SUB, at, at, strlen(DELETED));
	ir_store_slot(f, st, W_AT, 8, at);
	ir_place(f, no);
}

/* The place of the text in the buffer after the walk: "/" for nothing, CUT in front of a part. */
static vreg path_start(struct irfn *f, irslot st)
{
	vreg at = ir_new(f), done = ir_new(f), cap = irfn_arg(f, 1), p, c = ir_new(f);
	irlabel whole = ir_label(f), out = ir_label(f), ok = ir_label(f), nonempty = ir_label(f);

	ir_load_slot(f, at, st, W_AT, 8);
	ir_load_slot(f, done, st, W_DONE, 8);
	ir_jcci(f, IRC_NE, done, 0, whole);
	ir_jcci(f, IRC_GE, at, strlen(CUT), ok);
	ir_movi(f, at, strlen(CUT));
	ir_place(f, ok);
	ir_alui(f, IRA_SUB, at, at, strlen(CUT));
	ir_jcc(f, IRC_GE, at, cap, out);
	p = rt_alu(f, IRA_ADD, irfn_arg(f, 2), at);
	for (size_t i = 0; i < strlen(CUT); i++)
		ir_storei(f, p, (int32_t)i, 1, CUT[i]);
	ir_jmp(f, out);
	ir_place(f, whole);
	ir_jcci(f, IRC_EQ, at, 0, out);
	ir_jcc(f, IRC_GE, at, cap, out);
	p = rt_alu(f, IRA_ADD, irfn_arg(f, 2), at);
	ir_load(f, c, p, 0, 1); /* the root itself, deleted or not */
	ir_jcci(f, IRC_EQ, c, '/', nonempty);
	ir_storei(f, p, -1, 1, '/');
	ir_alui(f, IRA_SUB, at, at, 1);
	ir_place(f, nonempty);
	ir_place(f, out);
	return at;
}

/* path(dst, cap, buf, vfsmount, dentry): the path's text into dst. buf: cap + BUF_EXTRA bytes. */
static struct irfn *path_fn(struct prog *pr)
{
	struct rtgen rg = { .p = pr->ip, .caps = pr->cg->caps };
	struct irfn *special, *step, *f;
	struct path_layout l;
	irlabel plain, bad;
	vreg r, at, dst, cap, buf;
	irslot st;

	if (pr->fn_path)
		return pr->fn_path;
	if (!path_layout(pr->cg, &l))
		return NULL;
	special = special_fn(pr, &l);
	step = step_fn(pr, &l);
	f = pr->fn_path = irfn_new(pr->ip, "path", 5);
	r = ir_new(f), plain = ir_label(f), bad = ir_label(f), st = ir_slot(f, W_SIZE);
	dst = irfn_arg(f, 0), cap = irfn_arg(f, 1), buf = irfn_arg(f, 2);
	ir_call_fn(f, r, special, IR_ARGS(dst, cap, buf, irfn_arg(f, 4)));
	ir_jcci(f, IRC_EQ, r, 0, plain);
	ir_reti(f, 0);
	ir_place(f, plain);
	ir_store_slot(f, st, W_BUF, 8, buf);
	ir_store_slot(f, st, W_CAP, 8, cap);
	ir_store_slot(f, st, W_DENTRY, 8, irfn_arg(f, 4));
	ir_store_slot(f, st, W_MNT, 8, rt_alui(f, IRA_SUB, irfn_arg(f, 3), l.mnt));
	ir_storei_slot(f, st, W_DONE, 8, 0);
	ir_storei_slot(f, st, W_TMP, 8, 0);
	put_deleted(f, st, &l);
	rt_vary(f, &rg, st, W_AT, W_TMP);
	rt_loop(f, &rg, ir_imm(f, rg.caps->bpf_loop ? PATH_DEPTH : PATH_DEPTH_NOLOOP), step, st);
	at = path_start(f, st);
	ir_jcc(f, IRC_GE, at, cap, bad);
	ir_call(f, VREG_NONE, BPF_FUNC_probe_read_kernel_str, IR_ARGS(dst, cap, rt_alu(f, IRA_ADD, buf, at)));
	ir_reti(f, 0);
	ir_place(f, bad);
	ir_storei(f, dst, 0, 1, 0);
	ir_reti(f, 0);
	return f;
}

/* mnt, de: a struct vfsmount and a struct dentry in kernel memory. */
static void path_text(struct gen *g, vreg mnt, vreg de, struct str *ret)
{
	uint32_t cap = (uint32_t)opts_strcap(g->cg->opts);
	struct irfn *fn = path_fn(g->pr);
	struct mem buf;
	vreg d, c, b;

	*ret = (struct str){ .is_const = true, .cs = "" };
	if (!fn || cap < PATH_MIN) {
		cg_error(g, g->ds->at, fn ? TAG_LIMIT : TAG_NOSUPP, "%s",
			 fn ? "paths need a strsize of at least 32"
			    : "paths need the kernel's types, and these do not describe struct path");
		return;
	}
	gen_jcci(g, IRC_EQ, de, 0, gen_fault_imm(g, FAULT_BADADDR, 0));
	*ret = (struct str){ .m = gen_scratch(g, cap), .bound = cap };
	buf = gen_scratch(g, cap + BUF_EXTRA);
	d = gen_addr(g, ret->m);
	c = ir_imm(g->f, cap);
	b = gen_addr(g, buf);
	ir_call_fn(g->f, VREG_NONE, fn, IR_ARGS(d, c, b, mnt, de));
}

/* addr + off: of a struct path in kernel memory. */
static void path_at(struct gen *g, vreg addr, uint32_t off, struct str *ret)
{
	struct mem pair = mem_slot(ir_slot(g->f, 16), 0);
	vreg mnt = ir_new(g->f), de = ir_new(g->f);

	gen_probe_read(g, pair, 16, addr, off, false);
	gen_ld(g, mnt, pair, 8, false);
	gen_ld(g, de, mem_add(pair, 8), 8, false);
	path_text(g, mnt, de, ret);
}

void sub_d_path(struct gen *g, struct call *c)
{
	path_at(g, call_reg(g, c, 0), 0, &c->s);
}

/* Where the file system of a struct vfsmount is mounted. */
void sub_mount_path(struct gen *g, struct call *c)
{
	struct mem m = mem_slot(ir_slot(g->f, 8), 0);
	vreg mnt = call_reg(g, c, 0), de = ir_new(g->f);
	uint32_t off = 0, size;

	lay_offset(g->cg, "vfsmount", "mnt_root", &off, &size);
	gen_probe_read(g, m, 8, mnt, off, false);
	gen_ld(g, de, m, 8, false);
	path_text(g, mnt, de, &c->s);
}

/* cwd and root: struct path in the task's fs_struct. */
void gen_task_path(struct gen *g, const char *member, struct str *ret)
{
	uint32_t off = 0, size;
	vreg fs;

	if (!lay_offset(g->cg, "fs_struct", member, &off, &size)) {
		cg_error(g, g->ds->at, TAG_NOSUPP, "this kernel's types do not describe fs_struct.%s", member);
		*ret = (struct str){ .is_const = true, .cs = "" };
		return;
	}
	fs = gen_task_field(g, "fs");
	path_at(g, cg_typed(g->cg) ? gen_launder(g, fs) : fs, off, ret);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* V8 in a target: its layout out of its file, and small questions to its objects. */
#include "core/js/js.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/walk.h"
#include "sym/elf/elfsym.h"

#define VERSION "_ZN2v88internal7Version"
#define SIZES "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE"

struct taking {
	struct js *js;
	const struct core_file *f;
	int32_t major, minor, build, patch;
	bool any;
};

/* A constant of the file; compilers put those that are 0 where the file has no bytes (.bss). */
static bool value_of(const struct core_file *f, uint64_t addr, int32_t *ret)
{
	uint64_t off;

	if (elf_seg_off(f->seg, f->nseg, addr, &off))
		return elf_read(&f->elf.src, off, ret, sizeof(*ret)) == 0;
	for (unsigned i = 0; i < f->nseg; i++) {
		if (addr >= f->seg[i].vaddr && addr - f->seg[i].vaddr < f->seg[i].memsz) {
			*ret = 0;
			return true;
		}
	}
	return false;
}

/* The table of bytecodes' sizes, by which baseline code is told from bytecode. */
static void take_sizes(struct taking *t, const Elf64_Sym *sym)
{
	uint8_t sizes[V8_SCALES * V8_MAX_BYTECODES];
	uint64_t off;

	if (sym->st_size <= sizeof(sizes) && elf_seg_off(t->f->seg, t->f->nseg, sym->st_value, &off) &&
	    elf_read(&t->f->elf.src, off, sizes, sym->st_size) == 0)
		(void)v8_layout_bytecodes(&t->js->l, sizes, sym->st_size);
}

static int take(void *arg, const Elf64_Sym *sym, const char *name, uint64_t room)
{
	struct taking *t = arg;
	const size_t n = elfsym_name_len(name);
	int32_t *to[2] = { NULL, NULL }, value;

	(void)room;
	if (n == sizeof(SIZES) - 1 && !memcmp(name, SIZES, n)) {
		take_sizes(t, sym);
	} else if (!strncmp(name, "v8dbg_", 6)) {
		t->any = true;
		to[0] = v8_layout_field(&t->js->l, name, n);
		to[1] = v8_objects_field(&t->js->o, name, n);
	} else if (!strncmp(name, VERSION, sizeof(VERSION) - 1)) {
		static const char *const parts[] = { VERSION "6major_E", VERSION "6minor_E", VERSION "6build_E",
						     VERSION "6patch_E" };
		int32_t *const where[] = { &t->major, &t->minor, &t->build, &t->patch };

		for (size_t i = 0; i < 4; i++)
			if (n == strlen(parts[i]) && !memcmp(name, parts[i], n))
				to[0] = where[i];
	}
	if ((!to[0] && !to[1]) || !value_of(t->f, sym->st_value, &value))
		return 0;
	for (size_t i = 0; i < 2; i++)
		if (to[i])
			*to[i] = value;
	return 0;
}

/* Whether the file has V8: what it says is in js then. */
static bool take_file(struct js *js, const struct core_file *f)
{
	struct taking t = { .js = js, .f = f };

	v8_layout_begin(&js->l);
	v8_objects_begin(&js->o);
	elfsym_each(&f->elf, SHT_DYNSYM, take, &t);
	if (!t.any || !js->l.nbytecodes)
		elfsym_each(&f->elf, SHT_SYMTAB, take, &t);
	if (!t.any)
		return false;
	if (t.major > 0 && t.major < 256 && t.minor >= 0 && t.minor < 256)
		js->version = V8_VERSION(t.major, t.minor);
	js->build = (uint32_t)t.build;
	js->patch = (uint32_t)t.patch;
	return true;
}

static const struct core_file *find_file(struct js *js)
{
	struct core *c = js->core;
	const struct core_file *program = core_program(c);

	for (uint32_t i = 0; i <= c->files.n; i++) { /* the program first */
		const struct core_file *f = i ? core_file(c, i - 1) : program;

		if (f && f->state != CORE_FILE_GONE && f->state != CORE_FILE_OTHER && f->elf.nph && take_file(js, f))
			return f;
	}
	return NULL;
}

static int read_target(void *ctx, uint64_t addr, void *buf, size_t n)
{
	return core_read(ctx, addr, buf, n);
}

static int no_file(struct core *c, struct err *err)
{
	const struct core_file *p = core_program(c);

	if (p && (p->state == CORE_FILE_GONE || p->state == CORE_FILE_OTHER))
		return err_set(err, -ENOENT,
			       "JavaScript's objects need the program's file, %s: %s (dwell core FILE BINARY)", p->path,
			       core_file_word(p->state));
	return err_set(err, -ENOENT, "no V8 is in this process: none of its files has v8dbg_ symbols");
}

static int take_layout(struct js *js, struct err *err)
{
	const struct core_file *f;
	const char *missing = "";
	uint32_t known = 0;
	int r;

	if (core_program(js->core))
		core_file(js->core, (uint32_t)(core_program(js->core) - js->core->files.v));
	f = find_file(js);
	if (!f)
		return no_file(js->core, err);
	r = v8_layout_end(&js->l, js->version);
	if (r == -ENOTSUP && js->core->force) {
		known = v8_nearest(js->version);
		r = v8_layout_end(&js->l, known);
	}
	if (r == 0) {
		v8_layout_walk(&js->l, &js->walk);
		r = v8_objects_end(&js->o, known ? known : js->version, &missing);
	}
	if (r == -ENOTSUP)
		return err_set(err, r, "V8 %u.%u of %s is not known: " V8_VERSIONS " (--force)", js->version >> 8,
			       js->version & 255, f->path);
	return r < 0 ? err_set(err, r, "%s does not say where V8 %u.%u has its objects' members (%s)", f->path,
			       js->version >> 8, js->version & 255, *missing ? missing : "frames")
		     : 0;
}

int js_open(struct core *c, struct js **ret, struct err *err)
{
	struct js *js = calloc(1, sizeof(*js));
	int r;

	if (!js)
		return err_set(err, -ENOMEM, "out of memory");
	js->core = c;
	js->mem = (struct rt_mem){ read_target, c };
	js->v = (struct v8){ &js->l, &js->mem };
	js->lines = v8_lines_new();
	r = js->lines ? take_layout(js, err) : err_set(err, -ENOMEM, "out of memory");
	if (r < 0) {
		js_close(js);
		return r;
	}
	*ret = js;
	return 0;
}

void js_close(struct js *js)
{
	if (js)
		v8_lines_free(js->lines);
	free(js);
}

bool js_is_map(const struct js *js, uint64_t map)
{
	uint64_t meta, again;

	return v8_is_object(map) && js_word(js, map, 0, &meta) == 0 && v8_is_object(meta) &&
	       js_word(js, meta, 0, &again) == 0 && meta == again && js_type(js, map) == js->l.type_map;
}

bool js_is_hole(const struct js *js, uint64_t v)
{
	uint8_t kind;
	int type;

	if (!v8_is_object(v))
		return false;
	type = js_type(js, v);
	if (type >= 0 && type == js->o.type_hole)
		return true;
	return type == js->l.type_oddball && v8_bytes(&js->v, v, js->l.oddball_kind + 4, &kind, 1) == 0 &&
	       kind == js->o.odd_hole;
}

/* The name of a function's SharedFunctionInfo: a string, a scope that has it, or none. */
int js_function_name(const struct js *js, uint64_t function, struct strb *b)
{
	struct v8_scope scope = { 0 };
	uint64_t shared, name;
	int r = js_word(js, function, js->l.function_shared, &shared), type;

	if (r == 0)
		r = js_word(js, shared, js->l.shared_name, &name);
	if (r < 0)
		return r;
	if (!v8_is_object(name))
		return 0;
	type = js_type(js, name);
	if (type == js->l.type_scope) {
		r = v8_scope_read(&js->v, name, &scope);
		if (r < 0 || !scope.name)
			return r;
		name = scope.name;
		type = js_type(js, name);
	}
	return js_is_string(js, type) ? js_string_text(js, name, V8_MAX_NAME, b, NULL) : 0;
}

void js_frame_text(const struct js *js, uint64_t frame, char buf[RT_MAX_TEXT])
{
	struct v8_head head;
	int r = v8_head_read(&js->l, &js->mem, frame, &head);

	if (r == 0)
		r = v8_frame_text(&js->l, &js->mem, js->lines, &head, frame, buf, RT_MAX_TEXT);
	if (r < 0)
		snprintf(buf, RT_MAX_TEXT, "(function of %llx: %s)",
			 (unsigned long long)(V8_FRAME_OBJECT(frame) - V8_TAG),
			 r == -EFAULT || r == -ENODATA ? "not in the core" : "damaged");
}

/* The function that the map has been made for. */
static int made_by(const struct js *js, uint64_t map, uint64_t *ret)
{
	int r = 0, type = js->l.type_map;

	for (unsigned i = 0; i < JS_MAX_CHAIN && r == 0 && type == js->l.type_map; i++) {
		r = js_word(js, map, js->o.map_constructor, &map);
		type = r == 0 && v8_is_object(map) ? js_type(js, map) : -1;
	}
	*ret = map;
	return r < 0 ? r : js_is_function(js, type) ? 0 : -ENOENT;
}

/* If a class extends another, its map is made for the other one. The prototype has the right constructor. */
int js_constructor_function(const struct js *js, uint64_t object, uint64_t *ret)
{
	uint64_t map, prototype;
	int r = js_word(js, object, 0, &map);

	if (r == 0)
		r = js_word(js, map, js->o.map_prototype, &prototype);
	if (r < 0)
		return r;
	if (!js_is_receiver(js, js_type(js, prototype)) || js_own(js, prototype, "constructor", ret) < 0 ||
	    !js_is_function(js, js_type(js, *ret)))
		r = made_by(js, map, ret);
	return r;
}

int js_constructor(const struct js *js, uint64_t object, struct strb *b)
{
	uint64_t function;
	int r = js_constructor_function(js, object, &function);

	return r == -ENOENT ? 0 : r < 0 ? r : js_function_name(js, function, b);
}

struct finding {
	const struct js *js;
	const char *name;
	uint64_t value;
};

static int is_it(void *ctx, const struct js_prop *p)
{
	struct finding *f = ctx;
	struct strb b = { 0 };
	int r = 0;

	if (p->key && !p->accessor && js_is_string(f->js, js_type(f->js, p->key))) {
		r = js_string_text(f->js, p->key, V8_MAX_NAME, &b, NULL);
		if (r == 0 && !strcmp(strb_str(&b), f->name)) {
			f->value = p->value;
			r = WALK_END;
		}
	}
	strb_free(&b);
	return r;
}

int js_own(const struct js *js, uint64_t object, const char *name, uint64_t *ret)
{
	struct finding f = { js, name, 0 };
	int r = js_properties(js, object, is_it, &f);

	if (r != WALK_END)
		return r < 0 ? r : -ENOENT;
	*ret = f.value;
	return 0;
}
